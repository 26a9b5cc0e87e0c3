//! What a kernel dump adds to the environment card: how long the system had run, and the display driver.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use evidence::KernelDump;

/// The display drivers of NVIDIA, AMD and Intel, by the names of their kernel parts.
const DISPLAY_DRIVERS: [&str; 8] = [
    "nvlddmkm.sys",
    "amdkmdag.sys",
    "atikmdag.sys",
    "atikmpag.sys",
    "igdkmd64.sys",
    "igdkmd32.sys",
    "igdkmdn64.sys",
    "igdkmdnd64.sys",
];

/// Adds `uptime` and `gpu_driver`.
pub(super) fn fill(dump: &KernelDump, card: &mut BTreeMap<&'static str, String>) {
    if let Some(uptime) = dump.uptime {
        card.insert("uptime", spelled(uptime));
    }
    let drivers =
        dump.drivers.iter().filter(|driver| DISPLAY_DRIVERS.iter().any(|name| driver.name.eq_ignore_ascii_case(name)));
    let drivers: Vec<String> = drivers
        .map(|driver| match dump.time.and_then(|dumped| driver.built(dumped)) {
            Some(built) => format!("{} of {}", driver.name, TimeZone::UTC.to_datetime(built).date()),
            None => driver.name.to_string(),
        })
        .collect();
    if !drivers.is_empty() {
        card.insert("gpu_driver", drivers.join(", "));
    }
}

/// `3 d 7 h`, `7 h 36 min`, `4 min 10 s`: the two largest units.
pub(super) fn spelled(span: SignedDuration) -> String {
    let seconds = span.as_secs();
    let part =
        |unit: i64, of: i64| seconds.checked_div(unit).and_then(|whole| whole.checked_rem(of)).unwrap_or_default();
    let (days, hours, minutes) = (part(86_400, i64::MAX), part(3600, 24), part(60, 60));
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", part(1, 60)),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spelled_in_two_units() {
        for (seconds, text) in [(3, "3 s"), (250, "4 min 10 s"), (27_410, "7 h 36 min"), (284_400, "3 d 7 h")] {
            assert_eq!(spelled(SignedDuration::from_secs(seconds)), text);
        }
    }
}

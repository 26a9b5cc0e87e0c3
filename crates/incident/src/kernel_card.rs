//! What a kernel dump adds to the environment card: how long the system had run, and the display driver.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use jiff::tz::TimeZone;

use evidence::{KernelDump, Processor};

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

/// Adds `uptime`, the processor and `gpu_driver` to a card.
pub(super) fn add_kernel_facts(dump: &KernelDump, card: &mut BTreeMap<&'static str, String>) {
    if let Some(uptime) = dump.uptime {
        card.insert("uptime", in_two_units(uptime));
    }
    if let Some(processor) = dump.state.processors.first() {
        let Processor { family, model, stepping, .. } = processor.kind;
        if let (Some(family), Some(model), Some(stepping)) = (family, model, stepping) {
            let kind = format!("{} (family {family} model {model} stepping {stepping})", dump.cpu.word());
            card.insert("cpu", kind);
        }
        card.extend(processor.name.as_ref().map(|name| ("cpu_name", name.to_string())));
        card.extend(processor.microcode.map(|revision| ("cpu_microcode", format!("{revision:#x}"))));
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

/// A duration in its two largest units: `3 d 7 h`, `7 h 36 min`, `4 min 10 s`.
pub(super) fn in_two_units(span: SignedDuration) -> String {
    let seconds = span.as_secs();
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
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
            assert_eq!(in_two_units(SignedDuration::from_secs(seconds)), text);
        }
    }
}

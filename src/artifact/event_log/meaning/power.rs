//! How a machine started, and what it runs on.

use super::super::fields::Fields;
use crate::evidence::EventBody;

/// Kernel-Boot 20. `None` when both the last shutdown and the last start were good.
pub(super) fn last_shutdown(fields: &Fields<'_>) -> Option<EventBody> {
    let sentence = match (fields.flag("LastShutdownGood")?, fields.flag("LastBootGood")?) {
        (true, true) => return None,
        (false, true) => "the last shutdown did not succeed",
        (true, false) => "the last start did not succeed",
        (false, false) => "neither the last shutdown nor the last start succeeded",
    };
    Some(of(sentence))
}

/// Kernel-Power 86.
pub(super) fn shut_down_by_heat(fields: &Fields<'_>) -> EventBody {
    EventBody::ShutDownByHeat { zone: fields.text("ThermalZoneDeviceInstance") }
}

/// Kernel-Power 105.
pub(super) fn power_source(fields: &Fields<'_>) -> Option<EventBody> {
    Some(of(if fields.flag("AcOnline")? {
        "the machine runs on mains power"
    } else {
        "the machine runs on its battery"
    }))
}

fn of(sentence: &str) -> EventBody {
    EventBody::Said { sentence: sentence.into(), kind: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{named, positional, sentence};
    use crate::evidence::EventBody;

    const KERNEL_POWER: &str = "Microsoft-Windows-Kernel-Power";

    #[test]
    fn a_start_is_only_told_when_something_went_wrong_before() {
        let of = |shutdown: bool, boot: bool| {
            let data = json!({"LastShutdownGood": shutdown, "LastBootGood": boot, "LastBootId": 7});
            named("Microsoft-Windows-Kernel-Boot", 20, data)
        };
        assert!(of(true, true).is_none());
        assert_eq!(sentence(of(false, true)), "the last shutdown did not succeed");
        assert_eq!(sentence(of(false, false)), "neither the last shutdown nor the last start succeeded");
    }

    #[test]
    fn mains_and_battery_are_told_apart() {
        let of =
            |online: bool| sentence(named(KERNEL_POWER, 105, json!({"AcOnline": online, "RemainingCapacity": 4970})));
        assert_eq!(of(true), "the machine runs on mains power");
        assert_eq!(of(false), "the machine runs on its battery");
    }

    #[test]
    fn heat_and_held_back_processors_are_told() {
        let hot = named(KERNEL_POWER, 86, json!({"ThermalZoneDeviceInstance": "ACPI\\ThermalZone\\TZ00"}));
        let Some(EventBody::ShutDownByHeat { zone }) = hot else { panic!("heat") };
        assert_eq!(zone.as_deref(), Some("ACPI\\ThermalZone\\TZ00"));
        let data = json!({"Group": 0, "Number": 3, "CapDurationInSeconds": 71, "PpcChanges": 5, "TpcChanges": 0});
        assert_eq!(
            sentence(named("Microsoft-Windows-Kernel-Processor-Power", 37, data)),
            "the firmware held back the speed of processor 3 for 71 seconds"
        );
    }

    #[test]
    fn a_planned_restart_reads_in_both_layouts_and_any_language() {
        // As a German system logs it.
        let values = [
            "C:\\Windows\\system32\\winlogon.exe (PC-01)",
            "PC-01",
            "Betriebssystem: Upgrade (geplant)",
            "0x80020003",
            "Neustart",
            "",
            "NT-AUTORITÄT\\SYSTEM",
        ];
        let expected = "C:\\Windows\\system32\\winlogon.exe (PC-01) asked for a shutdown or restart: Neustart, \
                        Betriebssystem: Upgrade (geplant), reason 0x80020003";
        assert_eq!(sentence(positional("USER32", 1074, &values)), expected);
        let named_values = json!({
            "param1": values[0], "param2": values[1], "param3": values[2], "param4": values[3], "param5": values[4],
            "param6": values[5], "param7": values[6]
        });
        assert_eq!(sentence(named("User32", 1074, named_values)), expected);
    }
}

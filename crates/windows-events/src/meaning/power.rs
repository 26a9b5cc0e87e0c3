//! The start of a machine, its power source, and changes of its clock.

use jiff::{SignedDuration, Timestamp};

use super::super::fields::Fields;
use evidence::EventBody;

/// The least change of a clock that makes records hard to order. Time services correct clocks by less all the time.
const LEAST_SHIFT: SignedDuration = SignedDuration::from_secs(60);
/// The reason of a change of the clock that a program or a part of the system made. The other reason is the hardware's clock,
/// by which Windows sets its own on waking.
///
/// Source: the value map of Kernel-General 1 in the manifest of Windows' system events.
const SET_BY_A_PROGRAM: u32 = 1;

/// Kernel-Boot 20: whether the last shutdown and the last start succeeded. `None` when both did.
pub(super) fn last_shutdown(fields: &Fields<'_>) -> Option<EventBody> {
    let sentence = match (fields.flag("LastShutdownGood")?, fields.flag("LastBootGood")?) {
        (true, true) => return None,
        (false, true) => "the last shutdown did not succeed",
        (true, false) => "the last start did not succeed",
        (false, false) => "neither the last shutdown nor the last start succeeded",
    };
    Some(said(sentence))
}

/// Kernel-Boot 27: the kind of a start. `None` for a start of all of Windows, for which there is Kernel-General 12.
///
/// Source: the values of its message, which Windows' own guides to fast startup name: 1 is a hybrid start, 2 a resume.
pub(super) fn kind_of_start(fields: &Fields<'_>) -> Option<EventBody> {
    match fields.number_u32("BootType")? {
        1 => Some(said("the system started with the kernel's session of before (fast startup)")),
        2 => Some(said("the system resumed from hibernation")),
        _ => None,
    }
}

/// Kernel-General 12: a start. What the log has before it is not in the record.
pub(super) fn system_started(fields: &Fields<'_>) -> EventBody {
    EventBody::SystemStarted { build: fields.text("BuildVersion"), last_before: None }
}

/// Kernel-General 1: a change of the clock. `None` for a correction.
pub(super) fn clock_set(fields: &Fields<'_>) -> Option<EventBody> {
    let time = |name: &str| fields.written(name)?.trim().parse::<Timestamp>().ok();
    let (old, new) = (time("OldTime")?, time("NewTime")?);
    let shift = new.duration_since(old);
    if fields.number_u32("Reason") != Some(SET_BY_A_PROGRAM) || shift.abs() < LEAST_SHIFT {
        return None;
    }
    let direction = if shift.is_negative() { "back" } else { "forward" };
    let by = SignedDuration::from_secs(shift.abs().as_secs());
    Some(said(&format!("the clock was set {direction} by {by:#}, from {old:.0} to {new:.0}")))
}

/// Kernel-Power 86: a shutdown because of heat.
pub(super) fn shut_down_by_heat(fields: &Fields<'_>) -> EventBody {
    EventBody::ShutDownByHeat { zone: fields.text("ThermalZoneDeviceInstance") }
}

/// Kernel-Power 105: mains or battery.
pub(super) fn power_source(fields: &Fields<'_>) -> Option<EventBody> {
    Some(said(if fields.flag("AcOnline")? {
        "the machine runs on mains power"
    } else {
        "the machine runs on its battery"
    }))
}

fn said(sentence: &str) -> EventBody {
    EventBody::Said { sentence: sentence.into(), kind: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{named, positional, sentence};
    use evidence::EventBody;

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
    fn a_start_that_was_none_of_all_of_windows_is_told() {
        let of = |kind: u32| named("Microsoft-Windows-Kernel-Boot", 27, json!({"BootType": kind, "LoadOptions": ""}));
        assert!(of(0).is_none());
        assert_eq!(sentence(of(1)), "the system started with the kernel's session of before (fast startup)");
        assert_eq!(sentence(of(2)), "the system resumed from hibernation");
    }

    #[test]
    fn a_clock_that_a_program_set_is_told_and_corrections_are_not() {
        let of = |old: &str, new: &str, reason: u32| {
            named("Microsoft-Windows-Kernel-General", 1, json!({"NewTime": new, "OldTime": old, "Reason": reason}))
        };
        let (early, late) = ("2024-05-06T07:08:09.5000000Z", "2024-05-06T10:08:09.5000000Z");
        assert_eq!(
            sentence(of(late, early, 1)),
            "the clock was set back by 3h, from 2024-05-06T10:08:09Z to 2024-05-06T07:08:09Z"
        );
        assert!(sentence(of(early, late, 1)).starts_with("the clock was set forward by 3h"));
        assert!(of(early, late, 2).is_none(), "on waking, by the clock of the hardware");
        assert!(of(early, "2024-05-06T07:08:11.5000000Z", 1).is_none());
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

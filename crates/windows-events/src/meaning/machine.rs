//! Events of the machine as a whole: stops, restarts, exhausted memory and ended services.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::super::fields::Fields;
use evidence::{BugcheckCode, EventBody, MemoryHeld, ServiceEnd};
use untrusted::bytes::u16_at;
use untrusted::notation::{filetime, hex_u32, hex_u64, number_u64, present};

/// The most processes that event 2004 lists.
///
/// Source: Windows event manifests, Resource-Exhaustion-Detector.
const LISTED_PROCESSES: u32 = 6;
/// The most tags that event 2004 lists of each of the kernel's pools.
const LISTED_TAGS: u32 = 3;

/// BugCheck 1001: `param1` is `0x0000009f (0x1, 0x2, 0x3, 0x4)`, `param2` the dump's path, `param3` the report's id.
pub(super) fn bugcheck(fields: &Fields<'_>) -> Option<EventBody> {
    let (code, parameters) = stop(fields.written("param1")?)?;
    Some(EventBody::BugCheck {
        code,
        parameters,
        dump_path: fields.text("param2"),
        report_id: fields.guid("param3").or_else(|| fields.text("param3")),
    })
}

/// A stop code of eight digits and its four parameters in parentheses: of eight digits each on 32-bit systems, of sixteen on
/// 64-bit ones.
fn stop(text: &str) -> Option<(BugcheckCode, [u64; 4])> {
    let (code, rest) = text.trim().split_once('(')?;
    let (parameters, _) = rest.split_once(')')?;
    let code = code.trim();
    if !code.starts_with("0x") {
        return None;
    }
    let parameters: Option<Vec<u64>> = parameters.split(',').map(hex_u64).collect();
    Some((BugcheckCode(hex_u32(code)?), parameters?.try_into().ok()?))
}

/// Kernel-Power 41, whose stop code is decimal. Older versions of the event have fewer fields.
pub(super) fn unclean_restart(fields: &Fields<'_>) -> EventBody {
    let parameter = |name: &str| fields.number_u64(name).unwrap_or(0);
    let asleep = [fields.flag("SleepInProgress"), fields.flag("ConnectedStandbyInProgress")];
    EventBody::UncleanRestart {
        code: fields.number_u32("BugcheckCode").filter(|code| *code != 0).map(BugcheckCode),
        parameters: [
            parameter("BugcheckParameter1"),
            parameter("BugcheckParameter2"),
            parameter("BugcheckParameter3"),
            parameter("BugcheckParameter4"),
        ],
        power_button: fields.number_u64("PowerButtonTimestamp").and_then(filetime),
        long_press: fields.flag("LongPowerButtonPressDetected"),
        sleeping: asleep.into_iter().flatten().reduce(|either, or| either || or),
        hardware_errors: fields.number_u32("WHEABootErrorCount"),
    }
}

/// EventLog 6008. Its texts are in the user's format of date and time; the binary data has the last moment twice, as local time
/// and, except in some records of Windows 11, as UTC.
pub(super) fn unclean_shutdown(fields: &Fields<'_>) -> EventBody {
    let utc = fields.binary().and_then(|binary| systemtime(binary.get(16..32)?));
    EventBody::UncleanShutdown { last_alive: utc }
}

/// A SYSTEMTIME: eight numbers of 16 bits, the third the day of the week.
///
/// Source: Windows SDK documentation, `SYSTEMTIME`.
fn systemtime(bytes: &[u8]) -> Option<Timestamp> {
    let part = |index: usize| i16::try_from(u16_at(bytes, index.checked_mul(2)?)?).ok();
    let narrow = |index: usize| -> Option<i8> { i8::try_from(part(index)?).ok() };
    let nanoseconds = i32::from(part(7)?).checked_mul(1_000_000)?;
    let time = DateTime::new(part(0)?, narrow(1)?, narrow(3)?, narrow(4)?, narrow(5)?, narrow(6)?, nanoseconds).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Resource-Exhaustion-Detector 2004: exhausted memory, in a tree of `UserData` or under the manifest's flat names.
pub(super) fn memory_exhausted(fields: &Fields<'_>) -> EventBody {
    let system = |name: &str| fields.number_u64(&format!("SystemInfo.{name}")).or_else(|| fields.number_u64(name));
    let process = |number: u32| {
        let field = |name: &str| {
            let in_tree = fields.text(&format!("ProcessInfo.Process_{number}.{name}"));
            in_tree.or_else(|| fields.text(&format!("Process_{number}_{name}")))
        };
        let number = |text: Arc<str>| number_u64(&text);
        let pid = field("ID").and_then(number).and_then(|pid| u32::try_from(pid).ok())?;
        Some((field("Name")?, pid, field("CommitCharge").and_then(number)?))
    };
    let pools = system("PagedPoolUsage").zip(system("NonPagedPoolUsage"));
    let held = pools.zip(system("ProcessCommitCharge")).map(|((paged, nonpaged), processes)| {
        Box::new(MemoryHeld { pools: paged.saturating_add(nonpaged), processes, tag: largest_tag(fields) })
    });
    EventBody::MemoryExhausted {
        commit_limit: system("SystemCommitLimit"),
        commit_charge: system("SystemCommitCharge"),
        top: (1..=LISTED_PROCESSES).filter_map(process).collect(),
        held,
    }
}

/// The tag with the most bytes allocated in the kernel's pools, and these bytes. The record lists the largest tags of each
/// pool.
fn largest_tag(fields: &Fields<'_>) -> Option<(Arc<str>, u64)> {
    let tags = ["PagedPool", "NonPagedPool"].into_iter().flat_map(|pool| (1..=LISTED_TAGS).map(move |tag| (pool, tag)));
    let read = |(pool, tag): (&str, u32)| {
        let name =
            fields.text(&format!("{pool}Info.Tag_{tag}.Name")).or_else(|| fields.text(&format!("{pool}Tag_{tag}")))?;
        let used = fields
            .number_u64(&format!("{pool}Info.Tag_{tag}.PoolUsed"))
            .or_else(|| fields.number_u64(&format!("{pool}Used_{tag}")))?;
        Some((Arc::from(name.trim()), used))
    };
    tags.filter_map(read).filter(|(name, _): &(Arc<str>, u64)| !name.is_empty()).max_by_key(|(_, used)| *used)
}

/// Service Control Manager 7031 and 7034: a service ended. The name in the fields is in the system's language; the binary data
/// has the internal name as UTF-16.
pub(super) fn service_ended(fields: &Fields<'_>) -> Option<EventBody> {
    let name = internal_name(fields);
    Some(EventBody::ServiceEnded(ServiceEnd {
        display_name: fields.text("param1").or_else(|| name.clone())?,
        name,
        times: fields.number_u32("param2"),
    }))
}

/// The name of a service that is the same in every language, from the binary data of an event of the Service Control
/// Manager.
pub(super) fn internal_name(fields: &Fields<'_>) -> Option<Arc<str>> {
    present(fields.binary_texts().first()?).map(Arc::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{body, named, positional};
    use super::*;

    const WER_SYSTEM: &str = "Microsoft-Windows-WER-SystemErrorReporting";

    fn stop_of(param1: &str) -> Option<(BugcheckCode, [u64; 4])> {
        match named(WER_SYSTEM, 1001, json!({"param1": param1, "param2": "C:\\Windows\\MEMORY.DMP"})) {
            Some(EventBody::BugCheck { code, parameters, .. }) => Some((code, parameters)),
            Some(EventBody::Other { .. }) => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_stop_has_a_code_and_four_parameters_of_either_width() {
        let wide = "0x0000009f (0x0000000000000003, 0xffffe00112345060, 0xfffff80012345678, 0xffffe0011234aaaa)";
        let parameters = [3, 0xFFFF_E001_1234_5060, 0xFFFF_F800_1234_5678, 0xFFFF_E001_1234_AAAA];
        assert_eq!(stop_of(wide), Some((BugcheckCode(0x9F), parameters)));
        let narrow = "0x1000007e (0xc0000005, 0x8bc0a1b2, 0x8d5b8b5c, 0x8d5b8740)";
        let parameters = [0xC000_0005, 0x8BC0_A1B2, 0x8D5B_8B5C, 0x8D5B_8740];
        assert_eq!(stop_of(narrow), Some((BugcheckCode(0x1000_007E), parameters)));
    }

    #[test]
    fn what_is_not_a_stop_stays_text() {
        for text in
            ["0x9f", "0x9f (0x1, 0x2, 0x3)", "0x9f (0x1, 0x2, 0x3, 0x4, 0x5)", "9f (1, 2, 3, x)", "0x9f (0x1, 0x2"]
        {
            assert_eq!(stop_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_stop_s_report_id_is_a_guid_or_what_older_systems_write() {
        let stop = "0x0000009f (0x1, 0x2, 0x3, 0x4)";
        let report_id = |values: [&str; 3]| match positional("BugCheck", 1001, &values) {
            Some(EventBody::BugCheck { report_id, dump_path, .. }) => {
                assert_eq!(dump_path.as_deref(), Some(values[1]));
                report_id.map(|id| id.to_string())
            }
            other => panic!("{other:?}"),
        };
        let guid = report_id([stop, "C:\\Windows\\Minidump\\x.dmp", "{0A1B2C3D-1111-2222-3333-444455556666}"]);
        assert_eq!(guid.as_deref(), Some("0a1b2c3d-1111-2222-3333-444455556666"));
        let older = report_id([stop, "C:\\Windows\\MEMORY.DMP", "050607-12345-01"]);
        assert_eq!(older.as_deref(), Some("050607-12345-01"));
    }

    fn restart(data: serde_json::Value) -> EventBody {
        named("Microsoft-Windows-Kernel-Power", 41, data).expect("a body")
    }

    #[test]
    fn the_stop_code_of_an_unclean_restart_is_decimal() {
        let data = json!({
            "BugcheckCode": 159, "BugcheckParameter1": "0x3", "BugcheckParameter2": "0xffffe00112345060",
            "BugcheckParameter3": "0x0", "BugcheckParameter4": "0x0", "SleepInProgress": false, "PowerButtonTimestamp": 0
        });
        let EventBody::UncleanRestart { code, parameters, power_button, long_press, sleeping, hardware_errors } =
            restart(data)
        else {
            panic!("a restart")
        };
        assert_eq!(code, Some(BugcheckCode(0x9F)));
        assert_eq!(parameters, [3, 0xFFFF_E001_1234_5060, 0, 0]);
        assert_eq!((power_button, long_press, sleeping, hardware_errors), (None, None, Some(false), None));
        let newer = json!({"BugcheckCode": 0, "PowerButtonTimestamp": 0, "WHEABootErrorCount": 2});
        let EventBody::UncleanRestart { hardware_errors, .. } = restart(newer) else { panic!("a restart") };
        assert_eq!(hardware_errors, Some(2));
    }

    #[test]
    fn an_unclean_restart_without_stop_may_tell_of_the_power_button_and_of_sleep() {
        let data = json!({
            "BugcheckCode": 0, "SleepInProgress": 4, "PowerButtonTimestamp": 133_594_560_895_000_000_u64,
            "ConnectedStandbyInProgress": false, "LongPowerButtonPressDetected": true
        });
        let EventBody::UncleanRestart { code, power_button, long_press, sleeping, .. } = restart(data) else {
            panic!("a restart")
        };
        assert_eq!(code, None);
        assert_eq!(power_button.map(|time| time.to_string()).as_deref(), Some("2024-05-06T08:01:29.5Z"));
        assert_eq!((long_press, sleeping), (Some(true), Some(true)));
        let standby = json!({"BugcheckCode": 0, "SleepInProgress": 0, "ConnectedStandbyInProgress": true});
        let EventBody::UncleanRestart { sleeping, .. } = restart(standby) else { panic!("a restart") };
        assert_eq!(sleeping, Some(true));
    }

    #[test]
    fn the_first_version_of_the_unclean_restart_has_no_fields() {
        let Some(EventBody::UncleanRestart { code, parameters, sleeping, .. }) =
            body("Microsoft-Windows-Kernel-Power", 41, r#"{"EventData": null}"#)
        else {
            panic!("a restart")
        };
        assert_eq!((code, parameters, sleeping), (None, [0; 4], None));
    }

    fn last_alive(binary: &str) -> Option<String> {
        let texts = ["1:34:44 PM", "\u{200e}8/\u{200e}25/\u{200e}2015", "", "", "934", "", ""];
        let json = json!({"EventData": {"Data": {"#text": texts}, "Binary": binary}});
        let Some(EventBody::UncleanShutdown { last_alive }) = body("EventLog", 6008, &json.to_string()) else {
            panic!("a shutdown")
        };
        last_alive.map(|time| time.to_string())
    }

    #[test]
    fn the_last_moment_is_the_utc_one_of_the_binary_data() {
        // 2024-05-06 09:08:07.123 local time, 07:08:07.123 UTC, and the interval that follows.
        let local = "E807050001000600090008000700 7B00".replace(' ', "");
        let utc = "E807050001000600070008000700 7B00".replace(' ', "");
        let both = format!("{local}{utc}3C0000003C000000");
        assert_eq!(last_alive(&both).as_deref(), Some("2024-05-06T07:08:07.123Z"));
        assert_eq!(last_alive(&local), None, "local time alone is not a moment");
        assert_eq!(last_alive(&format!("{local}E8070D00")), None);
        assert_eq!(last_alive(&format!("{local}{}", "FF".repeat(16))), None);
    }

    #[test]
    fn exhausted_memory_names_limit_charge_and_the_largest_processes() {
        let tree = json!({"UserData": {"MemoryExhaustionInfo": {
            "#attributes": {"xmlns": "urn:x"},
            "SystemInfo": {"SystemCommitLimit": 17_179_869_184_u64, "SystemCommitCharge": 17_000_000_000_u64},
            "ProcessInfo": {
                "Process_1": {"Name": "trainer.exe", "ID": 4321, "CreationTime": "x", "CommitCharge": 12_000_000_000_u64},
                "Process_2": {"Name": "browser.exe", "ID": 99, "CommitCharge": 1_000_000_000},
                "Process_3": {"Name": "", "ID": 0, "CommitCharge": 0}
            }
        }}});
        let flat = json!({"EventData": {
            "SystemCommitLimit": 17_179_869_184_u64, "SystemCommitCharge": 17_000_000_000_u64,
            "Process_1_Name": "trainer.exe", "Process_1_ID": 4321, "Process_1_CommitCharge": 12_000_000_000_u64,
            "Process_2_Name": "browser.exe", "Process_2_ID": 99, "Process_2_CommitCharge": 1_000_000_000
        }});
        for json in [tree, flat] {
            let body = body("Microsoft-Windows-Resource-Exhaustion-Detector", 2004, &json.to_string());
            let Some(EventBody::MemoryExhausted { commit_limit, commit_charge, top, held: None }) = body else {
                panic!("exhausted memory")
            };
            assert_eq!((commit_limit, commit_charge), (Some(17_179_869_184), Some(17_000_000_000)));
            let top: Vec<_> = top.iter().map(|(name, pid, bytes)| (&**name, *pid, *bytes)).collect();
            assert_eq!(top, [("trainer.exe", 4321, 12_000_000_000), ("browser.exe", 99, 1_000_000_000)]);
        }
    }

    #[test]
    fn exhausted_memory_tells_what_the_kernel_held_and_under_which_tag() {
        let tree = json!({"UserData": {"MemoryExhaustionInfo": {
            "SystemInfo": {
                "SystemCommitLimit": 17_179_869_184_u64, "SystemCommitCharge": 17_000_000_000_u64,
                "ProcessCommitCharge": 4_000_000_000_u64, "PagedPoolUsage": 500_000_000,
                "NonPagedPoolUsage": 11_000_000_000_u64
            },
            "PagedPoolInfo": {"Tag_1": {"Name": "MmSt", "PoolUsed": 200_000_000}},
            "NonPagedPoolInfo": {
                "Tag_1": {"Name": "Abc ", "PoolUsed": 10_000_000_000_u64}, "Tag_2": {"Name": "", "PoolUsed": 0}
            }
        }}});
        let flat = json!({"EventData": {
            "SystemCommitLimit": 17_179_869_184_u64, "SystemCommitCharge": 17_000_000_000_u64,
            "ProcessCommitCharge": 4_000_000_000_u64, "PagedPoolUsage": 500_000_000,
            "NonPagedPoolUsage": 11_000_000_000_u64, "PagedPoolTag_1": "MmSt", "PagedPoolUsed_1": 200_000_000,
            "NonPagedPoolTag_1": "Abc", "NonPagedPoolUsed_1": 10_000_000_000_u64
        }});
        for json in [tree, flat] {
            let body = body("Microsoft-Windows-Resource-Exhaustion-Detector", 2004, &json.to_string());
            let Some(EventBody::MemoryExhausted { held: Some(held), .. }) = body else { panic!("exhausted memory") };
            let tag = Some(("Abc".into(), 10_000_000_000));
            assert_eq!(*held, MemoryHeld { pools: 11_500_000_000, processes: 4_000_000_000, tag });
        }
    }

    #[test]
    fn a_service_has_its_own_name_in_the_binary_data() {
        // "DemoSvc" in UTF-16 with its terminating zero.
        let binary = "440065006D006F005300760063000000";
        let data = json!({"param1": "Démonstration", "param2": "3", "param3": "60000", "Binary": binary});
        let Some(EventBody::ServiceEnded(end)) = named("Service Control Manager", 7031, data) else {
            panic!("a service")
        };
        assert_eq!(&*end.display_name, "Démonstration");
        assert_eq!((end.name.as_deref(), end.times), (Some("DemoSvc"), Some(3)));
        let without = json!({"param1": "Démonstration", "param2": "1"});
        let Some(EventBody::ServiceEnded(end)) = named("Service Control Manager", 7034, without) else {
            panic!("a service")
        };
        assert_eq!((end.name, end.times), (None, Some(1)));
    }
}

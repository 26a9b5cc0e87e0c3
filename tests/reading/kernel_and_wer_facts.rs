//! The facts of kernel dumps and WER reports as rules see them, in the project's own samples.

use std::path::Path;

use facts::{FactSet, schema};
use pipeline::{Options, Silent, analyze, inspect};
use report::inspected::Inspected;
use rules::RuleSet;

fn inspected(file: &str) -> Inspected {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(file);
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    inspect(&[path], &rules, &Options::default())
}

fn facts(file: &str) -> FactSet {
    let mut inspected = inspected(file);
    assert_eq!(inspected.incidents.len(), 1, "{file}");
    inspected.incidents.remove(0).1
}

/// A fact as reports print it; empty where it is not known.
fn shown(facts: &FactSet, path: &str) -> String {
    let definition = schema::scalar(path).unwrap_or_else(|| panic!("there is no fact {path}"));
    facts.get(path).map_or_else(String::new, |known| known.value.display(definition.kind))
}

fn all_shown(file: &str, wanted: &[(&str, &str)]) {
    let facts = facts(file);
    for (path, value) in wanted {
        assert_eq!(shown(&facts, path), *value, "{path} of {file}");
    }
}

/// The entries of a list, each as its fields in the order of the schema.
fn entries(facts: &FactSet, list: &str) -> Vec<String> {
    let definition = schema::list(list).unwrap_or_else(|| panic!("there is no list {list}"));
    let entry = |record: &facts::Record| {
        let fields = definition.fields.iter();
        let known = fields.filter_map(|field| record.get(field.path).map(|value| value.display(field.kind)));
        known.collect::<Vec<_>>().join(" ")
    };
    facts.list(list).unwrap_or_default().iter().map(entry).collect()
}

#[test]
fn parameters_have_meanings_and_statuses() {
    all_shown(
        "bugcheck-network-driver",
        &[
            ("bugcheck.code", "0x000000D1"),
            ("bugcheck.live", "false"),
            ("bugcheck.parameter_1_means", ""),
            ("bugcheck.parameter_2_means", "DISPATCH_LEVEL"),
            ("bugcheck.parameter_3_means", "read"),
            ("bugcheck.parameter_4_means", "lanshaper.sys+0x117c4"),
            ("bugcheck.status", ""),
            ("fault_site.module", "lanshaper.sys"),
            ("suspect.basis", "exact"),
            ("system.uptime_seconds", "15212"),
        ],
    );
    all_shown(
        "bugcheck-32-bit",
        &[("bugcheck.status", "0xC0000005"), ("bugcheck.parameter_1_means", "STATUS_ACCESS_VIOLATION")],
    );
    all_shown("bugcheck-display-driver/073024-9531-01.dmp", &[("bugcheck.status", "0xC000009A")]);
    all_shown("live-report-gpu-engine", &[("bugcheck.live", "true"), ("incident.kind", "gpu-reset")]);
}

#[test]
fn the_moment_of_a_stop_shows_process_processor_and_the_record_of_the_error() {
    all_shown(
        "bugcheck-error-record",
        &[
            ("bugcheck.machine_check", "cache"),
            ("bugcheck.process", "System"),
            ("bugcheck.process_id", "4"),
            ("cpu.family", "6"),
            ("cpu.megahertz", "3187"),
            ("cpu.microcode", "285"),
            ("cpu.microcode_differs", ""),
            ("cpu.model", "183"),
            ("cpu.name", "13th Gen Intel(R) Core(TM) i9-13900K"),
            ("cpu.vendor", "GenuineIntel"),
            ("error_record.address", "0x18f3a40c0"),
            ("error_record.apic_id", "16"),
            ("error_record.bank", "0"),
            ("error_record.component", "processor"),
            ("error_record.machine_check", "cache"),
            ("error_record.part", "cache"),
            ("error_record.severity", "fatal"),
            ("error_record.status", "0xbe00000000800135"),
        ],
    );
    let facts = facts("bugcheck-error-record");
    let events = entries(&facts, "saved_events");
    let short: Vec<&str> = events.iter().filter_map(|event| event.split_once(' ')).map(|(_, rest)| rest).collect();
    assert_eq!(short, ["12 4 EventLog-System 59", "19 3 EventLog-System 49", "18 2 EventLog-System 6"]);
    let blocks = entries(&facts, "secondary_data");
    assert!(blocks.iter().any(|block| block == "d03dc06f-d88e-44c5-ba2a-fae035172d19 120"), "{blocks:?}");
}

#[test]
fn a_blocked_power_request_leads_to_its_driver() {
    all_shown(
        "bugcheck-power-request",
        &[
            ("bugcheck.power_bus_driver", "ndis.sys"),
            ("bugcheck.power_driver", "lanshaper.sys"),
            ("black_box.device", r"USB\VID_1209&PID_0001\5&1"),
            ("black_box.device_in_progress", "true"),
            ("suspect.basis", "named"),
            ("suspect.module", "lanshaper.sys"),
        ],
    );
}

#[test]
fn hardware_shows_in_the_parameters() {
    all_shown("bugcheck-machine-check", &[("bugcheck.machine_check", "cache"), ("suspect.module", "")]);
    all_shown("bugcheck-memory-bit", &[("bugcheck.bits_differ", "1"), ("suspect.module", "")]);
    all_shown("bugcheck-network-driver", &[("bugcheck.machine_check", ""), ("bugcheck.bits_differ", "")]);
}

#[test]
fn drivers_frames_and_comments_are_lists() {
    let facts = facts("bugcheck-kernel-pages");
    let drivers = entries(&facts, "drivers");
    assert_eq!(drivers.len(), 6);
    assert_eq!(
        drivers.last().map(String::as_str),
        Some(r"5 lanshaper.sys \SystemRoot\System32\drivers\lanshaper.sys 212992 1565773960 2019-08-14 2019")
    );
    assert_eq!(
        entries(&facts, "frames"),
        ["0 ntoskrnl.exe 0x429a20 exact", "1 ntoskrnl.exe 0x2f1c70 scanned", "2 lanshaper.sys 0x12208 scanned"]
    );
    assert!(facts.list("unloaded_drivers").is_none(), "such a dump has no list that is read");
    let live = self::facts("live-report-gpu-engine");
    assert_eq!(entries(&live, "text"), ["Live dump of the display"]);
    assert_eq!(entries(&live, "unloaded_drivers"), [""; 0], "the list is known to be empty");
}

#[test]
fn a_driver_that_is_gone_is_the_fault_site() {
    all_shown(
        "bugcheck-unloaded-driver",
        &[
            ("fault_site.module", "lanshaper.sy"),
            ("fault_site.unloaded", "true"),
            ("bugcheck.parameter_4_means", "lanshaper.sy+0x5120, already unloaded"),
        ],
    );
    assert_eq!(entries(&facts("bugcheck-unloaded-driver"), "unloaded_drivers"), ["lanshaper.sy"]);
}

#[test]
fn facts_of_hang_reports_and_systems_are_read() {
    all_shown(
        "wer-hang-on-spooler",
        &[
            ("wer.event_type", "AppHangXProcB1"),
            ("wer.hang_signature", "1d07"),
            ("wer.hang_type", "128"),
            ("hang.waiting_for", "svchost.exe"),
            ("hang.waiting_for_service", "spooler"),
            ("os.language", "1031"),
            ("os.revision", "3880"),
            ("os.memory_mib", "32688"),
            ("process.architecture", "x64"),
        ],
    );
    all_shown(
        "wer-managed-exception",
        &[("process.architecture", "x86"), ("exception.managed_type", "System.IO.FileNotFoundException")],
    );
    all_shown("wer-live-kernel-event", &[("incident.kind", "gpu-reset"), ("process.name", "")]);
    all_shown(
        "wer-blue-screen",
        &[("incident.kind", "bugcheck"), ("bugcheck.parameter_1_means", "a driver holds a power request for too long")],
    );
}

#[test]
fn a_report_that_is_no_crash_is_recognized_by_its_name() {
    let inspected = inspected("wer-leak-suspicion");
    assert!(inspected.incidents.is_empty());
    assert_eq!(inspected.reports, ["WER report: RADAR_PRE_LEAK_64 of viewer.exe"]);
}

/// The first finding for the sample with a machine check, changed to another status of the bank: its cause, and its
/// confidence in percent.
fn judged(upper: u64, lower: u64) -> (String, u32) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/bugcheck-machine-check/080924-8812-01.dmp");
    let mut dump = std::fs::read(sample).expect("the sample");
    // The third and fourth parameter of the stop in the header of 64-bit dumps.
    dump.splice(0x50..0x58, upper.to_le_bytes());
    dump.splice(0x58..0x60, lower.to_le_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("check.dmp");
    std::fs::write(&path, dump).expect("written");
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let report = analyze(&[path], &rules, &Options::default(), &Silent);
    let mut written = Vec::new();
    report::json::write(&report, &mut written).expect("memory");
    let report: serde_json::Value = serde_json::from_slice(&written).expect("JSON");
    let finding = report.pointer("/incidents/0/findings/0").expect("a finding");
    let text = |field: &str| finding.get(field).map(ToString::to_string).unwrap_or_default();
    let confidence = text("confidence").trim_start_matches("0.").to_owned();
    (text("cause").trim_matches('"').to_owned(), format!("{confidence:0<2}").parse().expect("a number"))
}

#[test]
fn the_flags_of_a_machine_check_move_its_rules() {
    const PLAIN: u64 = 0xBE00_0000;
    const OVERFLOWED: u64 = 0xFE00_0000;
    const CORRECTED: u64 = 0x9C00_0000;
    for (code, cause, [plain, overflowed, corrected]) in [
        (0x0080_0135, "cpu-instability", [72, 76, 62]),
        (0x0080_0090, "memory-hardware-fault", [66, 70, 56]),
        (0x0080_0E0B, "cpu-instability", [52, 56, 42]),
    ] {
        assert_eq!(judged(PLAIN, code), (cause.to_owned(), plain), "{code:#x}");
        assert_eq!(judged(OVERFLOWED, code), (cause.to_owned(), overflowed), "{code:#x}");
        assert_eq!(judged(CORRECTED, code), (cause.to_owned(), corrected), "{code:#x}");
    }
}

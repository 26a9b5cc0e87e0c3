//! Which evidence becomes one incident and which becomes several, and the values of incidents: one test for each fixed
//! defect.

use std::path::Path;

use pipeline::{Options, Silent, analyze};
use report::Report;
use rules::RuleSet;
use samplekit::event_log::EventLog;
use samplekit::events::{LostPower, bugcheck, kernel_power, unclean_shutdown};
use samplekit::minidump::{Minidump, Module};
use samplekit::{FileTime, Guid};
use windows_codes::Knowledge;

const EXE: u64 = 0x7FF6_1C8A_0000;
const DLL: u64 = 0x7FFA_3000_0000;

/// A report about files of these names and contents.
fn report(files: &[(&str, Vec<u8>)], options: &Options) -> Report {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("a file");
    }
    report_on(folder.path(), options)
}

fn report_on(path: &Path, options: &Options) -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let _knowledge = Knowledge::builtin();
    analyze(&[path.to_path_buf()], &rules, options, &Silent)
}

/// A dump of the same process in every case: with an exception in one of its own DLLs, or of the running process.
fn dump(time: FileTime, crashed: bool) -> Minidump {
    let modules = vec![
        Module::windows(r"C:\app\app.exe", None, EXE, 0x1_0000),
        Module::windows(r"C:\app\plug.dll", None, DLL, 0x10_0000),
    ];
    let mut dump = Minidump::crashed(time, DLL + 0x5678, modules);
    dump.process.started = FileTime::utc(2024, 3, 5, 9, 0, 0);
    dump.exception = dump.exception.filter(|_| crashed);
    dump
}

#[test]
fn a_dump_of_the_running_process_does_not_hide_its_crash() {
    let files = [
        ("a-running.dmp", dump(FileTime::utc(2024, 3, 5, 9, 30, 0), false).to_bytes()),
        ("b-crashed.dmp", dump(FileTime::utc(2024, 3, 5, 11, 30, 0), true).to_bytes()),
    ];
    let report = report(&files, &Options::default());
    assert_eq!(report.incidents.len(), 1);
    let incident = &report.incidents[0].incident;
    assert_eq!(incident.kind.word(), "crash");
    assert_eq!(incident.time.map(|time| time.to_string()).as_deref(), Some("2024-03-05T11:30:00Z"));
    assert_eq!(incident.exception.as_ref().map(|exception| exception.code.0), Some(0xC000_0005));
    assert_eq!(incident.fault_site.as_ref().map(|site| &*site.module), Some("plug.dll"));
}

#[test]
fn a_second_copy_of_a_log_adds_no_incident() {
    let boot = FileTime::utc(2024, 8, 2, 6, 57, 12);
    let mut log = EventLog::new("System", "PC-06");
    log.add(kernel_power(boot, LostPower::default()));
    log.add(unclean_shutdown(boot.plus_seconds(9), boot.minus_seconds(612), 2, 38_211));
    let once = report(&[("System.evtx", log.to_bytes())], &Options::default());
    let twice = report(&[("System.evtx", log.to_bytes()), ("System-2.evtx", log.to_bytes())], &Options::default());
    assert_eq!((once.incidents.len(), twice.incidents.len()), (1, 1));
    assert_eq!(once.incidents[0].incident.id, twice.incidents[0].incident.id);
    assert_eq!(once.incidents[0].verdict, twice.incidents[0].verdict);
}

#[test]
fn two_stops_whose_parameters_are_only_a_status_are_two_incidents() {
    // KMODE_EXCEPTION_NOT_HANDLED after a jump to address 0: the same four parameters every time.
    let parameters = [0xFFFF_FFFF_C000_0005, 0, 8, 0];
    let stop = |day| {
        bugcheck(FileTime::utc(2024, 8, day, 7, 0, 0), 0x1E, parameters, "C:\\a.dmp", Guid::new(day as u32, 0, 0, 0, 0))
    };
    let mut log = EventLog::new("System", "PC-06");
    log.add(stop(2)).add(stop(20));
    assert_eq!(report(&[("System.evtx", log.to_bytes())], &Options::default()).incidents.len(), 2);
}

#[test]
fn a_ticket_that_gives_only_the_address_has_no_kind_of_access() {
    let text = b"OSError: exception: access violation writing 0x0000000000000010\n".to_vec();
    let report = report(&[("ticket.txt", text)], &Options::default());
    let exception = report.incidents[0].incident.exception.as_ref().expect("an exception");
    assert_eq!(exception.access.map(|access| (access.kind, access.address.0)), Some((None, 0x10)));
}

#[test]
fn findings_that_are_left_out_take_no_incident_with_them() {
    let text = b"OSError: [WinError 126] The specified module could not be found. Error loading \"x.dll\" or one of its dependencies.\n";
    let files = [("ticket.txt", text.to_vec())];
    let all = report(&files, &Options::default());
    let sure = report(&files, &Options { min_confidence: 0.99, ..Options::default() });
    assert_eq!((all.incidents.len(), sure.incidents.len()), (1, 1));
    assert_eq!(all.incidents[0].verdict, sure.incidents[0].verdict);
    assert!(sure.incidents[0].findings.is_empty());
}

#[test]
fn a_pasted_text_whose_middle_is_left_out_is_partial() {
    let mut text = b"a line\n".repeat(600_000);
    text.extend_from_slice(b"exit code -1073740791\n");
    let pasted = vec![("standard input".to_owned(), text.as_slice().into())];
    let folder = tempfile::tempdir().expect("a folder");
    let report = report_on(folder.path(), &Options { pasted, ..Options::default() });
    let detail = report.artifacts[0].detail.as_deref().unwrap_or_default();
    assert!(detail.contains("lines are left out") || detail.contains("in the middle are left out"), "{detail}");
    assert_eq!(report.incidents[0].incident.evidence[0].place.to_string(), "line 600001");
}

#[test]
fn many_modules_with_one_long_name_take_little_memory_and_are_a_loss() {
    let mut dump = dump(FileTime::utc(2024, 3, 5, 9, 30, 0), true);
    // A list of 2,000 modules that all refer to one name of 64,000 bytes, in place of the dump's own.
    let count = 2_000_u32;
    let list_size = 4 + count * 108;
    dump.other_streams.push((0x4767_FFFF, vec![0; list_size as usize + 64_004]));
    let mut bytes = dump.to_bytes();
    let value = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let entries: Vec<usize> = (0..value(&bytes, 8) as usize).map(|n| 32 + 12 * n).collect();
    let entry_of = |bytes: &[u8], kind| *entries.iter().find(|at| value(bytes, **at) == kind).expect("the stream");
    let (own, other) = (entry_of(&bytes, 4), entry_of(&bytes, 0x4767_FFFF));
    let list = value(&bytes, other + 8);
    let name = list + list_size;
    let mut put = |at: u32, number: u32| bytes[at as usize..at as usize + 4].copy_from_slice(&number.to_le_bytes());
    put(own as u32, 0x4767_FFFE);
    put(other as u32, 4);
    put(other as u32 + 4, list_size);
    put(list, count);
    put(name, 64_000);
    for module in 0..count {
        let entry = list + 4 + module * 108;
        put(entry + 2, module + 1);
        put(entry + 8, 0x1000);
        put(entry + 20, name);
    }
    let report = report(&[("a.dmp", bytes)], &Options::default());
    let detail = report.artifacts[0].detail.as_deref().unwrap_or_default();
    assert!(detail.contains("too many"), "{detail}");
}

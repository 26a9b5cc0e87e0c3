//! Remarks about contradictions in joined evidence, and differences that are no contradictions.

use std::fs;

use crate::program::{list, report};
use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout};
use samplekit::minidump::Minidump;
use samplekit::{FileTime, FileVersion, Guid};

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

fn crash() -> Crash {
    let image =
        |path: &str| Image { path: path.to_owned(), version: Some(FileVersion([2, 1, 0, 7])), timestamp: 0x6543_2100 };
    Crash {
        app: image(r"C:\Windows\System32\svchost.exe"),
        module: image(r"C:\Program Files\Demo\plugin.dll"),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(3600),
        time: NOON,
        report_id: Guid::made_up("remarks"),
    }
}

/// The remarks of one incident with the records of these crashes in two logs, and `dump`.
fn remarks(crashes: &[&Crash], dump: Option<&Crash>) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, crash) in crashes.iter().enumerate() {
        let mut log = EventLog::new("Application", "PC-1");
        log.add(crash.application_error(Layout::Positional));
        fs::write(folder.path().join(format!("{number}.evtx")), log.to_bytes()).expect("a log");
    }
    if let Some(crash) = dump {
        fs::write(folder.path().join("a.dmp"), Minidump::of_crash(crash).to_bytes()).expect("a dump");
    }
    let report = report(folder.path());
    let [incident] = list(&report, "incidents") else { panic!("one incident: {report:#}") };
    assert_eq!(list(incident, "evidence").len(), crashes.len() + usize::from(dump.is_some()));
    list(incident, "remarks").iter().filter_map(|remark| remark.as_str().map(str::to_owned)).collect()
}

#[test]
fn starts_that_differ_by_more_than_rounding_are_remarked() {
    let first = crash();
    let of =
        |seconds| remarks(&[&first, &Crash { started: first.started.plus_seconds(seconds), ..first.clone() }], None);
    assert_eq!(of(1), [""; 0]);
    assert_eq!(
        of(2),
        ["The evidence differs on the start of the process: 2024-05-06T11:00:00Z (e1), 2024-05-06T11:00:02Z (e2)."]
    );
}

#[test]
fn times_that_differ_by_more_than_ten_minutes_are_remarked() {
    let first = crash();
    let of = |seconds| remarks(&[&first, &Crash { time: first.time.plus_seconds(seconds), ..first.clone() }], None);
    assert_eq!(of(600), [""; 0]);
    let told = of(601);
    let expected = "The evidence differs on the time: 2024-05-06T12:00:00.412307Z (e1), 2024-05-06T12:10:01.412307Z (e2); \
                    a clock was wrong or was set, or the process was reported more than once.";
    assert_eq!(told, [expected]);
}

/// Records name the service beside the program that hosts it.
#[test]
fn a_hosted_service_is_no_other_program() {
    let crash = crash();
    let mut hosted = crash.clone();
    hosted.app.path.push_str("_demosvc");
    let told = remarks(&[&hosted], Some(&crash));
    assert!(!told.iter().any(|remark| remark.contains("the program:")), "{told:?}");
}

/// `0xC000027B` only means that the dump contains further errors, which were raised at other addresses.
#[test]
fn a_stowed_exception_does_not_contradict_the_failure_inside_it() {
    let failure = crash();
    let stowed = Crash { code: 0xC000_027B, ..failure.clone() };
    let of_code = |told: &[String]| told.iter().any(|remark| remark.contains("the exception code"));
    let told = remarks(&[&failure], Some(&stowed));
    assert!(!of_code(&told), "{told:?}");
    let other = Crash { code: 0xC000_0409, ..failure.clone() };
    let told = remarks(&[&failure], Some(&other));
    assert!(of_code(&told), "{told:?}");
}

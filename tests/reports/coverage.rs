//! Gaps of a folder and what to collect next, compared with a hand-written list.

use std::fs;
use std::path::Path;

use crate::program::{list, report, run, too_deep};
use samplekit::event_log::{Event, EventLog};
use samplekit::events::{Crash, Image, Layout, display_reset, log_cleared};
use samplekit::{FileTime, FileVersion, Guid};

const DAY: u64 = 86_400;
/// The last day with an incident.
const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);

fn crash(program: &str, days_before: u64) -> Event {
    let image = |path: String| Image { path, version: Some(FileVersion([2, 1, 0, 7])), timestamp: 0x6543_2100 };
    let time = NOON.minus_seconds(days_before * DAY);
    let crash = Crash {
        app: image(format!(r"C:\Program Files\Demo\{program}")),
        module: image(r"C:\Program Files\Demo\plugin.dll".to_owned()),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: time.minus_seconds(3600),
        time,
        report_id: Guid::made_up(&format!("{program} {days_before}")),
    };
    crash.application_error(Layout::Positional)
}

fn write(folder: &Path, name: &str, channel: &str, computer: &str, events: impl IntoIterator<Item = Event>) {
    let mut log = EventLog::new(channel, computer);
    for event in events {
        log.add(event);
    }
    fs::write(folder.join(name), log.to_bytes()).expect("a file");
}

/// PC-1: a System log of three weeks, and an Application log without records for nine days of them. PC-7: only an
/// Application log. Also an archive that is not opened.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let resets = (0..21).rev().map(|day| display_reset(NOON.minus_seconds(day * DAY), "demo"));
    write(folder.path(), "System.evtx", "System", "PC-1", resets);
    let crashes = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 1, 0].map(|days| crash("demo.exe", days));
    write(folder.path(), "Application.evtx", "Application", "PC-1", crashes);
    write(folder.path(), "PC-7.evtx", "Application", "PC-7", [crash("a&b.exe", 3)]);
    fs::write(folder.path().join("more.zip"), too_deep()).expect("a file");
    folder
}

#[test]
fn the_folder_s_gaps_are_those_that_were_made() {
    let folder = folder();
    let report = report(folder.path());
    let mut gaps: Vec<&str> = list(&report["coverage"], "gaps").iter().filter_map(|gap| gap["says"].as_str()).collect();
    gaps.sort_unstable();
    assert_eq!(
        gaps,
        [
            "1 archive was not opened: extract and analyze the folder",
            "no System log from PC-7",
            "no minidump of any of the 12 crashes of PC-1",
            "no minidump of the crash of PC-7",
            "the Application log of PC-1 has no record from 2024-05-10 to 2024-05-18; its other logs have some of 9 of \
             these days",
            "the System log of PC-1 begins 2024-04-30T12:00:00Z, with the first incident: what changed earlier is not in it",
        ]
    );
    let machines = list(&report, "machines");
    let of = |host: &str| machines.iter().find(|machine| machine["host"] == host).expect("the machine");
    let silent = |sentence: &&serde_json::Value| sentence.as_str().is_some_and(|text| text.contains("has no record"));
    assert_eq!(list(of("PC-1"), "coverage").iter().filter(silent).count(), 1);
    assert_eq!(list(of("PC-7"), "coverage").iter().filter(silent).count(), 0);
}

/// Windows' record that a log was cleared: in the System log with the channel, in the Security log without.
fn cleared(channel: Option<&str>, days_before: u64) -> Event {
    log_cleared(NOON.minus_seconds(days_before * DAY), channel, "jo")
}

/// The gaps of this kind, as JSON.
fn gaps_of(folder: &Path, kind: &str) -> Vec<serde_json::Value> {
    let report = report(folder);
    list(&report["coverage"], "gaps").iter().filter(|gap| gap["kind"] == kind).cloned().collect()
}

#[test]
fn a_log_that_was_cleared_is_a_gap_before_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let later = |day| display_reset(NOON.minus_seconds(day * DAY), "demo");
    let system = [cleared(Some("System"), 9), later(8), cleared(Some("Application"), 5), later(2)];
    write(folder.path(), "System.evtx", "System", "PC-1", system);
    write(folder.path(), "Security.evtx", "Security", "PC-1", [cleared(None, 3)]);
    let gaps = gaps_of(folder.path(), "log-cleared");
    let says: Vec<_> = gaps.iter().map(|gap| gap["says"].as_str().expect("a sentence")).collect();
    assert_eq!(
        says,
        [
            "the Application log of PC-1 was cleared 2024-05-15T12:00:00Z: what was before is not in it",
            "the Security log of PC-1 was cleared 2024-05-17T12:00:00Z: what was before is not in it",
            "the System log of PC-1 was cleared 2024-05-11T12:00:00Z: what was before is not in it",
        ]
    );
    let whole = report(folder.path());
    let timeline = list(&whole["machines"][0], "timeline");
    let told: Vec<_> =
        timeline.iter().filter(|entry| entry["kind"] == "log-cleared").map(|entry| &entry["says"]).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    let path = folder.path().display().to_string();
    let text = run(["analyze", &path]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the System log of PC-1 was cleared 2024-05-11T12:00:00Z"), "{text}");
}

#[test]
fn a_log_of_which_an_earlier_export_is_there_has_lost_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let reset = |day| display_reset(NOON.minus_seconds(day * DAY), "demo");
    write(folder.path(), "before.evtx", "System", "PC-1", [reset(12), reset(10)]);
    write(folder.path(), "after.evtx", "System", "PC-1", [cleared(Some("System"), 9), reset(2)]);
    assert_eq!(gaps_of(folder.path(), "log-cleared"), Vec::<serde_json::Value>::new());
    // Cleared several times: no log has the records from before the last time.
    let twice = [cleared(Some("Application"), 9), reset(8), cleared(Some("Application"), 4)];
    write(folder.path(), "after.evtx", "System", "PC-1", twice);
    write(folder.path(), "Application.evtx", "Application", "PC-1", [crash("demo.exe", 1)]);
    let gaps = gaps_of(folder.path(), "log-cleared");
    assert_eq!(gaps.len(), 1);
    assert_eq!((gaps[0]["count"].as_u64(), gaps[0]["log"].as_str()), (Some(2), Some("Application")));
}

#[test]
fn commands_name_the_program_where_its_name_is_harmless() {
    let folder = folder();
    let report = report(folder.path());
    let requests = list(&report["coverage"], "collect_next");
    let of = |id: &str| -> Vec<&str> {
        requests.iter().filter(|request| request["id"] == id).filter_map(|request| request["says"].as_str()).collect()
    };
    let dumps = of("no-dump");
    assert!(dumps.iter().all(|text| !text.contains("a&b")), "{dumps:?}");
    assert_eq!(dumps.iter().filter(|text| text.contains("-e -w \"demo.exe\"")).count(), 1, "{dumps:?}");
    let system: Vec<_> = requests.iter().filter(|request| request["id"] == "no-system-log").collect();
    assert_eq!(system.len(), 1);
    assert_eq!(system[0]["incidents"], 1, "only PC-7 has none");
}

#[test]
fn the_text_has_each_request_once() {
    let folder = folder();
    let path = folder.path().to_str().expect("text");
    let shown = run(["analyze", "-q", "-v", path]).ends_with(0).stdout;
    assert!(shown.contains("\nWhat the folder could not show\n"), "{shown}");
    assert!(shown.contains("\nCollect next\n  1. "), "{shown}");
    assert!(shown.contains("See \"Collect next\" below: "), "{shown}");
    let unwrapped = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for once in ["wevtutil epl System \"%USERPROFILE%", "-e -w \"demo.exe\""] {
        assert_eq!(unwrapped.matches(once).count(), 1, "{once}\n{shown}");
    }
}

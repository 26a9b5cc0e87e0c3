//! `--local-time`: times of formats for reading as the clocks of the reading computer show them, and of all others in UTC.

use std::fs;

use crate::program::{Run, crashsift, finish};

/// Central Europe: an hour before UTC, from the last Sunday of March to that of October two.
const ZONE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

#[track_caller]
fn analyze(zone: &str, arguments: &[&str]) -> Run {
    let paths = ["analyze", "-q", "samples/power-lost", "samples/cut-dump"];
    let mut command = crashsift(paths.iter().chain(arguments));
    command.env("TZ", zone);
    finish(command, b"")
}

#[test]
fn each_time_has_the_offset_of_its_own_moment() {
    // Of August and of March.
    for (sample, time) in
        [("samples/power-lost", "2024-08-02T08:47:00+02:00"), ("samples/cut-dump", "2024-03-12T16:41:07+01:00")]
    {
        for format in ["text", "screen", "brief", "markdown", "html"] {
            let mut command = crashsift(["analyze", "-q", sample, "--local-time", "-f", format]);
            command.env("TZ", ZONE);
            let shown = finish(command, b"").ends_with(0).stdout;
            assert!(shown.contains(time), "{format}: {shown}");
            assert!(!shown.contains(":00Z") && !shown.contains(", UTC"), "{format}: {shown}");
            let says = shown.split_whitespace().collect::<Vec<_>>().join(" ").contains("each with its offset from UTC");
            assert_eq!(says, !matches!(format, "screen" | "brief"), "{format}: {shown}");
        }
    }
    let full = analyze(ZONE, &["--local-time"]).ends_with(0).stdout;
    let full = full.split_whitespace().collect::<Vec<_>>().join(" ");
    // Also in sentences about evidence.
    assert!(full.contains("last known alive 2024-08-02T08:47:00+02:00") && full.contains("1 entry, local time"));
}

#[test]
fn what_programs_read_stays_in_utc() {
    for format in ["json", "jsonl", "csv", "junit", "sarif", "prometheus", "ecs"] {
        let local = analyze(ZONE, &["--local-time", "-f", format]).ends_with(0).stdout;
        assert_eq!(local, analyze(ZONE, &["-f", format]).ends_with(0).stdout, "{format}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [json, page] = ["r.json", "r.md"].map(|name| folder.path().join(name).to_str().expect("text").to_owned());
    analyze(ZONE, &["--local-time", "-o", &json, "-o", &page]).ends_with(0);
    let [json, page] = [json, page].map(|path| fs::read_to_string(path).expect("a report"));
    assert!(json.contains("2024-08-02T06:47:00Z") && !json.contains("+02:00"));
    assert!(page.contains("2024-08-02T08:47:00+02:00") && !page.contains("06:47:00Z"));
}

#[test]
fn without_the_option_the_zone_of_the_computer_changes_nothing() {
    assert_eq!(analyze(ZONE, &[]).ends_with(0).stdout, analyze("UTC", &[]).ends_with(0).stdout);
    let unknown = analyze("No/Such-Zone", &["--local-time"]).ends_with(2);
    assert!(unknown.stderr.contains("time zone of this computer is not known"), "{unknown:#?}");
}

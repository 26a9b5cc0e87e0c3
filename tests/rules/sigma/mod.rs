//! Sigma rules over event logs: which are loaded, what they match, and how reports show the matches.

mod language;
mod loading;
mod reports;

use std::path::Path;
use std::sync::Arc;

use evidence::Observation;
use pipeline::read::read_artifact;
use pipeline::read_context::ReadContext;
use samplekit::FileTime;
use samplekit::event_log::{Event, EventLog, Provider};
use sigma::SigmaRules;
use tempfile::TempDir;

use crate::program;

const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);

const SYSMON: &str = "Microsoft-Windows-Sysmon/Operational";

/// A rule with this log source and detection.
fn rule(logsource: &str, detection: &str) -> String {
    format!(
        "title: A rule\nid: 11111111-0000-4000-8000-000000000000\nlogsource: {logsource}\ndetection:\n{detection}\n"
    )
}

/// A rule about starting processes, with one selection.
fn about_starts(selection: &str) -> String {
    let detection = format!("  selection:\n    {selection}\n  condition: selection");
    rule("{product: windows, category: process_creation}", &detection)
}

fn written(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn load(folder: &Path) -> SigmaRules {
    SigmaRules::load(&[folder.to_path_buf()]).unwrap_or_else(|error| panic!("{error}"))
}

/// The rule in this text; fails unless it is loaded.
fn loaded(text: &str) -> SigmaRules {
    let rules = load(written(&[("rule.yml", text)]).path());
    let faults: Vec<&str> = rules.rejected.iter().flat_map(|rejected| &rejected.faults).map(message).collect();
    assert!(faults.is_empty() && !rules.is_empty(), "{text}: {faults:?}");
    rules
}

fn message(fault: &sigma::Fault) -> &str {
    &fault.diagnostic.message
}

/// The titles of the rules that match records of a log, with the numbers of the records.
fn matched(rules: SigmaRules, channel: &str, events: impl IntoIterator<Item = Event>) -> Vec<(String, String)> {
    let mut log = EventLog::new(channel, "PC-1");
    for event in events {
        log.add(event.channel(channel));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.evtx");
    std::fs::write(&path, log.to_bytes()).expect("a file");
    let sigma = Some(Arc::new(rules));
    let context = ReadContext { sigma, ..ReadContext::default() };
    let found = read_artifact(&path, &context).evidence.into_iter().filter_map(|evidence| match evidence.observation {
        Observation::Sigma(found) => Some((found.rule.title.to_string(), evidence.place.to_string())),
        _ => None,
    });
    found.collect()
}

fn sysmon(id: u16, fields: &[(&str, &str)]) -> Event {
    Event::new(Provider::classic("Microsoft-Windows-Sysmon"), id).at(NOON).named(fields.iter().copied())
}

/// The start of a process, as Sysmon records it.
fn start() -> Event {
    sysmon(
        1,
        &[
            ("Image", r"C:\Tools\Demo.exe"),
            ("CommandLine", r#""C:\Tools\Demo.exe" -run /Fast \\server\share aHR0cDovLw== 50%*"#),
            ("OriginalFileName", "demo.exe"),
            ("ParentImage", r"C:\Windows\explorer.exe"),
            ("User", r"PC-1\user"),
            ("ProcessId", "4312"),
            ("Company", ""),
            ("Address", "10.1.2.3"),
            ("CurrentDirectory", r"C:\Tools\"),
        ],
    )
}

const INJECTION: &str = r"
title: A Tool That Injects
id: 22222222-0000-4000-8000-000000000000
level: high
tags: [attack.t1055, attack.defense-evasion]
logsource: {product: windows, category: create_remote_thread}
detection:
  selection: {SourceImage|endswith: '\hook.exe'}
  condition: selection
";

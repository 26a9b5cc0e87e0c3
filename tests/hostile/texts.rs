//! Texts in artifacts that try to control the terminal or deceive the reader: commands must print them as visible text.

use std::fs;

use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout, ManagedCrash};
use samplekit::minidump::{Minidump, UnloadedModule};
use samplekit::wer_report::Report;
use samplekit::{FileTime, FileVersion, Guid};
use serde_json::Value;

use crate::program::{self, Run, list, run};

/// Moves the cursor, sets colours and a title, rings the bell, reverses the order of letters, hides text, begins a
/// line.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}lld\u{2066}\u{200b}\u{feff}\rx";

/// The control characters that a text file may contain; files with others are not read as text.
const HIDING: &str = "\u{202e}lld\u{2066}\u{200b}";

/// A rule whose texts print facts of the artifacts.
const RULES: &str = r#"
schema: 1
rules:
  - id: demo/hostile
    title: The crash was seen
    cause: injected-module
    confidence: 0.9
    severity: medium
    selections:
      crashed:
        exception.code: 0xC0000005
    explanation: >-
      {{ process.name or "A program" }} crashed in {{ fault_site.module or "a module" }}.
    remediation:
      - {audience: helpdesk, text: Nothing.}
      - {audience: developer, text: Nothing.}
    references: [https://example.com]
    tests:
      - {name: a crash, facts: {exception.code: 0xC0000005}, expect: match}
      - {name: another, facts: {exception.code: 0xC0000409}, expect: no-match}
"#;

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

fn named(start: &str, end: &str) -> String {
    format!("{start}{HOSTILE}{end}")
}

/// A crash in which every name is hostile.
fn crash() -> Crash {
    let image = |name: String| Image {
        path: format!(r"C:\Program Files\Demo\{name}"),
        version: Some(FileVersion([2, 1, 0, 7])),
        timestamp: 0x6543_2100,
    };
    Crash {
        app: image(named("app", ".exe")),
        module: image(named("plugin", ".dll")),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(60),
        time: NOON,
        report_id: Guid::made_up("hostile"),
    }
}

fn dump(crash: &Crash) -> Vec<u8> {
    let mut dump = Minidump::of_crash(crash);
    dump.threads.iter_mut().for_each(|thread| thread.name = Some(named("worker", "")));
    dump.unloaded =
        vec![UnloadedModule { name: named("gone", ".dll"), base: 0x7FFA_0000_0000, size: 0x1000, timestamp: 1 }];
    dump.annotations = vec![(named("key", ""), named("value", ""))];
    dump.to_bytes()
}

/// A folder with a dump, logs, a report and a text that belong to the hostile crash.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("a file");
    let crash = crash();
    write("a.dmp", &dump(&crash));
    let mut log = EventLog::new("Application", &named("PC", ""));
    log.add(crash.application_error(Layout::Named));
    log.add(crash.wer_event(Layout::Named, &named("bucket", ""), 4));
    log.add(
        ManagedCrash {
            app: crash.app.clone(),
            time: crash.time.plus_seconds(7200),
            report_id: Guid::made_up("managed"),
            text: named("Application: ", "\nException Info: System.OverflowException\n   at A.Main()\n"),
            exception: "System.OverflowException".to_owned(),
        }
        .runtime_event(),
    );
    write("Application.evtx", &log.to_bytes());
    let report = Report {
        event_type: "APPCRASH".to_owned(),
        time: NOON.plus_seconds(90_000),
        id: Guid::made_up("own"),
        integrator_id: Guid::made_up("other"),
        process: 77,
        started: NOON.plus_seconds(89_000),
        app: crash.app.name().replace('\r', ""),
        app_path: crash.app.path.replace('\r', ""),
        signature: vec![
            ("Application Name".to_owned(), crash.app.name().replace('\r', "")),
            ("Exception Code".to_owned(), "c0000005".to_owned()),
        ],
        build: (19045, 4170),
        modules: vec![crash.app.path.replace('\r', ""), crash.module.path.replace('\r', "")],
    };
    write("Report.wer", &report.to_bytes());
    let ticket = format!(
        "Faulting application name: ticket{HIDING}.exe, version: 1.0.0.0, time stamp: 0x5f000000\n\
         Faulting module name: other{HIDING}.dll, version: 2.0.0.0, time stamp: 0x5f000000\n\
         Exception code: 0xc0000005\nFault offset: 0x0000000000001234\nCPU: AMD Ryzen {HIDING} 5800X\n",
    );
    write("ticket.txt", ticket.as_bytes());
    fs::create_dir(folder.path().join("rules")).expect("a folder");
    write("rules/demo.yaml", RULES.as_bytes());
    folder
}

/// Whether a character controls a terminal or is invisible; line ends are allowed.
fn acts(character: char) -> bool {
    character != '\n'
        && (character.is_control()
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

#[track_caller]
fn assert_harmless(arguments: &[&str], run: &Run) {
    for (stream, printed) in [("output", &run.stdout), ("notes", &run.stderr)] {
        let acting = printed.lines().find(|line| line.contains(acts));
        assert_eq!(acting, None, "{arguments:?}, {stream}");
    }
}

#[test]
fn texts_of_artifacts_are_shown_and_not_obeyed() {
    let folder = folder();
    let path = folder.path().to_str().expect("text");
    let rules = format!("{path}/rules");
    let files = ["a.dmp", "Application.evtx", "Report.wer", "ticket.txt"].map(|name| format!("{path}/{name}"));
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["analyze", path],
        vec!["analyze", "-v", path],
        vec!["analyze", "-v", "--rules", &rules, path],
        vec!["analyze", "--format", "json", "--rules", &rules, path],
        vec!["analyze", "--format", "jsonl", "--rules", &rules, path],
    ];
    let formats = ["csv", "markdown", "html", "brief", "junit", "sarif", "github", "gitlab", "prometheus", "ecs"];
    commands.extend(formats.iter().map(|format| vec!["analyze", "--format", format, "--rules", &rules, path]));
    commands.extend(files.iter().map(|file| vec!["inspect", file.as_str()]));
    for arguments in &commands {
        let run = run(arguments).ends_with(0);
        assert_harmless(arguments, &run);
        let shown = ["u{202e}", "u202e"].iter().any(|escape| run.stdout.contains(escape));
        assert!(shown, "{arguments:?}: nothing hostile was shown: {run:#?}");
    }
}

#[test]
fn json_keeps_the_values_that_it_escapes() {
    let folder = folder();
    let path = folder.path().join("a.dmp");
    let report = program::report(&path);
    let incident = list(&report, "incidents").first().expect("an incident");
    assert_eq!(incident["process"]["name"], named("app", ".exe"));
    assert_eq!(incident["fault_site"]["module"], named("plugin", ".dll"));
}

#[test]
fn arguments_that_a_shell_filled_in_are_shown_and_not_obeyed() {
    let missing = format!("/no/such/{HOSTILE}.dmp");
    let flag = format!("--{HOSTILE}");
    let commands: [&[&str]; 9] = [
        &["analyze", &missing],
        &["analyze", &flag],
        &["analyze", "--format", HOSTILE, "samples"],
        &["analyze", "--ticket", &missing],
        &["analyze", "--rules", &missing, "samples"],
        &["analyze", "--fail-on", HOSTILE, "samples"],
        &["explain", "\u{1b}[Jfoo\u{202e}"],
        &["inspect", &missing],
        &["rules", "show", HOSTILE],
    ];
    for arguments in commands {
        let run = run(arguments);
        assert_harmless(arguments, &run);
        assert!(run.stderr.contains("u{202e}") || run.stdout.contains("u{202e}"), "{arguments:?}: {run:#?}");
    }
}

#[test]
fn a_name_that_is_longer_than_any_is_cut_in_the_text_and_whole_in_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut crash = crash();
    let name = format!("{}.dll", "x".repeat(2000));
    crash.module.path = format!(r"C:\{name}");
    fs::write(folder.path().join("a.dmp"), dump(&crash)).expect("a file");
    let path = folder.path().to_str().expect("text");
    let shown = run(["analyze", path]).ends_with(0).stdout;
    assert!(shown.contains("more characters)"), "{shown}");
    let report: Value = program::report(folder.path());
    assert_eq!(list(&report, "incidents")[0]["fault_site"]["module"], name.as_str());
}

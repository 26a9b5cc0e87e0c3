//! The options that choose what a report is about: what is reported by them is what the whole report has of it, unchanged.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::program::{Run, list, run, text};

/// A report by the few rules of the tests of the command line.
#[track_caller]
fn analyze(arguments: &[&str]) -> Run {
    let rules = ["analyze", "--no-builtin-rules", "--rules", "tests/command_line/site.yaml", "-q"];
    run(rules.iter().chain(arguments))
}

#[track_caller]
fn analyzed(arguments: &[&str]) -> Value {
    analyze(&[&["-f", "json"], arguments].concat()).ends_with(0).json()
}

/// The incidents of a report for which a condition holds.
fn those(report: &Value, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    list(report, "incidents").iter().filter(|incident| wanted(incident)).cloned().collect()
}

#[test]
fn incidents_are_chosen_by_computer_process_module_and_cause_and_do_not_change() {
    // A text without a crash is no incident, and none that is left out.
    const PATHS: [&str; 5] =
        ["LICENSE-MIT", "samples/fleet", "samples/hang", "samples/power-lost", "samples/stack-overflow"];
    let whole = analyzed(&PATHS);
    let all = list(&whole, "incidents").len();
    let host = |incident: &Value| text(incident, "host").to_lowercase();
    let process = |incident: &Value| text(&incident["process"], "name").to_lowercase();
    let cause = |incident: &Value| text(&incident["verdict"], "cause").to_owned();
    let modules = |incident: &Value| {
        let named = ["fault_site", "suspect"].map(|key| text(&incident[key], "module").to_lowercase());
        named.into_iter().collect::<BTreeSet<_>>()
    };
    let some_host = those(&whole, |incident| !host(incident).is_empty()).first().map(host).expect("a computer");
    let short = some_host.split('.').next().expect("a name").to_uppercase();
    let some_process = those(&whole, |incident| !process(incident).is_empty()).first().map(process).expect("a program");
    let beginning = format!("{}*", some_process.get(..3).expect("a name"));
    let has_module = |incident: &Value| !text(&incident["fault_site"], "module").is_empty();
    let some_module = those(&whole, has_module).first().map(|one| text(&one["fault_site"], "module").to_lowercase());
    let some_module = some_module.expect("a module");
    let is_of_host = |incident: &Value| host(incident) == some_host;
    let begins = |incident: &Value| process(incident).starts_with(beginning.trim_end_matches('*'));
    let has_cause = |incident: &Value| ["stack-overflow", "power-loss"].contains(&cause(incident).as_str());
    for (arguments, expected) in [
        (vec!["--host", &short], those(&whole, is_of_host)),
        (vec!["--process", &some_process], those(&whole, |one| process(one) == some_process)),
        (vec!["--process", &beginning], those(&whole, begins)),
        (vec!["--module", &some_module], those(&whole, |one| modules(one).contains(&some_module))),
        (vec!["--cause", "stack-overflow", "--cause", "power-loss"], those(&whole, has_cause)),
        (vec!["--cause", "memory-safety"], those(&whole, |one| cause(one) == "stack-overflow")),
        (vec!["--host", &short, "--process", &beginning], those(&whole, |one| is_of_host(one) && begins(one))),
        (vec!["--host", "no-such-*"], Vec::new()),
    ] {
        let report = analyzed(&[&arguments[..], &PATHS].concat());
        assert_eq!(list(&report, "incidents"), expected, "{arguments:?}");
        assert_eq!(report["summary"]["left_out"], all - expected.len(), "{arguments:?}");
        assert_eq!(report["artifacts"], whole["artifacts"], "{arguments:?}");
        let given: Vec<&str> = arguments.iter().skip(1).step_by(2).copied().collect();
        let named = report["selected"].as_object().expect("what was chosen").values();
        let named: BTreeSet<&str> =
            named.flat_map(|list| list.as_array().expect("a list")).flat_map(Value::as_str).collect();
        assert_eq!(named, given.into_iter().collect(), "{arguments:?}");
        if arguments.contains(&"--host") {
            assert!(list(&report, "machines").iter().all(|machine| host(machine) == some_host), "{arguments:?}");
        }
    }
    assert_eq!((whole.get("selected"), whole["summary"].get("left_out")), (None, None));
}

#[test]
fn incidents_of_unknown_time_stay_and_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 1..3 {
        let text = format!("demo{number}.exe finished with exit code -1073740791\n");
        fs::write(folder.path().join(format!("{number}.txt")), text).expect("a file");
    }
    let path = folder.path().to_str().expect("text");
    let dump = "samples/stack-overflow/python.exe.5316.dmp";
    let shown = analyze(&["-f", "text", "--since", "2025-01-01", path, dump]).ends_with(0).stdout;
    let says = "are reported: 1 incident is left out, and 2 of unknown time are kept.";
    assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(says), "{shown}");
}

#[test]
fn what_was_chosen_and_how_much_is_left_out_is_in_every_report_for_reading() {
    const SAYS: &str =
        "Only incidents of process no-such.exe or none.exe, with cause gpu are reported: 2 incidents are left out.";
    for format in ["text", "markdown", "html", "screen"] {
        let shown = analyze(&[
            "-f",
            format,
            "--process",
            "no-such.exe",
            "--process",
            "none.exe",
            "--cause",
            "gpu",
            "--exclude",
            "*.json",
            "samples/stack-overflow",
            "samples/power-lost",
        ]);
        let shown = shown.ends_with(0).stdout.replace('\\', "").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(SAYS), "{format}: {shown}");
        assert!(shown.contains("2 files are left out by --exclude *.json."), "{format}: {shown}");
        assert!(shown.contains("No incident that was found fits what was asked for."), "{format}: {shown}");
    }
}

#[test]
fn a_cause_that_there_is_not_is_a_mistake() {
    let run = analyze(&["--cause", "stack-overflo", "samples/stack-overflow"]).ends_with(2);
    assert!(run.stderr.contains("--cause stack-overflo: neither a cause nor a family; did you mean `stack-overflow`?"));
}

#[test]
fn excluded_files_are_counted_and_not_listed_also_in_archives() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("old")).expect("a folder");
    fs::copy("samples/stack-overflow/python.exe.5316.dmp", at("old/a.dmp")).expect("copied");
    fs::copy("samples/power-lost/System.evtx", at("System.evtx")).expect("copied");
    let mut tape = tar::Builder::new(fs::File::create(at("more.tar")).expect("a file"));
    tape.append_dir_all("old", at("old")).expect("packed");
    tape.into_inner().expect("packed");
    let path = folder.path().to_str().expect("text");
    for (pattern, excluded, kinds) in [
        ("*.png", 0, vec!["archive", "minidump", "event-log", "minidump"]),
        ("OLD", 2, vec!["archive", "event-log"]),
        ("old/*", 2, vec!["archive", "event-log"]),
        ("*.tar", 1, vec!["event-log", "minidump"]),
        ("system.*", 1, vec!["archive", "minidump", "minidump"]),
    ] {
        let report = analyzed(&["--exclude", pattern, path]);
        let mut found: Vec<&str> = list(&report, "artifacts").iter().map(|artifact| text(artifact, "kind")).collect();
        let mut kinds = kinds;
        found.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(found, kinds, "{pattern}");
        assert_eq!(report["summary"]["excluded"], excluded, "{pattern}");
    }
    let cache = tempfile::tempdir().expect("a folder");
    let cached = |pattern: &str| {
        let cache = cache.path().to_str().expect("text");
        analyzed(&["--cache", cache, "--exclude", pattern, path])["summary"]["excluded"].clone()
    };
    assert_eq!([cached("old"), cached("old"), cached("*.evtx")], [2, 2, 1]);
}

#[test]
fn a_report_about_something_else_is_no_baseline() {
    let folder = tempfile::tempdir().expect("a folder");
    let baseline = folder.path().join("report.json");
    let baseline = baseline.to_str().expect("text");
    analyze(&["--process", "python.exe", "-f", "json", "-o", baseline, "samples/stack-overflow"]).ends_with(0);
    let against =
        |arguments: &[&str]| analyze(&[&["--baseline", baseline, "samples/stack-overflow"], arguments].concat());
    let refused = against(&[]).ends_with(2);
    assert!(refused.stderr.contains("not chosen by the same --host, --process, --module and --cause"), "{refused:#?}");
    against(&["--process", "python.exe", "--exclude", "*.txt"]).ends_with(0);
}

/// The pattern would be in the report.
#[test]
fn a_computer_is_not_chosen_by_its_name_in_a_redacted_report() {
    for option in [&["--redact"][..], &["--redact-map", "names.json"]] {
        let run = run(["analyze", "--host", "PC-21", "samples"].iter().chain(option)).ends_with(2);
        assert!(run.stderr.contains("cannot be used with"), "{run:#?}");
    }
}

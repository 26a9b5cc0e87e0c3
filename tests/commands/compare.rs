//! `compare OLD NEW` and `analyze --baseline`: what is new against an earlier report.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::run;
use serde_json::{Value, json};

/// The reports of a day with two crashes, and of the next day, on which one of them is gone and another is new.
fn two_days(folder: &Path) -> (PathBuf, PathBuf) {
    let analyze = |name: &str, samples: [&str; 2]| {
        let path = folder.join(name);
        let out = path.to_str().expect("text");
        let of = samples.map(|sample| format!("samples/{sample}"));
        run(["analyze", "--format", "json", "--output", out, &of[0], &of[1]]).ends_with(0);
        path
    };
    (
        analyze("monday.json", ["one-crash-three-artifacts", "power-lost"]),
        analyze("tuesday.json", ["one-crash-three-artifacts", "gpu-timeout"]),
    )
}

fn changes(report: &Value) -> Vec<(Vec<&str>, usize)> {
    let list = report["comparison"]["changes"].as_array().expect("changes");
    let words = |change: &'_ Value| -> Vec<String> {
        change["change"]
            .as_array()
            .expect("words")
            .iter()
            .map(|word| word.as_str().expect("a word").to_owned())
            .collect()
    };
    let known = ["new", "gone", "more", "fewer", "moved", "other-incidents", "verdict-changed"];
    list.iter()
        .map(|change| {
            let words = words(change);
            let of_known = known.into_iter().filter(|word| words.iter().any(|own| own == word)).collect();
            (of_known, change["new_incidents"].as_array().map_or(0, Vec::len))
        })
        .collect()
}

/// Two tickets about different failures had the same id, and a pipeline took the second for the first.
#[test]
fn another_ticket_is_another_incident_and_the_same_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let report = |name: &str, text: &str| {
        let (ticket, report) = (path(&format!("{name}.txt")), path(&format!("{name}.json")));
        fs::write(&ticket, text).expect("a text");
        run(["analyze", "-q", "-f", "json", "-o", &report, &ticket]).ends_with(0);
        report
    };
    let first = report("first", "Training ends at once with exit code -1073740791, since Monday.\n");
    let again = report("again", "Training ends at once with exit code -1073740791, since Monday.\n");
    let other = report("other", "The renderer closes after two hours, exit code -1073740791.\n");
    let kinds = |old: &str, new: &str| -> Vec<Value> {
        let compared = run(["compare", "--format", "json", old, new]).ends_with(0).json();
        let changes = compared["comparison"]["changes"].as_array().expect("changes").clone();
        changes.into_iter().map(|change| change["change"].clone()).collect()
    };
    assert_eq!(kinds(&first, &again), [Value::Null; 0]);
    assert_eq!(kinds(&first, &other), [json!(["new"]), json!(["gone"])]);
    run(["compare", "--fail-on", "new", &first, &other]).ends_with(1);
}

#[test]
fn new_and_gone_groups_are_shown_in_the_same_way_by_both_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let (monday, tuesday) = two_days(folder.path());
    let (monday, tuesday) = (monday.to_str().expect("text"), tuesday.to_str().expect("text"));
    let compared = run(["compare", "--format", "json", monday, tuesday]).ends_with(0).json();
    let kinds = changes(&compared);
    assert!(kinds.iter().any(|(words, new)| words == &["new"] && *new > 0), "{kinds:?}");
    assert!(kinds.iter().any(|(words, new)| words == &["gone"] && *new == 0), "{kinds:?}");
    assert!(compared["comparison"]["unchanged_groups"].as_u64() > Some(0), "the crash of both days");

    let samples = ["samples/one-crash-three-artifacts", "samples/gpu-timeout"];
    let analyzed =
        run(["analyze", "--format", "json", "--baseline", monday].iter().chain(&samples)).ends_with(0).json();
    assert_eq!(analyzed["comparison"], compared["comparison"]);
    let lines = run(["analyze", "--format", "jsonl", "--baseline", monday].iter().chain(&samples)).ends_with(0);
    let line = lines.stdout.lines().find(|line| line.contains("\"type\":\"comparison\"")).expect("a line");
    let mut line: Value = serde_json::from_str(line).expect("JSON");
    line.as_object_mut().expect("an object").remove("type");
    assert_eq!(line, compared["comparison"]);

    let text = run(["compare", monday, tuesday]).ends_with(0).stdout;
    assert!(text.contains("Against the earlier report") && text.contains("  - new: "), "{text}");
    assert!(
        run(["analyze", "--baseline", monday].iter().chain(&samples)).stdout.contains("Against the earlier report")
    );
}

#[test]
fn a_pipeline_can_fail_on_what_is_new_and_only_on_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let (monday, tuesday) = two_days(folder.path());
    let (monday, tuesday) = (monday.to_str().expect("text"), tuesday.to_str().expect("text"));
    run(["compare", "--fail-on", "new", monday, tuesday]).ends_with(1);
    run(["compare", "--fail-on", "new", monday, monday]).ends_with(0);
    run(["analyze", "--fail-on", "new", "--baseline", monday, "samples/gpu-timeout"]).ends_with(1);
    run(["analyze", "--fail-on", "new", "--baseline", monday, "samples/power-lost"]).ends_with(0);
    let run = run(["analyze", "--fail-on", "new", "samples/power-lost"]).ends_with(2);
    assert!(run.stderr.contains("--baseline"), "{run:#?}");
}

#[test]
fn unusable_reports_are_errors_before_anything_is_analyzed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (monday, _) = two_days(folder.path());
    let mut report: Value = serde_json::from_slice(&fs::read(&monday).expect("a report")).expect("JSON");
    for incident in report["incidents"].as_array_mut().expect("incidents") {
        incident["signature"]["algorithm"] = json!(0);
    }
    let older = folder.path().join("older.json");
    fs::write(&older, report.to_string()).expect("written");
    let monday = monday.to_str().expect("text");
    let older = older.to_str().expect("text");
    let told = run(["compare", older, monday]).ends_with(2);
    assert!(told.stderr.contains("older.json: its signatures are made by algorithm 0"), "{told:#?}");
    for wrong in ["Cargo.toml", "no-such-file.json"] {
        let told = run(["analyze", "--baseline", wrong, "samples/power-lost"]).ends_with(2);
        assert!(told.stderr.contains(wrong) && told.stdout.is_empty(), "{told:#?}");
    }
}

#[test]
fn a_crash_with_more_evidence_is_the_same_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/one-crash-three-artifacts");
    let files = fs::read_dir(&sample).expect("a sample").map(|entry| entry.expect("a file").path());
    let log = files.into_iter().find(|path| path.extension().is_some_and(|own| own == "evtx")).expect("a log");
    let report = |name: &str, of: &Path| {
        let path = folder.path().join(name).to_str().expect("text").to_owned();
        run(["analyze", "--format", "json", "--output", &path, of.to_str().expect("text")]).ends_with(0);
        path
    };
    let (log, whole) = (report("log.json", &log), report("whole.json", &sample));
    for (old, new) in [(&log, &whole), (&whole, &log)] {
        let compared = run(["compare", "--format", "json", "--fail-on", "new", old, new]).ends_with(0).json();
        assert_eq!(compared["comparison"]["new_incidents"], 0, "{compared:#}");
        assert!(changes(&compared).iter().all(|(words, new)| words == &["moved"] && *new == 0), "{compared:#}");
    }
}

#[test]
fn different_programs_and_rule_sets_of_the_reports_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let (monday, _) = two_days(folder.path());
    let mut report: Value = serde_json::from_slice(&fs::read(&monday).expect("a report")).expect("JSON");
    report["tool"]["version"] = json!("0.0.9");
    let older = folder.path().join("older.json");
    fs::write(&older, report.to_string()).expect("written");
    let (older, monday) = (older.to_str().expect("text"), monday.to_str().expect("text"));
    let compared = run(["compare", "--format", "json", older, monday]).ends_with(0).json();
    assert_eq!(compared["comparison"]["tool_before"], "0.0.9");
    assert_eq!(compared["comparison"]["rulesets_before"], compared["comparison"]["rulesets_now"]);
    assert!(run(["compare", older, monday]).ends_with(0).stdout.contains("crashsift 0.0.9"));
    assert!(!run(["compare", monday, monday]).ends_with(0).stdout.contains("need not have happened"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_defect_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let (monday, tuesday) = two_days(folder.path());
    let (monday, tuesday) = (monday.to_str().expect("text"), tuesday.to_str().expect("text"));
    run(["compare", monday, tuesday, "--output", "/dev/full"]).ends_with(2);
}

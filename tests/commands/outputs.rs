//! Results for pipelines: several reports of one run, the formats that other programs read, conditions of `--fail-on`, and
//! the summary on standard error.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Run, list, run, text};

const SITE_RULES: &str = "tests/command_line/site.yaml";
const STACK_OVERFLOW: &str = "samples/stack-overflow/python.exe.5316.dmp";
const EMPTY_DUMP: &str = "samples/empty-dump/empty.dmp";
/// The formats for pipelines, monitoring and assistants.
const FOR_PROGRAMS: [&str; 7] = ["brief", "junit", "sarif", "github", "gitlab", "prometheus", "ecs"];

/// `crashsift analyze -q` by the few rules of `site.yaml`.
#[track_caller]
fn analyze(arguments: &[&str]) -> Run {
    run(["analyze", "-q", "--no-builtin-rules", "--rules", SITE_RULES].iter().chain(arguments))
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("the path of a temporary folder is text")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn one_run_writes_several_reports_each_as_its_name_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = [("r.txt", "text"), ("r.json", "json"), ("r.jsonl", "jsonl"), ("r.csv", "csv"), ("r.md", "markdown")];
    let more = [("r.html", "html"), ("r.xml", "junit"), ("r.sarif", "sarif"), ("r.prom", "prometheus")];
    let all: Vec<(PathBuf, &str)> =
        of.iter().chain(&more).map(|(name, format)| (folder.path().join(name), *format)).collect();
    let mut arguments: Vec<&str> = all.iter().flat_map(|(path, _)| ["-o", shown(path)]).collect();
    arguments.extend(["-o", "-", "-f", "brief", STACK_OVERFLOW]);
    let both = analyze(&arguments).ends_with(0);
    assert_eq!(both.stdout, analyze(&["-f", "brief", STACK_OVERFLOW]).stdout);
    for (path, format) in &all {
        let written = fs::read_to_string(path).expect("a report");
        assert_eq!(written, analyze(&["-f", format, STACK_OVERFLOW]).stdout, "{format}");
    }
    assert_eq!(names(folder.path()).len(), all.len(), "nothing else is left behind");
}

#[test]
fn a_single_output_is_as_asked_else_as_its_name_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let (page, plain) = (folder.path().join("r.html"), folder.path().join("report"));
    analyze(&["-o", shown(&page), STACK_OVERFLOW]).ends_with(0);
    assert!(fs::read_to_string(&page).expect("a report").starts_with("<!doctype html>"));
    analyze(&["-f", "json", "-o", shown(&page), STACK_OVERFLOW]).ends_with(0);
    assert!(fs::read_to_string(&page).expect("a report").starts_with('{'));
    analyze(&["-o", shown(&plain), STACK_OVERFLOW]).ends_with(0);
    assert!(fs::read_to_string(&plain).expect("a report").starts_with("crashsift: 1 artifact"));
    assert!(analyze(&["-o", "-", STACK_OVERFLOW]).ends_with(0).stdout.starts_with("crashsift: 1 artifact"));
}

#[test]
fn outputs_that_make_no_sense_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| shown(&folder.path().join(name)).to_owned();
    let (page, same, odd, plain) = (at("r.html"), at("./r.html"), at("r.docx"), at("report"));
    for (outputs, reason) in [
        (vec![odd.as_str()], "no format has this ending; the endings are .txt, .json"),
        (vec![&page, &odd], "no format has this ending"),
        (vec![&page, &plain], "the ending of each name is its format"),
        (vec![&page, &same], "the same file"),
        (vec!["-", &page, "-"], "standard output takes one report"),
        (vec![&page, "no-such-folder/r.json"], "no such file or folder"),
    ] {
        let mut arguments: Vec<&str> = outputs.iter().flat_map(|output| ["-o", output]).collect();
        arguments.push(STACK_OVERFLOW);
        let refused = analyze(&arguments).ends_with(2);
        assert!(refused.stderr.contains(reason), "{outputs:?}: {refused:#?}");
        assert_eq!((refused.stdout.as_str(), names(folder.path())), ("", Vec::new()), "{outputs:?}");
    }
}

#[test]
fn no_output_of_several_replaces_what_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let (dump, page) = (folder.path().join("a.dmp"), folder.path().join("r.html"));
    fs::copy(STACK_OVERFLOW, &dump).expect("a dump");
    let before = fs::read(&dump).expect("the dump");
    let refused = analyze(&["-f", "json", "-o", shown(&page), "-o", shown(&dump), shown(&dump)]).ends_with(2);
    assert!(refused.stderr.contains("no format has this ending"), "{refused:#?}");
    let ticket = folder.path().join("mail.txt");
    fs::write(&ticket, "exit code 0xC0000409").expect("a text");
    let refused = analyze(&["-o", shown(&page), "-o", shown(&ticket), shown(folder.path())]).ends_with(2);
    assert!(refused.stderr.contains("it lies in a folder that is read"), "{refused:#?}");
    assert_eq!(fs::read(&dump).expect("the dump"), before);
    assert_eq!(names(folder.path()), ["a.dmp", "mail.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_can_not_be_written_leaves_the_others_whole_and_is_no_success() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, last) = (folder.path().join("r.json"), folder.path().join("r.md"));
    let outputs = ["-o", shown(&first), "-o", "/dev/full", "-o", shown(&last), "-f", "text", STACK_OVERFLOW];
    let failed = analyze(&outputs).ends_with(2);
    assert!(failed.stderr.contains("--output /dev/full: "), "{failed:#?}");
    assert_eq!(fs::read_to_string(&first).expect("whole"), analyze(&["-f", "json", STACK_OVERFLOW]).stdout);
    assert_eq!(fs::read_to_string(&last).expect("whole"), analyze(&["-f", "markdown", STACK_OVERFLOW]).stdout);
}

#[test]
fn reports_of_every_format_are_no_evidence_and_may_be_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(STACK_OVERFLOW, folder.path().join("a.dmp")).expect("a dump");
    let path = shown(folder.path()).to_owned();
    let before = analyze(&["-f", "json", &path]).ends_with(0).json();
    let formats = ["text", "screen", "json", "jsonl", "csv", "markdown", "html"].into_iter().chain(FOR_PROGRAMS);
    for format in formats {
        let file = folder.path().join(format!("report.{format}"));
        for _ in 0..2 {
            analyze(&["-f", format, "-o", shown(&file), &path]).ends_with(0);
        }
    }
    let after = analyze(&["-f", "json", &path]).ends_with(0).json();
    assert_eq!(after["incidents"], before["incidents"]);
    for artifact in list(&after, "artifacts").iter().filter(|artifact| !text(artifact, "path").ends_with(".dmp")) {
        assert_eq!(artifact["status"], "skipped", "{artifact}");
    }
}

#[test]
fn conditions_compare_confidences_and_severities() {
    let report = run(["analyze", "-q", "-f", "json", STACK_OVERFLOW]).ends_with(0).json();
    let verdict = &report["incidents"][0]["verdict"];
    let (cause, severity) = (text(verdict, "cause"), text(verdict, "severity"));
    let sure = verdict["confidence"].as_f64().expect("a number");
    let family = text(verdict, "family");
    for (code, condition) in [
        (1, cause.to_owned()),
        (1, format!("{cause}@{sure}")),
        (0, format!("{cause}@0.999")),
        (1, format!("{family}@0.1")),
        (0, "gpu@0.1".to_owned()),
        (1, format!("severity={severity}")),
        (1, "severity>=low".to_owned()),
        (1, "severity=low".to_owned()),
    ] {
        let run = run(["analyze", "-q", "--fail-on", &condition, STACK_OVERFLOW]);
        assert_eq!(run.code, code, "{condition}: {run:#?}");
    }
    for (condition, reason) in [
        ("severity=hgih", "the severities are low, medium, high, critical"),
        ("severity>high", "neither a cause nor a family"),
        ("stack-overflow@80", "a number from 0 to 1"),
        ("stack-overflow@", "a number from 0 to 1"),
        ("stack-overflw@0.8", "did you mean `stack-overflow`?"),
        ("undetermined@0.5", "has no confidence"),
    ] {
        let refused = run(["analyze", "-q", "--fail-on", condition, STACK_OVERFLOW]).ends_with(2);
        assert!(refused.stderr.contains(reason), "{condition}: {refused:#?}");
    }
}

#[test]
fn a_summary_is_one_line_of_json_on_standard_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, cache) = (folder.path().join("r.json"), folder.path().join("cache"));
    let arguments =
        ["--summary", "json", "--fail-on", "any", "--fail-on", "new", "-o", shown(&file), "--cache", shown(&cache)];
    let baseline = folder.path().join("before.json");
    analyze(&["-f", "json", "-o", shown(&baseline), STACK_OVERFLOW]).ends_with(0);
    let arguments: Vec<&str> = arguments.into_iter().chain(["--baseline", shown(&baseline), STACK_OVERFLOW]).collect();
    let first = analyze(&arguments).ends_with(1);
    let summary: Value = serde_json::from_str(&first.stderr).expect("one line of JSON");
    assert_eq!(summary["exit_code"], 1);
    assert_eq!(summary["fail_on"], serde_json::json!(["any"]));
    assert_eq!(summary["summary"]["incidents"], 1);
    assert_eq!(summary["outputs"][0]["format"], "json");
    assert_eq!((first.stderr.lines().count(), first.stdout.as_str()), (1, ""));
    // A kept answer has it, too.
    assert_eq!(analyze(&arguments).ends_with(1).stderr, first.stderr);
    let nothing = analyze(&["--summary", "json", EMPTY_DUMP]).ends_with(4);
    let summary: Value = serde_json::from_str(&nothing.stderr).expect("one line of JSON");
    assert_eq!((&summary["exit_code"], &summary["summary"]["failed"]), (&4.into(), &1.into()));
}

#[test]
fn failed_tests_are_what_the_run_fails_on() {
    let failures = |arguments: &[&str]| {
        let all = [&["-f", "junit"], arguments, &[STACK_OVERFLOW]].concat();
        analyze(&all).stdout.matches("<failure ").count()
    };
    assert_eq!(failures(&[]), 1);
    assert_eq!(failures(&["--fail-on", "gpu-timeout"]), 0);
    assert_eq!(failures(&["--fail-on", "any"]), 1);
}

#[test]
fn the_brief_of_all_samples_fits_its_bound() {
    let brief = run(["analyze", "-q", "-f", "brief", "samples"]).ends_with(0).stdout;
    assert!(brief.len() <= 2048 && brief.lines().count() > 5, "{brief}");
}

/// `CRASHSIFT_SARIF_SCHEMA`: the published JSON Schema of SARIF 2.1.0. The package `serde-sarif` has it as `src/schema.json`.
#[test]
fn sarif_follows_its_published_schema() {
    let Some(path) = std::env::var_os("CRASHSIFT_SARIF_SCHEMA") else { return };
    let mut schema: Value = serde_json::from_slice(&fs::read(path).expect("a schema")).expect("JSON");
    // Its expression for languages has a bracket too many, which not every implementation accepts.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"]["pattern"] = "^[a-zA-Z]".into();
    }
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let reports = ["samples", STACK_OVERFLOW, EMPTY_DUMP, "samples/ticket-event-xml"];
    let reports = reports.map(|path| run(["analyze", "-q", "-f", "sarif", path]));
    let checks = ["tests/broken_rules", SITE_RULES].map(|path| run(["rules", "check", "-f", "sarif", path]));
    for run in reports.iter().chain(&checks) {
        let mistakes: Vec<String> = schema.iter_errors(&run.json()).take(5).map(|error| error.to_string()).collect();
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }
}

//! `crashsift rules check` for programs: JSON, SARIF, and `--watch`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use spanned_yaml::Code;

use crate::program::{crashsift, list, run};

const MISTAKE: &str = "tests/broken_rules/key-twice.yaml";
const SITE_RULES: &str = "tests/command_line/site.yaml";
/// The time limit of a check: far more than any needs.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn a_mistake_in_json_has_its_code_its_place_and_what_would_be_right() {
    let mut checked = run(["rules", "check", "-f", "json", MISTAKE]).ends_with(2).json();
    let made = checked.as_object_mut().and_then(|document| document.remove("tool")).expect("a key");
    assert_eq!(made["name"], "crashsift");
    let expected = json!({
        "schema_version": "1.0",
        "rules": 0,
        "errors": 1,
        "warnings": 0,
        "diagnostics": [{
            "code": "R005",
            "level": "error",
            "title": Code::R005.title,
            "message": "the key `title` stands twice",
            "help": "remove one of the two, or write its values as one list",
            "file": MISTAKE,
            "line": 12,
            "column": 5,
            "end_line": 12,
            "end_column": 10,
            "other": {"label": "first here", "file": MISTAKE, "line": 5, "column": 5, "end_line": 5, "end_column": 10},
        }],
    });
    assert_eq!(checked, expected);
}

#[test]
fn rules_of_both_kinds_are_in_one_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = format!("sigma:{}", folder.path().join("none").to_str().expect("text"));
    let checked = run(["rules", "check", "-f", "json", SITE_RULES, &missing]).ends_with(2).json();
    assert_eq!((&checked["rules"], &checked["errors"]), (&json!(2), &json!(1)));
    assert_eq!(checked["diagnostics"][0]["code"], "R001");
}

#[test]
fn sarif_has_all_codes_and_the_place_of_each_mistake() {
    let log = run(["rules", "check", "-f", "sarif", MISTAKE]).ends_with(2).json();
    let known = list(&log["runs"][0]["tool"]["driver"], "rules").iter().map(|rule| rule["id"].as_str());
    assert!(known.eq(Code::all().map(|code| Some(code.id))));
    let [result] = list(&log["runs"][0], "results") else { panic!("{log:#}") };
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&result["ruleId"], &place["artifactLocation"]["uri"]), (&json!("R005"), &json!(MISTAKE)));
    assert_eq!(place["region"], json!({"startLine": 12, "startColumn": 5, "endLine": 12, "endColumn": 10}));
}

/// `rules check --watch`, which is ended when this is dropped.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(format: &str, path: &Path) -> Self {
        let mut command = crashsift(["rules", "check", "--watch", "-f", format]);
        let mut child = command.arg(path).stdout(Stdio::piped()).spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (send, lines) = channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// Waits for a result in JSON that `is_wanted`: a file that is slowly written can have been checked in between.
    #[track_caller]
    fn result(&self, is_wanted: impl Fn(&Value) -> bool) {
        while !is_wanted(&serde_json::from_str(&self.line()).expect("JSON")) {}
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn rules_are_checked_again_after_each_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = fs::read_to_string(SITE_RULES).expect("rules");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("site.yaml", &whole);
    let watching = Watching::start("json", folder.path());
    let is_fine = |checked: &Value| (&checked["rules"], &checked["errors"]) == (&json!(2), &json!(0));
    let has = |code: &'static str| {
        move |checked: &Value| list(checked, "diagnostics").iter().any(|mistake| mistake["code"] == code)
    };
    watching.result(is_fine);
    write("site.yaml", &whole.replacen("exception.code", "exeption.code", 1));
    watching.result(has("R020"));
    // In the middle of a text in quotation marks, and of a character.
    let half = [&whole.as_bytes()[..whole.find("Close the").expect("a step")], b"\xC3"].concat();
    fs::write(folder.path().join("site.yaml"), half).expect("a file");
    watching.result(has("R001"));
    write("site.yaml", &whole);
    watching.result(is_fine);
    write("again.yaml", &whole);
    watching.result(has("R019"));
    fs::remove_file(folder.path().join("again.yaml")).expect("removed");
    watching.result(is_fine);
    fs::remove_file(folder.path().join("site.yaml")).expect("removed");
    watching.result(has("R064"));
}

#[test]
fn each_result_for_reading_is_between_two_lines_that_editors_know() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("site.yaml");
    let whole = fs::read_to_string(SITE_RULES).expect("rules");
    fs::write(&file, &whole).expect("a file");
    let watching = Watching::start("text", &file);
    let lines = |count: usize| (0..count).map(|_| watching.line()).collect::<Vec<_>>();
    assert_eq!(lines(3), ["Checking rules", "2 rules: 0 errors, 0 warnings", "Waiting for changes"]);
    // A file that is read with the one that was given.
    fs::write(folder.path().join("site.tests.yaml"), "- [").expect("a file");
    assert_eq!(watching.line(), "Checking rules");
    assert!(watching.line().starts_with("error["));
    while watching.line() != "Waiting for changes" {}
}

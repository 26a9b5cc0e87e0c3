//! `crashsift explain`, as a user types it.
//!
//! The expected outputs are in `tests/command_line/` and use the rules of `site.yaml` there, so that they don't change
//! with the built-in ones; `SNAPSHOTS=overwrite cargo test --test main explain::` writes them anew.

use std::path::Path;

use serde_json::Value;
use snapbox::Data;

use crate::program::{Run, crashsift, finish, list, run, text};

const SITE_RULES: [&str; 3] = ["--no-builtin-rules", "--rules", "tests/command_line/site.yaml"];

/// `crashsift explain` with arguments.
#[track_caller]
fn explain<const N: usize>(arguments: [&str; N]) -> Run {
    run(["explain"].into_iter().chain(arguments))
}

#[track_caller]
fn assert_whole(output: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_line").join(file);
    let output = output.replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
    snapbox::Assert::new().action_env("SNAPSHOTS").eq(Data::text(output).raw(), Data::read_from(&path, None).raw());
}

/// The readings of a code's document: kind and code.
fn readings(document: &Value) -> Vec<(String, String)> {
    let readings = list(document, "codes").iter().flat_map(|code| list(code, "readings"));
    readings.map(|reading| (text(reading, "kind").to_owned(), text(reading, "code").to_owned())).collect()
}

#[test]
fn a_negative_exit_code_is_typed_just_so() {
    let run = explain(["-1073740791"]).ends_with(0);
    assert_eq!(run.stderr, "");
    for said in [
        "0xC0000409",
        "fast fail",
        "not by itself a stack overrun",
        "0xC0000374 (-1073740940)",
        "FAST_FAIL_STACK_COOKIE_CHECK_FAILURE",
        "FAST_FAIL_FATAL_APP_EXIT",
        "FAST_FAIL_CONTROL_INVALID_RETURN_ADDRESS",
        "abort-after-fatal-error",
        "What to collect",
        "LocalDumps",
    ] {
        assert!(run.stdout.contains(said), "{said} is missing:\n{}", run.stdout);
    }
}

#[test]
fn negative_codes_may_be_anywhere_in_a_list() {
    let run = explain(["-f", "json", "126", "-1073740791", "0xC0000005", "-1073740940"]).ends_with(0);
    let firsts: Vec<String> =
        list(&run.json(), "codes").iter().map(|code| text(&list(code, "readings")[0], "code").to_owned()).collect();
    assert_eq!(firsts, ["126", "0xC0000409", "0xC0000005", "0xC0000374"]);
    let after = explain(["-1073740791", "-f", "json"]).ends_with(0);
    assert_eq!(readings(&after.json()).len(), 1, "options after a negative code are options");
}

#[test]
fn every_spelling_of_a_code_gives_the_same_answer() {
    let answers: Vec<Value> = [
        "-1073740791",
        "3221226505",
        "0xC0000409",
        "c0000409",
        "exit code -1073740791 (0xC0000409)",
        "STATUS_STACK_BUFFER_OVERRUN",
    ]
    .into_iter()
    .map(|spelling| {
        let mut document = explain(["-f", "json", spelling]).ends_with(0).json();
        let reading = document["codes"][0]["readings"][0].as_object_mut().expect("a reading");
        // The likeliest meaning depends on the spelling.
        reading.remove("why");
        Value::Object(reading.clone())
    })
    .collect();
    assert!(answers.windows(2).all(|two| two[0] == two[1]), "{answers:#?}");
}

#[test]
fn what_is_no_code_is_an_error_and_the_others_are_explained_all_the_same() {
    let run = explain(["hello", "0xC0000005", "0x1C0000409"]).ends_with(2);
    assert!(run.stdout.contains("STATUS_ACCESS_VIOLATION"), "{}", run.stdout);
    assert!(run.stderr.contains("`hello` is no code"), "{}", run.stderr);
    assert!(run.stderr.contains("`0x1C0000409` is no code: not a number of 32 bits"), "{}", run.stderr);
    let document = explain(["-q", "-f", "json", "VIDEO_TDR_FAILUR", "126"]).ends_with(2).json();
    assert_eq!(list(&document, "codes").len(), 1);
    let none = &list(&document, "no_codes")[0];
    assert_eq!(text(none, "text"), "VIDEO_TDR_FAILUR");
    assert!(text(none, "reason").contains("did you mean `VIDEO_TDR_FAILURE`?"), "{none}");
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    explain([]).ends_with(2);
    explain(["--no-such-option", "126"]).ends_with(2);
    explain(["-f", "csv", "126"]).ends_with(2);
    let run = explain(["--rules", "no/such/rules", "126"]).ends_with(2);
    assert_eq!(run.stdout, "");
}

#[test]
fn rules_of_the_user_are_known_too() {
    let dump = "0xC00000FD";
    let ids = |run: Run| -> Vec<String> {
        let document = run.ends_with(0).json();
        let rules = list(&document["codes"][0]["readings"][0], "rules").to_vec();
        rules.iter().map(|rule| text(rule, "id").to_owned()).collect()
    };
    let site = ids(run(["explain", "-f", "json", dump].into_iter().chain(SITE_RULES)));
    assert!(!site.is_empty() && site.iter().all(|id| id.starts_with("site/")), "{site:?}");
    let both = ids(explain(["-f", "json", "--rules", "tests/command_line/site.yaml", dump]));
    assert!(site.iter().all(|id| both.contains(id)) && both.len() > site.len(), "{both:?}");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    assert!(!explain(["126"]).ends_with(0).stdout.contains('\u{1b}'));
    assert!(explain(["--color", "always", "126"]).ends_with(0).stdout.contains('\u{1b}'));
    let mut command = crashsift(["explain", "126"]);
    command.env("CLICOLOR_FORCE", "1");
    assert!(finish(command, b"").ends_with(0).stdout.contains('\u{1b}'));
}

#[test]
fn what_is_typed_can_not_act_on_the_terminal() {
    let run = explain(["\u{1b}[31mred", "exit code \u{1b}[0m 53"]).ends_with(2);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{run:#?}");
}

#[test]
fn a_fast_fail_in_whole() {
    let run = run(["explain", "-1073740791"].into_iter().chain(SITE_RULES)).ends_with(0);
    assert_whole(&run.stdout, "explain-fast-fail.txt");
}

#[test]
fn a_system_error_in_whole() {
    let run = run(["explain", "126"].into_iter().chain(SITE_RULES)).ends_with(0);
    assert_whole(&run.stdout, "explain-system-error.txt");
}

#[test]
fn a_stop_code_as_json() {
    let run = run(["explain", "-f", "json", "0x124"].into_iter().chain(SITE_RULES)).ends_with(0);
    assert_whole(&run.stdout, "explain-stop-code.json");
}

//! How findings become a verdict: the least confidence, rival causes, and what is requested.

use std::fs;

use crate::program::{list, report, run, text};
use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout, service_ended};
use samplekit::{FileTime, Guid};
use serde_json::Value;

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

/// The verdict on a stack overflow by rules with these causes and confidences, each of which requests something.
fn verdict(rules: &[(&str, f64)]) -> Value {
    judged(rules, "").get("verdict").cloned().expect("a verdict")
}

/// The verdict on a stack overflow by such rules, of which the first has these further keys.
fn judged(rules: &[(&str, f64)], more: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = "schema: 1\nrules:\n".to_owned();
    for (number, (cause, confidence)) in (1..).zip(rules) {
        let more = if number == 1 { more } else { "" };
        file.push_str(&format!(
            "  - id: demo/rule-{number}
    title: The cause is {cause}
    cause: {cause}
    confidence: {confidence}
    severity: medium
    selections: {{overflow: {{exception.code: 0xC00000FD}}}}
{more}    explanation: It overflowed.
    remediation: [{{audience: helpdesk, text: Nothing.}}, {{audience: developer, text: Nothing.}}]
    collect: ['What rule {number} asks for.']
    references: [https://example.com]
    tests:
      - {{name: an overflow, facts: {{exception.code: 0xC00000FD}}, expect: match}}
      - {{name: another, facts: {{exception.code: 0xC0000005}}, expect: no-match}}
"
        ));
    }
    let path = folder.path().join("rules.yaml");
    fs::write(&path, file).expect("written");
    let rules = path.to_str().expect("text");
    let arguments = ["analyze", "-q", "-f", "json", "--no-builtin-rules", "--rules", rules, "samples/stack-overflow"];
    let report = run(arguments).ends_with(0).json();
    list(&report, "incidents").first().expect("an incident").clone()
}

/// The numbers of the rules whose requests are in the report, and whether it requests anything else.
fn asked(verdict: &Value) -> (Vec<usize>, bool) {
    let sentences: Vec<&str> = list(verdict, "collect_next").iter().filter_map(Value::as_str).collect();
    let of_rules: Vec<usize> =
        (1..=9).filter(|number| sentences.contains(&format!("What rule {number} asks for.").as_str())).collect();
    let others = sentences.len() > of_rules.len();
    (of_rules, others)
}

#[test]
fn a_finding_is_a_verdict_from_three_tenths_on() {
    let possible = verdict(&[("stack-overflow", 0.3)]);
    assert_eq!((text(&possible, "cause"), &possible["confidence"]), ("stack-overflow", &0.3.into()));
    let weak = verdict(&[("stack-overflow", 0.29)]);
    assert_eq!((text(&weak, "cause"), &weak["confidence"]), ("undetermined", &0.0.into()));
    let hint = "A weak hint only (0.29): The cause is stack-overflow.";
    assert!(text(&weak, "sentence").ends_with(&hint.replace("The", "the")), "{weak}");
}

#[test]
fn a_second_cause_is_in_the_sentence_when_it_is_nearly_as_likely() {
    let near = verdict(&[("stack-overflow", 0.6), ("heap-corruption", 0.51)]);
    assert_eq!(text(&near, "sentence"), "The cause is stack-overflow; or else: the cause is heap-corruption.");
    let far = verdict(&[("stack-overflow", 0.6), ("heap-corruption", 0.49)]);
    assert_eq!(text(&far, "sentence"), "The cause is stack-overflow.");
    let alike = verdict(&[("stack-overflow", 0.6), ("stack-overflow", 0.6)]);
    assert_eq!(text(&alike, "sentence"), "The cause is stack-overflow.");
}

#[test]
fn a_sure_verdict_asks_only_for_what_its_rule_wants() {
    let sure = verdict(&[("gpu-timeout", 0.8), ("application-defect", 0.75)]);
    assert_eq!(asked(&sure), (vec![1], false), "{sure}");
    // Below 0.8, the requests of the two best rules, and the missing evidence of the incident.
    let likely = verdict(&[("stack-overflow", 0.79), ("heap-corruption", 0.75), ("gpu-timeout", 0.7)]);
    assert_eq!(asked(&likely), (vec![1, 2], true), "{likely}");
}

/// Several unsure rules would each request something different.
#[test]
fn only_the_best_rule_and_its_rival_ask_for_something() {
    let asking = |rules: &[(&str, f64)]| asked(&verdict(rules)).0;
    // The third is nearly as likely, too, but the sentence names one rival.
    assert_eq!(asking(&[("stack-overflow", 0.4), ("heap-corruption", 0.36), ("gpu-timeout", 0.35)]), [1, 2]);
    assert_eq!(asking(&[("stack-overflow", 0.72), ("heap-corruption", 0.36)]), [1]);
    // Of several rules with one cause, only the requests of the best one.
    assert_eq!(asking(&[("stack-overflow", 0.4), ("stack-overflow", 0.4), ("gpu-timeout", 0.35)]), [1, 3]);
    assert_eq!(asking(&[("stack-overflow", 0.29), ("heap-corruption", 0.28)]), [1]);
}

#[test]
fn a_verdicts_rule_asks_before_what_is_missing_and_a_hint_behind_it() {
    let asked = |rules: &[(&str, f64)]| -> Vec<String> {
        list(&verdict(rules), "collect_next").iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (lead, hint) = (asked(&[("stack-overflow", 0.3)]), asked(&[("stack-overflow", 0.29)]));
    let of_rule = "What rule 1 asks for.";
    assert!(lead.len() > 2 && lead.first().is_some_and(|first| first == of_rule), "{lead:?}");
    assert!(hint.last().is_some_and(|last| last == of_rule), "{hint:?}");
    assert_eq!(lead.get(1..), hint.get(..hint.len() - 1), "what is missing is the same");
}

/// A service has no console, so nobody sees its output.
#[test]
fn of_a_service_no_console_text_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = EventLog::new("System", "PC-1");
    log.add(service_ended(NOON, "Demo Service", "demosvc", "No action"));
    fs::write(folder.path().join("System.evtx"), log.to_bytes()).expect("a log");
    let report = report(folder.path());
    let asked: Vec<&str> =
        list(&report["coverage"], "collect_next").iter().map(|request| text(request, "id")).collect();
    assert_eq!(asked, ["no-service-dump", "no-application-log"], "{:#}", report["coverage"]);
}

/// Windows names a hosted service after the program; tools take only the name of the program.
#[test]
fn of_a_hosted_service_the_dump_of_its_program_is_asked_for() {
    let image = |path: &str| Image { path: path.to_owned(), version: None, timestamp: 1 };
    let crash = Crash {
        app: image(r"C:\Windows\System32\svchost.exe_demosvc"),
        module: image(r"C:\Program Files\Demo\demo.dll"),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(60),
        time: NOON,
        report_id: Guid::made_up("hosted"),
    };
    let mut log = EventLog::new("Application", "PC-1");
    log.add(crash.application_error(Layout::Positional));
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Application.evtx"), log.to_bytes()).expect("a log");
    let report = report(folder.path());
    let requests = list(&report["coverage"], "collect_next");
    let dump = requests.iter().find(|request| text(request, "id") == "no-dump").expect("no dump was given");
    assert!(text(dump, "says").contains("\"svchost.exe\""), "{dump}");
}

#[test]
fn a_superseded_finding_is_no_rival_and_asks_for_nothing() {
    let rules = [("stack-overflow", 0.4), ("heap-corruption", 0.9), ("application-defect", 0.35)];
    let alone = judged(&rules, "");
    assert_eq!(text(&alone["verdict"], "cause"), "heap-corruption");
    let with = judged(&rules, "    supersedes: [demo/rule-2]\n");
    let verdict = &with["verdict"];
    assert_eq!(text(verdict, "cause"), "stack-overflow");
    assert_eq!(text(verdict, "sentence"), "The cause is stack-overflow; or else: the cause is application-defect.");
    assert_eq!(asked(verdict).0, [1, 3]);
    let told: Vec<(&str, Option<&str>)> = list(&with, "findings")
        .iter()
        .map(|finding| (text(finding, "rule"), finding["superseded_by"].as_str()))
        .collect();
    assert_eq!(told, [("demo/rule-1", None), ("demo/rule-3", None), ("demo/rule-2", Some("demo/rule-1"))]);
}

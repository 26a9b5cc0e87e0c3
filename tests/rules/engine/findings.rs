//! The finding of a rule that matches: its texts, evidence and confidence.

use std::fs;
use std::path::Path;

use facts::{EvidenceRef, FactSet, Record, Value};
use rules::{Outcome, RuleSet, Truth};

use super::{demo, from, hooked, load, rule_with, tests_of, text, version};

#[test]
fn the_demo_rules_pass_their_tests() {
    let outcome = demo().run_tests();
    assert_eq!((outcome.rules, outcome.passed, outcome.failed.len()), (2, 5, 0));
}

#[test]
fn a_finding_has_everything_filled_in() {
    let judgement = demo().judge(&hooked());
    let finding = &judgement.findings[0];
    assert_eq!(finding.rule, "demo/hooked");
    assert_eq!(finding.explanation, "The program ended with 0xC0000409 while a hook was loaded.");
    assert_eq!(finding.remediation[0].text, "Remove the hook and start the program again.");
    assert!((finding.confidence - 0.6).abs() < 1e-9, "undecided adjustments move nothing: {}", finding.confidence);
    assert_eq!(finding.evidence, [EvidenceRef(2), EvidenceRef(3), EvidenceRef(5)]);
}

#[test]
fn adjustments_add_up_are_explained_and_are_clamped() {
    let mut facts = hooked();
    facts.set("process.name", text("app.exe"), None);
    facts.set("exception.fast_fail", Value::Number(7), None);
    facts.set("fault_site.module", text(r"C:\x\HOOK.dll"), from(9));
    let old = Record { fields: vec![("name", text("hook.dll")), ("version", version("2.9"))], from: from(2) };
    facts.set_list("modules", vec![old]);
    let finding = demo().judge(&facts).findings.remove(0);
    assert_eq!(
        finding.explanation,
        r"app.exe ended with 0xC0000409 (fast-fail 7) while a hook was loaded. The exception was raised in C:\x\HOOK.dll. The hook is older than 2.10."
    );
    assert!((finding.confidence - 0.99).abs() < 1e-9, "{}", finding.confidence);
    assert_eq!(finding.evidence, [EvidenceRef(2), EvidenceRef(3), EvidenceRef(9)]);

    facts.set("fault_site.module", text("app.exe"), None);
    facts.set_list("modules", vec![Record { fields: vec![("name", text("inject32.dll"))], from: None }]);
    let finding = demo().judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.35).abs() < 1e-9, "{}", finding.confidence);
}

#[test]
fn explanations_fill_in_what_is_known_whatever_it_contains() {
    let mut facts = hooked();
    facts.set("process.name", text("{{ exception.code }}<b>.exe"), None);
    let finding = demo().judge(&facts).findings.remove(0);
    assert!(finding.explanation.starts_with("{{ exception.code }}<b>.exe ended with"), "{}", finding.explanation);
}

#[test]
fn a_trace_shows_what_each_term_found() {
    let trace = demo().trace("demo/hooked", &hooked()).expect("a rule");
    assert_eq!(trace.condition, Truth::True);
    let sentences: Vec<String> =
        trace.selections.iter().flat_map(|selection| &selection.terms).map(|term| term.sentence()).collect();
    assert_eq!(
        sentences,
        [
            "line 10: `incident.kind: crash` holds: it is crash",
            "line 11: `exception.code: [0xC0000005, -1073740791]` holds: it is 0xC0000409",
            "line 13: `modules|any: {name|listed: hooks}` holds: 2 of 3 entries fit",
            "line 15: `fault_site.module|listed: hooks` can't be decided: `fault_site.module` is absent",
            "line 17: `modules|any: {name: hook.dll, version|lt: 2.10}` can't be decided: 0 of 3 entries fit, and of \
             1 it is not known",
            r"line 19: `process.path|startswith: C:\Windows\` does not hold: it is D:\app\app.exe",
        ]
    );
    let deciding: Vec<u32> = trace.deciding_terms().map(|term| term.line).collect();
    assert_eq!(deciding, [10, 11, 13, 19]);
    assert_eq!(demo().trace("demo/nothing", &hooked()), None);
}

#[test]
fn a_failing_test_shows_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let tests = "      - {name: wrong, facts: {exception.code: 2}, expect: match}\n      - {name: right, facts: \
                 {exception.code: 2}, expect: no-match}";
    fs::write(&path, rule_with("      it: {exception.code: 1}", "it", tests)).expect("written");
    let outcome = load(&[path]).run_tests();
    let failure = &outcome.failed[0];
    assert_eq!((failure.expected, failure.got, failure.line), (Outcome::Match, Outcome::NoMatch, 15));
    assert_eq!(failure.why, ["line 9: `exception.code: 1` does not hold: it is 0x00000002"]);
}

/// The index of rules by exact facts must only save time, never change a result.
#[test]
fn rules_that_are_filed_away_would_not_have_matched() {
    let rules = RuleSet::load(true, &[Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo")]);
    let rules = rules.expect("rules");
    let mut incidents = vec![FactSet::default(), hooked()];
    for kind in ["crash", "hang", "bugcheck", "exit"] {
        for code in [None, Some(0xC000_0005), Some(0xC000_0409), Some(0x116), Some(1)] {
            for module in [None, Some("ntdll.dll"), Some("hook.dll")] {
                let mut facts = if code == Some(1) { FactSet::default() } else { hooked() };
                facts.set("incident.kind", text(kind), None);
                if let Some(code) = code {
                    facts.set("exception.code", Value::Number(code), None);
                    facts.set("bugcheck.code", Value::Number(code), None);
                }
                if let Some(module) = module {
                    facts.set("fault_site.module", text(module), None);
                }
                incidents.push(facts);
            }
        }
    }
    for facts in &incidents {
        let judgement = rules.judge(facts);
        for rule in rules.rules() {
            let found = judgement.findings.iter().any(|finding| finding.rule == rule.id());
            let skipped = judgement.skipped.iter().any(|skipped| skipped.rule == rule.id());
            let truth = rules.trace(rule.id(), facts).map(|trace| trace.condition);
            let expected = (truth == Some(Truth::True), truth == Some(Truth::Undecided));
            assert_eq!((found, skipped), expected, "{} {facts:?}", rule.id());
        }
    }
}

#[test]
fn findings_come_best_first_and_ties_by_id() {
    let mut facts = hooked();
    let reset = |seconds| Record {
        fields: vec![("kind", text("driver-reset")), ("seconds_before", Value::Number(seconds))],
        from: None,
    };
    facts.set_list("timeline", vec![reset(1), reset(2), reset(3)]);
    let ids: Vec<String> = demo().judge(&facts).findings.into_iter().map(|finding| finding.rule).collect();
    assert_eq!(ids, ["demo/many-resets", "demo/hooked"]);
}

#[test]
fn texts_print_what_named_groups_find_in_the_lines_on_which_they_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let rule = r#"schema: 1
rules:
  - id: test/found
    title: '{{ found.file or "A DLL" }} was not found'
    cause: missing-dependency
    confidence: 0.5
    severity: medium
    selections:
      told:
        text|any: {line|re: 'could not load (?<file>\w+\.dll)( of (?<product>\w+))?'}
    explanation: It belongs to {{ found.product or "an unknown product" }}.
    remediation:
      - {audience: helpdesk, text: 'Install {{ found.product or "the program" }} again.'}
    references: [https://example.org]
    tests:
      - {name: yes, facts: {text: [{line: could not load a.dll}]}, expect: match}
      - {name: no, facts: {text: [{line: loaded a.dll}]}, expect: no-match}
"#;
    fs::write(&path, rule).expect("written");
    let rules = load(&[path]);
    let finding = |lines: &[&str]| {
        let mut facts = FactSet::default();
        let line = |line: &&str| Record { fields: vec![("line", text(line))], from: from(1) };
        facts.set_list("text", lines.iter().map(line).collect());
        let finding = rules.judge(&facts).findings.into_iter().find(|finding| finding.rule == "test/found");
        let finding = finding.expect("it matches");
        (finding.title, finding.explanation, finding.remediation[0].text.clone())
    };
    // As the line has it, and the first of several; what an optional group does not find has its fallback.
    let (title, explanation, step) = finding(&["started", "Could not load Part64.DLL", "could not load b.dll of Demo"]);
    assert_eq!(title, "Part64.DLL was not found");
    assert_eq!((&*explanation, &*step), ("It belongs to Demo.", "Install Demo again."));
    let (title, explanation, _) = finding(&["could not load b.dll {{ process.name }}"]);
    assert_eq!((&*title, &*explanation), ("b.dll was not found", "It belongs to an unknown product."));
}

#[test]
fn named_groups_find_parts_of_facts_and_of_what_logs_recorded_before() {
    let selection = r"      broken: {exception.managed_text|re: 'file (?<file>\S+)'}
      before: {timeline|any: {text|re: '(?<product>\w+) driver'}}";
    let tests = tests_of(&[
        ("exception.managed_text: no file a.dll, timeline: [{text: Demo driver}]", "match"),
        ("exception.managed_text: no, timeline: [{text: Demo driver}]", "no-match"),
    ]);
    let said = r#"'{{ found.product or "no product" }} and {{ found.file or "no file" }}'"#;
    let rule = rule_with(selection, "broken and before", &tests).replacen(
        "explanation: E.",
        &format!("explanation: {said}"),
        1,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, &rule).expect("written");
    let rules = load(&[path]);
    let mut facts = FactSet::default();
    facts.set("exception.managed_text", text("it needs file Part.dll"), None);
    facts.set_list("timeline", vec![Record { fields: vec![("text", text("Demo Driver 2"))], from: None }]);
    let finding = rules.judge(&facts).findings.remove(0);
    assert_eq!(finding.explanation, "Demo and Part.dll");
}

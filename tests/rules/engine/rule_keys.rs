//! The keys `adjust`, `requires` and `supersedes`, and texts that print facts.

use std::fs;

use facts::{FactSet, Record, Value};
use rules::{Effect, Outcome, RuleSet};

use super::{from, load, text};

/// A rule that matches an access violation, with further keys.
fn plain(id: &str, cause: &str, confidence: &str, more: &str) -> String {
    format!(
        "  - id: {id}\n    title: T\n    cause: {cause}\n    confidence: {confidence}\n    severity: low\n    selections:\n      \
         code: {{exception.code: 0xC0000005}}\n      few: {{modules|count: {{lt: 3}}}}\n      said: {{text|any: {{line|contains: \
         heap}}}}\n    condition: code or (code and few) or (code and said)\n{more}    explanation: E.\n    remediation: \
         [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n      - {{name: m, facts: \
         {{exception.code: 0xC0000005, frames: []}}, expect: match}}\n      - {{name: n, facts: {{exception.code: 1}}, expect: \
         no-match}}\n"
    )
}

fn loaded(rules: &[String]) -> RuleSet {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, format!("schema: 1\nrules:\n{}", rules.concat())).expect("written");
    load(&[path])
}

fn violation() -> FactSet {
    let mut facts = FactSet::default();
    facts.set("exception.code", Value::Number(0xC000_0005), from(1));
    facts.set_list("modules", vec![Record::default()]);
    facts
}

#[test]
fn a_cap_holds_whatever_else_moves_the_confidence() {
    let more = "    adjust:\n      - {when: few, most: 0.6, say: Hardly anything is known.}\n      - {when: code, by: +0.2, say: \
                Surer.}\n";
    let rules = loaded(&[plain("t/capped", "application-defect", "0.7", more)]);
    let mut facts = violation();
    let finding = rules.judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.6).abs() < 1e-9, "{}", finding.confidence);
    assert_eq!(finding.explanation, "E. Hardly anything is known. Surer.");
    let trace = rules.trace("t/capped", &facts).expect("a rule").confidence.expect("it matches");
    let changes: Vec<(Effect, bool)> = trace.adjustments.iter().map(|one| (one.change, one.counts)).collect();
    assert_eq!(changes, [(Effect::Most(0.6), true), (Effect::By(0.2), true)]);

    facts.set_list("modules", vec![Record::default(); 3]);
    let finding = rules.judge(&facts).findings.remove(0);
    assert!((finding.confidence - 0.9).abs() < 1e-9, "{}", finding.confidence);
}

#[test]
fn what_a_rule_supersedes_comes_after_all_others() {
    let rules = loaded(&[
        plain("t/general", "application-defect", "0.9", ""),
        plain("t/other", "heap-corruption", "0.3", ""),
        plain("t/special", "kernel-driver-defect", "0.4", "    supersedes: [t/general]\n"),
    ]);
    let facts = violation();
    let findings = rules.judge(&facts).findings;
    let told: Vec<_> = findings.iter().map(|finding| (&*finding.rule, finding.superseded_by.as_deref())).collect();
    assert_eq!(told, [("t/special", None), ("t/other", None), ("t/general", Some("t/special"))]);
    let outcome = |id| rules.trace(id, &facts).expect("a rule").outcome();
    assert_eq!(outcome("t/general"), Outcome::Superseded);
    assert_eq!(outcome("t/special"), Outcome::Match);
    assert_eq!(rules.traces(&facts).last().map(|trace| trace.rule.as_str()), Some("t/general"));
}

#[test]
fn what_is_only_mentioned_supersedes_nothing_that_is_certain() {
    let special = plain("t/special", "kernel-driver-defect", "0.9", "    supersedes: [t/general]\n");
    let special = special.replace(
        "condition: code or (code and few) or (code and said)",
        "condition: said and not few or code and few and said",
    );
    let rules = loaded(&[
        plain("t/general", "application-defect", "0.6", ""),
        special
            .replace(
                "facts: {exception.code: 0xC0000005, frames: []}",
                "facts: {exception.code: 0xC0000005, modules: [], text: [{line: heap}]}",
            )
            .replace("facts: {exception.code: 1}", "facts: {modules: [], exception.code: 1}"),
    ]);
    let mut facts = violation();
    let line = |certain: bool| {
        let mut fields = vec![("line", text("the heap was damaged"))];
        fields.extend((!certain).then(|| ("certain", text("it was"))));
        vec![Record { fields, from: from(2) }]
    };
    for (certain, first) in [(true, "t/special"), (false, "t/general")] {
        facts.set_list("text", line(certain));
        let findings = rules.judge(&facts).findings;
        assert_eq!((&*findings[0].rule, findings.len()), (first, 2));
        assert_eq!(findings[1].superseded_by.is_some(), certain);
    }
}

#[test]
fn a_rule_is_skipped_without_what_it_requires() {
    let more = "    requires: [frames, os.build]\n";
    let rule = plain("t/careful", "application-defect", "0.5", more).replace("frames: []}", "frames: [], os.build: 1}");
    let rules = loaded(&[rule]);
    assert_eq!(rules.run_tests().failed, []);
    let mut facts = violation();
    facts.set_list("frames", Vec::new());
    let judgement = rules.judge(&facts);
    assert_eq!(judgement.findings, []);
    assert_eq!(judgement.skipped[0].missing, ["os.build"]);
    let trace = rules.trace("t/careful", &facts).expect("a rule");
    assert_eq!((trace.outcome(), trace.missing.len(), trace.confidence), (Outcome::Skipped, 1, None));

    // A rule that is ruled out stays ruled out.
    facts.set("exception.code", Value::Number(1), None);
    assert_eq!(rules.trace("t/careful", &facts).expect("a rule").outcome(), Outcome::NoMatch);
}

#[test]
fn texts_may_print_what_a_rule_requires() {
    let rule = plain("t/careful", "application-defect", "0.5", "    requires: [os.build]\n");
    let rule =
        rule.replace("explanation: E.", "explanation: Build {{ os.build }}.").replace("frames: []", "os.build: 1");
    let mut facts = violation();
    facts.set("os.build", Value::Number(19045), None);
    assert_eq!(loaded(&[rule]).judge(&facts).findings[0].explanation, "Build 19045.");
}

#[test]
fn a_test_can_expect_to_be_superseded() {
    let test = "      - {name: s, facts: {exception.code: 0xC0000005}, expect: superseded}\n";
    let general = plain("t/general", "application-defect", "0.9", "");
    let special = plain("t/special", "kernel-driver-defect", "0.4", "    supersedes: [t/general]\n");
    let rules = loaded(&[format!("{general}{test}"), special.clone()]);
    assert_eq!(rules.run_tests().failed, []);
    let rules = loaded(&[general, format!("{special}{test}")]);
    let failed = rules.run_tests().failed;
    assert_eq!((failed.len(), failed[0].expected, failed[0].got), (1, Outcome::Superseded, Outcome::Match));
}

#[test]
fn a_text_that_can_not_be_written_is_an_error_and_shown_as_it_is() {
    let rule = plain("t/failing", "application-defect", "0.5", "    requires: [os.build]\n");
    let rule = rule.replace(
        "explanation: E.",
        "explanation: 'One of {% if os.build == \"0\" %}{{ 1 // 0 }}{% endif %}{{ os.build }}.'",
    );
    let rules = loaded(&[rule.replace("frames: []", "os.build: 0")]);
    let failed = rules.run_tests().failed;
    assert_eq!((failed.len(), failed[0].expected, failed[0].got), (1, Outcome::Match, Outcome::Error));
    assert!(failed[0].why[0].contains("can't be written"), "{failed:#?}");

    let mut facts = violation();
    facts.set("os.build", Value::Number(0), None);
    assert_eq!(
        rules.judge(&facts).findings[0].explanation,
        "One of {% if os.build == \"0\" %}{{ 1 // 0 }}{% endif %}{{ os.build }}."
    );
    assert_eq!(rules.trace("t/failing", &facts).expect("a rule").outcome(), Outcome::Error);
    facts.set("os.build", Value::Number(5), None);
    assert_eq!(rules.judge(&facts).findings[0].explanation, "One of 5.");
}

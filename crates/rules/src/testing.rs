//! A rule for tests, of which only what a test is about has to be written.

use super::RuleSet;

/// A set of one rule with these selections, this condition and tests of these facts that must give these outcomes.
pub(super) fn rule(selections: &str, condition: &str, tests: &[(&str, &str)]) -> RuleSet {
    let tests: String = tests
        .iter()
        .map(|(facts, expect)| format!("      - {{name: t, facts: {{{facts}}}, expect: {expect}}}\n"))
        .collect();
    let text = format!(
        "schema: 1\nrules:\n  - id: t/rule\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
         severity: low\n    selections: {{{selections}}}\n    condition: {condition}\n    explanation: E.\n    \
         remediation: [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n{tests}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    std::fs::write(&path, text).expect("written");
    RuleSet::load(false, &[path]).expect("a rule without mistakes")
}

/// A rule with one selection `it` passes tests of these facts that must give these outcomes.
pub(super) fn passes(selection: &str, condition: &str, tests: &[(&str, &str)]) {
    assert_eq!(rule(&format!("it: {{{selection}}}"), condition, tests).run_tests().failed, [], "{selection}");
}

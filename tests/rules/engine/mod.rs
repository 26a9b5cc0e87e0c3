//! The meaning of rules: conditions with absent facts, comparisons, confidence, evidence and explanations.

mod built_in;
mod conditions;
mod findings;
mod rule_keys;
mod sets;
mod test_files;

use std::fs;
use std::path::{Path, PathBuf};

use facts::{EvidenceRef, FactSet, Record, Value};
use rules::RuleSet;

fn demo() -> RuleSet {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rule_sets/demo");
    load(&[path])
}

fn load(paths: &[PathBuf]) -> RuleSet {
    RuleSet::load(false, paths).unwrap_or_else(|mistakes| {
        let shown: Vec<String> = mistakes.iter().map(|mistake| mistake.render(false)).collect();
        panic!("{}", shown.join("\n"))
    })
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn version(text: &str) -> Value {
    Value::Version(text.parse().expect("a version"))
}

fn from(number: u16) -> Option<EvidenceRef> {
    Some(EvidenceRef(number))
}

/// A crash of `D:\app\app.exe` with the module `inject64.dll`.
fn hooked() -> FactSet {
    let mut facts = FactSet::default();
    facts.set("incident.kind", text("crash"), None);
    facts.set("exception.code", Value::Number(0xC000_0409), from(3));
    facts.set("process.path", text(r"D:\app\app.exe"), from(1));
    let module = |name, number| Record { fields: vec![("name", text(name))], from: from(number) };
    facts.set_list("modules", vec![module("app.exe", 7), module("inject64.dll", 5), module("Hook.DLL", 2)]);
    facts
}

/// A rule with the given selection `it`, and with the given tests.
fn rule_with(selection: &str, condition: &str, tests: &str) -> String {
    format!(
        "schema: 1\nrules:\n  - id: t/rule\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
         severity: low\n    selections:\n{selection}\n    condition: {condition}\n    explanation: E.\n    \
         remediation: [{{audience: developer, text: R.}}]\n    references: [https://example.org]\n    tests:\n{tests}\n"
    )
}

/// Loads such a rule; fails unless its tests pass.
fn passes(selection: &str, condition: &str, tests: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, rule_with(selection, condition, tests)).expect("written");
    let outcome = load(&[path]).run_tests();
    assert_eq!(outcome.failed, [], "{selection}\n{condition}");
    assert!(outcome.passed > 1);
}

/// Tests of a rule: facts, and the expected outcome.
fn tests_of(tests: &[(&str, &str)]) -> String {
    tests.iter().map(|(facts, expect)| format!("      - {{name: n, facts: {{{facts}}}, expect: {expect}}}\n")).collect()
}

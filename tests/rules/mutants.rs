//! The tests of the built-in rules fail when a part of a rule is left out.

use std::fs;

use crate::program::run;
use rules::{Effect, LeftOut, Mutants, RuleSet};

/// The percentages of rules whose tests need every selection, and every term. The rest follows from other terms of the
/// same rule, or would need facts that never occur.
const WHOLE_RULES: usize = 95;
/// Confidences from which on a cause is a verdict, and one to act on.
const TOLD_OTHERWISE: [f64; 2] = [0.3, 0.8];

#[test]
fn the_tests_of_nearly_every_built_in_rule_need_all_of_its_selections_and_terms() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let all = rules.mutants_of(|_| true);
    for left_out in LeftOut::ALL {
        let of_kind = || all.iter().flat_map(|rule| &rule.mutants).filter(|mutant| mutant.left_out == left_out);
        let noticed = of_kind().filter(|mutant| mutant.noticed).count();
        let rules = all.iter().filter(|rule| rule.hold(left_out)).count();
        println!(
            "{}s: {noticed} of {}; all of them in {rules} of {} rules",
            left_out.word(),
            of_kind().count(),
            all.len()
        );
    }
    for left_out in [LeftOut::Selection, LeftOut::Term] {
        let lacking: Vec<&Mutants> = all.iter().filter(|rule| !rule.hold(left_out)).collect();
        let whole = all.len().saturating_sub(lacking.len());
        assert!(whole.saturating_mul(100) >= all.len().saturating_mul(WHOLE_RULES), "{lacking:#?}");
    }
}

#[test]
fn a_selection_that_no_test_needs_fails_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rules.yaml");
    let text = fs::read_to_string("tests/rule_sets/demo/demo/rules.yaml").expect("rules");
    let (_, rule) = text.split_once("  - id: demo/many-resets\n").expect("a rule");
    // Without the last test, no test depends on the number of resets.
    let (kept, _) = rule.rsplit_once("      - name: ").expect("a test");
    let another = "      - {name: a hang, facts: {incident.kind: hang}, expect: no-match}\n";
    let text = format!("schema: 1\nrules:\n  - id: demo/many-resets\n{kept}{another}");
    fs::write(&file, text).expect("written");
    let file = file.to_string_lossy();
    let run = run(["rules", "test", "--mutants", &file]);
    assert_eq!(run.code, 1, "{run:#?}");
    assert!(run.stdout.contains("demo/many-resets: no test needs the selection `resets`\n"), "{run:#?}");
    assert!(run.stdout.contains(" selections are needed by a test\n"), "{run:#?}");
}

#[test]
fn the_tests_of_built_in_rules_need_every_adjustment_that_decides_the_level_of_a_cause() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut looked_at = 0_usize;
    let mut lacking = Vec::new();
    for rule in rules.mutants_of(|_| true) {
        let built_in = rules.rule(&rule.rule).expect("a rule");
        let alone = built_in.confidence();
        for (change, when, _) in built_in.adjustments() {
            let adjusted = match change {
                Effect::By(by) => alone + by,
                Effect::Most(most) => alone.min(most),
            };
            if !TOLD_OTHERWISE.iter().any(|limit| (alone < *limit) != (adjusted + 0.001 < *limit)) {
                continue;
            }
            looked_at = looked_at.saturating_add(1);
            let what = format!("the adjustment `{when}`");
            if rule.mutants.iter().any(|mutant| mutant.what == what && !mutant.noticed) {
                lacking.push(format!("{}: {what}", rule.rule));
            }
        }
    }
    assert!(looked_at > 100, "{looked_at}");
    assert_eq!(lacking, [""; 0]);
}

#[test]
fn values_of_lists_are_left_out_when_asked() {
    let rules = "tests/rule_sets/demo";
    let parts = run(["rules", "test", "--mutants", rules]);
    let all = run(["rules", "test", "--mutants=all", rules]);
    assert!(!parts.stdout.contains("the value "), "{parts:#?}");
    assert!(all.stdout.contains(": no test needs the value `"), "{all:#?}");
    assert!(all.stdout.contains(" values are needed by a test; in "), "{all:#?}");
}

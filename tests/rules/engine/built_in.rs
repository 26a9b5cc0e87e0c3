//! The built-in rules.

use std::fs;
use std::path::Path;

use rules::{Risk, Rule, RuleSet};

use super::load;

/// The program compiles the regular expressions of built-in rules on first use. This test loads the rules from the
/// folder, like those of a user, which compiles all of them.
#[test]
fn every_regular_expression_of_the_built_in_rules_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let loaded = RuleSet::load(true, &[folder]);
    assert!(loaded.is_ok(), "{:?}", loaded.err());
}

#[test]
fn the_built_in_rules_are_sound() {
    let rules = RuleSet::load(true, &[]).expect("rules without mistakes");
    assert_eq!(rules.warnings(), []);
    assert_eq!(rules.run_tests().failed, []);
    assert!(rules.causes().get("undetermined").is_some());
}

#[test]
fn nothing_in_the_built_in_rules_is_probably_not_meant() {
    let rules = RuleSet::check(&[], None).expect("rules without mistakes");
    let shown: Vec<String> = rules.warnings().iter().map(|warning| warning.render(false)).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n\n"));
}

/// From this confidence on, reports advise to act.
const SURE: f64 = 0.8;

#[test]
fn a_built_in_rule_that_is_not_sure_says_what_to_collect_or_to_look_at() {
    let rules = RuleSet::check(&[], None).expect("rules without mistakes");
    let unsure = rules.rules().iter().filter(|rule| rule.confidence() < SURE);
    let looks = |rule: &&Rule| rule.remediation().any(|step| step.risk == Some(Risk::None));
    let silent = unsure.filter(|rule| rule.collect().is_empty() && !looks(rule));
    assert_eq!(silent.map(|rule| rule.id()).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn the_example_of_the_readme_is_a_rule() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/README.md")).expect("a text");
    let example = readme.split("```yaml\n").find(|part| part.starts_with("schema: 1\nrules:")).expect("an example");
    let example = example.split("```").next().expect("an end");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, example).expect("written");
    let rules = load(&[path]);
    assert_eq!(rules.warnings(), []);
    let outcome = rules.run_tests();
    assert_eq!((outcome.passed, outcome.failed), (5, vec![]));
    let left: Vec<_> = rules.mutants_of(|_| true).into_iter().flat_map(|rule| rule.mutants).collect();
    assert!(!left.is_empty() && left.iter().all(|mutant| mutant.noticed), "{left:?}");
}

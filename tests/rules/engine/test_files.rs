//! Tests of rules in separate files, `NAME.tests.yaml`.

use std::fs;
use std::path::{Path, PathBuf};

use rules::RuleSet;
use spanned_yaml::Code;

use super::load;

/// The folder of a set whose one rule has its tests beside it.
struct Beside(tempfile::TempDir);

impl Beside {
    fn new() -> Self {
        let set = Self(tempfile::tempdir().expect("a folder"));
        fs::create_dir(set.path("t")).expect("a folder");
        set.write(
            "t/rule.yaml",
            "schema: 1\nrules:\n  - id: t/rule\n    title: T\n    cause: application-defect\n    confidence: 0.5\n    \
             severity: low\n    selections: {it: {os.build: 1}}\n    explanation: E.\n    remediation: [{audience: \
             developer, text: R.}]\n    references: [https://example.org]\n",
        );
        set.write("t/rule.tests.yaml", TESTS);
        set
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }
}

const TESTS: &str = "schema: 1\ntests:\n  t/rule:\n    - {name: y, facts: {os.build: 1}, expect: match}\n    - {name: n, facts: \
                     {os.build: 2}, expect: no-match}\n    - {name: s, facts: {}, expect: skipped}\n";

#[test]
fn they_are_the_tests_of_the_rule() {
    let set = Beside::new();
    let rules = load(&[set.path("")]);
    assert_eq!(rules.rule("t/rule").expect("a rule").test_count(), 3);
    let outcome = rules.run_tests();
    assert_eq!((outcome.rules, outcome.passed, outcome.failed), (1, 3, vec![]));
    let left: Vec<_> = rules.mutants_of(|_| true).into_iter().flat_map(|rule| rule.mutants).collect();
    assert!(!left.is_empty() && left.iter().all(|mutant| mutant.noticed), "{left:?}");
}

#[test]
fn one_that_fails_is_named_with_its_own_file_and_line() {
    let set = Beside::new();
    set.write("t/rule.tests.yaml", &TESTS.replace("skipped", "match"));
    let outcome = load(&[set.path("")]).run_tests();
    let [failed] = outcome.failed.as_slice() else { panic!("{outcome:?}") };
    assert_eq!((Path::new(&failed.file), failed.line), (&*set.path("t/rule.tests.yaml"), 6));
}

/// A shell expands `*.yaml` to both names, and an editor may have either file open.
#[test]
fn a_file_is_read_with_its_tests_whichever_of_them_is_named() {
    let set = Beside::new();
    let (rule, tests) = (set.path("t/rule.yaml"), set.path("t/rule.tests.yaml"));
    for named in [vec![rule.clone()], vec![tests.clone()], vec![tests.clone(), rule.clone()], vec![rule, tests]] {
        let rules = load(&named);
        assert_eq!((rules.run_tests().passed, rules.notes()), (3, &[][..]), "{named:?}");
        assert_eq!(rules.infos()[0].name, "rule");
    }
}

#[test]
fn a_file_that_is_missing_is_reported_once() {
    let set = Beside::new();
    let codes = |name: &str| {
        let found = RuleSet::load(true, &[set.path(name)]).expect_err("a mistake");
        found.iter().map(|mistake| mistake.code).collect::<Vec<_>>()
    };
    assert_eq!(codes("t/nothing.tests.yaml"), [Code::R001]);
    // An unreadable file is not also reported as missing for the other file.
    fs::write(set.path("t/rule.tests.yaml"), [0xFF, 0xFE, 0x00]).expect("written");
    assert_eq!((codes(""), codes("t/rule.yaml")), (vec![Code::R001], vec![Code::R001]));
    set.write("t/rule.tests.yaml", TESTS);
    fs::write(set.path("t/rule.yaml"), [0xFF, 0xFE, 0x00]).expect("written");
    assert_eq!((codes(""), codes("t/rule.yaml")), (vec![Code::R001], vec![Code::R001]));
    fs::remove_file(set.path("t/rule.yaml")).expect("a file");
    assert_eq!((codes(""), codes("t/rule.tests.yaml")), (vec![Code::R054], vec![Code::R054]));
}

/// Damaged files with tests must give diagnostics, never a panic.
#[test]
fn no_damage_of_a_file_with_tests_panics() {
    let set = Beside::new();
    let marks = ["", ":", "- ", "'", "{", "]", "\n", "t/rule:", "ß"];
    for at in 0..TESTS.len() {
        let (before, after) = TESTS.split_at(at);
        set.write("t/rule.tests.yaml", &format!("{before}{}{}", marks[at % marks.len()], &after[1..]));
        match RuleSet::load(false, &[set.path("")]) {
            Ok(rules) => drop(rules.run_tests()),
            Err(mistakes) => assert!(mistakes.iter().all(|mistake| !mistake.render(true).is_empty())),
        }
    }
}

//! `crashsift rules test` over folders of artifacts with their expected results.

use std::fs;
use std::path::Path;

use crate::program::run;
use tempfile::TempDir;

/// A folder with the stack overflow of the samples and this `expected.yaml`.
fn folder(expected: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let dump = "samples/stack-overflow/python.exe.5316.dmp";
    fs::copy(dump, folder.path().join("python.exe.5316.dmp")).expect("copied");
    fs::write(folder.path().join("expected.yaml"), format!("schema: 1\n{expected}")).expect("written");
    folder
}

/// What the test of such a folder prints, with `FOLDER` for its path.
fn printed(expected: &str, code: i32) -> String {
    let folder = folder(expected);
    let path = folder.path().to_str().expect("text");
    let ran = run(["rules", "test", path]).ends_with(code);
    format!("{}{}", ran.stdout, ran.stderr).replace(path, "FOLDER")
}

#[test]
fn the_samples_yield_what_is_expected_of_them() {
    let ran = run(["rules", "test", "tests/expected"]).ends_with(0);
    assert_eq!(ran.stdout, "4 folders: 4 as expected, 0 not\n");
    assert_eq!(run(["rules", "check", "tests/expected"]).ends_with(0).stdout, "0 rules: 0 errors, 0 warnings\n");
}

#[test]
fn the_example_of_the_readme_is_an_expectation() {
    let readme = fs::read_to_string("rules/README.md").expect("a text");
    let example = readme.split("```yaml\n").find(|part| part.contains("\nincidents:")).expect("an example");
    let example = example.split("```").next().and_then(|text| text.strip_prefix("schema: 1\n")).expect("a file");
    let folder = folder(example);
    let checked = run(["rules", "check", folder.path().to_str().expect("text")]).ends_with(0).stdout;
    assert_eq!(checked, "0 rules: 0 errors, 0 warnings\n");
}

#[test]
fn differences_are_reported_with_file_line_and_incident() {
    let out = printed(
        "\
count: 2
incidents:
  - name: the recursion
    where: {process.name: python.exe}
    cause: [heap-corruption, gpu-timeout]
    not_cause: stack-overflow
    at_least: 0.99
    rules: [memory/stack-overflow, memory/heap-corruption]
    suspect: none
  - name: the same, less sure
    at_most: 0.5
    not_rules: memory/stack-overflow
  - name: another program
    where: {process.name: other.exe}
    cause: stack-overflow
",
        1,
    );
    assert_eq!(
        out,
        "\
FOLDER/expected.yaml:2: the number of incidents
  it is 1, expected 2

FOLDER/expected.yaml:4: the recursion, incident c7e46ad7ffdd7727
  the cause is stack-overflow (0.96), expected heap-corruption or gpu-timeout
  the cause is stack-overflow (0.96), which it must not be
  the confidence is 0.96, expected at least 0.99
  the rule memory/heap-corruption did not match
  the suspect is treeparse.cp39-win_amd64.pyd, expected nobody

FOLDER/expected.yaml:11: the same, less sure, incident c7e46ad7ffdd7727
  the confidence is 0.96, expected at most 0.50
  the rule memory/stack-overflow matched

FOLDER/expected.yaml:14: another program
  `where` fits none of 1 incidents

1 folder: 0 as expected, 1 not
"
    );
}

#[test]
fn mistakes_are_reported_before_anything_is_analyzed() {
    let out =
        printed("incidents:\n  - {name: it, cause: stack-overflwo, rules: memory/stack-overlfow}\n  - {name: it}\n", 2);
    for part in [
        "error[R015]: there is no cause `stack-overflwo`",
        "FOLDER/expected.yaml:3:23",
        "error[R070]: there is no rule `memory/stack-overlfow`",
        "error[R076]: nothing is expected of this incident",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let out = printed("artifacts: no-such.dmp\ncount: 1\n", 2);
    assert!(out.contains("crashsift: FOLDER/expected.yaml: FOLDER/no-such.dmp: no such file or folder"), "{out}");
    let out = printed("artifacts: python.exe.5316.dmp\n", 2);
    assert!(out.contains("error[R076]: nothing is expected"), "{out}");
}

#[test]
fn a_rule_set_brings_folders_along_that_are_judged_by_its_rules() {
    let set = tempfile::tempdir().expect("a folder");
    let test = set.path().join("tests/recursion");
    fs::create_dir_all(&test).expect("a folder");
    let artifacts = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/stack-overflow");
    let expected = format!("schema: 1\nartifacts: '{}'\nincidents:\n  - at_most: 0.5\n", artifacts.display());
    fs::write(test.join("expected.yaml"), expected).expect("written");
    // This YAML file is no rule, but an artifact of the folder.
    fs::write(test.join("environment.yaml"), "name: tf\n").expect("written");
    fs::write(set.path().join("site.yaml"), "schema: 1\ndisable:\n  - {rule: memory/stack-overflow, reason: Known.}\n")
        .expect("written");
    let path = set.path().to_str().expect("text");
    assert_eq!(run(["rules", "test", path]).ends_with(0).stdout, "1 folder: 1 as expected, 0 not\n");
    run(["analyze", "-q", "--rules", path, "samples/stack-overflow"]).ends_with(0);
}

#[test]
fn a_folder_of_artifacts_is_no_rule_set_to_judge_by() {
    let folder = folder("count: 1\n");
    let path = folder.path().to_str().expect("text");
    let ran = run(["analyze", "--rules", path, "samples/stack-overflow"]).ends_with(2);
    assert!(ran.stderr.contains("error[R064]: a folder of artifacts"), "{ran:#?}");
}

#[test]
fn what_no_incident_can_be_is_a_mistake() {
    let out = printed(
        "\
count: 0
incidents:
  - {at_least: 0.9, at_most: 0.5}
  - {cause: [stack-overflow, undetermined], not_cause: stack-overflow}
  - {rules: memory/stack-overflow, not_rules: [memory/stack-overflow]}
",
        2,
    );
    assert_eq!(out.matches("error[R077]").count(), 4, "{out}");
    for part in [
        "no incident is expected, and something of incidents",
        "a confidence can't be at least the one and at most the other\n --> FOLDER/expected.yaml:4:30",
        "the cause `stack-overflow` stands under `cause` and under `not_cause`",
        "the rule `memory/stack-overflow` stands under `rules` and under `not_rules`\n --> FOLDER/expected.yaml:6:48",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    // An unreadable artifact is not the same as no artifact.
    let out = printed("count: -1\n", 2);
    assert!(out.contains("error[R027]") && !out.contains("error[R076]"), "{out}");
}

#[test]
fn for_a_folder_of_a_set_that_was_not_given_the_set_is_named() {
    let set = tempfile::tempdir().expect("a folder");
    let test = set.path().join("tests/one");
    fs::create_dir_all(&test).expect("a folder");
    fs::write(test.join("expected.yaml"), "schema: 1\nincidents:\n  - rules: demo/hooked\n").expect("written");
    let ran = run(["rules", "test", test.to_str().expect("text")]).ends_with(2);
    assert!(ran.stderr.contains("give that set: `rules test "), "{ran:#?}");
    let given = run(["rules", "test", test.to_str().expect("text"), "tests/rule_sets/demo"]);
    assert!(!given.stderr.contains("R070"), "{given:#?}");
}

#[test]
fn a_suppressed_finding_is_shown_with_the_set_that_suppresses_it() {
    let folder = folder("incidents:\n  - rules: memory/stack-overflow\n");
    let aside = tempfile::tempdir().expect("a folder");
    let site = aside.path().join("site.yaml");
    fs::write(&site, "schema: 1\nsuppress:\n  - {rule: memory/stack-overflow, reason: Known.}\n").expect("written");
    let ran = run(["rules", "test", folder.path().to_str().expect("text"), site.to_str().expect("text")]).ends_with(1);
    let says = "  the rule memory/stack-overflow matched, and its finding is suppressed by site: Known.\n";
    assert!(ran.stdout.contains(says), "{ran:#?}");
}

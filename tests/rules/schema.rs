//! `crashsift rules schema` as an editor uses it: rules without mistakes fit the schema, and whatever it rejects is a
//! mistake.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use rules::RuleSet;
use rules_workbench::json_schema;
use saphyr::{LoadableYamlNode, Yaml};
use serde_json::{Number, Value};
use walkdir::WalkDir;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema() -> Value {
    json_schema(&RuleSet::load(true, &[]).expect("the built-in rules"))
}

fn validator() -> Validator {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(&schema), "it is no JSON Schema");
    jsonschema::validator_for(&schema).expect("a schema")
}

/// A YAML file as an editor reads it: scalars by YAML's own rules. `None` where YAML itself is broken.
fn seen_by_an_editor(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).expect("a text");
    let documents = Yaml::load_from_str(&text).ok()?;
    let [document] = documents.as_slice() else { return None };
    Some(json(document))
}

fn json(node: &Yaml<'_>) -> Value {
    match node {
        Yaml::Value(scalar) => match scalar {
            saphyr::Scalar::Null => Value::Null,
            saphyr::Scalar::Boolean(flag) => Value::Bool(*flag),
            saphyr::Scalar::Integer(number) => Value::from(*number),
            saphyr::Scalar::FloatingPoint(number) => {
                Number::from_f64(number.into_inner()).map_or(Value::Null, Value::Number)
            }
            saphyr::Scalar::String(text) => Value::from(text.as_ref()),
        },
        Yaml::Sequence(items) => items.iter().map(json).collect(),
        Yaml::Mapping(entries) => entries
            .iter()
            .map(|(key, value)| (json(key).as_str().unwrap_or_default().to_owned(), json(value)))
            .collect(),
        other => panic!("not expected in a rule: {other:?}"),
    }
}

fn yaml_files(folder: &str) -> Vec<PathBuf> {
    let files = WalkDir::new(project().join(folder)).sort_by_file_name().into_iter();
    let paths = files.map(|entry| entry.expect("an entry").into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}

fn complaints(validator: &Validator, path: &Path) -> Vec<String> {
    let Some(seen) = seen_by_an_editor(path) else { return vec!["no YAML".to_owned()] };
    validator.iter_errors(&seen).map(|error| format!("{} at {}", error, error.instance_path())).collect()
}

#[test]
fn every_rule_of_the_program_and_of_the_readme_fits_it() {
    let validator = validator();
    let data = project().join("rules/data");
    let apart = [project().join("rules/causes.yaml"), project().join("rules/ruleset.yaml")];
    let files: Vec<PathBuf> =
        yaml_files("rules").into_iter().filter(|path| !path.starts_with(&data) && !apart.contains(path)).collect();
    assert!(files.len() > 30, "{} files", files.len());
    let wrong: Vec<(PathBuf, Vec<String>)> = files
        .into_iter()
        .map(|path| (path.clone(), complaints(&validator, &path)))
        .filter(|(_, wrong)| !wrong.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Mistakes that only `rules check` can find: inside texts, across keys, duplicates, and across the files of a set.
const NOT_SEEN: &[&str] = &[
    "condition-folded",
    "condition-group-of-none",
    "condition-sigma-count",
    "condition-syntax",
    "condition-unknown-selection",
    "condition-upper-case",
    "count-impossible",
    "id-too-long",
    "id-twice",
    "lint-a-way-is-left",
    "lint-adjust-always",
    "lint-adjust-cap-too-high",
    "lint-adjust-decided",
    "lint-adjust-never",
    "lint-any-and-none",
    "lint-blamed-for-presence",
    "lint-both-and-not",
    "lint-boundary-that-never-holds",
    "lint-bounds-apart-by-not",
    "lint-bounds-apart",
    "lint-carrier-as-suspect",
    "lint-carrier-flag",
    "lint-carrier-like",
    "lint-carrier-listed",
    "lint-carriers-as-suspect",
    "lint-code-alone",
    "lint-commands-that-break",
    "lint-dangerous-steps",
    "lint-distinct-too-many",
    "lint-entry-that-never-fits",
    "lint-environment-alone",
    "lint-every-value-fits",
    "lint-excluded-by-not",
    "lint-expression-too-long",
    "lint-faulting-module-alone",
    "lint-incidents-before-too-far",
    "lint-incidents-before-too-many",
    "lint-known-and-unknown",
    "lint-matches-every-dump",
    "lint-matches-everything",
    "lint-module-without-ending",
    "lint-name-left-open",
    "lint-name-that-does-not-fit",
    "lint-names-of-groups",
    "lint-never-both",
    "lint-no-word-is-left",
    "lint-one-of-several-codes-alone",
    "lint-only-a-carrier",
    "lint-other-incidents-too-many",
    "lint-path-of-one-machine",
    "lint-path-pattern-of-one-machine",
    "lint-program-alone",
    "lint-reach-of-each-step",
    "lint-reference-no-address",
    "lint-regex-never-found",
    "lint-sequence-after",
    "lint-sequence-step-that-never-fits",
    "lint-shadowed",
    "lint-steps-out-of-order",
    "lint-steps-without-undo",
    "lint-stop-alone",
    "lint-suppression-that-ended",
    "lint-sure-of-a-short-expression",
    "lint-sure-of-a-short-pattern",
    "lint-sure-of-few-words",
    "lint-sure-of-what-people-tell",
    "lint-timeline-too-long",
    "lint-unfinished-draft",
    "lint-untested-selection",
    "lint-uptime-alone",
    "lint-version-alone",
    "overlay-reference-no-address",
    "overlay-says-nothing",
    "overlay-twice",
    "pattern-without-wildcard",
    "reference-script",
    "regex-huge",
    "regex-look-ahead",
    "selection-unused",
    "supersedes-in-a-circle",
    "supersedes-itself",
    "supersedes-unknown",
    "template-after-not",
    "template-alternatives-all-absent",
    "template-compares-number",
    "template-filter-that-multiplies",
    "template-in-remediation",
    "template-in-title",
    "template-list",
    "template-loop",
    "template-multiplies",
    "template-syntax",
    "template-unknown-fact",
    "template-unknown-filter",
    "template-without-fallback",
    "test-entries-that-no-run-gives",
    "value-decimal-address",
    "within-nothing",
    "yaml-anchor",
    "yaml-tag",
];

#[test]
fn it_refuses_what_the_program_refuses_as_far_as_a_schema_can() {
    let validator = validator();
    let sets = project().join("tests/broken_rules/sets");
    let mut passed = Vec::new();
    for path in yaml_files("tests/broken_rules").into_iter().filter(|path| !path.starts_with(&sets)) {
        if complaints(&validator, &path).is_empty() {
            passed.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
        }
    }
    assert_eq!(passed, NOT_SEEN);
}

/// Spellings that YAML and the program read differently.
const SPELLINGS: &str = r#"
schema: "1"
rules:
  - id: test/spellings
    title: 404
    cause: application-defect
    confidence: "0.5"
    severity: medium
    selections:
      one:
        exception.code: " 0xC0000005 "
        fault_site.module: 123
        fault_site.offset|gte: "0x10"
        process.version: 14.40
        suspect.module|exists: "true"
      other:
        fault_site.module|all|contains: [1, 2]
        fault_site.path|contains|all: [a, b]
    explanation: It crashed.
    remediation:
      - {audience: helpdesk, text: Restart it.}
    references: [https://example.org]
    tests:
      - name: yes
        facts:
          exception.code: 0xC0000005
          fault_site.module: 123
          fault_site.offset: 0x10
          process.version: "14.40"
          suspect.module: a.dll
          fault_site.path: ab
        expect: skipped
      - {name: no, facts: {}, expect: skipped}
      - {name: one, facts: {exception.code: 0xC0000005}, expect: match}
      - {name: none, facts: {exception.code: 5}, expect: no-match}
"#;

/// Values of keys that the program rejects, and values that it accepts, in a rule.
#[test]
fn values_are_refused_and_taken_as_the_program_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    let validator = validator();
    let is_taken = |from: &str, to: &str| {
        assert!(SPELLINGS.contains(from), "{from}");
        fs::write(&path, SPELLINGS.replace(from, to)).expect("a rule");
        (RuleSet::load(true, std::slice::from_ref(&path)).is_ok(), complaints(&validator, &path).is_empty())
    };
    let (confidence, code) = ("confidence: \"0.5\"", "exception.code: \" 0xC0000005 \"");
    for value in ["60%", "0,6", "\"0.005\"", "\"0.995\"", "\"1\"", "high"] {
        assert_eq!(is_taken(confidence, &format!("confidence: {value}")), (false, false), "{value}");
    }
    for value in ["0.6", "\".5\"", "\"0.99\"", "\"0.90\"", "\"+0.05\"", "\"5e-1\"", "0.01", "\"0.01\""] {
        assert_eq!(is_taken(confidence, &format!("confidence: {value}")), (true, true), "{value}");
    }
    for value in ["\"10000005\"", "c000-0005", "0x"] {
        assert_eq!(is_taken(code, &format!("exception.code: {value}")), (false, false), "{value}");
    }
    for value in ["\"0x10000005\"", "c0000005", "3221225477", "STATUS_ACCESS_VIOLATION"] {
        assert_eq!(is_taken(code, &format!("exception.code: {value}")), (true, true), "{value}");
    }
    for value in ["\"12.\"", "v12", "1.2.3.4.5"] {
        let version = format!("process.version: {value}\n        suspect");
        assert_eq!(is_taken("process.version: 14.40\n        suspect", &version), (false, false), "{value}");
    }
}

#[test]
fn spellings_that_the_program_takes_fit_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rule.yaml");
    fs::write(&path, SPELLINGS).expect("a rule");
    let loaded = RuleSet::load(true, std::slice::from_ref(&path));
    assert!(loaded.is_ok(), "{:#?}", loaded.err());
    assert_eq!(complaints(&validator(), &path), [""; 0]);
}

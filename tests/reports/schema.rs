//! `crashsift schema` as programs use it: reports fit it, key by key, and changed reports do not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::program;

/// A report of one incident with every key that a report can have.
const EVERYTHING: &str = include_str!("../../crates/report/src/formats/json/everything.json");

fn schema(of: &str) -> Value {
    program::run(["schema", of]).ends_with(0).json()
}

/// A schema in which no object may have undescribed keys: reports of a later version may have more, reports of this
/// version must not.
fn closed(mut schema: Value) -> Value {
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("properties") {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    for (_, schemas) in object.iter_mut().filter(|(key, _)| *key == "properties") {
        schemas.as_object_mut().expect("properties by name").values_mut().for_each(close);
    }
    for (_, schemas) in object.iter_mut().filter(|(key, _)| *key == "oneOf") {
        schemas.as_array_mut().expect("schemas").iter_mut().for_each(close);
    }
    if let Some(items) = object.get_mut("items") {
        close(items);
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::meta::validate(schema).expect("a JSON Schema");
    jsonschema::options().should_validate_formats(true).build(schema).expect("a schema")
}

#[track_caller]
fn assert_fits(validator: &Validator, value: &Value, what: &str) {
    let wrong: Vec<String> =
        validator.iter_errors(value).take(5).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(wrong, [""; 0], "{what}");
}

/// The samples, and the third-party evidence that is available.
fn folders() -> Vec<OsString> {
    let others = ["CRASHSIFT_CORPUS", "CRASHSIFT_CASES"].into_iter().filter_map(std::env::var_os);
    std::iter::once("samples".into()).chain(others).collect()
}

#[test]
fn every_report_fits_without_a_key_that_is_not_described() {
    let validator = validator(&closed(schema("report")));
    assert_fits(&validator, &serde_json::from_str(EVERYTHING).expect("JSON"), "everything");
    let mergeable = program::run(["analyze", "-q", "-f", "json", "--mergeable", "samples"]).ends_with(0).json();
    assert_fits(&validator, &mergeable, "--mergeable");
    let chosen = ["--host", "*", "--process", "*", "--module", "*", "--cause", "gpu", "--exclude", "*.pdf", "samples"];
    let chosen = program::run(["analyze", "-q", "-f", "json"].into_iter().chain(chosen)).ends_with(0).json();
    assert_fits(&validator, &chosen, "--host, --process, --module, --cause, --exclude");
    for folder in folders() {
        let report = program::report(Path::new(&folder));
        assert!(!program::list(&report, "incidents").is_empty());
        assert_fits(&validator, &report, &folder.to_string_lossy());
    }
}

#[test]
fn comparisons_fit_alone_and_in_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (earlier, later) = (file("earlier.json"), file("later.json"));
    for (file, paths) in
        [(&earlier, ["samples/stack-overflow", "samples/hang"]), (&later, ["samples/gpu-timeout", "samples/hang"])]
    {
        program::run(["analyze", "-q", "-f", "json", "-o", file, paths[0], paths[1]]).ends_with(0);
    }
    let alone = program::run(["compare", &earlier, &later, "-f", "json"]).ends_with(0).json();
    assert!(!program::list(&alone["comparison"], "changes").is_empty());
    assert_fits(&validator(&closed(schema("comparison"))), &alone, "compare");
    let chosen = ["--since", "2000-01-01", "--until", "2030-01-01", "--exclude", "*.pdf"];
    let compared = ["analyze", "-q", "-f", "json", "--baseline", &earlier, "samples/gpu-timeout"];
    let report = program::run(compared.into_iter().chain(chosen)).ends_with(0).json();
    assert_eq!(report["comparison"]["changes"].as_array().map(Vec::is_empty), Some(false));
    assert_fits(&validator(&closed(schema("report"))), &report, "--baseline");
}

#[test]
fn every_line_fits() {
    let validator = validator(&closed(schema("lines")));
    let arguments =
        ["analyze", "-q", "-f", "jsonl", "--mergeable", "--since", "2000-01-01", "--exclude", "*.pdf", "samples"];
    let lines = program::run(arguments).ends_with(0).stdout;
    assert!(lines.lines().count() > 100);
    for line in lines.lines() {
        assert_fits(&validator, &serde_json::from_str(line).expect("JSON"), line);
    }
    assert!(!validator.is_valid(&json!({"type": "run"})));
    assert!(!validator.is_valid(&json!({"type": "incidents"})));
}

#[test]
fn the_facts_of_every_sample_fit() {
    let validator = validator(&closed(schema("facts")));
    let files = WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).sort_by_file_name();
    let kinds = ["dmp", "evtx", "wer", "txt"];
    let is_artifact = |path: &PathBuf| path.extension().is_some_and(|kind| kinds.iter().any(|known| kind == *known));
    let files: Vec<PathBuf> =
        files.into_iter().map(|entry| entry.expect("an entry").into_path()).filter(is_artifact).collect();
    // A run takes most of its time to load the rules: every third file is enough for all kinds.
    let mut incidents = 0;
    for file in files.iter().step_by(3) {
        let run = program::run(["inspect", file.to_str().expect("text"), "-f", "json"]);
        let facts = run.json();
        incidents += program::list(&facts, "incidents").len();
        assert_fits(&validator, &facts, &file.to_string_lossy());
    }
    assert!(incidents > 20, "{incidents}");
}

#[test]
fn the_mistakes_of_every_broken_rule_fit() {
    let validator = validator(&closed(schema("check")));
    for (path, code) in [("tests/broken_rules", 2), ("tests/command_line/site.yaml", 0)] {
        let checked = program::run(["rules", "check", "-f", "json", path]).ends_with(code).json();
        assert_fits(&validator, &checked, path);
    }
}

#[test]
fn facts_are_what_the_text_shows() {
    let facts = program::run(["inspect", "samples/stack-overflow/python.exe.5316.dmp", "-f", "json"]);
    let facts = facts.ends_with(0).json();
    let incident = &facts["incidents"][0];
    assert_eq!(incident["kind"], "crash");
    assert_eq!(incident["facts"]["exception.code"], "0xC00000FD");
    assert_eq!(incident["facts"]["modules"].as_array().map(Vec::is_empty), Some(false));
    assert_eq!(incident["evidence"][0]["id"], "e1");
    assert_eq!(facts["artifacts"][0]["kind"], "minidump");
}

#[test]
fn reports_of_a_later_version_fit_and_reports_that_break_a_promise_do_not() {
    let (open, closed) = (validator(&schema("report")), validator(&closed(schema("report"))));
    let report: Value = serde_json::from_str(EVERYTHING).expect("JSON");
    let changed = |pointer: &str, value: Value| {
        let mut report = report.clone();
        *report.pointer_mut(pointer).expect("there") = value;
        report
    };
    let mut later = report.clone();
    later["incidents"][0]["weather"] = json!({"rain": true});
    assert!(open.is_valid(&later));
    assert!(!closed.is_valid(&later));
    assert!(open.is_valid(&changed("/incidents/0/kind", json!("slow-start"))));
    for (pointer, value) in [
        ("/incidents/0/kind", json!("Slow start")),
        ("/incidents/0/exception/code", json!("0xc0000409")),
        ("/incidents/0/exception/address", json!("0x0010")),
        ("/incidents/0/process/pid", json!("4312")),
        ("/incidents/0/process/pid", json!(-1)),
        ("/incidents/0/time", json!("2024-11-11 17:43")),
        ("/incidents/0/environment", json!({"os": 10})),
        ("/groups", Value::Null),
        ("/summary/by_cause", json!({"heap-corruption": 1.5})),
    ] {
        assert!(!open.is_valid(&changed(pointer, value.clone())), "{pointer} {value}");
    }
    let mut without = report.clone();
    without["incidents"][0].as_object_mut().expect("an object").remove("verdict");
    assert!(!open.is_valid(&without));
}

#[test]
fn every_key_has_a_description() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        let properties = schema["properties"].as_object().into_iter().flatten();
        for (key, value) in properties {
            let path = format!("{path}.{key}");
            let has_type = value.get("type").is_some() || value.get("enum").is_some() || value.get("const").is_some();
            if key != "type" && (!has_type || value["description"].as_str().is_none_or(str::is_empty)) {
                found.push(path.clone());
            }
            undescribed(value, &path, found);
            undescribed(&value["items"], &path, found);
        }
    }
    for of in ["report", "comparison", "facts", "check"] {
        let schema = schema(of);
        let mut found = Vec::new();
        undescribed(&schema, "", &mut found);
        assert_eq!(found, [""; 0], "{of}");
        assert!(schema["properties"].as_object().is_some_and(|keys| keys.len() > 2), "{of}");
    }
}

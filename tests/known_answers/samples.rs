//! The project's own samples: each folder of `samples/` contains artifacts and an `expected.json` with the expected
//! results.

use std::path::{Path, PathBuf};

use pipeline::{Options, Silent, analyze};
use report::{Judged, Report, json};
use rules::RuleSet;
use serde_json::Value;
use windows_codes::Knowledge;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn analyzed(path: PathBuf, threads: usize) -> Report {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let _knowledge = Knowledge::builtin();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| analyze(&[path], &rules, &Options::default(), &Silent))
}

#[test]
fn every_sample_yields_what_it_must() {
    let mut failures = Vec::new();
    let mut samples = 0;
    for entry in std::fs::read_dir(folder()).expect("the samples") {
        let sample = entry.expect("a folder").path();
        if !sample.is_dir() {
            continue;
        }
        samples += 1;
        let expected = std::fs::read_to_string(sample.join("expected.json")).expect("expected.json beside a sample");
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        let name = sample.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let report = analyzed(sample, 2);
        failures.extend(differences(&expected, &report).into_iter().map(|text| format!("{name}: {text}")));
    }
    assert!(samples >= 20, "only {samples} samples");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The differences between a report and the sample's expected results.
fn differences(expected: &Value, report: &Report) -> Vec<String> {
    let mut differences = Vec::new();
    for (file, wanted) in expected["artifacts"].as_object().into_iter().flatten() {
        let Some(found) = report.artifacts.iter().find(|artifact| artifact.path.ends_with(file.as_str())) else {
            differences.push(format!("{file} is not listed"));
            continue;
        };
        let fits = |wanted: &Value, found: &str| match wanted {
            Value::Array(several) => several.iter().any(|one| one == found),
            one => one == found,
        };
        if !fits(&wanted["kind"], &found.kind) || !fits(&wanted["status"], found.status.into()) {
            differences.push(format!("{file}: {} {:?}, expected {wanted}", found.kind, found.status));
        }
    }
    // Samples with a truth file are compared by another test.
    if expected.get("truth").is_some() {
        return differences;
    }
    let wanted: Vec<&Value> = expected["incidents"].as_array().into_iter().flatten().collect();
    if wanted.len() != report.incidents.len() {
        let kinds: Vec<&str> = report.incidents.iter().map(|judged| judged.incident.kind.word()).collect();
        differences.push(format!("{} incidents ({kinds:?}), expected {}", report.incidents.len(), wanted.len()));
    }
    for (index, wanted) in wanted.into_iter().enumerate() {
        let fits = |judged: &&Judged| incident_differences(wanted, judged, report).is_empty();
        if report.incidents.iter().any(|judged| fits(&judged)) {
            continue;
        }
        match report.incidents.get(index) {
            Some(judged) => differences.extend(incident_differences(wanted, judged, report)),
            None => differences.push(format!("no incident like {wanted}")),
        }
    }
    differences
}

fn incident_differences(wanted: &Value, judged: &Judged, report: &Report) -> Vec<String> {
    let incident = &judged.incident;
    let mut differences = Vec::new();
    // A list contains all accepted values; null among them is "none".
    let mut same = |what: &str, found: Option<String>| {
        let answers = match wanted.get(what) {
            Some(Value::Array(several)) => several.iter().collect(),
            Some(one) => vec![one],
            None => vec![&Value::Null],
        };
        let text = |answer: &Value| match answer {
            Value::Null => None,
            answer => Some(answer.as_str().map_or_else(|| answer.to_string(), str::to_owned).to_lowercase()),
        };
        if !answers.iter().any(|answer| text(answer) == found.as_ref().map(|found| found.to_lowercase())) {
            differences.push(format!("{what}: {found:?}, expected {answers:?}"));
        }
    };
    same("kind", Some(incident.kind.word().to_owned()));
    same("process", incident.process.as_ref().and_then(|process| process.name.as_ref()).map(ToString::to_string));
    same("exception", incident.exception.as_ref().map(|exception| exception.code.to_string()));
    let fast_fail = incident.exception.as_ref().and_then(|exception| exception.fast_fail.as_ref());
    same("fast_fail", fast_fail.map(|fast_fail| fast_fail.code.0.to_string()));
    same("bugcheck", incident.bugcheck.as_ref().map(|bugcheck| bugcheck.code.to_string()));
    same("fault_site", incident.fault_site.as_ref().map(|site| site.module.to_string()));
    same("suspect", incident.suspect.as_ref().map(|suspect| suspect.module.to_string()));

    let causes: Vec<&str> = match &wanted["cause"] {
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let verdict = &judged.verdict;
    if !causes.contains(&verdict.cause.as_str()) {
        differences.push(format!("cause: {} {}, expected {causes:?}", verdict.cause, verdict.confidence));
    }
    if let Some([low, high]) = wanted["confidence"].as_array().map(Vec::as_slice) {
        let (low, high) = (low.as_f64().unwrap_or(0.0), high.as_f64().unwrap_or(1.0));
        if !(low..=high).contains(&verdict.confidence) {
            differences.push(format!("confidence: {}, expected {low} to {high}", verdict.confidence));
        }
    }
    let mut files: Vec<&str> =
        incident.evidence.iter().filter_map(|item| report.artifact_path(item.artifact)?.rsplit('/').next()).collect();
    files.sort_unstable();
    files.dedup();
    let mut wanted_files: Vec<&str> =
        wanted["artifacts"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    wanted_files.sort_unstable();
    if files != wanted_files {
        differences.push(format!("evidence from {files:?}, expected {wanted_files:?}"));
    }
    differences
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let as_json = |threads| {
        let mut out = Vec::new();
        json::write(&analyzed(folder(), threads), &mut out).expect("memory takes everything");
        String::from_utf8(out).expect("JSON is text")
    };
    let one = as_json(1);
    for threads in 2..=4 {
        assert!(one == as_json(threads), "{threads} threads give another report");
    }
}

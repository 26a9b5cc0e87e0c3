//! Compares `docs/report.md` with reports: every key that appears is described there with its type, and every described
//! key appears.
//!
//! The reports are those of the samples, of `CRASHSIFT_CORPUS` and `CRASHSIFT_CASES` where they are set, of a few texts
//! that are written here, and one with every key.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use samplekit::minidump::{Minidump, Module};
use samplekit::{FileTime, FileVersion};
use serde_json::Value;

use crate::program;
/// A report of one incident with every key that a report can have; `crates/report/src/formats/json/tests.rs` checks
/// that it is complete.
const EVERYTHING: &str = include_str!("../../crates/report/src/formats/json/everything.json");

const NOON: FileTime = FileTime::utc(2024, 5, 6, 12, 0, 0);

/// A text with output of tools about a machine that no sample contains.
const DESCRIBED: &str = "\
Host Name:                 PC-7
OS Name:                   Microsoft Windows 10 Pro
OS Version:                10.0.19045 N/A Build 19045
System Model:              OptiPlex 7090
BIOS Version:              Example Inc. 1.12.0, 03.11.2022
Total Physical Memory:     32,491 MB

The editor closed itself. Exit code -1073740791 (0xC0000409).
CPU: AMD Ryzen 7 5800X
cuDNN version: 8.0.1
CUDA: 11.0
";

/// The dump of a 32-bit program on a machine with display drivers of two makers.
fn dump() -> Vec<u8> {
    let module = |path: &str, version, base| Module::windows(path, Some(FileVersion(version)), base, 0x1_0000);
    let modules = vec![
        module(r"C:\demo\demo.exe", [1, 0, 0, 0], 0x7FF6_4000_0000),
        module(r"C:\Windows\System32\wow64.dll", [10, 0, 19041, 1], 0x7FFA_0000_0000),
        module(r"C:\Windows\System32\nvwgf2umx.dll", [31, 0, 15, 3623], 0x7FFA_1000_0000),
        module(r"C:\Windows\System32\igd10iumd64.dll", [30, 0, 101, 2031], 0x7FFA_2000_0000),
    ];
    Minidump::crashed(NOON, 0x7FF6_4000_1000, modules).to_bytes()
}

/// The description of a key on the page.
#[derive(Debug, Clone)]
struct Described {
    kind: String,
    meaning: String,
    /// Whether the page states when it is absent; otherwise it must be present.
    may_be_absent: bool,
}

/// The page: for each object, by its path, its keys.
struct Page {
    objects: BTreeMap<String, BTreeMap<String, Described>>,
}

impl Page {
    fn read() -> Self {
        let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.md")).expect("the page");
        let (_, json) = page.split_once("\n## JSON\n").expect("a part about JSON");
        let (json, _) = json.split_once("\n## JSON Lines\n").expect("a part about JSON Lines");
        let mut objects: BTreeMap<String, BTreeMap<String, Described>> = BTreeMap::new();
        let (mut object, mut head) = (String::new(), Vec::new());
        for line in json.lines() {
            let label = line.trim_start_matches("### ").trim_end_matches(':');
            if label.len() > 2 && label.starts_with('`') && label.trim_matches('`').split('`').count() == 1 {
                object = label.trim_matches('`').to_owned();
            }
            let Some(row) = line.strip_prefix("| ").and_then(|row| row.strip_suffix('|')) else { continue };
            let cells: Vec<&str> = row.split(" |").map(str::trim).collect();
            if cells[0] == "key" {
                head = cells;
                continue;
            }
            if cells[0].starts_with('-') {
                continue;
            }
            let cell = |name: &str| {
                head.iter().position(|column| *column == name).and_then(|column| cells.get(column)).copied()
            };
            for key in cell("key").expect("a key").split(", ") {
                let described = Described {
                    kind: cell("type").unwrap_or("string").to_owned(),
                    meaning: cell("meaning").expect("a meaning").to_owned(),
                    may_be_absent: head.contains(&"type") && cell("absent when").is_some_and(|when| !when.is_empty()),
                };
                let key = key.trim_matches('`').to_owned();
                let twice = objects.entry(object.clone()).or_default().insert(key.clone(), described);
                assert!(twice.is_none(), "{object}.{key} is described twice");
            }
        }
        Self { objects }
    }
}

/// The keys that reports contain.
struct Seen<'p> {
    page: &'p Page,
    /// Objects and keys.
    keys: BTreeSet<(String, String)>,
    wrong: BTreeSet<String>,
}

impl Seen<'_> {
    fn object(&mut self, path: &str, value: &Value) {
        let Some(object) = value.as_object() else { return self.says(format!("{path} is no object")) };
        // Its keys are causes.
        if path == "summary.by_cause" {
            return;
        }
        let as_described = match path {
            "machines[].environment" => "incidents[].environment",
            "incidents[].threads[].frames[]" => "incidents[].stack[]",
            other => other,
        };
        let Some(described) = self.page.objects.get(as_described) else {
            return self.says(format!("{path} has no table"));
        };
        for (key, value) in object {
            self.keys.insert((as_described.to_owned(), key.clone()));
            let Some(described) = described.get(key) else {
                self.says(format!("{path}.{key} is not described"));
                continue;
            };
            if let Err(what) = check(described, value) {
                self.says(format!("{path}.{key} is described as {}: {what}", described.kind));
            }
            let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            match value {
                Value::Object(_) => self.object(&below, value),
                Value::Array(entries) => {
                    for entry in entries.iter().filter(|entry| entry.is_object()) {
                        self.object(&format!("{below}[]"), entry);
                    }
                }
                _ => {}
            }
        }
        if !path.ends_with("environment") {
            for (key, _) in described.iter().filter(|(_, described)| !described.may_be_absent) {
                if !object.contains_key(key) && !is_optional_by_words(path, key) {
                    self.says(format!("{path}.{key} is absent, and the page does not say when"));
                }
            }
        }
    }

    fn says(&mut self, wrong: String) {
        self.wrong.insert(wrong);
    }
}

/// Lists that are left out when they are empty, as their rows state in other words.
fn is_optional_by_words(path: &str, key: &str) -> bool {
    matches!((path, key), ("groups[]", "over_represented"))
}

/// Whether a value is of the type that the page gives it.
fn check(described: &Described, value: &Value) -> Result<(), String> {
    let fits = match described.kind.as_str() {
        "string" => value.as_str().is_some_and(|text| !text.is_empty()),
        "string or empty" => value.is_string(),
        "whole number" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "list" | "list of frames" => value.as_array().is_some_and(|list| list.iter().all(Value::is_object)),
        "object of strings" => value.as_object().is_some_and(|all| all.values().all(is_text)),
        "object of whole numbers" => value.as_object().is_some_and(|all| all.values().all(Value::is_u64)),
        "list of strings" => value.as_array().is_some_and(|list| list.iter().all(is_text)),
        "list of hex" => value.as_array().is_some_and(|list| list.iter().all(|one| one.as_str().is_some_and(is_hex))),
        "list of two numbers" => {
            value.as_array().is_some_and(|list| list.len() == 2 && list.iter().all(Value::is_number))
        }
        "time" => value.as_str().is_some_and(|text| text.ends_with('Z') && text.parse::<Timestamp>().is_ok()),
        "date" => value.as_str().is_some_and(|text| text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()),
        "hex" => value.as_str().is_some_and(is_hex),
        "code" => value.as_str().is_some_and(is_code),
        "word" => value.as_str().is_some_and(|word| {
            let known: Vec<&str> = described.meaning.split('`').skip(1).step_by(2).collect();
            known.is_empty() || known.contains(&word)
        }),
        other => return Err(format!("the page knows no type `{other}`")),
    };
    if fits { Ok(()) } else { Err(value.to_string()) }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_hex(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("0x") else { return false };
    let lower = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    lower && !digits.is_empty() && (digits == "0" || !digits.starts_with('0'))
}

fn is_code(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("0x") else { return false };
    digits.len() == 8 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
}

#[test]
fn every_key_is_described_and_every_described_key_appears() {
    let page = Page::read();
    let mut seen = Seen { page: &page, keys: BTreeSet::new(), wrong: BTreeSet::new() };
    seen.object("", &serde_json::from_str(EVERYTHING).expect("JSON"));

    seen.object("", &program::run(["analyze", "-q", "-f", "json", "--mergeable", "samples"]).ends_with(0).json());

    let folder = tempfile::tempdir().expect("a folder");
    let baseline = folder.path().join("earlier.json");
    let baseline = baseline.to_str().expect("text");
    program::run(["analyze", "-q", "-f", "json", "-o", baseline, "samples/stack-overflow"]).ends_with(0);
    let compared = ["analyze", "-q", "-f", "json", "--baseline", baseline, "samples/gpu-timeout"];
    seen.object("", &program::run(compared).ends_with(0).json());
    let symptom = ["analyze", "-q", "-f", "json", "--baseline", baseline, "samples/heap-corruption"];
    let compared = symptom.into_iter().chain(["--since", "2000-01-01", "--until", "2030-01-01"]);
    seen.object("", &program::run(compared).ends_with(0).json());
    let customers = ["analyze", "-q", "-f", "json", "--baseline", baseline, "--by-folder", "samples"];
    seen.object("", &program::run(customers).ends_with(0).json());

    let chosen = ["--host", "*", "--process", "*", "--module", "*", "--cause", "gpu", "--exclude", "*.pdf", "samples"];
    let chosen = program::run(["analyze", "-q", "-f", "json"].into_iter().chain(chosen)).ends_with(0).json();
    seen.object("", &chosen);

    fs::write(folder.path().join("machine.txt"), DESCRIBED).expect("a text");
    fs::write(folder.path().join("a.dmp"), dump()).expect("a dump");
    let mut paths: Vec<OsString> = vec!["samples".into(), folder.path().into()];
    paths.extend(["CRASHSIFT_CORPUS", "CRASHSIFT_CASES"].into_iter().filter_map(std::env::var_os));
    for path in paths {
        let report = program::report(Path::new(&path));
        assert!(!program::list(&report, "incidents").is_empty(), "{}", path.display());
        seen.object("", &report);
    }
    assert_eq!(seen.wrong.iter().collect::<Vec<_>>(), [""; 0]);

    let described = page.objects.iter().flat_map(|(object, keys)| keys.keys().map(move |key| (object, key)));
    let missing: Vec<String> = described
        .filter(|(object, key)| !seen.keys.contains(&((*object).clone(), (*key).clone())))
        .map(|(object, key)| format!("{object}.{key}"))
        .collect();
    assert_eq!(missing, [""; 0], "described, and in no report");
}

#[test]
fn types_are_distinguished() {
    let described = |kind: &str, meaning: &str| Described {
        kind: kind.to_owned(),
        meaning: meaning.to_owned(),
        may_be_absent: false,
    };
    for (kind, meaning, right, wrong) in [
        ("hex", "", "\"0x7286e\"", "\"0x07286e\""),
        ("hex", "", "\"0x0\"", "\"0x7286E\""),
        ("code", "", "\"0xC0000409\"", "\"0xc0000409\""),
        ("time", "", "\"2024-11-11T17:43:55.129275Z\"", "\"2024-11-11T17:43:55+01:00\""),
        ("string", "", "\"a\"", "\"\""),
        ("word", "`a`, `b`", "\"b\"", "\"c\""),
        ("list of strings", "", "[]", "[1]"),
        ("number", "", "0.7", "\"7\""),
        ("whole number", "", "7", "0.7"),
    ] {
        let described = described(kind, meaning);
        let check = |json: &str| check(&described, &serde_json::from_str(json).expect("JSON"));
        assert!(check(right).is_ok(), "{kind} {right}");
        assert!(check(wrong).is_err(), "{kind} {wrong}");
    }
    assert!(check(&described("thing", ""), &Value::Null).is_err());
}

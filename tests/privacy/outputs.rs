//! Names and secrets of many kinds, in artifacts of every kind, and every output: none survives.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use data_encoding::BASE64;
use flate2::read::DeflateDecoder;
use serde_json::Value;
use tempfile::TempDir;

use super::artifacts::{self, MODULE, PROGRAM};
use super::planted::{self, Planted, survivors};
use crate::program::{Run, list, run, text};

/// The artifacts, and their owner's names in the folder around them.
struct Evidence {
    folder: TempDir,
    planted: Vec<Planted>,
}

static EVIDENCE: LazyLock<Evidence> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let planted = planted::all();
    let inner = folder.path().join("Users").join(planted::USER);
    fs::create_dir_all(&inner).expect("made");
    artifacts::write_all(&inner, &planted);
    Evidence { folder, planted }
});

impl Evidence {
    fn path(&self) -> String {
        self.folder.path().to_string_lossy().into_owned()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("Users").join(planted::USER).join(name)
    }

    /// Runs the program and checks both of its outputs.
    #[track_caller]
    fn clean(&self, arguments: &[&str]) -> Run {
        let run = run(arguments);
        assert!((0..2).contains(&run.code), "{arguments:?}: {}", run.stderr);
        self.check(&run.stdout, &format!("{arguments:?}"));
        self.check(&run.stderr, &format!("standard error of {arguments:?}"));
        run
    }

    #[track_caller]
    fn check(&self, output: &str, of: &str) {
        let found = survivors(output, &self.planted);
        let lines_of_a_key = ["IIrYSSNQFaA2Hwf1duRSxKtLYX5CB04f", "qlM9x3QzV0k"];
        assert!(!lines_of_a_key.iter().any(|line| output.contains(line)), "a line of a key survives in {of}");
        assert!(found.is_empty(), "{} of {} kinds survive in {of}: {found:#?}", found.len(), self.planted.len());
    }
}

#[test]
fn there_are_many_kinds_and_without_the_option_they_are_printed() {
    let evidence = &*EVIDENCE;
    assert!(evidence.planted.len() >= 60);
    let run = run(["analyze", "-f", "json", "--mergeable", &evidence.path()]).ends_with(0);
    let kept = unpacked(&run.json());
    let all = survivors(&format!("{}{kept}", run.stdout), &evidence.planted);
    assert_eq!(all.len(), evidence.planted.len(), "{all:?}");
}

#[test]
fn no_format_of_a_report_has_them() {
    let evidence = &*EVIDENCE;
    let path = evidence.path();
    for format in ["text", "screen", "json", "jsonl", "csv", "markdown", "html"] {
        let plain = evidence.clean(&["analyze", "--redact", "-f", format, &path]);
        assert!(plain.stdout.contains(PROGRAM), "{format}: {}", plain.stdout);
        evidence.clean(&["analyze", "--redact", "-v", "--threads", "-f", format, &path]);
    }
    for format in ["brief", "junit", "sarif", "github", "gitlab", "prometheus", "ecs"] {
        evidence.clean(&["analyze", "--redact", "-f", format, &path]);
    }
    #[cfg(feature = "parquet")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let lake = folder.path().join("lake");
        evidence.clean(&["analyze", "--redact", "-f", "parquet", "-o", &lake.to_string_lossy(), &path]);
        let tables = crate::commands::lake::tables(&lake);
        let all: Vec<String> = tables.values().flatten().map(|row| row.to_string()).collect();
        assert!(all.iter().any(|row| row.contains(PROGRAM)), "{all:#?}");
        evidence.check(&all.join("\n"), "the tables");
    }
    let report = evidence.clean(&["analyze", "--redact", "-f", "json", &path]).json();
    let incidents = list(&report, "incidents");
    let crash = incidents.iter().find(|incident| incident["fault_site"]["module"] == MODULE);
    assert_eq!(crash.map(|crash| text(&crash["exception"], "code")), Some("0xC0000005"), "{incidents:#?}");
    let host = crash.map_or("", |crash| text(crash, "host"));
    assert!(host.starts_with("host-") && host.contains(".domain-"), "{host}");
}

/// The evidence of a mergeable report as text.
pub fn unpacked(report: &Value) -> String {
    let mut all = String::new();
    for artifact in list(report, "artifacts") {
        let Some(packed) = artifact["evidence"].as_str() else { continue };
        let packed = BASE64.decode(packed.as_bytes()).expect("Base64");
        let mut bytes = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("deflated");
        all.push_str(&String::from_utf8_lossy(&bytes));
    }
    all
}

#[test]
fn kept_evidence_has_none_and_merges_to_the_same_report() {
    let evidence = &*EVIDENCE;
    let path = evidence.path();
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept.json");
    let run = evidence.clean(&["analyze", "--redact", "--mergeable", "-f", "json", &path]);
    evidence.check(&unpacked(&run.json()), "kept evidence");
    fs::write(&kept, &run.stdout).expect("written");
    let kept = kept.to_string_lossy().into_owned();
    let whole = evidence.clean(&["analyze", "--redact", "-f", "json", &path]);
    assert!(evidence.clean(&["merge", "-f", "json", &kept]).stdout == whole.stdout);
    // What is redacted is redacted again to the same.
    assert!(evidence.clean(&["merge", "--redact", "-f", "json", &kept]).stdout == whole.stdout);

    // A report that was made with names is redacted when it is merged.
    let named = folder.path().join("named.json");
    let named = named.to_string_lossy().into_owned();
    assert_eq!(crate::program::run(["analyze", "-q", "--mergeable", "-f", "json", "-o", &named, &path]).code, 0);
    assert!(evidence.clean(&["merge", "--redact", "-f", "json", &named]).stdout == whole.stdout);
    let again = evidence.clean(&["merge", "--redact", "--mergeable", "-f", "json", &named]);
    evidence.check(&unpacked(&again.json()), "evidence that was kept with names");
}

#[test]
fn commands_about_single_artifacts_and_incidents_have_none() {
    let evidence = &*EVIDENCE;
    let path = evidence.path();
    for file in artifacts::FILES.iter().filter(|file| !file.ends_with(".tar")) {
        let file = evidence.file(file).to_string_lossy().into_owned();
        evidence.clean(&["inspect", "--redact", &file]);
        evidence.clean(&["inspect", "--redact", "-f", "json", &file]);
    }
    evidence.clean(&["inspect", "--redact", "-f", "json", &path]);
    evidence.clean(&["show", "--redact", "1", &path]);
    let report = evidence.clean(&["analyze", "-q", "--redact", "-f", "json", &path]).json();
    let incidents = list(&report, "incidents");
    let crash = incidents.iter().find(|incident| incident["fault_site"]["module"] == MODULE).expect("the crash");
    let id = text(crash, "id");
    evidence.clean(&["why", "--redact", "-v", id, &path]);
    evidence.clean(&["why", "--redact", "-f", "json", id, &path]);
    evidence.clean(&["rules", "new", "--redact", "--incident", id, &path]);
    evidence.clean(&["collect-script", "--redact", "--for", id, &path]);
}

#[test]
fn a_cache_that_knows_the_names_does_not_bring_them_back() {
    let evidence = &*EVIDENCE;
    let path = evidence.path();
    let cache = tempfile::tempdir().expect("a folder");
    let cache = cache.path().to_string_lossy().into_owned();
    assert_eq!(run(["analyze", "-q", "--cache", &cache, "-f", "json", &path]).code, 0);
    let first = evidence.clean(&["analyze", "--redact", "--cache", &cache, "-f", "json", &path]);
    let again = evidence.clean(&["analyze", "--redact", "--cache", &cache, "-f", "json", &path]);
    assert!(first.stdout == again.stdout);
}

#[test]
fn a_map_makes_other_pseudonyms_and_knows_the_names() {
    let evidence = &*EVIDENCE;
    let path = evidence.path();
    let folder = tempfile::tempdir().expect("a folder");
    let map = folder.path().join("map.json");
    let map_path = map.to_string_lossy().into_owned();
    let fixed = evidence.clean(&["analyze", "--redact", "-f", "json", &path]);
    let mapped = evidence.clean(&["analyze", "--redact-map", &map_path, "-f", "json", &path]);
    assert!(fixed.stdout != mapped.stdout);
    let again = evidence.clean(&["analyze", "--redact-map", &map_path, "-f", "json", &path]);
    assert!(mapped.stdout == again.stdout, "the key is kept");
    let names = fs::read_to_string(&map).expect("the map");
    let names: Value = serde_json::from_str(&names).expect("JSON");
    let report = mapped.json();
    let host = list(&report, "machines").first().map_or("", |machine| text(machine, "host"));
    let short = host.split('.').next().unwrap_or_default();
    assert!(text(&names["names"], short).eq_ignore_ascii_case(planted::HOST), "{host}: {names:#}");
    assert!(refuses_other_files(folder.path()));
}

/// Whether a file that is no map is left alone.
fn refuses_other_files(folder: &Path) -> bool {
    let other = folder.join("other.txt");
    fs::write(&other, "my notes").expect("written");
    let run = run(["analyze", "--redact-map", &other.to_string_lossy(), "samples/stack-overflow"]);
    run.code == 2 && fs::read_to_string(&other).is_ok_and(|text| text == "my notes")
}

//! `crashsift bundle`: what it holds, what it leaves out, and what it prints of that.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use serde_json::Value;
use zip::ZipArchive;

use super::artifacts;
use super::outputs::unpacked;
use super::planted::{self, survivors};
use crate::program::{list, run, text};

/// The files of a bundle with their content.
fn files(bundle: &Path) -> Vec<(String, String)> {
    let mut zip = ZipArchive::new(File::open(bundle).expect("a bundle")).expect("a zip");
    let names: Vec<String> = zip.file_names().map(|name| name.expect("a name").into_owned()).collect();
    let content = |name: String| {
        let mut content = String::new();
        zip.by_name(&name).expect("a member").read_to_string(&mut content).expect("text");
        (name, content)
    };
    names.into_iter().map(content).collect()
}

#[test]
fn a_bundle_has_the_report_and_nothing_private() {
    let folder = tempfile::tempdir().expect("a folder");
    let evidence = folder.path().join("evidence");
    fs::create_dir(&evidence).expect("made");
    let planted = planted::all();
    artifacts::write_all(&evidence, &planted);
    let (bundle, again) = (folder.path().join("out.zip"), folder.path().join("again.zip"));
    let path = evidence.to_string_lossy().into_owned();
    let made = run(["bundle", &path, "-o", &bundle.to_string_lossy()]).ends_with(0);
    run(["bundle", &path, "-o", &again.to_string_lossy()]).ends_with(0);
    assert!(fs::read(&bundle).expect("a bundle") == fs::read(&again).expect("a bundle"), "equal files, equal bundles");

    let files = files(&bundle);
    let mut names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["README.txt", "report.html", "report.json", "report.md"]);
    for (name, content) in &files {
        let found = survivors(content, &planted);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
    let report = files.iter().find(|(name, _)| name == "report.json").map_or("", |(_, content)| content.as_str());
    let report: Value = serde_json::from_str(report).expect("JSON");
    let kept = unpacked(&report);
    let found = survivors(&kept, &planted);
    assert!(found.is_empty(), "kept evidence: {found:#?}");

    // The audit counts what the dump and the text hold, and prints no value.
    let found = survivors(&made.stdout, &planted);
    assert!(found.is_empty(), "{}: {found:#?}", made.stdout);
    let line =
        |of: &str| made.stdout.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("{}", made.stdout));
    assert!(line("ledger.exe.4312.dmp").contains("github-token"), "{}", made.stdout);
    assert!(line("ticket.txt").contains("json-web-token"), "{}", made.stdout);
}

#[test]
fn a_text_keeps_only_the_lines_that_conclusions_need() {
    let folder = tempfile::tempdir().expect("a folder");
    let ticket = folder.path().join("ticket.txt");
    let lines = "Hello, it crashes since Monday.\nMy cat is called Minka.\nFaulting application name: app.exe, version: 1.0.0.0\n\
                 Faulting module name: cudnn_ops_infer64_8.dll, version: 6.14.11.6050\nException code: 0xc0000409\n\
                 Could not locate zlibwapi.dll. Please make sure it is in your library path\nThank you, the tall one from accounting\n";
    fs::write(&ticket, lines).expect("written");
    let bundle = folder.path().join("out.zip");
    let path = ticket.to_string_lossy().into_owned();
    let made = run(["bundle", &path, "-o", &bundle.to_string_lossy()]).ends_with(0);
    let files = files(&bundle);
    let report = files.iter().find(|(name, _)| name == "report.json").map_or("", |(_, content)| content.as_str());
    let report: Value = serde_json::from_str(report).expect("JSON");
    let kept = unpacked(&report);
    assert!(kept.contains("zlibwapi.dll"), "{kept}");
    assert!(!kept.contains("Minka") && !kept.contains("tall one"), "{kept}\n{}", made.stdout);
    let plain = run(["analyze", "-f", "json", &path]).ends_with(0).json();
    let cause = |report: &Value| {
        list(report, "incidents").iter().map(|one| text(&one["verdict"], "cause").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(cause(&report), cause(&plain));
    // It is a report like any other.
    let json = folder.path().join("report.json");
    fs::write(&json, report.to_string()).expect("written");
    let merged = run(["merge", "-q", "-f", "json", &json.to_string_lossy()]).ends_with(0).json();
    assert_eq!(cause(&merged), cause(&plain));
}

#[test]
fn no_artifact_is_replaced_by_a_bundle() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dmp");
    fs::copy("samples/stack-overflow/python.exe.5316.dmp", &path).expect("a copy");
    let path = path.to_string_lossy().into_owned();
    run(["bundle", "samples/stack-overflow", "-o", &path]).ends_with(2);
    run(["bundle", "samples/stack-overflow"]).ends_with(2);
}

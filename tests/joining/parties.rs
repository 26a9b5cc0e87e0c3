//! Folders as customers (`--by-folder`): two customers with a `PC-21` each are two computers, and nothing is counted across
//! them.

use std::fs;
use std::path::Path;

use samplekit::event_log::EventLog;
use samplekit::events::{Crash, Image, Layout, display_reset};
use samplekit::{FileTime, FileVersion, Guid};
use serde_json::Value;

use crate::program::{list, run, text};

const NOON: FileTime = FileTime::utc(2024, 5, 20, 12, 0, 0);

fn crash(minute: u64) -> samplekit::event_log::Event {
    let image = |path: &str| Image { path: path.to_owned(), version: Some(FileVersion([2, 1, 0, 7])), timestamp: 7 };
    let crash = Crash {
        app: image(r"C:\Program Files\Demo\demo.exe"),
        module: image(r"C:\Program Files\Demo\plugin.dll"),
        code: 0xC000_0005,
        offset: 0x1234,
        data: 0,
        process: 4312,
        started: NOON.minus_seconds(3600),
        time: NOON.plus_seconds(minute * 60),
        report_id: Guid::made_up("parties"),
    };
    crash.application_error(Layout::Positional)
}

/// Two customers, each with a PC-21: the first with a crash and a reset of the display, the second with a crash.
fn two_customers(folder: &Path) {
    let log = |path: &str, events: Vec<samplekit::event_log::Event>| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let channel = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut log = EventLog::new(&channel, "PC-21");
        for event in events {
            log.add(event.channel(&channel));
        }
        fs::write(path, log.to_bytes()).expect("written");
    };
    log("acme/Application.evtx", vec![crash(0)]);
    log("acme/System.evtx", vec![display_reset(NOON.minus_seconds(600), "demo")]);
    log("beta/logs/Application.evtx", vec![crash(5)]);
    log("beta/logs/System.evtx", vec![display_reset(NOON.minus_seconds(86_400 * 3), "demo")]);
}

fn report(folder: &Path, options: &[&str]) -> Value {
    let path = folder.to_string_lossy().into_owned();
    run(["analyze", "-f", "json", path.as_str()].iter().chain(options)).ends_with(0).json()
}

/// The customers of the entries of a list.
fn parties<'r>(report: &'r Value, of: &str) -> Vec<&'r str> {
    list(report, of).iter().map(|one| one["party"].as_str().unwrap_or("-")).collect()
}

#[test]
fn customers_with_computers_of_one_name_are_kept_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    two_customers(folder.path());
    let together = report(folder.path(), &[]);
    assert_eq!(list(&together, "machines").len(), 1);
    assert!(parties(&together, "incidents").iter().all(|party| *party == "-"), "{together}");
    let warning = &together["coverage"]["gaps"][0];
    assert_eq!(text(warning, "kind"), "same-name-in-several-folders");
    assert!(text(warning, "says").contains("acme, beta name the computer PC-21"), "{warning}");

    let apart = report(folder.path(), &["--by-folder"]);
    assert_eq!(parties(&apart, "machines"), ["acme", "beta"]);
    assert_eq!(list(&apart, "groups").iter().filter(|group| text(group, "signature").contains("plugin")).count(), 2);
    assert!(list(&apart, "groups").iter().all(|group| group["hosts"] == 1));
    let crashes = list(&apart, "incidents").iter().filter(|incident| text(incident, "kind") == "crash");
    let crashes: Vec<&Value> = crashes.collect();
    let of: Vec<&str> = crashes.iter().map(|incident| text(incident, "party")).collect();
    assert_eq!(of, ["acme", "beta"]);
    for incident in &crashes {
        let party = text(incident, "party");
        for item in list(incident, "evidence") {
            assert!(text(item, "artifact").contains(&format!("/{party}/")), "{incident}");
        }
    }
    let warned = list(&apart["coverage"], "gaps").iter().any(|gap| text(gap, "kind").starts_with("same-name"));
    assert!(!warned, "{apart}");
}

#[test]
fn each_customer_has_the_incidents_that_it_has_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    two_customers(folder.path());
    let apart = report(folder.path(), &["--by-folder"]);
    for party in ["acme", "beta"] {
        let alone = report(&folder.path().join(party), &[]);
        let of = |report: &Value| -> Vec<Value> {
            let mine = |one: &&Value| one["party"].as_str().is_none_or(|of| of == party);
            let without = |one: &Value| {
                let mut one = one.clone();
                one.as_object_mut().expect("an object").remove("party");
                one
            };
            ["incidents", "groups", "machines"]
                .iter()
                .flat_map(|key| list(report, key).iter().filter(mine).map(without).collect::<Vec<_>>())
                .collect()
        };
        assert_eq!(of(&apart), of(&alone), "{party}");
    }
}

#[test]
fn the_same_files_at_two_customers_are_incidents_of_both() {
    let folder = tempfile::tempdir().expect("a folder");
    two_customers(folder.path());
    for file in ["Application.evtx", "System.evtx"] {
        fs::create_dir_all(folder.path().join("zeta")).expect("made");
        fs::copy(folder.path().join("acme").join(file), folder.path().join("zeta").join(file)).expect("copied");
    }
    let apart = report(folder.path(), &["--by-folder"]);
    let mut ids: Vec<&str> = list(&apart, "incidents").iter().map(|incident| text(incident, "id")).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "{apart}");
    for group in list(&apart, "groups") {
        for id in list(group, "incidents") {
            let of = list(&apart, "incidents").iter().find(|incident| incident["id"] == *id).expect("listed");
            assert_eq!(of["party"], group["party"]);
        }
    }
}

#[test]
fn threads_cache_and_merging_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("files");
    two_customers(&files);
    let files = files.to_string_lossy().into_owned();
    let of = |options: &[&str]| {
        run(["analyze", "-f", "json", files.as_str(), "--by-folder"].iter().chain(options)).ends_with(0).stdout
    };
    let plain = of(&[]);
    assert_eq!(of(&["-j1"]), of(&["-j2"]));
    let cache = folder.path().join("cache").to_string_lossy().into_owned();
    assert_eq!(of(&["--cache", &cache]), plain);
    assert_eq!(of(&["--cache", &cache]), plain);
    // The answer without the option is another one.
    let together = run(["analyze", "-f", "json", files.as_str(), "--cache", &cache]).ends_with(0).stdout;
    assert_ne!(together, plain);
    let kept = folder.path().join("kept.json");
    fs::write(&kept, of(&["--mergeable"])).expect("written");
    let merged = run(["merge", "-f", "json", &kept.to_string_lossy()]).ends_with(0).stdout;
    assert_eq!(merged, plain);
}

#[test]
fn every_format_names_the_customer() {
    let folder = tempfile::tempdir().expect("a folder");
    two_customers(folder.path());
    let path = folder.path().to_string_lossy().into_owned();
    for format in ["text", "screen", "markdown", "html", "csv", "jsonl"] {
        let written = run(["analyze", "--by-folder", "-f", format, path.as_str()]).ends_with(0).stdout;
        let lower = written.to_lowercase();
        assert!(lower.contains("acme") && lower.contains("beta"), "{format}: {written}");
        let together = run(["analyze", "-f", format, path.as_str()]).ends_with(0).stdout;
        let warned = format == "csv" || together.contains("--by-folder");
        assert!(warned, "{format}: {together}");
    }
    for format in ["junit", "sarif", "prometheus", "ecs"] {
        let written = run(["analyze", "--by-folder", "-f", format, path.as_str()]).ends_with(0).stdout.to_lowercase();
        assert!(written.contains("acme") && written.contains("beta"), "{format}: {written}");
    }
}

//! Copies are no additional evidence: folders to which copies of all their artifacts are added give the same incidents,
//! timelines and counts.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use pipeline::discover;
use pipeline::{Options, Silent, analyze};
use report::Report;
use rules::RuleSet;
use samplekit::FileTime;
use samplekit::event_log::{Event, EventLog};
use samplekit::events::{
    LostPower, defender_action, display_reset, ended_by_other, kernel_power, missing_assembly, missing_dll_popup,
    product_installed, service_ended, unclean_shutdown,
};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// The incidents, timelines, groups and gaps of a report, one line each.
fn told(report: &Report) -> Vec<String> {
    let mut told = Vec::new();
    for judged in &report.incidents {
        let incident = &judged.incident;
        let (verdict, findings) = (&judged.verdict, judged.findings.iter());
        let findings: Vec<String> =
            findings.map(|finding| format!("{} {:.2}", finding.rule, finding.confidence)).collect();
        let (id, kind, host) = (&incident.id, incident.kind.word(), incident.host.as_deref().unwrap_or("nobody's"));
        told.push(format!("{id} {kind} {host} {} {:.2} {findings:?}", verdict.cause, verdict.confidence));
        told.extend(incident.remarks.iter().map(|remark| format!("{id}: {}", without_numbers(remark))));
    }
    for machine in &report.machines {
        let host = &machine.host;
        told.extend(machine.timeline.iter().map(|entry| {
            let incident = entry.incident.as_deref().unwrap_or_default();
            format!("{host} {} {} {} {} {incident}", entry.time, entry.kind, entry.id, entry.sentence)
        }));
        told.extend(machine.environment.iter().map(|(key, value)| format!("{host}: {key} {value}")));
    }
    for group in &report.groups {
        let changes: Vec<_> =
            group.changes_before.iter().flatten().map(|change| (&change.says, change.hosts)).collect();
        told.push(format!("{} {:?} {} {changes:?}", group.signature, group.incidents, group.hosts));
    }
    let of_artifacts = |kind: &str| kind.starts_with("artifact-") || kind == "archive-not-opened";
    let gaps = report.coverage.gaps.iter().filter(|gap| !of_artifacts(&gap.kind));
    told.extend(gaps.map(|gap| format!("{} {:?}", gap.says, (gap.count, gap.of, gap.undetermined))));
    told.sort();
    told
}

/// A remark without the numbers of evidence, which differ when there are copies.
fn without_numbers(remark: &str) -> String {
    let mut parts = remark.split(" (e");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + part.split_once(')').map_or("", |(_, rest)| rest))
}

/// The differences between a folder and the same folder with copies of all its files, each under the name that `named`
/// gives.
fn copies_change_nothing(rules: &RuleSet, of: &Path, named: fn(&Path) -> PathBuf) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (found, _) = discover::find(&[of.to_path_buf()]);
    let place = |relative: &Path, bytes: &[u8]| {
        let path = folder.path().join(relative);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    let report = || analyze(&[folder.path().to_path_buf()], rules, &Options::default(), &Silent);
    let files: Vec<(PathBuf, Vec<u8>)> = found
        .iter()
        .filter(|file| file.file_name().is_some_and(|name| name != "expected.json" && name != "truth.txt"))
        .map(|file| {
            let relative = file.strip_prefix(of).expect("below the folder").to_path_buf();
            (relative, fs::read(file).expect("a file"))
        })
        .collect();
    for (relative, bytes) in &files {
        place(relative, bytes);
    }
    let once = told(&report());
    for (relative, bytes) in &files {
        place(&named(relative), bytes);
    }
    let twice = told(&report());
    let lost = once.iter().filter(|line| !twice.contains(line)).map(|line| format!("- {line}"));
    let new = twice.iter().filter(|line| !once.contains(line)).map(|line| format!("+ {line}"));
    let mut differences: Vec<String> = lost.chain(new).collect();
    if differences.is_empty() && once.len() != twice.len() {
        differences.push(format!("{} lines became {}", once.len(), twice.len()));
    }
    differences
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().expect("a name").to_string_lossy();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, "txt"));
    path.with_file_name(format!("{stem} (2).{ending}"))
}

fn in_another_folder(path: &Path) -> PathBuf {
    Path::new("copies").join(path)
}

fn all_samples(named: fn(&Path) -> PathBuf) {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(samples()).expect("the samples") {
        let sample = entry.expect("an entry").path();
        if sample.is_dir() {
            count += 1;
            let differences = copies_change_nothing(&rules, &sample, named);
            let name = sample.file_name().expect("a name").to_string_lossy().into_owned();
            failures.extend(differences.into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    assert!(count > 20, "{count} samples");
    failures.sort();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn copies_beside_the_originals_change_nothing() {
    all_samples(beside);
}

#[test]
fn copies_in_another_folder_change_nothing() {
    all_samples(in_another_folder);
}

#[test]
fn copies_of_third_party_files_change_nothing() {
    let Some(corpus) = env::var_os("CRASHSIFT_CORPUS") else { return };
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let differences = copies_change_nothing(&rules, Path::new(&corpus), in_another_folder);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The events of a machine with many kinds of problems.
fn much_that_goes_wrong() -> [(&'static str, Vec<Event>); 2] {
    let noon = FileTime::utc(2024, 5, 6, 12, 0, 0);
    let at = |seconds| noon.plus_seconds(seconds);
    let program = r"C:\Program Files\Demo\demo.exe";
    let application = vec![
        missing_assembly(at(0), "Microsoft.VC90.CRT", program),
        missing_assembly(at(60), "Microsoft.VC90.CRT", program),
        ended_by_other(at(120), program, r"C:\Guard\guard.exe", 0xC000_0005, at(30)),
        product_installed(at(180), "Demo", "2.1", "Example"),
        defender_action(at(240), "Trojan:Win32/Demo", r"C:\Program Files\Demo\part.dll", program, "Quarantine"),
    ];
    let system = vec![
        missing_dll_popup(at(10), "demo.exe", "part.dll"),
        missing_dll_popup(at(70), "demo.exe", "part.dll"),
        service_ended(at(130), "Demo Service", "DemoSvc", "Restart the service"),
        service_ended(at(190), "Demo Service", "DemoSvc", "Restart the service"),
        display_reset(at(250), "nvlddmkm"),
        kernel_power(at(3600), LostPower::default()),
        unclean_shutdown(at(3609), at(3500), 2, 3500),
    ];
    [("Application", application), ("System", system)]
}

#[test]
fn a_log_that_was_saved_in_parts_that_overlap_is_one_log() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let report = |parts: &[(usize, usize)]| {
        let folder = tempfile::tempdir().expect("a folder");
        for (channel, events) in much_that_goes_wrong() {
            for (number, (from, to)) in parts.iter().enumerate() {
                let mut log = EventLog::new(channel, "PC-1");
                let part = events.iter().skip(*from).take(*to - *from);
                part.cloned().for_each(|event| {
                    log.add(event);
                });
                fs::write(folder.path().join(format!("{channel} {number}.evtx")), log.to_bytes()).expect("a file");
            }
        }
        told(&analyze(&[folder.path().to_path_buf()], &rules, &Options::default(), &Silent))
    };
    let whole = report(&[(0, 9)]);
    assert!(whole.iter().filter(|line| line.contains(" start-failure ")).count() >= 4, "{whole:#?}");
    assert_eq!(report(&[(0, 9), (0, 9)]), whole);
    assert_eq!(report(&[(0, 4), (2, 9), (1, 5)]), whole);
}

/// A form letter, or one person's way of writing: equal texts about different incidents.
#[test]
fn the_same_words_around_another_event_are_another_incident() {
    let rules = RuleSet::load(true, &[]).expect("the built-in rules");
    let text = fs::read_to_string(samples().join("ticket-event-xml/details.txt")).expect("a text");
    let later = text.replace("08:21:44", "10:21:44").replace("20511", "20520").replace("0x2b08", "0x2c08");
    let incidents = |texts: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        for (number, text) in texts.iter().enumerate() {
            fs::write(folder.path().join(format!("{number}.txt")), text).expect("a file");
        }
        let report = analyze(&[folder.path().to_path_buf()], &rules, &Options::default(), &Silent);
        report.incidents.iter().map(|judged| judged.incident.evidence.len()).collect::<Vec<_>>()
    };
    assert_eq!(incidents(&[&text]), [2]);
    assert_eq!(incidents(&[&text, &later]), [2, 2]);
    assert_eq!(incidents(&[&text, &later, &text, &later]), [4, 4], "copies of each are still one");
}

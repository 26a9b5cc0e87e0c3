//! `merge`: the reports of parts give the report of the whole.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{self, run};
use pipeline::discover;
use pipeline::gather::{Listed, gather, list_files, not_read};
use pipeline::merge::{self, Gathering, Part};
use pipeline::{Options, Silent, analyze};
use report::{Report, json, jsonl, model};
use rules::RuleSet;
use serde_json::Value;
use tempfile::TempDir;

/// Everything that is needed to analyze and merge within this process.
struct Bench {
    rules: RuleSet,
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let rules = RuleSet::load(true, &[]).expect("the built-in rules");
        Self { rules, folder: tempfile::tempdir().expect("a folder") }
    }

    fn report(&self, paths: &[PathBuf], keep_evidence: bool) -> Report {
        let options = Options { keep_evidence, ..Options::default() };
        analyze(paths, &self.rules, &options, &Silent)
    }

    /// The reports of parts, each written to a file and read again: every second one as JSON Lines.
    fn parts(&self, parts: &[Vec<PathBuf>]) -> Vec<Part> {
        let parts = parts.iter().enumerate().map(|(index, paths)| {
            let report = self.report(paths, true);
            let path = self.folder.path().join(format!("part-{index}.json"));
            let mut file = fs::File::create(&path).expect("a file");
            let write = if index % 2 == 0 { json::write } else { jsonl::write };
            write(&report, &mut file).expect("written");
            Part { name: format!("part-{index}"), report: model::read(&path).expect("a report") }
        });
        parts.collect()
    }

    fn merged(&self, parts: Vec<Part>, keep_evidence: bool) -> Report {
        let (read, note) = merge::artifacts(parts).unwrap_or_else(|(index, error)| panic!("{index}: {error}"));
        assert_eq!(note, None);
        let options = Options { keep_evidence, ..Options::default() };
        pipeline::merge(read, &self.rules, &options)
    }
}

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    json::write(report, &mut out).expect("memory");
    String::from_utf8(out).expect("text")
}

/// A sequence of numbers that looks random and is the same in every run (SplitMix64, Steele et al. 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }
}

/// Checks that reports of random partitions of the files in `folder` merge to the report of the whole folder.
#[track_caller]
fn partitions_make_the_whole(folder: &Path, rounds: u64) {
    let bench = Bench::new();
    let (files, _) = discover::find(&[folder.to_path_buf()]);
    assert!(files.len() > 20, "{} files", files.len());
    let (plain, kept) = (text(&bench.report(&files, false)), text(&bench.report(&files, true)));
    assert!(kept.len() > plain.len());
    let mut numbers = Numbers(1);
    for round in 0..rounds {
        let count = 2 + usize::try_from(numbers.below(4)).expect("small");
        let mut parts = vec![Vec::new(); count];
        for file in &files {
            let part = usize::try_from(numbers.below(count as u64)).expect("small");
            parts[part].push(file.clone());
            // Some files are given twice.
            if numbers.below(16) == 0 {
                parts[(part + 1) % count].push(file.clone());
            }
        }
        let keeps = round % 2 == 1;
        let merged = text(&bench.merged(bench.parts(&parts), keeps));
        let whole = if keeps { &kept } else { &plain };
        if merged != *whole {
            let differs = merged.lines().zip(whole.lines()).enumerate().find(|(_, (a, b))| a != b);
            panic!("round {round}, {count} parts: line {differs:?}");
        }
    }
}

#[test]
fn any_partition_of_the_samples_makes_the_report_of_all() {
    partitions_make_the_whole(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), 6);
}

#[test]
fn any_partition_of_third_party_files_makes_the_report_of_all() {
    let Some(corpus) = env::var_os("CRASHSIFT_CORPUS") else { return };
    partitions_make_the_whole(Path::new(&corpus), 2);
}

#[test]
fn files_that_were_read_one_by_one_make_the_report_of_all() {
    let bench = Bench::new();
    let folder = [Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")];
    let Listed { files, unread } = list_files(&folder);
    let read = gather(&files, &Options::default(), &Silent);
    assert_eq!(read.len(), files.len());
    let mut gathering = Gathering::default();
    for (path, one) in files.iter().zip(read).flat_map(|(path, all)| all.into_iter().map(move |one| (path, one))) {
        gathering.add(path.as_os_str().as_encoded_bytes(), one.artifact, one.evidence).expect("evidence");
    }
    for artifact in unread {
        gathering.add(artifact.path.clone().as_bytes(), artifact, None).expect("no evidence");
    }
    // What an earlier reading had of these files does not count.
    gathering.earlier();
    for path in &files {
        let nothing = not_read(path, 0, "an earlier reading".to_owned(), false);
        gathering.add(path.as_os_str().as_encoded_bytes(), nothing, Some(vec![1; 9])).expect("passed over");
    }
    let merged = pipeline::merge(gathering.finish().expect("evidence"), &bench.rules, &Options::default());
    assert_eq!(text(&merged), text(&bench.report(&folder, false)));
}

#[test]
fn damaged_evidence_of_a_file_that_was_read_elsewhere_is_told() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gpu-timeout");
    let Listed { files, .. } = list_files(&[sample]);
    let [one, ..] = <[_; 1]>::try_from(gather(&files[..1], &Options::default(), &Silent)).expect("a file");
    let one = one.into_iter().find(|one| one.evidence.is_some()).expect("evidence");
    let mut evidence = one.evidence.expect("evidence");
    *evidence.last_mut().expect("bytes") ^= 1;
    let mut gathering = Gathering::default();
    gathering.add(b"one", one.artifact.clone(), Some(evidence)).expect("not looked at yet");
    let error = gathering.finish().expect_err("damage").to_string();
    assert!(error.contains(&one.artifact.path) && error.contains("its hash is another"), "{error}");
}

#[test]
fn merged_reports_can_be_merged_again() {
    let bench = Bench::new();
    let sample = |name: &str| vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)];
    let parts = [sample("one-crash-three-artifacts"), sample("gpu-timeout"), sample("power-lost")];
    let whole = bench.report(&parts.concat(), true);
    let first_two = bench.merged(bench.parts(&parts[..2]), true);
    let path = bench.folder.path().join("first-two.json");
    json::write(&first_two, &mut fs::File::create(&path).expect("a file")).expect("written");
    let mut all = bench.parts(&parts[2..]);
    all.push(Part { name: "first-two".to_owned(), report: model::read(&path).expect("a report") });
    assert_eq!(text(&bench.merged(all, true)), text(&whole));
}

/// A report of the sample, written by the program.
fn mergeable(folder: &Path, name: &str, of: &Path) -> PathBuf {
    let path = folder.join(name);
    let (of, out) = (of.to_str().expect("text"), path.to_str().expect("text"));
    run(["analyze", "--mergeable", "--format", "json", "--output", out, of]).ends_with(0);
    path
}

#[test]
fn a_crash_whose_files_came_in_two_reports_is_one_incident() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/one-crash-three-artifacts");
    let (found, _) = discover::find(&[sample]);
    let reports: Vec<PathBuf> = found
        .iter()
        .filter(|file| file.extension().is_some_and(|own| own != "json"))
        .enumerate()
        .map(|(index, file)| mergeable(folder.path(), &format!("{index}.json"), file))
        .collect();
    let mut arguments = vec!["merge", "--format", "json"];
    arguments.extend(reports.iter().map(|path| path.to_str().expect("text")));
    let report = run(arguments).ends_with(0).json();
    let kinds: Vec<&str> = report["artifacts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|artifact| artifact["kind"].as_str())
        .collect();
    assert!(kinds.contains(&"minidump") && kinds.contains(&"event-log"), "{kinds:?}");
    assert_eq!(report["incidents"].as_array().map(Vec::len), Some(1));
    assert_eq!(report.get("evidence_format"), None, "only with --mergeable");
}

#[test]
fn files_of_several_computers_under_one_path_stay_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut reports = Vec::new();
    for (computer, sample) in [("pc-1", "power-lost"), ("pc-2", "failing-drive")] {
        let logs = folder.path().join("logs");
        fs::create_dir_all(&logs).expect("a folder");
        let (found, _) = discover::find(&[samples.join(sample)]);
        let log = found.iter().find(|file| file.extension().is_some_and(|own| own == "evtx")).expect("a log");
        fs::copy(log, logs.join("System.evtx")).expect("copied");
        reports.push(mergeable(folder.path(), &format!("{computer}.json"), &logs));
    }
    let mut arguments = vec!["merge", "--format", "json"];
    arguments.extend(reports.iter().map(|path| path.to_str().expect("text")));
    let run = run(arguments).ends_with(0);
    assert!(run.stderr.contains("paths begin with the names of their reports"), "{run:#?}");
    let report = run.json();
    let paths: Vec<&str> = report["artifacts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|artifact| artifact["path"].as_str())
        .collect();
    assert_eq!(paths.len(), 2);
    assert!(paths[0].starts_with("pc-1/") && paths[1].starts_with("pc-2/"), "{paths:?}");
}

#[test]
fn what_cant_be_merged_is_reported_with_report_and_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/stack-overflow");
    let good = mergeable(folder.path(), "good.json", &sample);
    let document: Value = serde_json::from_slice(&fs::read(&good).expect("a report")).expect("JSON");
    let place = document["artifacts"]
        .as_array()
        .and_then(|list| list.iter().position(|artifact| artifact["evidence"].is_string()))
        .expect("evidence");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed);
        changed.to_string()
    };
    let evidence = document["artifacts"][place]["evidence"].as_str().expect("text").to_owned();
    let cases = [
        ("plain", run(["analyze", "--format", "json", "samples/stack-overflow"]).stdout, "it holds no evidence"),
        ("other", with(&|report| report["evidence_format"] = "0000".into()), "whose form of evidence is another"),
        ("cut", with(&|report| report["artifacts"][place]["evidence"] = evidence[..40].into()), "is damaged"),
        ("kind", with(&|report| report["artifacts"][place]["kind"] = "movie".into()), "kind \"movie\" is not known"),
        ("text", "no report".to_owned(), "no JSON report of crashsift"),
        ("new", with(&|report| report["schema_version"] = "2.0".into()), "schema_version"),
        ("large", with(&|report| report["artifacts"][place]["evidence"] = "".into()), "too large to be kept"),
        (
            "stripped",
            with(&|report| drop(report["artifacts"][place].as_object_mut().expect("one").remove("evidence"))),
            "does not hold its evidence",
        ),
        (
            "shorter",
            with(&|report| drop(report["artifacts"].as_array_mut().expect("a list").remove(place))),
            "the report is not whole",
        ),
    ];
    for (name, content, reason) in cases {
        let path = folder.path().join(format!("{name}.json"));
        fs::write(&path, content).expect("written");
        let run = run(["merge", good.to_str().expect("text"), path.to_str().expect("text")]).ends_with(2);
        let file = path.to_str().expect("text");
        assert!(run.stderr.contains(file) && run.stderr.contains(reason), "{name}: {run:#?}");
        assert_eq!(run.stdout, "");
    }
    let told = run(["analyze", "--mergeable", "samples/stack-overflow"]).ends_with(2);
    assert!(told.stderr.contains("--format json"), "{told:#?}");
    let told = run(["merge", "-"]).ends_with(2);
    assert!(told.stderr.contains("not read from standard input"), "{told:#?}");
}

#[test]
fn a_report_is_not_written_over_one_that_is_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/stack-overflow");
    let report = mergeable(folder.path(), "in.json", &sample);
    let before = fs::read(&report).expect("a report");
    let same = folder.path().join(".").join("in.json");
    let (path, same) = (report.to_str().expect("text"), same.to_str().expect("text"));
    let told = run(["merge", "--format", "json", "--output", same, path]).ends_with(2);
    assert!(told.stderr.contains("one of the files that are read"), "{told:#?}");
    let told = run(["compare", path, "Cargo.toml", "--output", same]).ends_with(2);
    assert!(told.stderr.contains("one of the files that are read"), "{told:#?}");
    assert_eq!(fs::read(&report).expect("a report"), before);
}

#[test]
fn damaged_evidence_ends_in_a_message_and_never_in_false_evidence() {
    let bench = Bench::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/one-crash-three-artifacts");
    let mut numbers = Numbers(7);
    let (mut tried, mut refused) = (0, 0);
    let whole = format!("{:?}", merge::artifacts(bench.parts(&[vec![sample]])).map(|(read, _)| read));
    for _ in 0..2_000 {
        let mut report = model::read(&bench.folder.path().join("part-0.json")).expect("a report");
        let place = usize::try_from(numbers.below(report.artifacts.len() as u64)).expect("small");
        let Some(evidence) = &mut report.artifacts.to_mut()[place].evidence else { continue };
        tried += 1;
        let mut bytes = evidence.clone().into_bytes();
        for _ in 0..=numbers.below(3) {
            let at = usize::try_from(numbers.below(bytes.len() as u64)).expect("small");
            bytes[at] = b"ABCDEFabcdef0123456789+/"[usize::try_from(numbers.below(24)).expect("small")];
        }
        *evidence = String::from_utf8(bytes).expect("text");
        match merge::artifacts(vec![Part { name: "damaged".to_owned(), report }]) {
            // Some bits of a compressed text have no meaning.
            Ok((read, _)) => assert_eq!(format!("{:?}", Ok::<_, (usize, std::io::Error)>(read)), whole),
            Err((index, error)) => {
                refused += 1;
                assert_eq!(index, 0);
                assert!(error.to_string().contains("its evidence is damaged"), "{error}");
            }
        }
    }
    assert!(tried > 1_000 && refused > tried * 9 / 10, "{refused} of {tried} refused");
}

/// On Linux a file's name can hold bytes that are no text, which are shown as escapes, and another name those very escapes.
#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_only_in_bytes_that_are_no_text_stay_two_artifacts() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let dumps = folder.path().join("dumps");
    fs::create_dir(&dumps).expect("a folder");
    for name in [b"a\xff.dmp".as_slice(), br"a\xff.dmp", br"a\x5cxff.dmp", br"a\b.dmp"] {
        fs::copy("samples/stack-overflow/python.exe.5316.dmp", dumps.join(OsStr::from_bytes(name))).expect("copied");
    }
    let report = mergeable(folder.path(), "in.json", &dumps);
    let merged = run(["merge", "-q", "-f", "json", report.to_str().expect("text")]).ends_with(0).json();
    let paths: Vec<&str> = program::list(&merged, "artifacts").iter().map(|one| program::text(one, "path")).collect();
    let names: Vec<&str> = paths.iter().filter_map(|path| path.rsplit('/').next()).collect();
    assert_eq!(names, [r"a\b.dmp", r"a\x5cx5cxff.dmp", r"a\x5cxff.dmp", r"a\xff.dmp"]);
}

//! Reports that were written before, the evidence in them, and what is kept between runs.

use std::fs;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use data_encoding::BASE64;
use evidence::FORMAT;
use evtx_scan::{Cache, Extract, LEAST_LOG, Record, Selection, Source};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use pipeline::merge::{Part, artifacts};
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use pipeline::{Options, Silent, analyze, merge};
use report::compare::{Side, compare};
use report::model::{self, Document};
use report::{Artifact, ArtifactStatus, json, jsonl};
use samplekit::FileTime;
use samplekit::event_log::EventLog;
use samplekit::events::product_installed;
use tempfile::TempDir;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::answer;
use super::program::{RULES, assert_formats};
use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new(
        "report-json",
        Group::Reports,
        "A JSON report, which is read and compared with another",
        report_json,
        reports,
    )
    .with_words(&[
        "null",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "-1",
        "1e999",
        "\"0x\"",
        "true",
        "\\ud800",
        "\n",
        "2024-06-03T10:00:00Z",
    ])
    .at_most(64 << 10),
    Target::new(
        "evidence",
        Group::Reports,
        "The evidence in a report, before it is compressed",
        unpacked,
        kept_evidence,
    )
    .at_most(32 << 10),
    Target::new(
        "merged-evidence",
        Group::Reports,
        "The evidence in a report, which is joined, judged and printed in every format",
        merged,
        kept_evidence,
    )
    .at_most(32 << 10),
    Target::new(
        "cache-entry",
        Group::Reports,
        "A file of the cache of event logs, half of the mutants with a right checksum",
        cache,
        caches,
    )
    .repaired(seal_cache),
    Target::new(
        "answer",
        Group::Reports,
        "The file with the answer of an earlier run",
        answer::answer,
        answer::answers,
    )
    .repaired(answer::seal),
];

/// The report on a few samples.
fn written(lines: bool) -> Vec<u8> {
    let samples = seeds::project().join("samples");
    let paths = ["stack-overflow", "wer-hang-on-spooler", "ticket-beside-the-log"].map(|name| samples.join(name));
    let options = Options { keep_evidence: true, ..Options::default() };
    let report = analyze(&paths, &RULES, &options, &Silent);
    let mut bytes = Vec::new();
    if lines { jsonl::write(&report, &mut bytes) } else { json::write(&report, &mut bytes) }.expect("memory");
    bytes
}

fn reports() -> Vec<Vec<u8>> {
    vec![written(false), written(true)]
}

fn report_json(input: &[u8]) -> Shape {
    static OTHER: LazyLock<Side> = LazyLock::new(|| {
        Side::from(model::read(&scratch::named_file("other.json", &written(false))).expect("an own report"))
    });
    let mut shape = Shape::default();
    match model::read(&scratch::named_file("fuzzed.json", input)) {
        Ok(document) => {
            let side = Side::from(document);
            match compare(&OTHER, &side) {
                Ok(comparison) => {
                    let mut bytes = Vec::new();
                    json::write_comparison(&comparison, &mut bytes).expect("memory");
                    serde_json::from_slice::<serde_json::Value>(&bytes).expect("a comparison is JSON");
                    shape.size(bytes.len());
                }
                Err(error) => shape.message(&error),
            }
        }
        Err(error) => shape.message(&error),
    }
    shape
}

/// Reads evidence as from a report of one artifact.
fn from_report(evidence: &[u8]) -> Result<Vec<ReadArtifact>, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(&xxh3_64(evidence).to_le_bytes()).expect("memory");
    encoder.write_all(evidence).expect("memory");
    let text = BASE64.encode(&encoder.finish().expect("memory"));
    let artifact = Artifact {
        path: "fuzzed".to_owned(),
        kind: "minidump".into(),
        status: ArtifactStatus::Ok,
        detail: None,
        bytes: 7,
        records: None,
        party: None,
        evidence: Some(text),
    };
    let mut report = Document::default();
    report.artifacts = vec![artifact].into();
    report.evidence_format = Some(FORMAT.into());
    artifacts(vec![Part { name: "report".to_owned(), report }])
        .map(|(read, _)| read)
        .map_err(|(_, error)| error.to_string())
}

fn unpacked(input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    match from_report(input) {
        Ok(read) => {
            for evidence in read.iter().flat_map(|read| &read.evidence) {
                shape.value(std::mem::discriminant(&evidence.observation));
            }
        }
        Err(error) => shape.message(&error),
    }
    shape
}

fn merged(input: &[u8]) -> Shape {
    let mut shape = Shape::default();
    match from_report(input) {
        Ok(read) => assert_formats(&merge(read, &RULES, &Options::default()), &mut shape),
        Err(error) => shape.message(&error),
    }
    shape
}

/// The evidence of some samples as reports have it.
fn kept_evidence() -> Vec<Vec<u8>> {
    use flate2::read::DeflateDecoder;
    use std::io::Read;
    let of = |(path, _): &(PathBuf, Vec<u8>)| {
        let read = read_artifact(path, &ReadContext { walk_stacks: true, ..ReadContext::default() });
        let packed = BASE64.decode(pipeline::merge::pack(&read).expect("little evidence").as_bytes()).expect("Base64");
        let mut bytes = Vec::new();
        DeflateDecoder::new(packed.as_slice()).read_to_end(&mut bytes).expect("as it was compressed");
        bytes.split_off(8)
    };
    seeds::FILES.iter().filter(|(_, content)| !content.is_empty()).map(of).filter(|bytes| bytes.len() < 4096).collect()
}

/// The digest of the cache's files.
const DIGEST: &str = "fuzzed";

/// A log that is large enough to be kept, with its folder.
static LOG: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = scratch::folder();
    let path = folder.path().join("Application.evtx");
    let mut log = EventLog::new("Application", "PC-1");
    let noon = FileTime::utc(2024, 5, 6, 12, 0, 0);
    // Records of 2 KiB each, so that few of them are large enough together.
    let text = "x".repeat(1000);
    for number in 0..600 {
        log.add(product_installed(noon.plus_seconds(number), &text, "1.0", "Demo"));
    }
    let bytes = log.to_bytes();
    assert!(bytes.len() as u64 >= LEAST_LOG, "{} bytes are not kept", bytes.len());
    fs::write(&path, bytes).expect("room");
    (folder, path)
});

/// Reads the log with the cache in a folder.
fn read_with_cache(folder: &std::path::Path) -> (u64, Vec<u64>, Vec<String>) {
    let (_, path) = &*LOG;
    let file = File::open(path).expect("the log");
    let bytes = file.metadata().expect("the log").len();
    let cache = Cache::in_folder(folder, DIGEST).expect("a folder");
    let kept = cache.log(path, bytes).expect("a large log");
    let source = Source { file: &file, bytes, cache: Some(&kept) };
    // A cache is of records that are wanted by event.
    let selection = Selection::wanted(windows_events::catalogue::wanted());
    let each = |record: &Record<'_>| Some(record.id);
    let log = evtx_scan::read(source, &selection, Extract::<u64>::Each(&each)).expect("an event log");
    drop(kept);
    (log.records, log.extracted, cache.notes())
}

/// The file of the log in a cache's folder.
fn cache_file(folder: &std::path::Path) -> PathBuf {
    let hash = xxh3_128(std::path::absolute(&LOG.1).expect("a path").as_os_str().as_encoded_bytes());
    folder.join(format!("{hash:032x}.crashsift-cache"))
}

/// Reads the log with a cache file of this content.
fn cache(input: &[u8]) -> Shape {
    thread_local! {
        static FOLDER: TempDir = scratch::folder();
    }
    FOLDER.with(|folder| {
        fs::write(cache_file(folder.path()), input).expect("room");
        let (records, extracted, notes) = read_with_cache(folder.path());
        let mut shape = Shape::default();
        shape.value(records);
        shape.size(extracted.len());
        notes.iter().for_each(|note| shape.message(&note.rsplit(": ").next().unwrap_or_default()));
        shape
    })
}

/// The cache file that a run without one writes.
fn caches() -> Vec<Vec<u8>> {
    let folder = scratch::folder();
    let (_, path) = &*LOG;
    let file = File::open(path).expect("the log");
    let bytes = file.metadata().expect("the log").len();
    let cache = Cache::in_folder(folder.path(), DIGEST).expect("a folder");
    let kept = cache.log(path, bytes).expect("a large log");
    let selection = Selection::wanted(windows_events::catalogue::wanted());
    let each = |record: &Record<'_>| Some(record.id);
    evtx_scan::read(Source { file: &file, bytes, cache: Some(&kept) }, &selection, Extract::<u64>::Each(&each))
        .expect("a log");
    kept.save();
    vec![fs::read(cache_file(folder.path())).expect("it was written")]
}

/// Updates the checksum of a cache file.
fn seal_cache(file: &mut [u8]) {
    const CHECKSUM: usize = 32;
    const COVERED: usize = 40;
    if let Some(covered) = file.get(COVERED..) {
        let checksum = xxh3_64(covered);
        file[CHECKSUM..COVERED].copy_from_slice(&checksum.to_le_bytes());
    }
}

//! Every sample, cut short and with flipped bytes: status `ok` must mean that nothing is missing, and no reader may
//! panic.
//!
//! Event logs contain checksums, so `ok` must mean that nothing differs at all. Dumps contain none: a flipped byte in a
//! value can't be noticed, but a list that lost entries must not count as complete. A text that was cut between two
//! lines can't be distinguished from a shorter text.

use std::fs;
use std::path::{Path, PathBuf};

use evidence::{Observation, ProcessDump};
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use report::ArtifactStatus;
use samplekit::Random;

/// Number of cuts of each sample, spread over its length, in addition to those near its ends.
const CUTS: usize = 96;
/// Number of flipped bytes of each sample.
const FLIPS: usize = 400;

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let files: Vec<PathBuf> = walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| !matches!(path.extension().and_then(|e| e.to_str()), Some("json" | "md")))
        .collect();
    assert!(files.len() > 20, "the samples are missing");
    files
}

fn read(path: &Path) -> ReadArtifact {
    let read = read_artifact(path, &ReadContext { walk_stacks: true, ..ReadContext::default() });
    let detail = read.artifact.detail.clone().unwrap_or_default();
    assert!(!detail.contains("defect of crashsift"), "{}: a reader panicked", path.display());
    read
}

/// All evidence of an artifact, for comparisons.
fn said(read: &ReadArtifact) -> String {
    format!("{:?} {:?}", read.artifact.records, read.evidence)
}

struct Workbench {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Workbench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { file: folder.path().join("damaged"), _folder: folder }
    }

    fn read(&self, content: &[u8]) -> ReadArtifact {
        fs::write(&self.file, content).expect("a file");
        read(&self.file)
    }
}

#[test]
fn what_was_cut_short_is_never_ok_unless_its_evidence_is_the_same() {
    let bench = Workbench::new();
    for path in samples() {
        let whole = fs::read(&path).expect("a sample");
        let original = bench.read(&whole);
        if original.artifact.status != ArtifactStatus::Ok || original.artifact.kind == "ticket" {
            continue;
        }
        let step = (whole.len() / CUTS).max(1);
        let near_ends = (0..40).chain(whole.len().saturating_sub(24)..whole.len());
        for length in near_ends.chain((0..whole.len()).step_by(step)) {
            let cut = bench.read(&whole[..length.min(whole.len())]);
            let same = said(&cut) == said(&original);
            assert!(
                cut.artifact.status != ArtifactStatus::Ok || same,
                "{} cut to {length} of {} bytes is ok and says less (a signature that is cut: is_begun_signature)",
                path.display(),
                whole.len()
            );
        }
    }
}

#[test]
fn flipped_bytes_never_pass_for_whole_when_something_is_missing() {
    let bench = Workbench::new();
    for (number, path) in samples().into_iter().enumerate() {
        let whole = fs::read(&path).expect("a sample");
        let original = bench.read(&whole);
        if whole.is_empty() || original.artifact.status != ArtifactStatus::Ok {
            continue;
        }
        let mut random = Random::new(number as u64 + 1);
        for _ in 0..FLIPS {
            let mut flipped = whole.clone();
            let at = random.below(whole.len());
            flipped[at] ^= 1 << random.below(8);
            let read = bench.read(&flipped);
            if read.artifact.status == ArtifactStatus::Ok && read.artifact.kind == original.artifact.kind {
                nothing_is_missing(&path, at, &whole, &original, &read);
            }
        }
    }
}

fn nothing_is_missing(path: &Path, at: usize, whole: &[u8], original: &ReadArtifact, read: &ReadArtifact) {
    let shown = format!("{} with byte {at} flipped", path.display());
    if original.artifact.kind == "event-log" {
        assert_eq!(said(read), said(original), "{shown}");
        return;
    }
    assert_eq!(read.evidence.len(), original.evidence.len(), "{shown}");
    for (now, before) in read.evidence.iter().zip(&original.evidence) {
        match (&now.observation, &before.observation) {
            (Observation::Process(now), Observation::Process(before)) => {
                if in_stream_type(whole, at) {
                    // A damaged type that is that of another documented stream, or one of the free numbers, can't be
                    // recognized as damage.
                    continue;
                }
                let count = |modules: &Option<Vec<_>>| modules.as_ref().map(Vec::len);
                assert_eq!(count(&now.modules), count(&before.modules), "{shown}: modules");
                assert_eq!(now.thread_count, before.thread_count, "{shown}: threads");
                assert_eq!(now.unloaded.len(), before.unloaded.len(), "{shown}: unloaded modules");
                // A flipped bit can turn an exception's code into that of a request.
                let told = |dump: &ProcessDump| dump.exception.is_some() || dump.requested.is_some();
                assert_eq!(told(now), told(before), "{shown}: exception");
            }
            // If the count became smaller, the missing entries can't be noticed.
            (Observation::Kernel(now), Observation::Kernel(before))
                if in_driver_count(whole, at) && now.drivers.len() <= before.drivers.len() => {}
            (Observation::Kernel(now), Observation::Kernel(before)) => {
                assert_eq!(now.drivers.len(), before.drivers.len(), "{shown}: drivers");
            }
            _ => {}
        }
    }
}

/// Whether a byte lies in the count of drivers of a 64-bit triage dump.
fn in_driver_count(dump: &[u8], at: usize) -> bool {
    /// Where the triage header begins, and where in it the count stands (`TRIAGE_DUMP64`).
    const COUNT: usize = 0x2000 + 0x34;
    dump.starts_with(b"PAGEDU64") && (COUNT..COUNT + 4).contains(&at)
}

/// Whether a byte lies in a stream's type in a minidump's directory.
fn in_stream_type(dump: &[u8], at: usize) -> bool {
    let value = |at: usize| dump.get(at..at + 4).map(|v| u32::from_le_bytes([v[0], v[1], v[2], v[3]]) as usize);
    let (Some(count), Some(directory)) = (value(8), value(12)) else { return false };
    (directory..directory + count * 12).contains(&at) && (at - directory) % 12 < 4
}

/// The number of 32 bits at an offset.
fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

#[test]
fn names_of_modules_that_are_zeroed_or_empty_are_losses() {
    const MODULE_LIST: usize = 4;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.dmp");
    let whole = fs::read("samples/stack-overflow/python.exe.5316.dmp").expect("a sample");
    let (count, directory) = (number(&whole, 8), number(&whole, 12));
    let entry = (0..count).map(|index| directory + index * 12).find(|at| number(&whole, *at) == MODULE_LIST);
    let list = number(&whole, entry.expect("a list of modules") + 8);
    let name = number(&whole, list + 4 + 20);
    let length = number(&whole, name);

    let mut zeroed = whole.clone();
    zeroed[name + 4..name + 4 + length].fill(0);
    let mut empty = whole;
    empty[name..name + 4].fill(0);
    for bytes in [zeroed, empty] {
        fs::write(&path, bytes).expect("a file");
        let artifact = read(&path).artifact;
        let detail = artifact.detail.unwrap_or_default();
        assert_eq!(artifact.status, ArtifactStatus::Partial, "{detail}");
        assert!(detail.contains("stream ModuleList: names of 1 of "), "{detail}");
    }
}

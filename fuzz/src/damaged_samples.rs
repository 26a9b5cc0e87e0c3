//! Samples with damage that an input describes, and whether what is read of them admits what is missing.
//!
//! Event logs contain checksums, so `ok` must mean that nothing differs at all. Dumps contain none: a flipped byte in a value
//! can't be noticed, but a list that lost entries must not count as complete.

use std::path::Path;
use std::sync::LazyLock;

use evidence::{Observation, ProcessDump};
use pipeline::read::{ReadArtifact, read_artifact};
use pipeline::read_context::ReadContext;
use report::ArtifactStatus;
use samplekit::event_log::patch::{chunk_header, file_header};
use samplekit::event_log::{CHUNK_BYTES, FILE_HEADER_BYTES};

use crate::mutate::{Choices, Choose, Material, damage};
use crate::{Shape, scratch, seeds};

/// A file with what is read of it.
#[derive(Debug)]
pub struct Sample {
    /// Its path.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
    /// What is read of it undamaged.
    pub original: ReadArtifact,
}

/// The samples of which all can be read, without texts, which are whole wherever they end.
pub static WHOLE: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let samples = seeds::FILES.iter().filter(|(_, content)| !content.is_empty()).map(|(path, content)| Sample {
        path: path.display().to_string(),
        content: content.clone(),
        original: read(content),
    });
    let whole: Vec<Sample> = samples
        .filter(|sample| sample.original.artifact.status == ArtifactStatus::Ok)
        .filter(|sample| sample.original.artifact.kind != "ticket")
        .collect();
    assert!(whole.len() > 20, "the samples are missing");
    whole
});

/// Reads bytes as a file without ending.
///
/// # Panics
/// When a reader panicked.
#[must_use]
pub fn read(content: &[u8]) -> ReadArtifact {
    read_file(&scratch::named_file("damaged", content))
}

/// Reads a file, with the stacks of dumps.
///
/// # Panics
/// When a reader panicked.
#[must_use]
pub fn read_file(path: &Path) -> ReadArtifact {
    let read = read_artifact(path, &ReadContext { walk_stacks: true, ..ReadContext::default() });
    let detail = read.artifact.detail.clone().unwrap_or_default();
    assert!(!detail.contains("defect of crashsift"), "{}: a reader panicked", path.display());
    read
}

/// All evidence of an artifact, for comparisons.
#[must_use]
pub fn evidence_text(read: &ReadArtifact) -> String {
    format!("{:?} {:?}", read.artifact.records, read.evidence)
}

/// An input that damages the sample with this number as the following bytes describe.
pub(crate) fn described(number: u16, damage: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes(), damage].concat()
}

/// The sample that an input is about, and its damaged content. The first two bytes are the sample's number; the others
/// describe damage, one after the other.
pub(crate) fn damaged(input: &[u8], most: usize) -> (&'static Sample, Vec<u8>) {
    let mut choices = Choices(input);
    let number = u16::from_le_bytes([choices.below(0x100) as u8, choices.below(0x100) as u8]);
    let sample = &WHOLE[usize::from(number) % WHOLE.len()];
    let mut content = sample.content.clone();
    for _ in 0..most {
        if choices.is_empty() {
            break;
        }
        damage(&mut content, Material::default(), &mut choices);
    }
    (sample, content)
}

/// Reads a sample with one kind of damage.
///
/// # Panics
/// When less is read than of the whole sample, and the status is `ok`.
pub fn run(input: &[u8]) -> Shape {
    let (sample, content) = damaged(input, 1);
    let read = read(&content);
    assert_nothing_is_missing(sample, &content, &read);
    let mut shape = Shape::default();
    shape.value(read.artifact.status);
    shape.message(&read.artifact.detail.unwrap_or_default());
    shape.size(read.evidence.len());
    shape
}

/// Fails where the status is `ok` and something of the sample is missing.
///
/// # Panics
/// Then.
pub fn assert_nothing_is_missing(sample: &Sample, content: &[u8], read: &ReadArtifact) {
    let Sample { path, original, .. } = sample;
    if read.artifact.status != ArtifactStatus::Ok || read.artifact.kind != original.artifact.kind {
        return;
    }
    if original.artifact.kind == "event-log" {
        if !is_unchecked_damage(&sample.content, content) {
            assert_eq!(evidence_text(read), evidence_text(original), "{path}");
        }
        return;
    }
    // A text that was cut between two lines can't be distinguished from a shorter one, and what was inserted into a dump
    // or removed from it moves what follows.
    if content.len() != sample.content.len() || original.artifact.kind == "wer-report" {
        return;
    }
    let differs = |at: usize| sample.content.get(at) != content.get(at);
    assert_eq!(read.evidence.len(), original.evidence.len(), "{path}");
    for (now, before) in read.evidence.iter().zip(&original.evidence) {
        match (&now.observation, &before.observation) {
            (Observation::Process(now), Observation::Process(before)) => {
                // A damaged type that is that of another documented stream, or one of the free numbers, can't be
                // recognized as damage.
                if stream_types(&sample.content).any(|mut bytes| bytes.any(differs)) {
                    continue;
                }
                let count = |modules: &Option<Vec<_>>| modules.as_ref().map(Vec::len);
                assert_eq!(count(&now.modules), count(&before.modules), "{path}: modules");
                assert_eq!(now.thread_count, before.thread_count, "{path}: threads");
                assert_eq!(now.unloaded.len(), before.unloaded.len(), "{path}: unloaded modules");
                // A flipped bit can turn an exception's code into that of a request.
                let told = |dump: &ProcessDump| dump.exception.is_some() || dump.requested.is_some();
                assert_eq!(told(now), told(before), "{path}: exception");
            }
            // If the count became smaller, the missing entries can't be noticed.
            (Observation::Kernel(now), Observation::Kernel(before))
                if driver_count(&sample.content).any(differs) && now.drivers.len() <= before.drivers.len() => {}
            (Observation::Kernel(now), Observation::Kernel(before)) => {
                assert_eq!(now.drivers.len(), before.drivers.len(), "{path}: drivers");
            }
            _ => {}
        }
    }
}

/// Whether damage marks a log or one of its chunks as not closed, in flags that no checksum covers: what follows the last
/// record is then not expected to be there.
fn is_unchecked_damage(whole: &[u8], content: &[u8]) -> bool {
    let chunks = (FILE_HEADER_BYTES..whole.len()).step_by(CHUNK_BYTES).map(|chunk| chunk + chunk_header::FLAGS);
    let mut flags = std::iter::once(file_header::FLAGS).chain(chunks).flat_map(|at| at..at + 4);
    flags.any(|at| content.get(at).is_some_and(|byte| whole.get(at) != Some(byte)))
}

/// The bytes of the count of drivers of a 64-bit triage dump.
fn driver_count(dump: &[u8]) -> std::ops::Range<usize> {
    /// Where the triage header begins, and where in it the count is (`TRIAGE_DUMP64`).
    const COUNT: usize = 0x2000 + 0x34;
    if dump.starts_with(b"PAGEDU64") { COUNT..COUNT + 4 } else { 0..0 }
}

/// The bytes of the types of streams in a minidump's directory.
fn stream_types(dump: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
    let value = |at: usize| dump.get(at..at + 4).map(|v| u32::from_le_bytes([v[0], v[1], v[2], v[3]]) as usize);
    let (count, directory) = (value(8).unwrap_or_default(), value(12).unwrap_or_default());
    (0..count).map(move |number| directory + number * 12..directory + number * 12 + 4)
}

/// Inputs that damage each sample somewhere.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    (0..WHOLE.len() as u16).map(|number| described(number, &[0, 0, 0, 7])).collect()
}

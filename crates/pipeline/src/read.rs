//! Reads one file: recognizes its kind, calls the reader of that kind, and turns failures into a status. An archive is
//! read with its members.

mod archive;

use std::fs::File;
use std::io::{self, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::discover::{first_bytes, is_office_document, named_kind, not_pasted, sniff};
use crate::read_context::ReadContext;
use crate::sigma_matches::SigmaMatcher;
use archive::Nesting;
use crash_dump::{read_kernel_dump, read_minidump};
use evidence::{ArtifactKind, Evidence, LogCoverage, Reading};
use pasted_text as ticket;
use report::{Artifact, ArtifactStatus};
use untrusted::{HeadAndTail, Loss, Unreadable, display_path, reason};
use wer::report as wer_report;
use windows_events as event_log;

/// The most losses of an artifact in its detail; the others are counted.
const LOSSES_SHOWN: usize = 12;

/// An artifact with its evidence.
#[derive(Debug, Clone)]
pub struct ReadArtifact {
    /// As the report lists it.
    pub artifact: Artifact,
    /// Whether it was given as a ticket, outside all folders.
    pub pasted: bool,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// For an event log: the time that it covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

/// Reads the file at `path`. A file that can't be read is an artifact with a status. Of an archive, returns the archive
/// itself, without its members.
#[must_use]
pub fn read_artifact(path: &Path, context: &ReadContext) -> ReadArtifact {
    // The archive comes after its members.
    read_artifacts(path, context).pop().unwrap_or_else(|| {
        let reason = "nothing was read".to_owned();
        unread(display_path(path), ArtifactKind::Unknown, 0, ArtifactStatus::Failed, reason)
    })
}

/// Reads the file at `path`; of an archive, returns its members and then the archive.
#[must_use]
pub fn read_artifacts(path: &Path, context: &ReadContext) -> Vec<ReadArtifact> {
    let shown = display_path(path);
    let mut reader = Reader { context, all: Vec::new() };
    match open(path) {
        Ok(opened) => reader.read_opened(path, shown, opened, Nesting::NONE),
        Err(error) => {
            // A missing or forbidden file fails in every run; too many open files do not.
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) {
                reader.note_failure_of_machine();
            }
            let kind = named_kind(path).unwrap_or(ArtifactKind::Unknown);
            reader.all.push(unread(shown, kind, 0, ArtifactStatus::Failed, reason(&error)));
        }
    }
    reader.all
}

/// Reads one file, and the members of archives in it.
struct Reader<'c> {
    context: &'c ReadContext,
    /// The artifacts so far.
    all: Vec<ReadArtifact>,
}

impl Reader<'_> {
    /// Reads an opened file. `path` is its name, `shown` the name in the report.
    fn read_opened(&mut self, path: &Path, shown: String, opened: Opened, nesting: Nesting<'_>) {
        let read = match sniff(&opened.first) {
            ArtifactKind::Archive => return self.read_archive(path, shown, opened, nesting),
            ArtifactKind::Unknown => {
                let (kind, status, reason) = unknown(path, &opened.first, opened.bytes);
                unread(shown, kind, opened.bytes, status, reason)
            }
            kind => read_one(kind, path, shown, opened, self.context),
        };
        self.all.push(read);
    }

    /// Keeps the answer of this run from being cached: the computer failed, which it may not do in the next run.
    fn note_failure_of_machine(&self) {
        self.context.cache.iter().for_each(|cache| cache.note_failure_of_machine());
    }
}

/// Reads a file of a kind that has a reader.
fn read_one(kind: ArtifactKind, path: &Path, shown: String, mut opened: Opened, context: &ReadContext) -> ReadArtifact {
    let bytes = opened.bytes;
    // A panic in a reader, or in a crate that it uses, becomes the status of this artifact.
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatch(kind, path, &mut opened.file, bytes, context)));
    match outcome {
        Ok(Ok(reading)) => match ticket::not_a_report(&reading) {
            Some(reason) => unread(shown, ArtifactKind::Unknown, bytes, ArtifactStatus::Skipped, reason),
            None => finished(shown, kind, bytes, reading),
        },
        Ok(Err(unreadable)) => unread(shown, kind, bytes, ArtifactStatus::Failed, unreadable.to_string()),
        Err(_) => {
            let reason = "the reader failed on it; this is a defect of crashsift, please report it".to_owned();
            unread(shown, kind, bytes, ArtifactStatus::Failed, reason)
        }
    }
}

/// Reads text as a ticket, whatever it looks like.
#[must_use]
pub fn read_pasted(name: &str, content: &HeadAndTail, context: &ReadContext) -> ReadArtifact {
    let bytes = content.bytes();
    let sigma = context.sigma.as_deref().map(SigmaMatcher);
    let mut read = match ticket::read_content(content, &context.event_log_context(&sigma)) {
        Ok(mut reading) => {
            ticket::treat_as_report(&mut reading);
            finished(name.to_owned(), ArtifactKind::Ticket, bytes, reading)
        }
        Err(unreadable) => {
            let reason = unreadable.to_string();
            unread(name.to_owned(), ArtifactKind::Ticket, bytes, ArtifactStatus::Failed, reason)
        }
    };
    read.pasted = true;
    read
}

/// A file with its size, bytes, and its first [`SNIFFED`](crate::discover::SNIFFED) bytes.
struct Opened {
    file: File,
    bytes: u64,
    first: Vec<u8>,
}

fn open(path: &Path) -> io::Result<Opened> {
    let (mut file, about) = opener::open_with_metadata(path)?;
    let first = first_bytes(&file)?;
    file.rewind()?;
    Ok(Opened { bytes: about.len(), file, first })
}

fn dispatch(
    kind: ArtifactKind,
    path: &Path,
    file: &mut File,
    bytes: u64,
    context: &ReadContext,
) -> Result<Reading, Unreadable> {
    match kind {
        ArtifactKind::Minidump => Ok(read_minidump(file, bytes, &context.dump_options())?),
        ArtifactKind::KernelDump => Ok(read_kernel_dump(file, bytes, &context.dump_options())?),
        ArtifactKind::EventLog => {
            let sigma = context.sigma.as_deref().map(SigmaMatcher);
            event_log::read_at(path, &*file, bytes, &context.event_log_context(&sigma))
        }
        ArtifactKind::WerReport => wer_report::read(file, bytes, &context.names),
        ArtifactKind::Ticket => {
            let sigma = context.sigma.as_deref().map(SigmaMatcher);
            ticket::read(file, &context.event_log_context(&sigma))
        }
        ArtifactKind::Archive | ArtifactKind::Unknown => Err(Unreadable::whole("not of a kind that is read")),
    }
}

/// An artifact that was read, in part or whole.
fn finished(path: String, kind: ArtifactKind, bytes: u64, reading: Reading) -> ReadArtifact {
    let Reading { records, losses, evidence, coverage, .. } = reading;
    let detail = (!losses.is_empty()).then(|| Loss::join(&losses, LOSSES_SHOWN));
    let status = if losses.is_empty() { ArtifactStatus::Ok } else { ArtifactStatus::Partial };
    let artifact =
        Artifact { path, kind: kind.word().into(), status, detail, bytes, records, party: None, evidence: None };
    ReadArtifact { artifact, pasted: false, evidence, coverage }
}

/// An artifact without evidence, and the reason.
pub(crate) fn unread(
    path: String,
    kind: ArtifactKind,
    bytes: u64,
    status: ArtifactStatus,
    reason: String,
) -> ReadArtifact {
    let read = finished(path, kind, bytes, Reading::default());
    ReadArtifact { artifact: Artifact { status, detail: Some(reason), ..read.artifact }, ..read }
}

/// Kind, status and reason for a file of unrecognized content: failed if its name is that of a kind that is read, else
/// skipped.
fn unknown(path: &Path, first: &[u8], bytes: u64) -> (ArtifactKind, ArtifactStatus, String) {
    let promised = named_kind(path).filter(|kind| *kind != ArtifactKind::Archive);
    let (kind, status) = match promised {
        Some(kind) => (kind, ArtifactStatus::Failed),
        None => (ArtifactKind::Unknown, ArtifactStatus::Skipped),
    };
    if bytes == 0 {
        return (kind, status, "the file is empty".to_owned());
    }
    if is_office_document(first) {
        return (kind, status, "an office document; save its text as a .txt file".to_owned());
    }
    if let Some(what) = not_pasted(first) {
        return (kind, status, format!("{what}, not text that somebody pasted"));
    }
    let named = promised.map_or_else(String::new, |kind| format!(", although its name is that of a {}", kind.word()));
    let content = if first.iter().all(|byte| *byte == 0) {
        "it begins with zeros only"
    } else {
        "its content is of no kind that is read"
    };
    (kind, status, format!("{content}{named}"))
}

//! Reading one file: telling its kind, calling the kind's reader, and turning whatever goes wrong into a status. An archive
//! is read with what is in it.

mod archive;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::discover::{is_office_document, named_kind, not_pasted, sniff};
use crate::read_context::ReadContext;
use crate::sigma_matches::SigmaMatcher;
use archive::Nesting;
use crash_dump::{read_kernel_dump, read_minidump};
use evidence::ArtifactKind;
use evidence::Evidence;
use evidence::{LogCoverage, Reading};
use pasted_text as ticket;
use report::{Artifact, ArtifactStatus};
use untrusted::HeadAndTail;
use untrusted::{Loss, Unreadable};
use untrusted::{display_path, reason};
use wer::report as wer_report;
use windows_events as event_log;

/// How many losses of one artifact are spelled out; the others are counted.
const LOSSES_SHOWN: usize = 12;
/// How many bytes are looked at to tell the kind: up to the magic of an event log's first chunk.
const SNIFFED: u64 = crate::discover::SNIFFED;

/// An artifact with what it says.
#[derive(Debug, Clone)]
pub struct ReadArtifact {
    /// As the report lists it.
    pub artifact: Artifact,
    /// Whether it was given as a ticket, outside all folders.
    pub pasted: bool,
    /// Its evidence.
    pub evidence: Vec<Evidence>,
    /// For an event log: what it covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

/// Reads the file at `path`. Never fails: what can't be read is said in the artifact's status. Of an archive this is what
/// became of the archive itself.
#[must_use]
pub fn read_artifact(path: &Path, context: &ReadContext) -> ReadArtifact {
    // Its own line is the last.
    read_artifacts(path, context).pop().unwrap_or_else(|| {
        let reason = "nothing was read".to_owned();
        unread(display_path(path), ArtifactKind::Unknown, 0, ArtifactStatus::Failed, reason)
    })
}

/// Reads the file at `path`, and of an archive first what is in it.
#[must_use]
pub fn read_artifacts(path: &Path, context: &ReadContext) -> Vec<ReadArtifact> {
    let shown = display_path(path);
    let mut all = Vec::new();
    match open(path) {
        Ok(opened) => read_opened(path, shown, opened, Nesting::NONE, context, &mut all),
        Err(error) => {
            // That it is not there or may not be read is the same in every run; too many open files are not.
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) {
                note_failure_of_machine(context);
            }
            let kind = named_kind(path).unwrap_or(ArtifactKind::Unknown);
            all.push(unread(shown, kind, 0, ArtifactStatus::Failed, reason(&error)));
        }
    }
    all
}

/// Reads a file that lies somewhere under the name `path`, which is shown as `shown`.
fn read_opened(
    path: &Path,
    shown: String,
    opened: Opened,
    nesting: Nesting<'_>,
    context: &ReadContext,
    all: &mut Vec<ReadArtifact>,
) {
    match sniff(&opened.first) {
        ArtifactKind::Archive => archive::read(path, shown, opened, nesting, context, all),
        ArtifactKind::Unknown => {
            let (kind, status, reason) = unknown(path, &opened.first, opened.bytes);
            all.push(unread(shown, kind, opened.bytes, status, reason));
        }
        kind => all.push(read_one(kind, path, shown, opened, context)),
    }
}

/// Reads a file of a kind that has a reader.
fn read_one(kind: ArtifactKind, path: &Path, shown: String, mut opened: Opened, context: &ReadContext) -> ReadArtifact {
    let bytes = opened.bytes;
    // A panic in a reader, or in a crate that it uses, costs this artifact and no other.
    let outcome = catch_unwind(AssertUnwindSafe(|| dispatch(kind, path, &mut opened.file, bytes, context)));
    match outcome {
        Ok(Ok(reading)) => match ticket::about_crashes(&reading) {
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

/// Reads text that was given as a ticket, whatever it looks like.
#[must_use]
pub fn read_pasted(name: &str, content: &HeadAndTail, context: &ReadContext) -> ReadArtifact {
    let bytes = content.bytes();
    let sigma = context.sigma.as_deref().map(SigmaMatcher);
    let mut read = match ticket::read_content(content, &context.of_event_logs(&sigma)) {
        Ok(mut reading) => {
            ticket::accept(&mut reading);
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

/// The answer of a run in which the machine failed is not that of the next one.
fn note_failure_of_machine(context: &ReadContext) {
    context.cache.iter().for_each(|cache| cache.note_failure_of_machine());
}

struct Opened {
    file: File,
    bytes: u64,
    first: Vec<u8>,
}

fn open(path: &Path) -> io::Result<Opened> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    // Between finding and opening, a file may have been replaced by a pipe that would never end.
    if !about.is_file() {
        return Err(io::Error::other("no longer a file"));
    }
    // With its room at hand it is one read, not many small ones.
    let mut first = Vec::with_capacity(usize::try_from(SNIFFED).unwrap_or_default());
    file.by_ref().take(SNIFFED).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(0))?;
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
        ArtifactKind::Minidump => Ok(read_minidump(file, bytes, &context.of_dumps())?),
        ArtifactKind::KernelDump => Ok(read_kernel_dump(file, bytes, &context.of_dumps())?),
        ArtifactKind::EventLog => {
            let sigma = context.sigma.as_deref().map(SigmaMatcher);
            event_log::read_at(path, &*file, bytes, &context.of_event_logs(&sigma))
        }
        ArtifactKind::WerReport => wer_report::read(file, bytes, &context.names),
        ArtifactKind::Ticket => {
            let sigma = context.sigma.as_deref().map(SigmaMatcher);
            ticket::read(file, &context.of_event_logs(&sigma))
        }
        ArtifactKind::Archive | ArtifactKind::Unknown => Err(Unreadable::whole("not of a kind that is read")),
    }
}

fn finished(path: String, kind: ArtifactKind, bytes: u64, reading: Reading) -> ReadArtifact {
    let status = if reading.losses.is_empty() { ArtifactStatus::Ok } else { ArtifactStatus::Partial };
    ReadArtifact {
        artifact: Artifact {
            path,
            kind: kind.word().into(),
            status,
            detail: (!reading.losses.is_empty()).then(|| Loss::join(&reading.losses, LOSSES_SHOWN)),
            bytes,
            records: reading.records,
            evidence: None,
        },
        pasted: false,
        evidence: reading.evidence,
        coverage: reading.coverage,
    }
}

fn unread(path: String, kind: ArtifactKind, bytes: u64, status: ArtifactStatus, reason: String) -> ReadArtifact {
    ReadArtifact {
        artifact: Artifact {
            path,
            kind: kind.word().into(),
            status,
            detail: Some(reason),
            bytes,
            records: None,
            evidence: None,
        },
        pasted: false,
        evidence: Vec::new(),
        coverage: Vec::new(),
    }
}

/// A file whose content tells no kind: a loss of the kind that its name promises, if that is one that is read, else
/// simply not of interest.
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

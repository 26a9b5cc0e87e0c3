//! What a file is, by its content. Names lie: a `.dmp` may be anything, an event log may be called `.tmp`.

use std::path::Path;

use crate::artifact::{event_log, kernel_dump, minidump, ticket, wer_report};

/// The kinds of artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArtifactKind {
    /// A user-mode minidump.
    Minidump,
    /// A kernel-mode dump.
    KernelDump,
    /// An event log (`.evtx`).
    EventLog,
    /// A `Report.wer`.
    WerReport,
    /// Text that somebody pasted.
    Ticket,
    /// An archive.
    Archive,
    /// None of these.
    Unknown,
}

impl ArtifactKind {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Minidump => "minidump",
            Self::KernelDump => "kernel-dump",
            Self::EventLog => "event-log",
            Self::WerReport => "wer-report",
            Self::Ticket => "ticket",
            Self::Archive => "archive",
            Self::Unknown => "unknown",
        }
    }
}

/// How many bytes [`sniff`] wants to see: up to the magic of an event log's first chunk, which tells a log whose
/// header is damaged.
pub const SNIFFED: u64 = 4096 + 8;

/// What a file is that begins with `first` (its first [`SNIFFED`] bytes, or all of it).
#[must_use]
pub fn sniff(first: &[u8]) -> ArtifactKind {
    if minidump::is_minidump(first) {
        ArtifactKind::Minidump
    } else if event_log::is_event_log(first) {
        ArtifactKind::EventLog
    } else if kernel_dump::is_kernel_dump(first) {
        ArtifactKind::KernelDump
    } else if is_archive(first) {
        ArtifactKind::Archive
    } else if wer_report::is_wer_report(first) {
        ArtifactKind::WerReport
    } else if ticket::is_text(first) {
        ArtifactKind::Ticket
    } else {
        ArtifactKind::Unknown
    }
}

/// Signatures of the archives that people send: zip, 7z, cab, gzip, rar.
fn is_archive(first: &[u8]) -> bool {
    const SIGNATURES: [&[u8]; 5] =
        [b"PK\x03\x04", b"7z\xBC\xAF\x27\x1C", b"MSCF\0\0\0\0", b"\x1F\x8B\x08", b"Rar!\x1A\x07"];
    SIGNATURES.iter().any(|signature| first.starts_with(signature))
}

/// The kind that a file's name promises, for telling that the content is something else.
#[must_use]
pub fn named_kind(path: &Path) -> Option<ArtifactKind> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "dmp" | "mdmp" | "hdmp" | "kdmp" => ArtifactKind::Minidump,
        "evtx" => ArtifactKind::EventLog,
        "wer" => ArtifactKind::WerReport,
        _ => return None,
    })
}

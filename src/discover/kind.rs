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

    /// The kind with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        const ALL: [ArtifactKind; 7] = [
            ArtifactKind::Minidump,
            ArtifactKind::KernelDump,
            ArtifactKind::EventLog,
            ArtifactKind::WerReport,
            ArtifactKind::Ticket,
            ArtifactKind::Archive,
            ArtifactKind::Unknown,
        ];
        ALL.into_iter().find(|kind| kind.word() == word)
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
    } else if ticket::is_text(first) && not_pasted(first).is_none() {
        ArtifactKind::Ticket
    } else {
        ArtifactKind::Unknown
    }
}

/// What a text is that nobody pasted: this program's own report of an earlier run, which would be read as the crashes
/// that it tells of, a JSON document, source code and the like. `None` for other texts, and for what is no text.
#[must_use]
pub fn not_pasted(first: &[u8]) -> Option<&'static str> {
    if is_begun_signature(first) {
        return Some("only the first bytes of a dump, log or report that was cut short");
    }
    let text = first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first).trim_ascii_start();
    let after = |prefix: &[u8]| text.strip_prefix(prefix).map(<[u8]>::trim_ascii_start);
    let begins = |rest: &[u8], with: &[u8]| rest.first().is_some_and(|byte| with.contains(byte));
    if after(b"crashsift: ").is_some_and(|rest| begins(rest, b"0123456789")) {
        Some("a report of crashsift")
    } else if after(b"{").is_some_and(|rest| begins(rest, b"\"}")) || after(b"[").is_some_and(|rest| begins(rest, b"{"))
    {
        Some("a JSON document")
    } else {
        ticket::other_document(first)
    }
}

/// Whether a file ends within the signature of a format that is read: such bytes are text by chance.
fn is_begun_signature(first: &[u8]) -> bool {
    const SIGNATURES: [&[u8]; 6] = [
        b"MDMP",
        b"ElfFile\0",
        b"PAGEDU64",
        b"PAGEDUMP",
        b"\xFF\xFEV\0e\0r\0s\0i\0o\0n\0=\x001\0",
        b"V\0e\0r\0s\0i\0o\0n\0=\x001\0",
    ];
    SIGNATURES.iter().any(|signature| first.len() < signature.len() && signature.starts_with(first))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_pasted_is_no_ticket() {
        assert_eq!(sniff(b"crashsift: 3 artifacts, 1 incident\n"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"{\n  \"schema_version\": \"1.0\"}"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"[{\"Id\": 1000}]"), ArtifactKind::Unknown);
        assert_eq!(sniff(b"[WinError 126] The specified module could not be found"), ArtifactKind::Ticket);
        for cut in [&b"MDM"[..], b"ElfFile", b"PAGED", b"\xFF\xFEV\0e\0r\0"] {
            assert_eq!(sniff(cut), ArtifactKind::Unknown, "{cut:?}");
        }
        assert_eq!(sniff(b"crashsift says nothing about my crash"), ArtifactKind::Ticket);
    }

    #[test]
    fn a_log_is_told_by_its_chunk_when_its_header_is_gone() {
        let mut log = vec![0; 4096];
        log.extend_from_slice(b"ElfChnk\0");
        assert_eq!(sniff(&log), ArtifactKind::EventLog);
    }
}

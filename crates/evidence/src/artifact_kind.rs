//! What an artifact is.

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

//! What an artifact is.

use crate::words;

words!(
    /// The kinds of artifact.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    ArtifactKind {
        /// A user-mode minidump.
        Minidump => "minidump",
        /// A kernel-mode dump.
        KernelDump => "kernel-dump",
        /// An event log (`.evtx`).
        EventLog => "event-log",
        /// A `Report.wer`.
        WerReport => "wer-report",
        /// Text that somebody pasted.
        Ticket => "ticket",
        /// An archive.
        Archive => "archive",
        /// None of these.
        Unknown => "unknown",
    }
);

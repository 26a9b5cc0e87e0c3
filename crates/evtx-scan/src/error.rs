//! Why a file could not be read as an event log.

use std::fmt;
use std::io;

use crate::file_header::HEADER_BYTES;

/// The kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system could not read the file; the error's source is its reason.
    Unreadable,
    /// The file has no bytes.
    Empty,
    /// The file ends within its header.
    Cut,
    /// Neither the file's header nor any chunk behind it could be recognised.
    NoEventLog,
}

/// Why nothing could be read of a file. Damage within a log is no error: the log is read as far as possible, and
/// [`Log::losses`](crate::Log::losses) lists what is missing.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    found: u64,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn unreadable(source: io::Error) -> Self {
        Self { kind: ErrorKind::Unreadable, found: 0, source: Some(source) }
    }

    /// The error of a file that has only `found` bytes.
    pub(crate) fn short(found: u64) -> Self {
        let kind = if found == 0 { ErrorKind::Empty } else { ErrorKind::Cut };
        Self { kind, found, source: None }
    }

    /// The error of a file with `found` bytes, enough for a log, that is none.
    pub(crate) fn no_event_log(found: u64) -> Self {
        Self { kind: ErrorKind::NoEventLog, found, source: None }
    }

    /// The kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The part of the file that could not be read; `None` for the file as a whole.
    #[must_use]
    pub fn place(&self) -> Option<&'static str> {
        (self.kind != ErrorKind::NoEventLog).then_some(crate::FILE_HEADER)
    }

    /// How many bytes a file needs to be recognised as a log: those of its header.
    #[must_use]
    pub fn needed(&self) -> u64 {
        HEADER_BYTES as u64
    }

    /// How many bytes the file has; 0 where the operating system could not read it.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.found
    }

    /// The error's message without the place.
    #[must_use]
    pub fn reason(&self) -> String {
        match (self.kind, &self.source) {
            (_, Some(source)) => source.to_string(),
            (ErrorKind::Unreadable, None) => "it can't be read".to_owned(),
            (ErrorKind::Empty, _) => "the file is empty".to_owned(),
            (ErrorKind::Cut, _) => format!("the file ends after {} of the header's {HEADER_BYTES} bytes", self.found),
            (ErrorKind::NoEventLog, _) => {
                "it is no event log: neither its header nor a chunk can be recognised".to_owned()
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.reason())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

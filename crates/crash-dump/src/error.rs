//! Why a dump could not be read.

use std::io;

use untrusted::Unreadable;

/// Why nothing of a file could be read as a dump.
///
/// Damage that leaves something to read is no error: it is a [`Loss`](untrusted::Loss) of the
/// [`Reading`](evidence::Reading).
#[derive(Debug, thiserror::Error)]
#[error("{}{kind}", .place.map_or_else(String::new, |place| format!("{place}: ")))]
#[non_exhaustive]
pub struct Error {
    /// The part of the dump that could not be read; `None` where it is the file as a whole.
    pub place: Option<&'static str>,
    /// What was wrong there.
    #[source]
    pub kind: ErrorKind,
}

/// What was wrong with a dump: what was needed, and what was there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be opened for reading.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Reading a part of the file failed.
    #[error("reading {needed} bytes at {at:#x} failed: {error}")]
    Read {
        /// Offset of the part, bytes.
        at: u64,
        /// Its length, bytes.
        needed: u64,
        /// What the system reports.
        error: io::Error,
    },
    /// A part of the dump lies beyond the end of the file.
    #[error("the file ends at {end:#x}, before the end of the {needed} bytes at {at:#x}")]
    BeyondEnd {
        /// Offset of the part, bytes.
        at: u64,
        /// Its length, bytes.
        needed: u64,
        /// Length of the file, bytes.
        end: u64,
    },
    /// The file is shorter than a minidump's header.
    #[error("the file ends after {present} of the header's {needed} bytes")]
    HeaderCut {
        /// Length of the header, bytes.
        needed: u64,
        /// Length of the file, bytes.
        present: u64,
    },
    /// The header has another version than minidumps do; so have files that are no minidumps.
    #[error("version {0:#x} is not that of a minidump (0xa793)")]
    Version(u32),
    /// The header counts more streams than any writer makes.
    #[error("{count} streams are not believable (at most {most})")]
    TooManyStreams {
        /// The number in the header.
        count: u32,
        /// The most that the reader accepts.
        most: u32,
    },
    /// The header counts no streams.
    #[error("the dump counts no streams")]
    NoStreams,
    /// The directory of streams lies beyond the end of the file.
    #[error("{count} streams are listed at byte {at}, and the file has {present} bytes")]
    NoDirectory {
        /// How many streams the header counts.
        count: u32,
        /// Offset of the directory, bytes.
        at: u64,
        /// Length of the file, bytes.
        present: u64,
    },
    /// No stream lies within the file. Holds what was lost.
    #[error("none can be read: {0}")]
    NothingReadable(String),
    /// All streams that a minidump needs to be evidence are missing. Holds `: ` and what was lost, or nothing.
    #[error("the streams SystemInfo, Exception and ModuleList are all missing{0}")]
    NothingKnown(String),
    /// The `minidump` crate refuses the dump.
    #[error("not readable as a minidump: {0}")]
    Refused(#[from] minidump::Error),
    /// The file does not begin as kernel dumps do.
    #[error("the file does not begin with PAGEDU64 or PAGEDUMP, as kernel dumps do")]
    NoKernelDump,
}

impl ErrorKind {
    /// The error at a part of the dump.
    pub(crate) fn at(self, place: &'static str) -> Error {
        Error { place: Some(place), kind: self }
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    /// An error of the file as a whole.
    fn from(kind: K) -> Self {
        Self { place: None, kind: kind.into() }
    }
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self { place: error.place.map(str::to_owned), reason: error.kind.to_string() }
    }
}

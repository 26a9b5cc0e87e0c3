//! Why a file could not be read as an event log, or a folder not be used as a cache.

use std::io;

use crate::file_header::{FILE_HEADER, HEADER_BYTES};
use untrusted::{Unreadable, reason};

/// Why nothing could be read of a file. Damage within a log is no error: the log is read as far as possible, and
/// [`Log::losses`](crate::Log::losses) lists what is missing.
#[derive(Debug, thiserror::Error)]
#[error("{}{kind}", .place.map_or_else(String::new, |place| format!("{place}: ")))]
#[non_exhaustive]
pub struct Error {
    /// The part of the file that could not be read; `None` where it is the file or folder as a whole.
    pub place: Option<&'static str>,
    /// What was wrong there.
    pub kind: ErrorKind,
}

/// What was wrong with a file or folder: what was needed, and what was there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system could not read the file.
    #[error("{0}")]
    Unreadable(io::Error),
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The file ends within its header.
    #[error("the file ends after {found} of the header's {needed} bytes")]
    Cut {
        /// Length of the header, bytes.
        needed: usize,
        /// Length of the file, bytes.
        found: usize,
    },
    /// Neither the file's header nor any chunk behind it could be recognised.
    #[error("it is no event log: neither its header nor a chunk can be recognised")]
    NoEventLog,
    /// The folder of a cache could not be created.
    #[error("{}", reason(.0))]
    CacheFolder(io::Error),
    /// The path of a cache is that of something else.
    #[error("it is no folder")]
    NoFolder,
    /// The folder of a cache is not this user's alone: files in it may be forged.
    #[error("the folder belongs to another user, or others may write to it (`chmod go-w`)")]
    ForeignFolder,
}

impl ErrorKind {
    /// The error of the file or folder as a whole.
    pub(crate) fn of_whole(self) -> Error {
        Error { place: None, kind: self }
    }

    /// The error of the file's header.
    pub(crate) fn of_header(self) -> Error {
        Error { place: Some(FILE_HEADER), kind: self }
    }

    /// What is wrong with a file of `found` bytes, fewer than its header has.
    pub(crate) fn short(found: usize) -> Self {
        if found == 0 { Self::Empty } else { Self::Cut { needed: HEADER_BYTES, found } }
    }
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self { place: error.place.map(str::to_owned), reason: error.kind.to_string() }
    }
}

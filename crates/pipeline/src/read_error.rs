//! Why an artifact cannot be read, where the operating system reports no error.

use std::io;

/// A reason of the program's own for not reading an artifact or the rest of it. Readers pass it on as the source of an
/// [`io::Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadError {
    /// Between finding and opening, something that is no file took the file's place.
    #[error("no longer a file")]
    NotAFile,
    /// The reader of cabinets panicked.
    #[error("the cabinet is damaged here")]
    DamagedCabinet,
    /// The archive has more content than an archive of its size may have.
    #[error(
        "the archive unpacks to more than the {allowed_mib} MiB that are allowed for one of its size; extract it and \
         analyze the folder"
    )]
    UnpacksToTooMuch {
        /// How much it may have, MiB.
        allowed_mib: u64,
    },
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        Self::other(error)
    }
}

//! Why an artifact cannot be read, where the operating system reports no error.

use std::io;

/// A reason of the program's own for not reading an artifact or the rest of it. Readers pass it on as the source of an
/// [`io::Error`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The reader of cabinets panicked.
    #[error("the cabinet is damaged here")]
    DamagedCabinet,
    /// A member of a tape archive is a map of holes with the data between them.
    #[error("a sparse file; extract the archive and analyze the folder")]
    Sparse,
    /// A member of a tape archive has a size that is no number.
    #[error("its size can't be read; extract it and analyze the folder")]
    UnreadableSize,
    /// A member of a tape archive has another size than its header states.
    #[error("it has {bytes} bytes, and its header says {header}; extract the archive and analyze the folder")]
    OtherSize {
        /// Its size, bytes.
        bytes: u64,
        /// The size in its header, bytes.
        header: u64,
    },
    /// The reader of cabinets finds members by their names.
    #[error("another member has the same name; extract it and analyze the folder")]
    SameName,
    /// Reaching further members of a cabinet takes too long.
    #[error("the others take too long to unpack; extract it and analyze the folder")]
    TooSlow,
    /// A member of a zip archive needs a password.
    #[error("encrypted: it needs a password; extract it and analyze the folder")]
    Encrypted,
    /// A member of a zip archive is compressed by this method.
    #[error("compressed by a method that is not known ({0}); extract it and analyze the folder")]
    UnknownMethod(String),
    /// The archive has more members than are read.
    #[error("there are more than are read; extract it and analyze the folder")]
    TooManyMembers,
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

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
    /// A part of an archive needs a password, and none is given.
    #[error(
        "encrypted: it needs a password; name a file of passwords with --password-file, or extract it and analyze the folder"
    )]
    Encrypted,
    /// A part of an archive needs another password than those that are given.
    #[error("encrypted: no password of --password-file opens it, or its content is damaged")]
    NoPasswordFits,
    /// A part of an archive was encrypted with a key that takes too long to compute.
    #[error("encrypted: its key takes too long to compute; extract it and analyze the folder")]
    SlowKey,
    /// A RAR archive or a member of one needs a password.
    #[error("encrypted by RAR, which is not supported; extract it and analyze the folder")]
    EncryptedRar,
    /// A member of a RAR archive is compressed.
    #[error("compressed by RAR, which is not supported; extract it and analyze the folder")]
    CompressedByRar,
    /// A member of a RAR archive has parts in several files.
    #[error("a part of it is in another file of the archive; extract it and analyze the folder")]
    Split,
    /// A file may be the first of the volumes of a split archive.
    #[error(
        "it ends too early and may be the first of several volumes: extract them together (7-Zip opens the first one), and \
         analyze the folder"
    )]
    Volume,
    /// The directory of an archive does not fit its format.
    #[error("the directory of the archive is damaged")]
    DamagedDirectory,
    /// The directory of a 7z archive has more bytes than are read.
    #[error("it is larger than is read; extract it and analyze the folder")]
    LargeDirectory,
    /// Content was compressed with a dictionary that is not in it.
    #[error("it was compressed with a dictionary of its own; extract it and analyze the folder")]
    OtherDictionary,
    /// The content differs from its checksum.
    #[error("it does not fit its checksum")]
    Checksum,
    /// Content before this one, in the same compressed stream, is damaged.
    #[error("what is before it in the same compressed stream is damaged")]
    DamagedBefore,
    /// Content asks for a dictionary that is too large.
    #[error("unpacking it needs more than the 256 MiB of memory that are allowed; extract it and analyze the folder")]
    NeedsMemory,
    /// A file of passwords is no text.
    #[error("its text is not UTF-8")]
    PasswordsNotText,
    /// A file of passwords has too many.
    #[error("it has more than {most} passwords")]
    TooManyPasswords {
        /// How many are tried.
        most: usize,
    },
    /// A member of an archive is compressed by this method.
    #[error("compressed by {0}, which is not supported; extract it and analyze the folder")]
    UnknownMethod(String),
    /// A member of a zip without its directory is compressed by this method.
    #[error(
        "compressed by {0}, which is only read where the archive has its directory; extract it and analyze the folder"
    )]
    NeedsDirectory(String),
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

impl ReadError {
    /// The reason of an error, where it is one of the program's own.
    pub(crate) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        Self::other(error)
    }
}

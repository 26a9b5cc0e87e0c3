//! Why a file that the user gave is not used.

use std::io;

/// Why a file of symbols, or an image, is not used: what was needed, and what was found.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnusableFile {
    #[error("it can't be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is no file")]
    NoFile,
    /// The file has more bytes than are read.
    #[error("{found} bytes are more than any has")]
    TooLong { found: u64 },
    /// More MiB of the file would have to be kept than are allowed.
    #[error("more than {most} MiB of it would have to be kept")]
    TooMuch { most: u64 },
    #[error("{0}")]
    FirstLine(io::Error),
    #[error("it is no Breakpad symbol file: its first record is not MODULE")]
    NoSymbols,
    #[error("it is no PDB, a damaged one, or one of before 2002")]
    NoPdb,
    /// The identifiers of the file and of the module in a dump.
    #[error("it belongs to another build: its identifier is {found}, and a dump has {needed}")]
    OtherBuild { found: String, needed: String },
    #[error("its records can't be read: {0}")]
    Records(minidump_unwind::SymbolError),
    #[error("no x64 image of the build that a dump has")]
    NoImage,
}

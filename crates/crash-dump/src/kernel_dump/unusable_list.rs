//! Why a dump's list of drivers is not used.

use evidence::Address;

use crate::error::ErrorKind;

/// Why a list of loaded or unloaded drivers is not used.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnusableList {
    #[error(transparent)]
    Unreadable(#[from] ErrorKind),
    #[error("the triage block is cut")]
    BlockCut,
    #[error("the dump says that it has none")]
    None,
    /// The count is above `MOST_DRIVERS`.
    #[error("{0} drivers are more than a system loads")]
    TooMany(u32),
    #[error("a string pool of {0} bytes is larger than the names of drivers need")]
    PoolTooLarge(u32),
    #[error("the string pool at {pool:#x} lies before the list at {list:#x}")]
    PoolBeforeList { pool: u32, list: u32 },
    #[error("the space before the string pool does not hold that many entries")]
    NoRoom,
    #[error("the page with the list's head is not in the dump, or its page tables are not")]
    NoHead,
    #[error("no entry has a name, an address and a size that a driver can have")]
    NothingSound,
    #[error("most entries have no name, address and size that a driver can have")]
    MostlyUnsound,
    #[error("it begins with {0} and not with the kernel")]
    NoKernel(String),
    #[error("the kernel's image does not contain {0}, which the header says is in it")]
    OutsideOfKernel(Address),
    #[error("the images of {0} and {1} overlap")]
    Overlap(String, String),
    /// The file ends before the list of unloaded drivers.
    #[error("the file ends before it")]
    Cut,
    /// The count is above [`unloaded_entry::MOST`](super::layout::unloaded_entry::MOST).
    #[error("{0} drivers are more than the kernel keeps")]
    TooManyUnloaded(u32),
    #[error("entries have no name and range that a driver can have")]
    UnloadedUnsound,
}

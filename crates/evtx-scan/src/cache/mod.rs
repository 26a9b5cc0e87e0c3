//! What earlier runs read of event logs, so that chunks that did not change since are not read again.
//!
//! A folder holds one file for each log; those of whole answers, which it also holds, are no matter of this module. A chunk is unchanged when all of its header is: that holds the ids of its
//! records, where they end, and the checksums of them and of itself. Of such a chunk only the header is read. The
//! records that were wanted in it are kept as they were decoded and given to the same code as those of a chunk that was
//! read: what comes of a log does not show whether there was a cache.
//!
//! - `folder`: the folder, shared by all logs of a run, and what went wrong with it;
//! - `log`: what is known of one log, and what is learnt while it is read;
//! - `entry`: what is kept of one chunk;
//! - `stored`: the layout of a file, with what makes one unusable.

mod entry;
mod folder;
mod log;
mod stored;
#[cfg(test)]
mod tests;

pub(crate) use entry::{Entry, KeptRecord};
pub use folder::Cache;
pub use log::LogCache;
pub(crate) use log::records_may_follow;

/// How the files are laid out. Raised when that changes.
const LAYOUT: u32 = 1;
/// Logs below this size, bytes, are not kept: to read them takes about as long as to look them up.
pub const LEAST_LOG: u64 = 1 << 20;
/// The most that is kept of a log, bytes of entries: what it is kept in is held in memory while the log is read. Chunks
/// whose entries would make it more are read each time.
const MOST_KEPT: usize = 16 << 20;

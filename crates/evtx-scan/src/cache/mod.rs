//! The chunks of event logs that earlier runs read: those that did not change since are not read again.
//!
//! The cache is a folder with one file for each log. A chunk is unchanged when its header is: the header has the ids of the
//! chunk's records, where they end, and the checksums of the records and of itself. Only the header of such a chunk is read.
//! Its wanted records were kept as they were decoded and are given to the same code as those of a chunk that is read: the
//! result does not depend on whether there was a cache.
//!
//! - `folder`: the folder, shared by all logs of a run, and what went wrong with it;
//! - `log`: what is kept of one log, and what is learnt while it is read;
//! - `entry`: what is kept of one chunk;
//! - `stored`: the layout of a file, and why a file is not used.

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

/// The number of the files' layout. Raised when the layout changes.
const LAYOUT: u32 = 1;
/// The size, in bytes, below which logs are not kept: reading them takes about as long as looking them up.
pub const LEAST_LOG: u64 = 1 << 20;
/// The most bytes of cache entries for one log; all of them are in memory while the log is read. Chunks whose entries
/// would exceed it are not cached and are read again each time.
const MOST_KEPT: usize = 16 << 20;

//! Writes kernel dumps: the small ones in `C:\Windows\Minidump`, live kernel reports, and dumps with pages of memory.
//!
//! A kernel dump is a header with the stop code, and a body that depends on its kind. The layouts are those that public parsers of such
//! dumps agree on, compared with a small dump that Windows 10 wrote. Microsoft's documentation lists what these dumps
//! contain, but no offsets.

mod bitmap;
mod header;
mod moment;
mod triage;

pub use bitmap::{BitmapDump, Storage};
pub use moment::{Moment, ProcessorImage, cpuid, debugger_data, saved_events};
pub use triage::TriageDump;

use crate::FileTime;
use crate::bytes::stable_hash;
use crate::minidump::Context;

/// The values in the header of every kernel dump.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Windows build number.
    pub build: u32,
    /// Logical processors.
    pub processors: u32,
    /// Bugcheck code.
    pub code: u32,
    /// Its parameters.
    pub parameters: [u64; 4],
    /// When the system stopped.
    pub time: FileTime,
    /// How long it had been up, seconds.
    pub uptime_seconds: u64,
    /// Registers of the processor that stopped the system; of a 32-bit system only the instruction and stack pointers.
    pub context: Context,
    /// The text that the writer of the dump leaves in the header.
    pub comment: Option<String>,
}

/// A driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// Full path as the kernel writes it (`\SystemRoot\System32\drivers\ndis.sys`); for unloaded drivers the file name.
    pub path: String,
    /// Where it is loaded.
    pub base: u64,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// The image's timestamp.
    pub timestamp: u32,
}

impl Driver {
    /// A driver of a reproducible build, whose timestamp is a hash.
    #[must_use]
    pub fn new(path: &str, base: u64, size: u32) -> Self {
        // The uppermost bit is set, so that it is no date before 2038.
        let timestamp = (stable_hash(path.as_bytes()) >> 32) as u32 | 0x8000_0000;
        Self { path: path.to_owned(), base, size, timestamp }
    }

    /// The same driver, linked at this time.
    #[must_use]
    pub fn linked(mut self, time: FileTime) -> Self {
        self.timestamp = time.unix_seconds();
        self
    }

    /// The file's name.
    fn name(&self) -> &str {
        self.path.rsplit('\\').next().unwrap_or(&self.path)
    }
}

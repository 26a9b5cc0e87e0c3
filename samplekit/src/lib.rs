//! Writers for the artifacts that Windows leaves after a crash: user-mode minidumps, event logs, kernel triage dumps
//! and `Report.wer` files.
//!
//! They exist so that the project can make its own samples and its tests can build a small artifact in memory. Each
//! writer lays bytes out as Windows does, from plain values; nothing depends on the clock, on the machine or on chance,
//! so equal values give equal bytes.
//!
//! ```
//! use samplekit::event_log::{Event, EventLog, Provider};
//! use samplekit::FileTime;
//!
//! let mut log = EventLog::new("Application", "PC-01");
//! log.add(
//!     Event::new(Provider::classic("Application Error"), 1000)
//!         .at(FileTime::utc(2024, 3, 5, 9, 30, 0))
//!         .strings(["python.exe", "3.9.13150.1013"]),
//! );
//! assert!(log.to_bytes().starts_with(b"ElfFile\0"));
//! ```
//!
//! The writers stop with a message when a value cannot be stored in the format (a name longer than its 16-bit length
//! field, say): such a value is a mistake in the sample and must not become a file.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "this crate writes artifacts out of values that its callers chose; it reads no foreign data"
)]

pub mod bytes;
pub mod code;
pub mod error_record;
pub mod event_log;
pub mod events;
mod guid;
pub mod kernel_dump;
pub mod minidump;
mod random;
mod time;
mod version;
pub mod wer_report;

pub use guid::Guid;
pub use random::Random;
pub use time::FileTime;
pub use version::FileVersion;

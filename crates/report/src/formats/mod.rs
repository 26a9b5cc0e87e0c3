//! What prints a report: every format consumes the same finished values.

pub mod csv;
pub mod inspected;
pub mod json;
pub mod jsonl;
pub mod page;
pub mod schema;
pub mod text;

/// How much of a report is written at once, bytes.
const WRITTEN_AT_ONCE: usize = 64 << 10;

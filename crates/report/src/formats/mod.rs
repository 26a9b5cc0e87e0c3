//! The formats that print a report; all of them print the same finished values.

pub mod csv;
pub mod inspected;
pub mod json;
pub mod jsonl;
pub mod page;
pub mod schema;
pub mod text;

/// The size of the buffers through which reports are written, bytes.
const BUFFER_SIZE: usize = 64 << 10;

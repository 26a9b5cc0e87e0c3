//! Changes logs that were written, for tests of damage: the offsets of header fields, and new checksums.
//!
//! Offsets outside of the log are a mistake of the test, and a panic.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test knows the log that it wrote"
)]

use std::ops::Range;

use super::{CHUNK_BYTES, FILE_HEADER_BYTES};

/// Fields of a chunk's header, by their offsets in the chunk.
pub mod chunk_header {
    /// Number of the first record.
    pub const FIRST_NUMBER: usize = 8;
    /// Number of the last record.
    pub const LAST_NUMBER: usize = 16;
    /// Id of the first record.
    pub const FIRST_ID: usize = 24;
    /// Id of the last record.
    pub const LAST_ID: usize = 32;
    /// Offset of the last record.
    pub const LAST_RECORD: usize = 44;
    /// Offset of the free space.
    pub const FREE_SPACE: usize = 48;
    /// Checksum of the records.
    pub const RECORDS_CHECKSUM: usize = 52;
    /// Flags, which no checksum covers.
    pub const FLAGS: usize = 120;
    /// Checksum of the header.
    pub const HEADER_CHECKSUM: usize = 124;
    /// Table of names.
    pub const NAMES: usize = 128;
    /// Table of templates.
    pub const TEMPLATES: usize = 384;
    /// End of the header, where the records begin.
    pub const END: usize = 512;
}

/// Fields of the file header, by their offsets in the log.
pub mod file_header {
    /// Id that the next record gets.
    pub const NEXT_RECORD: usize = 24;
    /// Number of chunks.
    pub const CHUNKS: usize = 42;
    /// Flags, which no checksum covers.
    pub const FLAGS: usize = 120;
    /// Checksum of all before the flags.
    pub const CHECKSUM: usize = 124;
}

/// The offset of chunk `number` in a log.
#[must_use]
pub fn chunk_range(number: usize) -> Range<usize> {
    let start = FILE_HEADER_BYTES + number * CHUNK_BYTES;
    start..start + CHUNK_BYTES
}

/// The 32-bit value at `offset`.
#[must_use]
pub fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
}

/// The 64-bit value at `offset`.
#[must_use]
pub fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}

/// Writes `value` at `offset`.
pub fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

/// Updates the checksums of a chunk.
pub fn seal_chunk(chunk: &mut [u8]) {
    let free = (u32_at(chunk, chunk_header::FREE_SPACE) as usize).min(chunk.len());
    let records = crc32fast::hash(chunk.get(chunk_header::END..free).unwrap_or_default());
    put(chunk, chunk_header::RECORDS_CHECKSUM, &records.to_le_bytes());
    let header =
        crc32fast::hash(&[&chunk[..chunk_header::FLAGS], &chunk[chunk_header::NAMES..chunk_header::END]].concat());
    put(chunk, chunk_header::HEADER_CHECKSUM, &header.to_le_bytes());
}

/// Updates the checksum of the file header.
pub fn seal_file(log: &mut [u8]) {
    let checksum = crc32fast::hash(&log[..file_header::FLAGS]);
    put(log, file_header::CHECKSUM, &checksum.to_le_bytes());
}

/// Marks the log as not closed: its header is as old as the log, and counts an empty chunk.
pub fn make_dirty(log: &mut [u8]) {
    log[file_header::FLAGS] |= 1;
    put(log, file_header::NEXT_RECORD, &1_u64.to_le_bytes());
    put(log, file_header::CHUNKS, &1_u16.to_le_bytes());
    seal_file(log);
}

//! A hash by which a log can be recognised as unchanged without reading all of it.

use std::fs::File;
use std::io;

use xxhash_rust::xxh3::Xxh3;

use super::cache::records_may_follow;
use super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START, has_chunk_signature};
use super::file_header::{self, HEADER_BYTES};
use super::log_file::{chunk_offset, fill_at, places};

/// A hash of the event log `file`, which has `bytes` bytes. It covers the file header and the chunk headers, whose
/// checksums represent the records, and all bytes of chunks without a valid checksum. Two logs with valid checksums and
/// equal hashes have the same records; logs with a wrong checksum have to be compared whole.
///
/// # Errors
/// When the file can't be read.
pub fn log_hash(file: &File, bytes: u64) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    hash.update(&bytes.to_le_bytes());
    let mut block = [0; HEADER_BYTES];
    let filled = fill_at(file, &mut block, 0)?;
    hash.update(block.get(..filled).unwrap_or_default());
    let dirty = file_header::is_dirty(file_header::parse(&block).as_ref());
    let mut header = [0; RECORDS_START];
    let mut place = Vec::new();
    for number in 0..places(bytes) {
        let start = chunk_offset(number);
        let filled = fill_at(file, &mut header, start)?;
        hash.update(header.get(..filled).unwrap_or_default());
        let is_whole = filled == RECORDS_START && start.saturating_add(CHUNK_BYTES as u64) <= bytes;
        if !is_whole || !stands_for_records(file, start, &header, dirty) {
            place.resize(CHUNK_BYTES, 0);
            let filled = fill_at(file, &mut place, start)?;
            hash.update(place.get(..filled).unwrap_or_default());
        }
    }
    Ok(hash.digest128())
}

/// Whether the header of the chunk at `start` determines all records in it: it has their checksum, its own checksum is
/// right and, in a log that was not closed (`dirty`), no record may follow those that it counts.
fn stands_for_records(file: &File, start: u64, header: &[u8], dirty: bool) -> bool {
    has_chunk_signature(header)
        && Chunk::parse(header).is_some_and(|chunk| !chunk.has_no_checksums() && chunk.header_is_intact())
        && !(dirty && records_may_follow(file, start, header))
}

//! Whether a log is what it was, told without reading all of it.

use std::fs::File;
use std::io;

use xxhash_rust::xxh3::Xxh3;

use super::cache::records_may_follow;
use super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START, has_chunk_signature};
use super::file_header::{FileHeader, HEADER_BYTES};
use super::runs::{chunk_offset, fill_at, places};

/// A hash of the event log `file`, which has `bytes` bytes: of its header and those of its chunks, whose checksums stand
/// for their records, and of all bytes of places for whose records no checksum stands. Of a log in which every checksum
/// is right, an equal hash means equal records; one in which some is wrong has to be compared whole.
///
/// # Errors
/// When the file can't be read.
pub fn identity(file: &File, bytes: u64) -> io::Result<u128> {
    let mut hash = Xxh3::new();
    hash.update(&bytes.to_le_bytes());
    let mut block = [0; HEADER_BYTES];
    let filled = fill_at(file, &mut block, 0)?;
    hash.update(block.get(..filled).unwrap_or_default());
    let dirty = FileHeader::parse(&block).is_none_or(|header| header.is_dirty());
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

/// Whether the header of a chunk stands for all records in it: it has their checksum, its own is right and, in a log that
/// was not closed (`dirty`), no record may follow those that it knows.
fn stands_for_records(file: &File, start: u64, header: &[u8], dirty: bool) -> bool {
    has_chunk_signature(header)
        && Chunk::parse(header).is_some_and(|chunk| !chunk.has_no_checksums() && chunk.header_is_intact())
        && !(dirty && records_may_follow(file, start, header))
}

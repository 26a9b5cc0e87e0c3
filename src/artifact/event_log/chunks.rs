//! The outside of an event log: a file header and, behind it, chunks of equal size.
//!
//! The file is read from front to back, one chunk at a time; it is never held whole.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use std::fs::File;
use std::io::{self, Read, Take};

use evtx::{EvtxFileHeader, HeaderFlags};

use crate::artifact::bytes::{u32_at, u64_at};

/// What an event log begins with.
pub(super) const FILE_SIGNATURE: &[u8; 8] = b"ElfFile\0";
/// What a chunk begins with.
const CHUNK_SIGNATURE: &[u8; 8] = b"ElfChnk\0";
/// What a record begins with.
const RECORD_SIGNATURE: u32 = 0x2A2A;
/// Size of the file header's block, bytes.
pub(super) const HEADER_BYTES: usize = 4096;
/// Size of a chunk, bytes.
pub(super) const CHUNK_BYTES: usize = 65536;
/// Where a chunk's records begin, bytes.
pub(super) const RECORDS_START: usize = 512;
/// The least size of a record: its header of 24 bytes, and its size again at its end.
const RECORD_LEAST: usize = 28;
/// The most records that a chunk can hold.
pub(super) const MOST_RECORDS: u64 = ((CHUNK_BYTES - RECORDS_START) / RECORD_LEAST) as u64;

/// The file header, if the file has one.
#[derive(Debug)]
pub(super) struct FileHeader {
    header: EvtxFileHeader,
}

impl FileHeader {
    /// Reads the header in `block`, the first bytes of the file. `None` when they are no header.
    pub(super) fn parse(block: &[u8]) -> Option<Self> {
        EvtxFileHeader::from_bytes(block).ok().map(|header| Self { header })
    }

    /// Whether the log was not closed, so that the header may be older than the chunks.
    pub(super) fn is_dirty(&self) -> bool {
        self.header.flags.contains(HeaderFlags::DIRTY)
    }

    /// The stored and the computed checksum, where they differ.
    pub(super) fn wrong_checksum(&self) -> Option<(u32, u32)> {
        (!self.header.validate_checksum()).then_some((self.header.checksum, self.header.computed_checksum))
    }

    /// How many chunks there should be. The field has 16 bits, so that a log of more than 4 GiB counts anew.
    pub(super) fn chunk_count(&self) -> u64 {
        u64::from(self.header.chunk_count)
    }

    /// The id that the next record would get.
    pub(super) fn next_record_id(&self) -> u64 {
        self.header.next_record_id
    }
}

/// One place for a chunk.
#[derive(Debug)]
pub(super) enum Slot {
    /// A chunk.
    Chunk(Vec<u8>),
    /// Zeros: space that Windows reserved and has not used.
    Unused,
    /// Something that does not begin like a chunk.
    Foreign,
    /// The file ends inside. These bytes are left of it.
    Cut(Vec<u8>),
}

/// The places for chunks of a file, from front to back.
#[derive(Debug)]
pub(super) struct Slots<'f> {
    file: Take<&'f mut File>,
    next: u64,
}

impl<'f> Slots<'f> {
    /// The places of `file`, which is positioned behind its header, as far as `bytes` go.
    pub(super) fn new(file: &'f mut File, bytes: u64) -> Self {
        Self { file: file.take(bytes), next: 0 }
    }

    /// The number of the place that comes next.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// The next place with its number, from 0; `None` at the end of the file.
    pub(super) fn read(&mut self) -> io::Result<Option<(u64, Slot)>> {
        let mut data = vec![0; CHUNK_BYTES];
        let filled = fill(&mut self.file, &mut data)?;
        if filled == 0 {
            return Ok(None);
        }
        let number = self.next;
        self.next = self.next.saturating_add(1);
        let slot = if filled < CHUNK_BYTES {
            data.truncate(filled);
            Slot::Cut(data)
        } else if has_chunk_signature(&data) {
            Slot::Chunk(data)
        } else if is_zero(&data) {
            Slot::Unused
        } else {
            Slot::Foreign
        };
        Ok(Some((number, slot)))
    }
}

/// Reads until `buffer` is full or the input ends; how many bytes were read.
pub(super) fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0_usize;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(read) => filled = filled.saturating_add(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Whether `data` begins like a chunk.
pub(super) fn has_chunk_signature(data: &[u8]) -> bool {
    data.starts_with(CHUNK_SIGNATURE)
}

/// Whether `data` holds nothing but zeros.
pub(super) fn is_zero(data: &[u8]) -> bool {
    data.iter().all(|byte| *byte == 0)
}

/// The ids of the records that follow each other from `start` on and lie whole in `data`, which begins at its chunk's
/// first byte.
pub(super) fn whole_records(data: &[u8], start: usize) -> impl Iterator<Item = u64> {
    let mut offset = start;
    std::iter::from_fn(move || {
        let (id, end) = record_at(data, offset)?;
        offset = end;
        Some(id)
    })
}

/// The id of the record at `offset` and where it ends; `None` unless its sizes at both ends agree.
fn record_at(data: &[u8], offset: usize) -> Option<(u64, usize)> {
    if u32_at(data, offset)? != RECORD_SIGNATURE {
        return None;
    }
    let size = u32_at(data, offset.checked_add(4)?)?;
    let id = u64_at(data, offset.checked_add(8)?)?;
    let length = usize::try_from(size).ok().filter(|length| *length >= RECORD_LEAST)?;
    let end = offset.checked_add(length)?;
    (u32_at(data, end.checked_sub(4)?)? == size).then_some((id, end))
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::*;

    fn record(id: u64, size: u32) -> Vec<u8> {
        let mut bytes = vec![0; size as usize];
        bytes[..4].copy_from_slice(&RECORD_SIGNATURE.to_le_bytes());
        bytes[4..8].copy_from_slice(&size.to_le_bytes());
        bytes[8..16].copy_from_slice(&id.to_le_bytes());
        bytes.truncate(bytes.len().saturating_sub(4));
        bytes.extend(size.to_le_bytes());
        bytes
    }

    #[test]
    fn records_follow_each_other_by_their_sizes() {
        let mut data = [record(7, 28), record(8, 40), record(9, 32)].concat();
        assert_eq!(whole_records(&data, 0).collect::<Vec<_>>(), [7, 8, 9]);
        assert_eq!(whole_records(&data, 28).collect::<Vec<_>>(), [8, 9]);
        // The second size of record 8.
        data[64] ^= 1;
        assert_eq!(whole_records(&data, 0).collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn a_record_that_is_cut_or_too_small_ends_the_walk() {
        let mut data = record(7, 40);
        assert_eq!(whole_records(&data[..39], 0).count(), 0);
        data[4..8].copy_from_slice(&27_u32.to_le_bytes());
        assert_eq!(whole_records(&data, 0).count(), 0);
        data[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(whole_records(&data, 0).count(), 0);
        assert_eq!(whole_records(&data, usize::MAX).count(), 0);
    }

    #[test]
    fn places_are_told_by_their_first_bytes() {
        let mut chunk = vec![0; CHUNK_BYTES];
        chunk[..8].copy_from_slice(CHUNK_SIGNATURE);
        let mut foreign = vec![0; CHUNK_BYTES];
        foreign[CHUNK_BYTES - 1] = 1;
        let mut file = tempfile::tempfile().expect("a file");
        for part in [&chunk[..], &vec![0; CHUNK_BYTES], &foreign, &chunk[..100]] {
            file.write_all(part).expect("written");
        }
        file.seek(SeekFrom::Start(0)).expect("rewound");
        let mut slots = Slots::new(&mut file, u64::MAX);
        let mut seen = Vec::new();
        while let Some((number, slot)) = slots.read().expect("read") {
            seen.push(match slot {
                Slot::Chunk(_) => (number, "chunk", 0),
                Slot::Unused => (number, "unused", 0),
                Slot::Foreign => (number, "foreign", 0),
                Slot::Cut(rest) => (number, "cut", rest.len()),
            });
        }
        assert_eq!(seen, [(0, "chunk", 0), (1, "unused", 0), (2, "foreign", 0), (3, "cut", 100)]);
    }
}

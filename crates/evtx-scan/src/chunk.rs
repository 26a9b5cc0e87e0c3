//! A chunk: 64 KiB of an event log with a header of its own, in which all offsets count from the chunk's first byte.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use std::ops::Range;

use crc32fast::Hasher;

use untrusted::bytes::{u32_at, u64_at};

/// What a chunk begins with.
pub(crate) const SIGNATURE: &[u8; 8] = b"ElfChnk\0";
/// Size of a chunk, bytes.
pub(crate) const CHUNK_BYTES: usize = 65536;
/// Where a chunk's records begin, bytes.
pub(crate) const RECORDS_START: usize = 512;
/// Where in a chunk's header the table of names is: 64 offsets of four bytes.
pub(crate) const NAMES: Range<usize> = 128..384;
/// The record number of an empty chunk's last record.
const NO_RECORD: u64 = u64::MAX;
/// Flag of a chunk that carries no checksums.
const NO_CHECKSUMS: u32 = 4;

/// What a place for a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A chunk.
    Chunk,
    /// Zeros: space that Windows reserved and has not used.
    Unused,
    /// Something that does not begin like a chunk.
    Foreign,
}

impl Slot {
    /// Tells what `bytes` are.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(SIGNATURE) {
            Self::Chunk
        } else if bytes.chunks(4096).all(|part| part.iter().fold(0, |all, byte| all | byte) == 0) {
            Self::Unused
        } else {
            Self::Foreign
        }
    }
}

/// Whether `bytes` begin like a chunk.
pub(crate) fn has_chunk_signature(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// A chunk's bytes with what its header says of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// All of it.
    pub(crate) bytes: &'c [u8],
    first_number: u64,
    last_number: u64,
    /// Id of the first record.
    pub(crate) first_id: u64,
    /// Id of the last record.
    pub(crate) last_id: u64,
    /// Where the last record begins.
    pub(crate) last_record: usize,
    /// Where the records end, as the header says.
    free_space: usize,
    records_checksum: u32,
    flags: u32,
    header_checksum: u32,
}

impl<'c> Chunk<'c> {
    /// The chunk in `bytes`, which begin with its signature; `None` when they end within its header.
    pub(crate) fn parse(bytes: &'c [u8]) -> Option<Self> {
        bytes.get(..RECORDS_START)?;
        Some(Self {
            bytes,
            first_number: u64_at(bytes, 8)?,
            last_number: u64_at(bytes, 16)?,
            first_id: u64_at(bytes, 24)?,
            last_id: u64_at(bytes, 32)?,
            last_record: u32_at(bytes, 44)? as usize,
            free_space: u32_at(bytes, 48)? as usize,
            records_checksum: u32_at(bytes, 52)?,
            flags: u32_at(bytes, 120)?,
            header_checksum: u32_at(bytes, 124)?,
        })
    }

    /// Where the records that the header knows end.
    pub(crate) fn live_end(&self) -> usize {
        self.free_space.min(self.bytes.len())
    }

    /// Where free space begins; `None` when the header names no place behind itself.
    pub(crate) fn free_space(&self) -> Option<usize> {
        self.free_space_within(self.bytes.len())
    }

    /// The same of a chunk that has `size` bytes, of which its header may be all that is there.
    pub(crate) fn free_space_within(&self, size: usize) -> Option<usize> {
        (RECORDS_START..=size).contains(&self.free_space).then_some(self.free_space)
    }

    /// Whether the checksum of the header is right.
    pub(crate) fn header_is_intact(&self) -> bool {
        let computed = || {
            let mut hasher = Hasher::new();
            hasher.update(self.bytes.get(..120)?);
            hasher.update(self.bytes.get(128..RECORDS_START)?);
            Some(hasher.finalize())
        };
        self.has_no_checksums() || computed() == Some(self.header_checksum)
    }

    /// Whether the checksum of the records is right.
    pub(crate) fn records_are_intact(&self) -> bool {
        let records = || self.bytes.get(RECORDS_START..self.free_space);
        self.has_no_checksums() || records().map(crc32fast::hash) == Some(self.records_checksum)
    }

    /// Whether it carries no checksums.
    pub(crate) fn has_no_checksums(&self) -> bool {
        self.flags & NO_CHECKSUMS != 0
    }

    /// Whether the header knows no records.
    pub(crate) fn is_empty(&self) -> bool {
        self.last_number == NO_RECORD || self.free_space == RECORDS_START
    }

    /// How many records the header counts; `None` when the number is one that no chunk can hold.
    pub(crate) fn counted_records(&self) -> Option<u64> {
        if self.is_empty() {
            return Some(0);
        }
        let count = self.last_number.checked_sub(self.first_number)?.checked_add(1)?;
        (count <= super::records::MOST_RECORDS).then_some(count)
    }
}

//! A chunk: 64 KiB of an event log with a header of its own. All offsets in a chunk count from its first byte.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use std::ops::Range;

use crc32fast::Hasher;

use untrusted::bytes::{u32_at, u64_at};

/// The first bytes of a chunk.
pub(crate) const SIGNATURE: &[u8; 8] = b"ElfChnk\0";
/// Size of a chunk, bytes.
pub(crate) const CHUNK_BYTES: usize = 65536;
/// Offset of a chunk's first record, bytes.
pub(crate) const RECORDS_START: usize = 512;
/// The table of names in a chunk's header: 64 offsets of four bytes.
pub(crate) const NAMES: Range<usize> = 128..384;
/// The record number of an empty chunk's last record.
const NO_RECORD: u64 = u64::MAX;
/// Flag of a chunk without checksums.
const NO_CHECKSUMS: u32 = 4;

/// The content of a place where a chunk can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceContent {
    /// A chunk.
    Chunk,
    /// Zeros: space that Windows reserved and has not used.
    Unused,
    /// Bytes that do not begin with a chunk's signature.
    Foreign,
}

impl PlaceContent {
    /// Recognises the content of a place.
    pub(crate) fn recognise(bytes: &[u8]) -> Self {
        if has_chunk_signature(bytes) {
            Self::Chunk
        } else if bytes.chunks(4096).all(|part| part.iter().fold(0, |all, byte| all | byte) == 0) {
            Self::Unused
        } else {
            Self::Foreign
        }
    }
}

/// Whether `bytes` begin with a chunk's signature.
pub(crate) fn has_chunk_signature(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// A chunk with the fields of its header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'c> {
    /// The chunk, or as much of it as there is.
    pub(crate) bytes: &'c [u8],
    first_number: u64,
    last_number: u64,
    /// Id of the first record.
    pub(crate) first_id: u64,
    /// Id of the last record.
    pub(crate) last_id: u64,
    /// Offset of the last record.
    pub(crate) last_record: usize,
    /// Where the records end by the header.
    free_space: usize,
    records_checksum: u32,
    flags: u32,
    header_checksum: u32,
}

impl<'c> Chunk<'c> {
    /// Reads the header of the chunk in `bytes`; `None` when they end within it. The signature is not looked at.
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

    /// Where the records that the header counts end, within the chunk's bytes.
    pub(crate) fn live_end(&self) -> usize {
        self.free_space.min(self.bytes.len())
    }

    /// Where free space begins; `None` when the header's offset is not behind the header and within the chunk's bytes.
    pub(crate) fn free_space(&self) -> Option<usize> {
        self.free_space_within(self.bytes.len())
    }

    /// As [`free_space`](Self::free_space), for a chunk of `size` bytes of which only the header may have been read.
    pub(crate) fn free_space_within(&self, size: usize) -> Option<usize> {
        (RECORDS_START..=size).contains(&self.free_space).then_some(self.free_space)
    }

    /// Whether the checksum of the header is right, or there is none.
    pub(crate) fn header_is_intact(&self) -> bool {
        let computed = || {
            let mut hasher = Hasher::new();
            hasher.update(self.bytes.get(..120)?);
            hasher.update(self.bytes.get(128..RECORDS_START)?);
            Some(hasher.finalize())
        };
        self.has_no_checksums() || computed() == Some(self.header_checksum)
    }

    /// Whether the checksum of the records is right, or there is none.
    pub(crate) fn records_are_intact(&self) -> bool {
        let records = || self.bytes.get(RECORDS_START..self.free_space);
        self.has_no_checksums() || records().map(crc32fast::hash) == Some(self.records_checksum)
    }

    /// Whether the chunk has no checksums.
    pub(crate) fn has_no_checksums(&self) -> bool {
        self.flags & NO_CHECKSUMS != 0
    }

    /// Whether the header counts no records.
    pub(crate) fn is_empty(&self) -> bool {
        self.last_number == NO_RECORD || self.free_space == RECORDS_START
    }

    /// The numbers of the first and the last record in the file; `None` for a chunk without records, and for numbers that no
    /// chunk can have.
    pub(crate) fn numbers(&self) -> Option<(u64, u64)> {
        let counted = self.counted_records()?;
        (counted > 0).then_some((self.first_number, self.last_number))
    }

    /// How many records the header counts; `None` for a number of records that no chunk can hold.
    pub(crate) fn counted_records(&self) -> Option<u64> {
        if self.is_empty() {
            return Some(0);
        }
        let count = self.last_number.checked_sub(self.first_number)?.checked_add(1)?;
        (count <= super::records::MOST_RECORDS).then_some(count)
    }
}

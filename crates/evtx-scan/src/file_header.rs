//! The header that an event log begins with.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use evtx::{EvtxFileHeader, HeaderFlags};

/// What an event log begins with.
pub(crate) const FILE_SIGNATURE: &[u8; 8] = b"ElfFile\0";
/// Size of the file header's block, bytes.
pub(crate) const HEADER_BYTES: usize = 4096;

/// The file header, if the file has one.
#[derive(Debug)]
pub(crate) struct FileHeader {
    header: EvtxFileHeader,
}

impl FileHeader {
    /// Reads the header in `block`, the first bytes of the file. `None` when they are no header.
    pub(crate) fn parse(block: &[u8]) -> Option<Self> {
        EvtxFileHeader::from_bytes(block).ok().map(|header| Self { header })
    }

    /// Whether the log was not closed, so that the header may be older than the chunks.
    pub(crate) fn is_dirty(&self) -> bool {
        self.header.flags.contains(HeaderFlags::DIRTY)
    }

    /// The stored and the computed checksum, where they differ.
    pub(crate) fn wrong_checksum(&self) -> Option<(u32, u32)> {
        (!self.header.validate_checksum()).then_some((self.header.checksum, self.header.computed_checksum))
    }

    /// How many chunks there should be. The field has 16 bits, so that a log of more than 4 GiB counts anew.
    pub(crate) fn chunk_count(&self) -> u64 {
        u64::from(self.header.chunk_count)
    }

    /// The id that the next record would get.
    pub(crate) fn next_record_id(&self) -> u64 {
        self.header.next_record_id
    }
}

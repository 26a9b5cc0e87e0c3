//! The header of an event log's file: 4 KiB, of which 128 bytes are used.
//!
//! Source of the layout: libevtx's documentation of the Windows XML Event Log format.

use evtx::{EvtxFileHeader, HeaderFlags};

/// The first bytes of an event log.
pub(crate) const FILE_SIGNATURE: &[u8; 8] = b"ElfFile\0";
/// What the header is called where something of it is missing.
pub(crate) const FILE_HEADER: &str = "file header";
/// Size of the file header's block, bytes.
pub(crate) const HEADER_BYTES: usize = 4096;

/// The header in `block`, the first bytes of a file; `None` when there is none.
pub(crate) fn parse(block: &[u8]) -> Option<EvtxFileHeader> {
    EvtxFileHeader::from_bytes(block).ok()
}

/// Whether Windows did not close the log, so that the header may be older than the chunks. Nothing is known of a log without
/// header: it counts as not closed.
pub(crate) fn is_dirty(header: Option<&EvtxFileHeader>) -> bool {
    header.is_none_or(|header| header.flags.contains(HeaderFlags::DIRTY))
}

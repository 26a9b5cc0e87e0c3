//! The secondary data: blocks that callbacks of Windows and of drivers add to a dump when the system stops
//! (`KbCallbackSecondaryDumpData`). They follow everything else in the file.
//!
//! Source: the layout on which public parsers of kernel dumps agree, measured on a dump of Windows 10: `DumpBlob`, the length
//! of this header and the build; then for each block the length of its header, the identifier of its kind, the length
//! of its data, and the bytes that are filled in before and behind the data.

use std::io::{Read, Seek};
use std::sync::Arc;

use super::source::Source;
use evidence::SecondaryBlock;
use untrusted::Loss;
use untrusted::bytes::{array_at, u32_at};
use untrusted::notation::guid_of;

const SIGNATURE: [u8; 8] = *b"DumpBlob";
/// Lengths of the header, and of a block's header, bytes; both hold their own length, which may be larger.
const HEADER: u32 = 0x10;
const BLOCK_HEADER: u32 = 0x20;
/// The longest header that is believed, bytes.
const LONGEST_HEADER: u32 = 0x1000;
/// More blocks than a dump has (one of Windows 10 has 20): bounds the work for a hostile dump.
const MOST_BLOCKS: usize = 512;
/// The largest block that is read, bytes.
const LARGEST_READ: u32 = 8 << 20;

/// A block and where its data is in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    tag: [u8; 16],
    offset: u64,
    length: u32,
}

impl Block {
    /// The block as evidence.
    pub fn evidence(&self) -> SecondaryBlock {
        SecondaryBlock { tag: Arc::from(guid_of(self.tag)), bytes: self.length }
    }
}

/// The blocks at `offset` of the file, and the loss where the file ends within one of them. Nothing where no blocks are.
pub(super) fn blocks<F: Read + Seek>(source: &mut Source<F>, offset: u64) -> (Vec<Block>, Option<Loss>) {
    let mut blocks = Vec::new();
    let Ok(header) = source.read(offset, u64::from(HEADER)) else { return (blocks, None) };
    if array_at(&header, 0) != Some(SIGNATURE) {
        return (blocks, None);
    }
    let first = u32_at(&header, 8).unwrap_or_default();
    if !(HEADER..=LONGEST_HEADER).contains(&first) {
        let reason = format!("its header is said to have {first} bytes, so it is not read");
        return (blocks, Some(Loss::new("secondary data", reason)));
    }
    let mut next = offset.checked_add(u64::from(first));
    while let Some(here) = next.filter(|_| blocks.len() < MOST_BLOCKS) {
        let Ok(header) = source.read(here, u64::from(BLOCK_HEADER)) else { break };
        let number = |offset| u32_at(&header, offset).unwrap_or_default();
        let (length, before, behind) = (number(20), number(24), number(28));
        // What is no header ends the list.
        if !(BLOCK_HEADER..=LONGEST_HEADER).contains(&number(0)) {
            break;
        }
        let Some(tag) = array_at(&header, 4) else { break };
        let data = here.checked_add(u64::from(number(0))).and_then(|data| data.checked_add(u64::from(before)));
        let end = data.and_then(|data| data.checked_add(u64::from(length)));
        let (Some(data), Some(end)) = (data, end) else { break };
        if end > source.bytes {
            let reason = format!("the file ends in the block {} at offset {here:#x}", guid_of(tag));
            return (blocks, Some(Loss::new("secondary data", reason)));
        }
        blocks.push(Block { tag, offset: data, length });
        next = end.checked_add(u64::from(behind));
    }
    (blocks, None)
}

/// The data of the first block of a kind.
pub(super) fn data_of<F: Read + Seek>(source: &mut Source<F>, blocks: &[Block], tag: [u8; 16]) -> Option<Vec<u8>> {
    let block = blocks.iter().find(|block| block.tag == tag && block.length != 0)?;
    source.read(block.offset, u64::from(block.length.min(LARGEST_READ))).ok()
}

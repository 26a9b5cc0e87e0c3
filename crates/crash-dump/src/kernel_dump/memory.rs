//! The memory that a dump holds, read by the addresses that the kernel used.

use std::io::{Read, Seek};

use super::layout::triage;
use super::source::Source;
use super::width::ByWidth;
use untrusted::Loss;
use untrusted::bytes::{pointer_at, u32_at};

/// Memory by virtual address.
pub(super) trait Memory {
    /// The bytes at `address`: `length` of them, or fewer where the dump does not hold more of what follows. Empty where
    /// it does not hold the address. Callers ask for a few pages at most.
    fn read(&mut self, address: u64, length: usize) -> Vec<u8>;

    /// The bytes at `address`, if the dump holds all of them.
    fn read_all(&mut self, address: u64, length: usize) -> Option<Vec<u8>> {
        Some(self.read(address, length)).filter(|bytes| bytes.len() == length)
    }
}

/// The most pieces that are read, far more than a triage dump has (one of Windows 10 has 1831): bounds the work for a
/// hostile dump.
const MOST_BLOCKS: u32 = 1 << 16;
/// A kernel stack has up to 24 KiB, and 72 KiB where a thread asked for a large one.
const LONGEST_STACK: u32 = 128 << 10;

/// A piece of memory and where it is in the file.
#[derive(Debug, Clone, Copy)]
struct Block {
    address: u64,
    offset: u32,
    length: u32,
}

/// The pieces of memory that a triage dump holds: the call stack, and what its writer found worth keeping.
pub(super) struct TriageMemory<'s, F> {
    source: &'s mut Source<F>,
    /// By address: of several that hold an address, the one that begins last is read.
    blocks: Vec<Block>,
}

impl<'s, F: Read + Seek> TriageMemory<'s, F> {
    /// The memory of the dump whose triage block is `block`. Pieces beyond the file's end are a loss.
    pub fn new(source: &'s mut Source<F>, block: &[u8], wide: bool, losses: &mut Vec<Loss>) -> Self {
        let mut blocks: Vec<Block> = call_stack(block, wide).into_iter().collect();
        match data_blocks(source, block, wide) {
            Ok(found) => blocks.extend(found),
            Err(loss) => losses.push(loss),
        }
        let beyond = |block: &&Block| u64::from(block.offset).saturating_add(u64::from(block.length)) > source.bytes;
        let count = blocks.iter().filter(beyond).count();
        if count > 0 {
            let reason = format!("{count} of {} pieces lie beyond the file's end", blocks.len());
            losses.push(Loss::new("memory", reason));
        }
        blocks.sort_by_key(|block| block.address);
        Self { source, blocks }
    }

    /// The address of the call stack's first byte.
    pub fn top_of_stack(block: &[u8], wide: bool) -> Option<u64> {
        call_stack(block, wide).map(|stack| stack.address)
    }
}

fn call_stack(block: &[u8], wide: bool) -> Option<Block> {
    let stack = Block {
        address: pointer_at(block, triage::TOP_OF_STACK, wide)?,
        offset: u32_at(block, triage::CALL_STACK)?,
        length: u32_at(block, triage::CALL_STACK_SIZE)?,
    };
    (stack.address != 0 && stack.offset != 0 && (1..=LONGEST_STACK).contains(&stack.length)).then_some(stack)
}

/// The descriptions of the other pieces.
///
/// # Errors
/// When the list is longer than the file, or than any.
fn data_blocks<F: Read + Seek>(source: &mut Source<F>, block: &[u8], wide: bool) -> Result<Vec<Block>, Loss> {
    let lost = |reason: String| Loss::new("list of memory", format!("not used: {reason}"));
    let field = |field: ByWidth| u32_at(block, field.of(wide));
    let (Some(offset), Some(count)) = (field(triage::DATA_BLOCKS), field(triage::DATA_BLOCK_COUNT)) else {
        return Ok(Vec::new());
    };
    if offset == 0 || count == 0 {
        return Ok(Vec::new());
    }
    if count > MOST_BLOCKS {
        return Err(lost(format!("{count} pieces are more than a small dump has")));
    }
    let length = triage::DATA_BLOCK.of(wide);
    let bytes = u64::from(count).saturating_mul(length as u64);
    let list = source.read(u64::from(offset), bytes).map_err(|error| lost(error.to_string()))?;
    let pointer = if wide { 8 } else { 4 };
    let block = |entry: &[u8]| {
        Some(Block {
            address: pointer_at(entry, 0, wide)?,
            offset: u32_at(entry, pointer)?,
            length: u32_at(entry, pointer.saturating_add(4))?,
        })
    };
    Ok(list.chunks_exact(length).filter_map(block).collect())
}

impl<F: Read + Seek> TriageMemory<'_, F> {
    /// The bytes at `address` out of one piece.
    fn read_piece(&mut self, address: u64, length: usize) -> Vec<u8> {
        /// In so many pieces that begin before an address it is looked for.
        const MOST_OVERLAPPING: usize = 16;
        let after = self.blocks.partition_point(|block| block.address <= address);
        let before = self.blocks.iter().take(after).rev().take(MOST_OVERLAPPING);
        let found = before.into_iter().find_map(|block| {
            let skipped = address.checked_sub(block.address)?;
            let left = u64::from(block.length).checked_sub(skipped).filter(|left| *left > 0)?;
            let wanted = left.min(u64::try_from(length).unwrap_or(u64::MAX));
            Some((u64::from(block.offset).checked_add(skipped)?, wanted))
        });
        found.and_then(|(offset, wanted)| self.source.read_up_to(offset, wanted).ok()).unwrap_or_default()
    }
}

impl<F: Read + Seek> Memory for TriageMemory<'_, F> {
    fn read(&mut self, address: u64, length: usize) -> Vec<u8> {
        /// As many pieces are joined: bounds the work for a hostile dump.
        const MOST_JOINED: usize = 16;
        let mut bytes = self.read_piece(address, length);
        // What follows may be in another piece.
        for _ in 0..MOST_JOINED {
            let Some(left) = length.checked_sub(bytes.len()).filter(|left| *left > 0 && !bytes.is_empty()) else {
                break;
            };
            let Some(next) = u64::try_from(bytes.len()).ok().and_then(|read| address.checked_add(read)) else { break };
            let more = self.read_piece(next, left);
            if more.is_empty() {
                break;
            }
            bytes.extend(more);
        }
        bytes
    }
}

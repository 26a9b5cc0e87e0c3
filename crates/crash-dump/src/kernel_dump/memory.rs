//! The memory that a dump holds, read by the addresses that the kernel used.

use std::io::{Read, Seek};

use super::layout::triage;
use super::source::Source;
use super::width::ByWidth;
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
    /// In the order in which they are asked: of several that hold an address, the first is read.
    blocks: Vec<Block>,
}

impl<'s, F: Read + Seek> TriageMemory<'s, F> {
    /// The memory of the dump whose triage block is `block`.
    pub fn new(source: &'s mut Source<F>, block: &[u8], wide: bool) -> Self {
        let mut blocks: Vec<Block> = call_stack(block, wide).into_iter().collect();
        blocks.extend(data_blocks(source, block, wide));
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

/// The descriptions of the other pieces. A list that is longer than the file, or than any, is left alone: nothing but
/// the check of return addresses needs it.
fn data_blocks<F: Read + Seek>(source: &mut Source<F>, block: &[u8], wide: bool) -> Vec<Block> {
    let field = |field: ByWidth| u32_at(block, field.of(wide));
    let (Some(offset), Some(count)) = (field(triage::DATA_BLOCKS), field(triage::DATA_BLOCK_COUNT)) else {
        return Vec::new();
    };
    if offset == 0 || count > MOST_BLOCKS {
        return Vec::new();
    }
    let length = triage::DATA_BLOCK.of(wide);
    let bytes = u64::from(count).saturating_mul(length as u64);
    let list = source.read(u64::from(offset), bytes).unwrap_or_default();
    let pointer = if wide { 8 } else { 4 };
    let block = |entry: &[u8]| {
        Some(Block {
            address: pointer_at(entry, 0, wide)?,
            offset: u32_at(entry, pointer)?,
            length: u32_at(entry, pointer.saturating_add(4))?,
        })
    };
    list.chunks_exact(length).filter_map(block).collect()
}

impl<F: Read + Seek> Memory for TriageMemory<'_, F> {
    fn read(&mut self, address: u64, length: usize) -> Vec<u8> {
        let found = self.blocks.iter().find_map(|block| {
            let skipped = address.checked_sub(block.address)?;
            let left = u64::from(block.length).checked_sub(skipped).filter(|left| *left > 0)?;
            let wanted = left.min(u64::try_from(length).unwrap_or(u64::MAX));
            Some((u64::from(block.offset).checked_add(skipped)?, wanted))
        });
        found.and_then(|(offset, wanted)| self.source.read_up_to(offset, wanted).ok()).unwrap_or_default()
    }
}

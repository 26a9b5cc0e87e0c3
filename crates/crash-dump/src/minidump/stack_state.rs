//! The crashing thread: its environment block, where it started, and the limits of its stack.
//!
//! Layouts: `MINIDUMP_THREAD` and `MINIDUMP_THREAD_INFO` of `minidumpapiset.h`; `NT_TIB` of `winnt.h`.

use std::ops::Range;

use super::directory::{Directory, stream};
use super::excerpt::LONGEST_LIST;
use super::memory::{MemoryMap, entries_after_header};
use super::regions::Regions;
use evidence::{Address, Page, StackState};
use untrusted::bytes::{Source, u32_at, u64_at};

/// Regions of one stack: below it a reserved part and guard pages, then what was used, which guard pages that were
/// moved in between can have split.
const MOST_REGIONS: usize = 16;
/// How near to the lowest address of a stack its end is reached: one page that is never used, the guard page, and what
/// a thread keeps to handle the overflow (two pages unless it asked for more), and a frame.
const AT_END: u64 = 0x8000;
/// From this distance on a stack has room.
const ROOM: u64 = 0x1_0000;

/// What the list of threads says of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its environment block.
    pub teb: Option<Address>,
    /// The captured part of its stack, which need not be all.
    pub stack: Range<u64>,
}

/// A thread in `MINIDUMP_THREAD_LIST`, whose entries have 48 bytes: environment block at 16, stack's start and size at
/// 24.
pub fn listed(source: &mut Source<'_>, directory: &Directory, thread: u32) -> Option<Listed> {
    let found = directory.find(stream::THREAD_LIST)?;
    let list = source.read(found.offset, found.size.min(LONGEST_LIST))?;
    let count = u64::from(u32_at(&list, 0)?);
    let entries = entries_after_header(&list, 4, count, 48, found.kind, &mut Vec::new());
    let entry = entries.chunks_exact(48).find(|entry| u32_at(entry, 0) == Some(thread))?;
    let start = u64_at(entry, 24)?;
    Some(Listed {
        teb: u64_at(entry, 16).filter(|teb| *teb != 0).map(Address),
        stack: start..start.saturating_add(u64::from(u32_at(entry, 32)?)),
    })
}

/// Where a thread started, from `MINIDUMP_THREAD_INFO_LIST`: a header of 12 bytes, and 64 bytes a thread with the start
/// address at 48.
pub fn start(source: &mut Source<'_>, directory: &Directory, thread: u32) -> Option<Address> {
    let found = directory.find(stream::THREAD_INFO_LIST)?;
    let list = source.read(found.offset, found.size.min(LONGEST_LIST))?;
    let (header, size, count) = (u32_at(&list, 0)?, u32_at(&list, 4)? as usize, u32_at(&list, 8)? as usize);
    if !(12..=256).contains(&header) || !(64..=256).contains(&size) {
        return None;
    }
    let mut entries = list.get(header as usize..)?.chunks_exact(size).take(count);
    let entry = entries.find(|entry| u32_at(entry, 0) == Some(thread))?;
    u64_at(entry, 48).filter(|start| *start != 0).map(Address)
}

/// What is asked of a stack.
#[derive(Debug, Clone, Copy)]
pub struct StackQuestion {
    /// The stack pointer at the exception.
    pub pointer: Address,
    /// The thread's environment block.
    pub teb: Option<Address>,
    /// Whether addresses have 64 bits.
    pub wide: bool,
    /// The address that the exception names, of an access violation or a stack overflow.
    pub wanted: Option<Address>,
    /// Whether the exception is a stack overflow.
    pub overflow: bool,
}

/// The limits of the stack that the thread runs on, and whether it is used up. The environment block knows them; the
/// list of memory regions too.
pub fn stack(
    source: &mut Source<'_>,
    memory: &MemoryMap,
    regions: Option<Regions>,
    question: StackQuestion,
) -> Option<StackState> {
    let StackQuestion { pointer, wanted, overflow, .. } = question;
    let limits = match environment_limits(source, memory, question) {
        Some(limits) => limits,
        None => region_limits(source, regions?, pointer)?,
    };
    let (bottom, base) = limits;
    // A thread can run on a stack that it made itself.
    let above_bottom = |address: Address| address.0.checked_sub(bottom.0).filter(|_| address.0 < base.0);
    let left = above_bottom(pointer)?;
    let hit = wanted.filter(|wanted| above_bottom(*wanted).is_some());
    let region_hit = hit.and_then(|hit| regions?.at(source, hit));
    let in_guard = region_hit.is_some_and(|region| region.page == Page::Guard);
    // A small stack has used as much when it is only half full.
    let size = base.0.saturating_sub(bottom.0);
    // A deep stack that still served is not used up: only an overflow, or an access to its end, shows that it is.
    let near_end = left < AT_END.min(size >> 3) && (overflow || hit.is_some());
    let at_end = near_end || hit.and_then(above_bottom).is_some_and(|hit| hit < AT_END);
    let exhausted = if at_end || in_guard { Some(true) } else { (left >= ROOM).then_some(false) };
    Some(StackState { bottom, base, pointer, exhausted })
}

/// `NT_TIB.StackBase` and `TEB.DeallocationStack`, when the dump holds the block.
fn environment_limits(
    source: &mut Source<'_>,
    memory: &MemoryMap,
    question: StackQuestion,
) -> Option<(Address, Address)> {
    let teb = question.teb?;
    let mut word = |narrow: u64, wide: u64| {
        let at = Address(teb.0.checked_add(if question.wide { wide } else { narrow })?);
        let bytes = memory.bytes(source, at, 8)?;
        if question.wide { u64_at(&bytes, 0) } else { u32_at(&bytes, 0).map(u64::from) }
    };
    let (base, bottom) = (word(4, 8)?, word(0xE0C, 0x1478)?);
    (bottom != 0 && bottom < base).then_some((Address(bottom), Address(base)))
}

/// The allocation that holds the stack pointer.
fn region_limits(source: &mut Source<'_>, regions: Regions, pointer: Address) -> Option<(Address, Address)> {
    let mut region = regions.at(source, pointer)?;
    let bottom = region.allocation.filter(|bottom| *bottom <= region.base)?;
    if region.page != Page::ReadWrite && region.page != Page::Guard {
        return None;
    }
    // Without a reserved or guarded part below, it need not be a stack that grows.
    let lowest = regions.at(source, Address(bottom))?;
    if lowest.base == region.base {
        return None;
    }
    for _ in 0..MOST_REGIONS {
        match regions.above(source, &region).filter(|above| above.allocation == Some(bottom)) {
            Some(above) => region = above,
            None => return Some((Address(bottom), Address(region.end()))),
        }
    }
    None
}

//! The limits of the crashing thread's stack, and whether it was used up.
//!
//! Layout: `NT_TIB` of `winnt.h`.

use super::memory::Memory;
use super::regions::Regions;
use evidence::{Address, Page, StackState};
use untrusted::bytes::Source;

/// Regions of one stack: below it a reserved part and guard pages, then what was used, which guard pages that were
/// moved in between can have split.
const MOST_REGIONS: usize = 16;
/// How near to the lowest address of a stack its end is reached: one page that is never used, the guard page, and what
/// a thread keeps to handle the overflow (two pages unless it asked for more), and a frame.
const AT_END: u64 = 0x8000;
/// From this distance on a stack has room.
const ROOM: u64 = 0x1_0000;

/// What is known of the crashing thread when the limits of its stack are looked for.
#[derive(Debug, Clone, Copy)]
pub struct ThreadAtCrash {
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

/// The limits of the stack that the thread runs on, and whether it is used up. The environment block holds the limits,
/// and so does the list of memory regions.
pub fn stack_state(memory: &mut Memory<'_, '_>, regions: Option<Regions>, thread: ThreadAtCrash) -> Option<StackState> {
    let ThreadAtCrash { pointer, wanted, overflow, .. } = thread;
    let limits = match environment_limits(memory, thread) {
        Some(limits) => limits,
        None => region_limits(memory.source, regions?, pointer)?,
    };
    let (bottom, base) = limits;
    // A thread can run on a stack that it made itself.
    let above_bottom = |address: Address| address.0.checked_sub(bottom.0).filter(|_| address.0 < base.0);
    let left = above_bottom(pointer)?;
    let hit = wanted.filter(|wanted| above_bottom(*wanted).is_some());
    let region_hit = hit.and_then(|hit| regions?.at(memory.source, hit));
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
fn environment_limits(memory: &mut Memory<'_, '_>, thread: ThreadAtCrash) -> Option<(Address, Address)> {
    let teb = thread.teb?.0;
    let (base_at, bottom_at) = if thread.wide { (8, 0x1478) } else { (4, 0xE0C) };
    let base = memory.pointer(teb.checked_add(base_at)?, thread.wide)?;
    let bottom = memory.pointer(teb.checked_add(bottom_at)?, thread.wide)?;
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

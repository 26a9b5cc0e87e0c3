//! The stack of the thread that stopped: the instruction pointer, then what on the stack looks like return addresses.
//!
//! Kernel dumps hold no unwinding data that could be relied on (drivers' tables are paged out as a rule), so the stack is
//! scanned. Values that calls left there earlier look the same as live ones. Where the dump holds the code, a value only
//! counts if a call instruction is before the place it points to.

use super::layout::PAGE;
use super::memory::Memory;
use crate::call::{LONGEST_CALL, call_at_end};
use evidence::{Address, FrameTrust, KernelDriver, KernelFrame};
use untrusted::bytes::pointer_at;

/// As much of a stack as is looked at, bytes: more than an ordinary kernel stack has.
const LONGEST_STACK: u64 = 32 << 10;
/// As many frames as are kept.
const MOST_FRAMES: usize = 128;

/// The registers that a stack begins with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Registers {
    pub instruction_pointer: Option<u64>,
    pub stack_pointer: Option<u64>,
    /// Whether pointers have 64 bits.
    pub wide: bool,
    /// Whether the code is that of x86 or x64, whose call instructions are known here.
    pub intel: bool,
}

/// The frames of the thread with these registers.
pub(super) fn frames(registers: Registers, drivers: &[KernelDriver], memory: &mut dyn Memory) -> Vec<KernelFrame> {
    let mut by_address: Vec<(usize, &KernelDriver)> = drivers.iter().enumerate().collect();
    by_address.sort_by_key(|(_, driver)| driver.base);
    let driver_of = |address: u64| {
        let above = by_address.partition_point(|(_, driver)| driver.base.0 <= address);
        let (index, driver) = by_address.get(above.checked_sub(1)?)?;
        Some((*index, driver.offset_of(Address(address))?.0))
    };
    let mut frames = Vec::new();
    frames.extend(registers.instruction_pointer.map(|pointer| KernelFrame {
        address: Address(pointer),
        driver: driver_of(pointer).map(|(index, _)| index),
        trust: FrameTrust::Exact,
    }));
    let Some(begin) = registers.stack_pointer else { return frames };
    let step = if registers.wide { 8 } else { 4 };
    let stack = stack(begin, memory);
    for value in stack.chunks_exact(step).filter_map(|word| pointer_at(word, 0, registers.wide)) {
        if frames.len() >= MOST_FRAMES {
            break;
        }
        // No code lies in an image's first page, which holds its headers.
        let Some((index, offset)) = driver_of(value) else { continue };
        if offset >= PAGE && (!registers.intel || may_return_to(value, memory)) {
            frames.push(KernelFrame { address: Address(value), driver: Some(index), trust: FrameTrust::Scanned });
        }
    }
    frames
}

/// The stack from `begin` up, as far as the dump holds it.
fn stack(begin: u64, memory: &mut dyn Memory) -> Vec<u8> {
    let mut bytes = Vec::new();
    let end = begin.saturating_add(LONGEST_STACK);
    let mut here = begin;
    while here < end {
        let page_end = here.saturating_add(PAGE) & !PAGE.wrapping_sub(1);
        let wanted = page_end.min(end).saturating_sub(here);
        let part = memory.read(here, usize::try_from(wanted).unwrap_or_default());
        let whole = u64::try_from(part.len()).is_ok_and(|length| length == wanted);
        bytes.extend(part);
        if !whole || page_end <= here {
            break;
        }
        here = page_end;
    }
    bytes
}

/// Whether a call can have pushed `address`: `false` only where the dump holds the code before it and there is none.
fn may_return_to(address: u64, memory: &mut dyn Memory) -> bool {
    let code = memory.read_all(address.saturating_sub(LONGEST_CALL as u64), LONGEST_CALL);
    code.is_none_or(|code| call_at_end(&code).is_some())
}

//! The stack of the thread that stopped: the instruction pointer, then what on the stack looks like return addresses.
//!
//! Kernel dumps hold no unwinding data that could be relied on (drivers' tables are paged out as a rule), so the stack is
//! scanned. Values that calls left there earlier look the same as live ones. Where the dump holds the code, a value only
//! counts if a call instruction stands before the place it points to.

use super::layout::{PAGE, kernel_space, pointer_at};
use super::memory::Memory;
use evidence::{Address, FrameTrust, KernelDriver, KernelFrame};

/// As much of a stack as is looked at, bytes: more than an ordinary kernel stack has.
const LONGEST_STACK: u64 = 32 << 10;
/// As many frames as are kept.
const MOST_FRAMES: usize = 128;
/// The longest call instruction: prefix-less `FF /2` with a SIB byte and a displacement of 32 bits.
const LONGEST_CALL: u64 = 7;

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
    let begin = address.saturating_sub(LONGEST_CALL);
    let code = memory.read_all(begin, usize::try_from(LONGEST_CALL).unwrap_or_default());
    code.is_none_or(|code| ends_with_call(&code))
}

/// Whether the bytes end with a call: `E8` with a displacement of 32 bits, or `FF` with the operation 2 in every form
/// that its operand can have.
///
/// Source: Intel's and AMD's manuals, instruction `CALL`, and their tables of addressing forms.
fn ends_with_call(code: &[u8]) -> bool {
    let at = |back: usize| code.len().checked_sub(back).and_then(|index| code.get(index)).copied();
    if at(5) == Some(0xE8) {
        return true;
    }
    // The length of the instruction by mode and register field of the byte that describes the operand.
    let indirect = |length: usize| {
        let (Some(0xFF), Some(operand)) = (at(length), at(length.saturating_sub(1))) else { return false };
        let (mode, operation, register) = (operand >> 6, operand >> 3 & 7, operand & 7);
        let expected = match (mode, register) {
            (3, _) => 2,
            (0, 4) => 3,
            (0, 5) => 6,
            (0, _) => 2,
            (1, 4) => 4,
            (1, _) => 3,
            (_, 4) => 7,
            (_, _) => 6,
        };
        operation == 2 && expected == length
    };
    [2, 3, 4, 6, 7].into_iter().any(indirect)
}

/// A pointer of the kernel: what a stack pointer must be.
pub(super) fn is_kernel_pointer(pointer: u64, wide: bool) -> bool {
    pointer >= kernel_space(wide) && pointer.is_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_call_is_known() {
        for call in [
            // call rel32
            &[0x90, 0x90, 0xE8, 1, 2, 3, 4][..],
            // call rax, call r10 (with a prefix), call [rax]
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0xD0],
            &[0x90, 0x90, 0x90, 0x90, 0x41, 0xFF, 0xD2],
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0x10],
            // call [rsp], call [rax+8], call [rsp+8]
            &[0x90, 0x90, 0x90, 0x90, 0xFF, 0x14, 0x24],
            &[0x90, 0x90, 0x90, 0x90, 0xFF, 0x50, 8],
            &[0x90, 0x90, 0x90, 0xFF, 0x54, 0x24, 8],
            // call [rip+disp32], call [rax+disp32], call [rsp+disp32]
            &[0x90, 0xFF, 0x15, 1, 2, 3, 4],
            &[0x90, 0xFF, 0x90, 1, 2, 3, 4],
            &[0xFF, 0x94, 0x24, 1, 2, 3, 4],
        ] {
            assert!(ends_with_call(call), "{call:02x?}");
        }
        for other in [
            // jmp rel32, jmp [rip+disp32], push [rax], nothing
            &[0x90, 0x90, 0xE9, 1, 2, 3, 4][..],
            &[0x90, 0xFF, 0x25, 1, 2, 3, 4],
            &[0x90, 0x90, 0x90, 0x90, 0x90, 0xFF, 0x30],
            &[0x90; 7],
            &[],
        ] {
            assert!(!ends_with_call(other), "{other:02x?}");
        }
    }
}

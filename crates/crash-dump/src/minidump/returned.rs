//! A return to where no code is: its address was on the stack, which somebody had overwritten.
//!
//! What is below the stack pointer stays as it was only until something else uses the stack: Windows puts its record of the
//! exception there when it looks for handlers in the process. Returns that release arguments leave their address deeper.

use super::memory::Memory;
use super::wanted::NULL_PAGES;
use evidence::{Address, ProcessDump, Returned};

/// How many words below the overwritten return address are searched. What the function that returned had on the stack is
/// there, and below it where its last call was to return to.
const SEARCHED_WORDS: u64 = 256;

/// For an exception where no code is: whether code returned there, and which code that probably was. A return leaves its
/// address right below the stack pointer.
pub fn read(process: &ProcessDump, memory: &mut Memory<'_, '_>, stack_pointer: u64) -> Option<Returned> {
    let arrived = process.exception.as_ref()?.address.0;
    let wide = process.system.cpu.is_64_bit();
    let word = if wide { 8 } else { 4 };
    let slot = stack_pointer.checked_sub(word)?;
    // Small numbers and nulls are on every stack.
    if arrived < NULL_PAGES {
        return None;
    }
    if memory.pointer(slot, wide)? != arrived {
        return None;
    }
    let slots = (1..=SEARCHED_WORDS).map_while(|number| slot.checked_sub(number.checked_mul(word)?));
    let mut last_call = None;
    for slot in slots {
        let Some(address) = memory.pointer(slot, wide) else { break };
        if process.module_at(Address(address)).is_some() && memory.call_before(address).is_some() {
            last_call = Some(Address(address));
            break;
        }
    }
    Some(Returned { last_call })
}

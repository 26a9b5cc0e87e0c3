//! A return to where no code is: its address was on the stack, which somebody had overwritten.
//!
//! What is below the stack pointer stays as it was only until something else uses the stack: Windows puts its record of the
//! exception there when it looks for handlers in the process. Returns that release arguments leave their address deeper.

use super::memory::Memory;
use crate::call::{LONGEST_CALL, call_at_end};
use evidence::{Address, ProcessDump, Returned};

/// How many words below the overwritten return address are searched. What the function that returned had on the stack is
/// there, and below it where its last call was to return to.
const SEARCHED_WORDS: u64 = 256;

/// Below this address Windows gives no program memory.
const LOWEST_ADDRESS: u64 = 0x1_0000;

/// For an exception where no code is: whether code returned there, and which code that probably was. A return leaves its
/// address right below the stack pointer.
pub fn read(process: &ProcessDump, memory: &mut Memory<'_, '_>, stack_pointer: u64) -> Option<Returned> {
    let arrived = process.exception.as_ref()?.address.0;
    let wide = process.system.cpu.is_64_bit();
    let word = if wide { 8 } else { 4 };
    let slot = stack_pointer.checked_sub(word)?;
    // Small numbers and nulls are on every stack.
    if arrived < LOWEST_ADDRESS {
        return None;
    }
    if memory.pointer(slot, wide)? != arrived {
        return None;
    }
    let slots = (1..=SEARCHED_WORDS).map_while(|number| slot.checked_sub(number.checked_mul(word)?));
    let mut last_call = None;
    for slot in slots {
        let Some(address) = memory.pointer(slot, wide) else { break };
        if process.module_at(Address(address)).is_some() && follows_call(memory, address) {
            last_call = Some(Address(address));
            break;
        }
    }
    Some(Returned { last_call })
}

fn follows_call(memory: &mut Memory<'_, '_>, address: u64) -> bool {
    let before = address.checked_sub(LONGEST_CALL as u64);
    let code = before.and_then(|before| memory.part(before, LONGEST_CALL as u64));
    code.is_some_and(|code| code.len() == LONGEST_CALL && call_at_end(&code).is_some())
}

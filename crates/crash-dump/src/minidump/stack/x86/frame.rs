//! Undoing one frame by its image's unwinding data: the procedure of "x64 exception handling" in Microsoft's
//! documentation, which is also what Windows does (`RtlVirtualUnwind`).

use super::epilogue::Epilogue;
use super::registers::{RSP, Registers};
use super::words::Words;
use crate::minidump::image::{Function, Image, LONGEST_CHAIN, Operation};
use crate::minidump::memory::Memory;

/// Longest epilogue, bytes: lowering the stack pointer back (7), eight registers (2 each), a jump (6), and some room.
const LONGEST_EPILOGUE: u32 = 48;

/// How a frame was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// It called; its instruction pointer is where the call returns to.
    ByCall,
    /// It was interrupted at its instruction pointer, by an exception or by the system.
    Interrupted,
    /// It was called, and no code is where it should begin.
    Nowhere,
}

/// The registers of the frame that a function was entered from. `None` when the data or the stack is not at hand, or
/// the data can't be right.
pub fn undo(
    image: &mut Image,
    memory: &mut Memory<'_, '_>,
    words: &Words,
    function: Function,
    offset: u32,
    (registers, entered): (&Registers, Entered),
) -> Option<(Registers, Entered)> {
    let mut caller = registers.kept();
    let info = image.unwind_info(memory, function)?;
    if entered == Entered::Interrupted
        && let Some(epilogue) = epilogue(image, memory, function, offset, info.frame.map(|(number, _)| number))
    {
        epilogue.finish(&mut caller, |at| words.at(at, memory))?;
        return returned(caller, words, memory);
    }

    let into = offset.checked_sub(function.begin)?;
    let in_prologue = into < u32::from(info.prologue);
    // Where the function's own offsets count from: its frame register once that is set, else the stack pointer.
    let base = match info.frame {
        Some((number, above)) if !in_prologue || info.frame_set_at().is_some_and(|at| u32::from(at) <= into) => {
            registers.get(number)?.checked_sub(u64::from(above))?
        }
        _ => registers.get(RSP)?,
    };
    let mut next = Some(info);
    for link in 0..LONGEST_CHAIN {
        let info = next?;
        for (at, operation) in info.operations {
            // Not done yet. What a part of a function is chained to was all done before.
            if link == 0 && in_prologue && u32::from(at) > into {
                continue;
            }
            let rsp = caller.get(RSP)?;
            match operation {
                Operation::Push(number) => {
                    caller.set(number, Some(words.at(rsp, memory)?));
                    if number != RSP {
                        caller.set(RSP, Some(rsp.checked_add(8)?));
                    }
                }
                Operation::Allocate(bytes) => caller.set(RSP, Some(rsp.checked_add(u64::from(bytes))?)),
                Operation::SetFrame => {
                    let (number, above) = info.frame?;
                    caller.set(RSP, Some(caller.get(number)?.checked_sub(u64::from(above))?));
                }
                Operation::Save(number, above) => {
                    caller.set(number, Some(words.at(base.checked_add(u64::from(above))?, memory)?));
                }
                Operation::SaveVector => {}
                Operation::MachineFrame(with_error_code) => {
                    // RIP, CS, flags, RSP, SS.
                    let frame = rsp.checked_add(if with_error_code { 8 } else { 0 })?;
                    caller.rip = words.at(frame, memory)?;
                    caller.set(RSP, Some(words.at(frame.checked_add(24)?, memory)?));
                    return Some((caller, Entered::Interrupted));
                }
            }
        }
        match info.chained {
            Some(function) => next = Some(image.unwind_info(memory, function)?),
            None => return returned(caller, words, memory),
        }
    }
    None
}

/// The frame that a return leads to, the stack pointer being at the return address.
pub fn returned(mut caller: Registers, words: &Words, memory: &mut Memory<'_, '_>) -> Option<(Registers, Entered)> {
    let rsp = caller.get(RSP)?;
    caller.rip = words.at(rsp, memory)?;
    caller.set(RSP, Some(rsp.checked_add(words.size())?));
    Some((caller, Entered::ByCall))
}

fn epilogue(
    image: &mut Image,
    memory: &mut Memory<'_, '_>,
    function: Function,
    offset: u32,
    frame: Option<usize>,
) -> Option<Epilogue> {
    let mut code = vec![0; function.end.checked_sub(offset)?.min(LONGEST_EPILOGUE) as usize];
    image.fill(memory, offset, &mut code)?;
    Epilogue::read(&code, frame, |target| {
        // A jump to another function is how a call in the last place ends this one; within the function it is a loop.
        let to = i64::from(offset).checked_add(target)?;
        Some(!(i64::from(function.begin)..i64::from(function.end)).contains(&to))
    })
}

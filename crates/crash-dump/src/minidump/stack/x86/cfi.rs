//! Undoing one frame by the call frame information of a `.sym` file.

use minidump::Module;
use minidump_unwind::{FrameWalker, SymbolFile};

use super::registers::{RSP, Registers};
use super::words::Words;

/// The registers of the caller of the code at `instruction`. `called` are the bytes of arguments of the function that it
/// called; `None` if it called none. Only the part of the stack that is held is looked at.
pub fn undo(
    symbols: &SymbolFile,
    module: &dyn Module,
    instruction: u64,
    called: Option<u32>,
    registers: &Registers,
    words: &Words,
) -> Option<Registers> {
    let mut walker = Walker { instruction, called, callee: registers, caller: registers.kept(), words };
    walker.caller.set(RSP, None);
    symbols.walk_frame(module, &mut walker)?;
    walker.caller.get(RSP)?;
    Some(walker.caller)
}

struct Walker<'w> {
    instruction: u64,
    called: Option<u32>,
    callee: &'w Registers,
    caller: Registers,
    words: &'w Words,
}

impl FrameWalker for Walker<'_> {
    fn get_instruction(&self) -> u64 {
        self.instruction
    }

    fn has_grand_callee(&self) -> bool {
        self.called.is_some()
    }

    fn get_grand_callee_parameter_size(&self) -> u32 {
        self.called.unwrap_or(0)
    }

    fn get_register_at_address(&self, address: u64) -> Option<u64> {
        self.words.near(address)
    }

    fn get_callee_register(&self, name: &str) -> Option<u64> {
        if is_instruction_pointer(name) { Some(self.callee.rip) } else { self.callee.get(Registers::number(name)?) }
    }

    fn set_caller_register(&mut self, name: &str, value: u64) -> Option<()> {
        if is_instruction_pointer(name) {
            self.caller.rip = value;
        } else {
            self.caller.set(Registers::number(name)?, Some(value));
        }
        Some(())
    }

    fn clear_caller_register(&mut self, name: &str) {
        if let Some(number) = Registers::number(name) {
            self.caller.set(number, None);
        }
    }

    fn set_cfa(&mut self, value: u64) -> Option<()> {
        self.caller.set(RSP, Some(value));
        Some(())
    }

    fn set_ra(&mut self, value: u64) -> Option<()> {
        self.caller.rip = value;
        Some(())
    }
}

fn is_instruction_pointer(name: &str) -> bool {
    matches!(name, "rip" | "eip")
}

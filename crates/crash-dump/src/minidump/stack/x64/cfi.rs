//! Undoing one frame by the call frame information of a `.sym` file.

use minidump::Module;
use minidump_unwind::{FrameWalker, SymbolFile};

use super::registers::{RSP, Registers};
use super::words::Words;

/// The registers of the caller of the code at `instruction`. Only the part of the stack that is held is looked at.
pub fn undo(
    symbols: &SymbolFile,
    module: &dyn Module,
    instruction: u64,
    registers: &Registers,
    words: &Words,
) -> Option<Registers> {
    let mut walker = Walker { instruction, callee: registers, caller: registers.kept(), words };
    walker.caller.set(RSP, None);
    symbols.walk_frame(module, &mut walker)?;
    walker.caller.get(RSP)?;
    Some(walker.caller)
}

/// The name of the function at an offset in the image. A PUBLIC record has no end: it is taken only where the unwinding
/// information of the code begins no later than it.
pub fn function(symbols: &SymbolFile, offset: u64) -> Option<&str> {
    if let Some(function) = symbols.functions.get(offset) {
        return Some(&function.name);
    }
    let public = symbols.find_nearest_public(offset)?;
    let covered = symbols.cfi_stack_info.get(offset)?;
    (public.address >= covered.init.address).then_some(public.name.as_str())
}

struct Walker<'w> {
    instruction: u64,
    callee: &'w Registers,
    caller: Registers,
    words: &'w Words,
}

impl FrameWalker for Walker<'_> {
    fn get_instruction(&self) -> u64 {
        self.instruction
    }

    fn has_grand_callee(&self) -> bool {
        false
    }

    fn get_grand_callee_parameter_size(&self) -> u32 {
        0
    }

    fn get_register_at_address(&self, address: u64) -> Option<u64> {
        self.words.near(address)
    }

    fn get_callee_register(&self, name: &str) -> Option<u64> {
        if name == "rip" { Some(self.callee.rip) } else { self.callee.get(Registers::number(name)?) }
    }

    fn set_caller_register(&mut self, name: &str, value: u64) -> Option<()> {
        self.caller.set(Registers::number(name)?, Some(value));
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

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

/// The name of the function at an offset in the image. A PUBLIC record has no end: it is taken only where the unwinding
/// information of the code begins no later than it.
pub fn function(symbols: &SymbolFile, offset: u64) -> Option<&str> {
    if let Some(function) = symbols.functions.get(offset) {
        return Some(&function.name);
    }
    let public = symbols.find_nearest_public(offset)?;
    let covered = match symbols.cfi_stack_info.get(offset) {
        Some(covered) => covered.init.address,
        None => of_32_bits(symbols, offset)?.0,
    };
    (public.address >= covered).then_some(public.name.as_str())
}

/// How many bytes of arguments the function at an offset in the image takes from the stack.
pub fn parameter_size(symbols: &SymbolFile, offset: u64) -> Option<u32> {
    let of_function = || Some(symbols.functions.get(offset)?.parameter_size);
    of_32_bits(symbols, offset).map(|(_, size)| size).or_else(of_function)
}

/// What PDBs of 32-bit code record of the stack in the code at an offset: where that code begins, and how many bytes of
/// arguments its function takes.
fn of_32_bits(symbols: &SymbolFile, offset: u64) -> Option<(u64, u32)> {
    let infos = [&symbols.win_stack_framedata_info, &symbols.win_stack_fpo_info];
    let info = infos.into_iter().find_map(|infos| infos.get(offset))?;
    Some((info.address, info.parameter_size))
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

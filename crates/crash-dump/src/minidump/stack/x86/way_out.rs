//! The way out of a function: its instructions from one place to a return.
//!
//! What a function did to the stack it undoes before it returns, on every way. So where no table shows what it did, the
//! code ahead does: it is followed, with the few registers that matter, up to a return. Small dumps hold the code around
//! the instruction pointer, full dumps and images all of it.

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedRegister,
};

use super::registers::{RBP, RSP, Registers};

/// Most instructions that are followed, on all ways together. Functions have a way of some hundred instructions or less
/// from nearly everywhere.
const MOST_INSTRUCTIONS: usize = 512;
/// Most ways that are kept for later.
const MOST_WAYS: usize = 32;
/// Most words that are remembered of what was stored on the way.
const MOST_STORED: usize = 64;
/// Longest instruction, bytes.
const LONGEST: usize = 15;
/// Registers that calls may change: RAX, RCX, RDX, R8 to R11; in 32-bit code those of the same numbers.
const CHANGED_BY_CALLS: [usize; 7] = [0, 1, 2, 8, 9, 10, 11];

/// Code and stack, as far as they are at hand.
pub trait Surroundings {
    /// Code from an address on: as much of the buffer's length as is at hand.
    fn code(&mut self, address: u64, code: &mut [u8]) -> usize;

    /// The word of the stack at an address.
    fn word(&mut self, address: u64) -> Option<u64>;

    /// Whether an address is one that a call returns to; `None` where the code before it is not at hand. `slot` is where on
    /// the stack it is.
    fn is_return(&mut self, address: u64, slot: u64) -> Option<bool>;
}

/// A place on a way, and what is known there.
#[derive(Clone)]
struct At {
    registers: Registers,
    /// What was stored in memory on the way, the last one last: address and value.
    stored: Vec<(u64, Option<u64>)>,
    /// Whether the stack pointer is known only because a called function is taken to have left its arguments on the stack.
    assumed: bool,
}

impl At {
    /// Remembers a word; `None` where that are too many.
    fn store(&mut self, address: u64, value: Option<u64>) -> Option<()> {
        if self.stored.len() >= MOST_STORED {
            return None;
        }
        self.stored.push((address, value));
        Some(())
    }
}

/// The caller of the function that runs at `start`, by the code ahead, with the stack's words from `lowest` on. `None` where
/// that code is not at hand, or its ways are not clear.
pub fn caller(
    start: &Registers,
    lowest: u64,
    interrupted: bool,
    wide: bool,
    around: &mut impl Surroundings,
) -> Option<Registers> {
    let mut ways = vec![At { registers: *start, stored: Vec::new(), assumed: false }];
    let mut seen = Vec::new();
    let mut way = Way { wide, lowest, around, factory: InstructionInfoFactory::new() };
    while let Some(mut at) = ways.pop() {
        loop {
            let address = at.registers.rip;
            if seen.contains(&address) || seen.len() >= MOST_INSTRUCTIONS {
                break;
            }
            // A breakpoint or a deliberate end: what comes behind it runs when it is continued.
            let first = seen.is_empty() && interrupted;
            seen.push(address);
            match way.step(&mut at, first) {
                Some(Step::Next) => {}
                Some(Step::Branch(target)) => {
                    if ways.len() < MOST_WAYS {
                        let mut other = at.clone();
                        other.registers.rip = target;
                        ways.push(other);
                    }
                }
                Some(Step::Returned) => return Some(at.registers),
                None => break,
            }
        }
    }
    None
}

/// Where an instruction leads.
enum Step {
    /// To the one that the state's instruction pointer is at.
    Next,
    /// There, or to this address.
    Branch(u64),
    /// To the caller.
    Returned,
}

struct Way<'a, S> {
    wide: bool,
    /// The stack pointer at the beginning. What the dump holds below it is not what is there when the way gets there.
    lowest: u64,
    around: &'a mut S,
    factory: InstructionInfoFactory,
}

impl<S: Surroundings> Way<'_, S> {
    /// Carries out one instruction; `None` where the way ends or is not clear.
    fn step(&mut self, at: &mut At, first: bool) -> Option<Step> {
        let address = at.registers.rip;
        let mut code = [0; LONGEST];
        let held = self.around.code(address, &mut code);
        let bits = if self.wide { 64 } else { 32 };
        let mut decoder = Decoder::try_with_ip(bits, code.get(..held)?, address, DecoderOptions::NONE).ok()?;
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            return None;
        }
        at.registers.rip = instruction.next_ip();
        match instruction.flow_control() {
            FlowControl::Next => self.carry_out(&instruction, at),
            FlowControl::ConditionalBranch => return Some(Step::Branch(instruction.near_branch_target())),
            FlowControl::UnconditionalBranch => {
                at.registers.rip = instruction.near_branch_target();
                Some(())
            }
            FlowControl::Call | FlowControl::IndirectCall => {
                if !self.wide {
                    // How many arguments the function takes from the stack is not known.
                    if self.is_stack_adjusted(at.registers.rip) {
                        at.assumed = true;
                    } else {
                        at.registers.set(RSP, None);
                    }
                }
                CHANGED_BY_CALLS.iter().for_each(|number| at.registers.set(*number, None));
                Some(())
            }
            FlowControl::Return => return self.returned(&instruction, at).map(|()| Step::Returned),
            FlowControl::Interrupt | FlowControl::Exception if first => {
                at.registers.rip = instruction.next_ip();
                Some(())
            }
            _ => None,
        }?;
        Some(Step::Next)
    }

    fn returned(&mut self, instruction: &iced_x86::Instruction, at: &mut At) -> Option<()> {
        if instruction.mnemonic() != Mnemonic::Ret {
            return None;
        }
        let slot = at.registers.get(RSP)?;
        let address = self.word(at, slot)?;
        if !self.around.is_return(address, slot).unwrap_or(!at.assumed) {
            return None;
        }
        let released = if instruction.op_count() > 0 { u64::from(instruction.immediate16()) } else { 0 };
        at.registers.rip = address;
        at.registers.set(RSP, Some(slot.checked_add(self.size())?.checked_add(released)?));
        CHANGED_BY_CALLS.iter().for_each(|number| at.registers.set(*number, None));
        Some(())
    }

    /// Whether the instruction at an address, right behind a call, takes the arguments from the stack, so that the called
    /// function has not.
    fn is_stack_adjusted(&mut self, address: u64) -> bool {
        // add esp, constant
        let mut code = [0; 2];
        self.around.code(address, &mut code) == code.len() && matches!(code, [0x81 | 0x83, 0xC4])
    }

    fn size(&self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    fn cut(&self, value: u64) -> u64 {
        if self.wide { value } else { value & 0xFFFF_FFFF }
    }

    /// Carries out an instruction that leads to the next one.
    fn carry_out(&mut self, instruction: &iced_x86::Instruction, at: &mut At) -> Option<()> {
        let rsp = at.registers.get(RSP);
        match instruction.mnemonic() {
            Mnemonic::Push => {
                let value = self.operand(instruction, 0, at);
                let slot = rsp?.checked_sub(self.size())?;
                at.store(slot, value)?;
                at.registers.set(RSP, Some(slot));
            }
            Mnemonic::Pop => {
                let (slot, into) = (rsp?, self.full_register(instruction)?);
                let value = self.word(at, slot);
                at.registers.set(RSP, slot.checked_add(self.size()));
                at.registers.set(into, value);
            }
            Mnemonic::Leave => {
                let frame = at.registers.get(RBP)?;
                let value = self.word(at, frame);
                at.registers.set(RBP, value);
                at.registers.set(RSP, frame.checked_add(self.size()));
            }
            Mnemonic::Mov | Mnemonic::Lea | Mnemonic::Add | Mnemonic::Sub | Mnemonic::And => {
                match self.full_register(instruction) {
                    Some(into) => {
                        let value = self.computed(instruction, at);
                        at.registers.set(into, value.map(|value| self.cut(value)));
                    }
                    None => {
                        let is_move = instruction.mnemonic() == Mnemonic::Mov;
                        let value = if is_move { self.operand(instruction, 1, at) } else { None };
                        self.store(instruction, value, at)?;
                        self.forget_written(instruction, at);
                    }
                }
            }
            _ => {
                self.store(instruction, None, at)?;
                self.forget_written(instruction, at);
            }
        }
        Some(())
    }

    /// Remembers what an instruction may write to its first operand, if that is in memory at a known address.
    fn store(&self, instruction: &iced_x86::Instruction, value: Option<u64>, at: &mut At) -> Option<()> {
        if instruction.op_count() == 0 || instruction.op0_kind() != OpKind::Memory {
            return Some(());
        }
        match self.memory_address(instruction, at) {
            // Of another size it is only a part of a word.
            Some(slot) => at.store(slot, value.filter(|_| instruction.memory_size().size() as u64 == self.size())),
            None => Some(()),
        }
    }

    /// What an instruction puts into its first operand, a whole register.
    fn computed(&mut self, instruction: &iced_x86::Instruction, at: &At) -> Option<u64> {
        if instruction.mnemonic() == Mnemonic::Lea {
            return self.memory_address(instruction, at);
        }
        let value = self.operand(instruction, 1, at)?;
        let before = || self.operand_register(instruction.op0_register(), at);
        match instruction.mnemonic() {
            Mnemonic::Mov => Some(value),
            Mnemonic::Add => Some(before()?.wrapping_add(value)),
            Mnemonic::Sub => Some(before()?.wrapping_sub(value)),
            Mnemonic::And => Some(before()? & value),
            _ => None,
        }
    }

    /// The number of the whole register that an instruction's first operand is.
    fn full_register(&self, instruction: &iced_x86::Instruction) -> Option<usize> {
        let register = instruction.op0_register();
        let whole = instruction.op0_kind() == OpKind::Register && self.is_whole(register);
        whole.then(|| register.number())
    }

    fn is_whole(&self, register: Register) -> bool {
        if self.wide { register.is_gpr64() } else { register.is_gpr32() }
    }

    fn operand(&mut self, instruction: &iced_x86::Instruction, which: u32, at: &At) -> Option<u64> {
        match instruction.try_op_kind(which).ok()? {
            OpKind::Register => self.operand_register(instruction.try_op_register(which).ok()?, at),
            OpKind::Memory => {
                // Of another size it is only a part of a word.
                if instruction.memory_size().size() as u64 != self.size() {
                    return None;
                }
                let address = self.memory_address(instruction, at)?;
                self.word(at, address)
            }
            _ => instruction.try_immediate(which).ok(),
        }
    }

    fn operand_register(&self, register: Register, at: &At) -> Option<u64> {
        self.is_whole(register).then(|| at.registers.get(register.number())).flatten()
    }

    fn memory_address(&self, instruction: &iced_x86::Instruction, at: &At) -> Option<u64> {
        if matches!(instruction.segment_prefix(), Register::FS | Register::GS) {
            return None;
        }
        let displacement = instruction.memory_displacement64();
        if instruction.is_ip_rel_memory_operand() {
            return Some(displacement);
        }
        let value = |register| match register {
            Register::None => Some(0),
            register => self.operand_register(register, at),
        };
        let index = value(instruction.memory_index())?.wrapping_mul(u64::from(instruction.memory_index_scale()));
        Some(self.cut(value(instruction.memory_base())?.wrapping_add(index).wrapping_add(displacement)))
    }

    /// A word of the stack: what was stored on the way, else what the dump holds.
    fn word(&mut self, at: &At, address: u64) -> Option<u64> {
        if let Some((_, value)) = at.stored.iter().rev().find(|(slot, _)| *slot == address) {
            return *value;
        }
        if address < self.lowest { None } else { self.around.word(address) }
    }

    fn forget_written(&mut self, instruction: &iced_x86::Instruction, at: &mut At) {
        let written = |used: &&UsedRegister| {
            matches!(
                used.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            )
        };
        for used in self.factory.info(instruction).used_registers().iter().filter(written) {
            let register = used.register().full_register();
            if register.is_gpr() {
                at.registers.set(register.number(), None);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const CODE: u64 = 0x1000;
    const STACK: u64 = 0x8000;
    const CALLER: u64 = 0x4_0000;
    /// A place in code that is not at hand.
    const UNPROVEN: u64 = 0x3_0000;

    /// Code from [`CODE`] on, and the words of a stack from [`STACK`] on.
    pub struct Given {
        pub code: Vec<u8>,
        pub words: Vec<u64>,
        pub wide: bool,
    }

    impl Surroundings for Given {
        fn code(&mut self, address: u64, code: &mut [u8]) -> usize {
            let at = usize::try_from(address.wrapping_sub(CODE)).unwrap_or(usize::MAX);
            let held = self.code.get(at..).unwrap_or_default();
            let length = held.len().min(code.len());
            code[..length].copy_from_slice(&held[..length]);
            length
        }

        fn word(&mut self, address: u64) -> Option<u64> {
            let size = if self.wide { 8 } else { 4 };
            self.words.get(usize::try_from(address.checked_sub(STACK)?.checked_div(size)?).ok()?).copied()
        }

        fn is_return(&mut self, address: u64, _: u64) -> Option<bool> {
            if address == UNPROVEN { None } else { Some(address >= CALLER) }
        }
    }

    /// Instruction pointer, stack pointer and frame pointer of the caller. RBP is 0x8010, RBX is 7.
    fn caller_of(wide: bool, code: &[u8], words: &[u64]) -> Option<(u64, Option<u64>, Option<u64>)> {
        let mut registers = Registers::with_stack(CODE, STACK);
        registers.set(RBP, Some(0x8010));
        registers.set(3, Some(7));
        let mut given = Given { code: code.to_vec(), words: words.to_vec(), wide };
        let caller = caller(&registers, STACK, true, wide, &mut given)?;
        Some((caller.rip, caller.get(RSP), caller.get(RBP)))
    }

    #[test]
    fn the_rest_of_a_function_shows_its_caller() {
        // mov rcx, [rax]; call; add rsp, 0x10; pop rbp; ret
        let code = [0x48, 0x8B, 0x08, 0xE8, 0, 1, 0, 0, 0x48, 0x83, 0xC4, 0x10, 0x5D, 0xC3];
        let words = [1, 2, 0x9000, CALLER, 4];
        assert_eq!(caller_of(true, &code, &words), Some((CALLER, Some(STACK + 0x20), Some(0x9000))));
        assert_eq!(caller_of(true, &code[..13], &words), None, "the return is not at hand");
        let elsewhere = [1, 2, 0x9000, 3, CALLER];
        assert_eq!(caller_of(true, &code, &elsewhere), None, "it returns to no code");
    }

    #[test]
    fn a_copy_of_the_stack_pointer_is_followed() {
        // lea r11, [rsp+0x18]; mov rbp, [r11-8]; mov rsp, r11; ret
        let code = [0x4C, 0x8D, 0x5C, 0x24, 0x18, 0x49, 0x8B, 0x6B, 0xF8, 0x49, 0x8B, 0xE3, 0xC3];
        let words = [1, 2, 0x9000, CALLER];
        assert_eq!(caller_of(true, &code, &words), Some((CALLER, Some(STACK + 0x20), Some(0x9000))));
    }

    #[test]
    fn of_two_ways_the_one_that_returns_is_taken() {
        // je over; int3; over: ret
        let code = [0x74, 0x01, 0xCC, 0xC3];
        assert_eq!(caller_of(true, &code, &[CALLER]), Some((CALLER, Some(STACK + 8), Some(0x8010))));
        // jmp to itself
        assert_eq!(caller_of(true, &[0xEB, 0xFE], &[CALLER]), None);
    }

    #[test]
    fn the_breakpoint_that_it_stopped_at_is_passed_and_no_other() {
        assert_eq!(caller_of(true, &[0xCC, 0xC3], &[CALLER]).map(|caller| caller.0), Some(CALLER));
        assert_eq!(caller_of(true, &[0x90, 0xCC, 0xC3], &[CALLER]), None);
    }

    #[test]
    fn what_was_pushed_on_the_way_is_popped_again() {
        // push rbx; pop rbp; ret
        let caller = caller_of(true, &[0x53, 0x5D, 0xC3], &[CALLER]);
        assert_eq!(caller, Some((CALLER, Some(STACK + 8), Some(7))));
    }

    #[test]
    fn what_was_stored_on_the_way_is_what_is_loaded_again() {
        // mov [rsp+8], rbx; mov rbp, [rsp+8]; ret
        let code = [0x48, 0x89, 0x5C, 0x24, 0x08, 0x48, 0x8B, 0x6C, 0x24, 0x08, 0xC3];
        assert_eq!(caller_of(true, &code, &[CALLER, 0x9000]), Some((CALLER, Some(STACK + 8), Some(7))));
        // inc qword [rsp+8]; mov rbp, [rsp+8]; ret
        let code = [0x48, 0xFF, 0x44, 0x24, 0x08, 0x48, 0x8B, 0x6C, 0x24, 0x08, 0xC3];
        assert_eq!(caller_of(true, &code, &[CALLER, 0x9000]), Some((CALLER, Some(STACK + 8), None)));
    }

    #[test]
    fn functions_of_32_bits_release_their_arguments() {
        // leave; ret 8
        let words = [1, 2, 3, 4, 0x9000, CALLER, 5];
        let caller = caller_of(false, &[0xC9, 0xC2, 8, 0], &words);
        assert_eq!(caller, Some((CALLER, Some(0x8010 + 8 + 8), Some(0x9000))));
        // call; add esp, 4; ret
        let code = [0xE8, 0, 1, 0, 0, 0x83, 0xC4, 0x04, 0xC3];
        assert_eq!(caller_of(false, &code, &[1, CALLER]).map(|caller| caller.0), Some(CALLER));
        // That nothing else may be meant by the addition, only the call before the return shows.
        assert_eq!(caller_of(false, &code, &[1, UNPROVEN]), None);
        assert!(caller_of(false, &[0x83, 0xC4, 0x04, 0xC3], &[1, UNPROVEN]).is_some(), "no call, so no doubt");
        // Without the addition the called function may have released what it was given.
        assert_eq!(caller_of(false, &[0xE8, 0, 1, 0, 0, 0xC3], &[CALLER]), None);
    }
}

//! The registers of a frame, as far as they are known.

use minidump::{MinidumpContext, MinidumpRawContext};

use untrusted::bytes::{u32_at, u64_at};

/// The stack pointer's number, as instructions and unwind codes count registers; ESP in 32-bit code.
pub const RSP: usize = 4;
/// The frame pointer's number; EBP in 32-bit code.
pub const RBP: usize = 5;

/// Names in the order of the numbers.
const NAMES: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
/// Names of those that 32-bit code has.
const NAMES_OF_32_BITS: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
/// Registers that a called function leaves as they were: RBX, RBP, RSI, RDI, R12 to R15, and in 32-bit code those of the
/// same numbers.
const KEPT: [usize; 8] = [3, 5, 6, 7, 12, 13, 14, 15];

/// General registers and instruction pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// The general registers by their numbers; `None` for one whose value is not known.
    general: [Option<u64>; 16],
    /// Instruction pointer; for callers, where the call returns to.
    pub rip: u64,
}

impl Registers {
    /// The registers in a thread's context; `None` for other processors.
    pub fn from_context(context: &MinidumpContext) -> Option<Self> {
        match &context.raw {
            MinidumpRawContext::Amd64(c) => {
                let general = [
                    c.rax, c.rcx, c.rdx, c.rbx, c.rsp, c.rbp, c.rsi, c.rdi, c.r8, c.r9, c.r10, c.r11, c.r12, c.r13,
                    c.r14, c.r15,
                ];
                Some(Self { general: general.map(Some), rip: c.rip })
            }
            MinidumpRawContext::X86(c) => {
                Some(Self::of_32_bits([c.eax, c.ecx, c.edx, c.ebx, c.esp, c.ebp, c.esi, c.edi], c.eip))
            }
            _ => None,
        }
    }

    /// The registers in the bytes of a context: of 64-bit code where `wide`, in which they are from 0x78 on in the order
    /// of their numbers, else of 32-bit code.
    ///
    /// Source: `CONTEXT` of `winnt.h` for both.
    pub fn from_bytes(context: &[u8], wide: bool) -> Option<Self> {
        if !wide {
            const PLACES: [usize; 8] = [0xB0, 0xAC, 0xA8, 0xA4, 0xC4, 0xB4, 0xA0, 0x9C];
            const EIP: usize = 0xB8;
            let mut general = [0; 8];
            for (register, place) in general.iter_mut().zip(PLACES) {
                *register = u32_at(context, place)?;
            }
            return Some(Self::of_32_bits(general, u32_at(context, EIP)?));
        }
        const FIRST: usize = 0x78;
        const RIP: usize = 0xF8;
        let (words, _) = context.get(FIRST..RIP)?.as_chunks::<8>();
        let general: [[u8; 8]; 16] = words.try_into().ok()?;
        Some(Self { general: general.map(|word| Some(u64::from_le_bytes(word))), rip: u64_at(context, RIP)? })
    }

    fn of_32_bits(values: [u32; 8], eip: u32) -> Self {
        let mut registers = Self { general: [None; 16], rip: u64::from(eip) };
        for (register, value) in registers.general.iter_mut().zip(values) {
            *register = Some(u64::from(value));
        }
        registers
    }

    /// The registers of a frame of which only these two are known.
    pub fn with_stack(rip: u64, rsp: u64) -> Self {
        let mut registers = Self { general: [None; 16], rip };
        registers.set(RSP, Some(rsp));
        registers
    }

    /// The value of a register, if it is known.
    pub fn get(&self, number: usize) -> Option<u64> {
        *self.general.get(number)?
    }

    /// Whether a register that no function restores from the stack holds the instruction pointer.
    pub fn leads_to_itself(&self) -> bool {
        let restored = |number: usize| number == RSP || KEPT.contains(&number);
        (0..).zip(self.general).any(|(number, value)| !restored(number) && value == Some(self.rip))
    }

    /// Sets a register; `None` when its value is not known.
    pub fn set(&mut self, number: usize, value: Option<u64>) {
        if let Some(register) = self.general.get_mut(number) {
            *register = value;
        }
    }

    /// The registers that a call leaves as they were, and the stack pointer: what is known of a caller at first.
    pub fn kept(&self) -> Self {
        let mut kept = Self { general: [None; 16], rip: self.rip };
        for number in KEPT {
            kept.set(number, self.get(number));
        }
        kept.set(RSP, self.get(RSP));
        kept
    }

    /// The number of the register of a name.
    pub fn number(name: &str) -> Option<usize> {
        let number = |names: &[&str]| names.iter().position(|known| *known == name);
        number(&NAMES).or_else(|| number(&NAMES_OF_32_BITS))
    }
}

#[cfg(test)]
mod tests {
    use super::{RBP, Registers};

    #[test]
    fn a_call_by_a_register_leaves_the_address_in_it() {
        let mut registers = Registers::with_stack(0x5000, 0x5000);
        registers.set(RBP, Some(0x5000));
        registers.set(6, Some(0x5000));
        assert!(!registers.leads_to_itself(), "a return takes RBP and RSI from the stack, too");
        registers.set(1, Some(0x5000));
        assert!(registers.leads_to_itself());
    }
}

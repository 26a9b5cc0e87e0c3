//! The registers of a frame, as far as they are known.

use minidump::format::CONTEXT_AMD64;

use untrusted::bytes::u64_at;

/// The stack pointer's number, as instructions and unwind codes count registers.
pub const RSP: usize = 4;

/// Names in the order of the numbers.
const NAMES: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
/// Registers that a called function leaves as they were: RBX, RBP, RSI, RDI, R12 to R15.
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
    /// The registers in a thread's context.
    pub fn from_context(context: &CONTEXT_AMD64) -> Self {
        let c = context;
        let general = [
            c.rax, c.rcx, c.rdx, c.rbx, c.rsp, c.rbp, c.rsi, c.rdi, c.r8, c.r9, c.r10, c.r11, c.r12, c.r13, c.r14,
            c.r15,
        ];
        Self { general: general.map(Some), rip: c.rip }
    }

    /// The registers in the bytes of a context of 64-bit x86, which are from 0x78 on in the order of their numbers.
    pub fn from_bytes(context: &[u8]) -> Option<Self> {
        const FIRST: usize = 0x78;
        const RIP: usize = 0xF8;
        let (words, _) = context.get(FIRST..RIP)?.as_chunks::<8>();
        let general: [[u8; 8]; 16] = words.try_into().ok()?;
        Some(Self { general: general.map(|word| Some(u64::from_le_bytes(word))), rip: u64_at(context, RIP)? })
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
        NAMES.iter().position(|known| *known == name)
    }
}

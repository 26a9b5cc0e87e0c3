//! What an instruction does with the values that are followed, for all processors alike.

use crate::minidump::instruction::DecodedInstruction;

/// One instruction.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Its address.
    pub address: u64,
    /// The address behind it.
    pub end: u64,
    /// The general registers that it changes, a bit for each number.
    pub writes: u32,
    /// The general registers that it reads, those of addresses included, a bit for each number.
    pub reads: u32,
    /// Registers that get a value that can be followed.
    pub sets: [Option<(usize, From)>; 2],
    /// Memory that gets one.
    pub stores: [Option<(Place, From)>; 2],
    /// Memory that it changes to something that can't be followed.
    pub spoils: Option<Place>,
    /// What it compares, for a branch behind it.
    pub compares: [Option<From>; 2],
    /// By how many bytes it moves the stack pointer up.
    pub moves_stack: i64,
    /// Where it goes on.
    pub flow: Flow,
    /// The instruction itself.
    pub decoded: DecodedInstruction,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// The instruction holds it.
    Constant(u64),
    /// A register holds it.
    Register(usize),
    /// It is computed from one register alone, so that a null there is a small number here.
    Near(usize),
    /// Memory holds it.
    Load(Place),
    /// It is the address of a place in memory.
    AddressOf(Place),
}

/// A place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The register that its address counts from; `None` for a fixed address.
    pub base: Option<usize>,
    /// Whether another register is added.
    pub has_index: bool,
    /// What is added besides, bytes; a fixed address itself.
    pub displacement: i64,
}

/// Where the code goes on behind an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Behind it.
    Next,
    /// Behind it, or at an address.
    Branch(u64),
    /// Behind it, after a call.
    Call(Target),
    /// Elsewhere: an address if the instruction holds it.
    Jump(Option<u64>),
    /// It fills the space between functions.
    Padding,
}

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An address.
    Address(u64),
    /// The address in a register or in memory.
    Value(From),
    /// Nothing that is followed.
    Unknown,
}

impl Step {
    /// An instruction that changes nothing.
    pub fn plain(address: u64, end: u64, decoded: DecodedInstruction) -> Self {
        let (sets, stores, compares) = ([None; 2], [None; 2], [None; 2]);
        let (writes, reads, spoils, moves_stack, flow) = (0, 0, None, 0, Flow::Next);
        Self { address, end, writes, reads, sets, stores, spoils, compares, moves_stack, flow, decoded }
    }

    /// Whether it changes a register.
    pub fn changes(&self, register: usize) -> bool {
        u32::try_from(register).is_ok_and(|bit| self.writes.checked_shr(bit).is_some_and(|bits| bits & 1 == 1))
    }

    /// Whether it reads a register.
    pub fn reads_register(&self, register: usize) -> bool {
        u32::try_from(register).is_ok_and(|bit| self.reads.checked_shr(bit).is_some_and(|bits| bits & 1 == 1))
    }

    /// What a register gets.
    pub fn set(&self, register: usize) -> Option<From> {
        self.sets.iter().flatten().find(|(to, _)| *to == register).map(|(_, from)| *from)
    }

    /// What a place gets.
    pub fn stored(&self, place: Place) -> Option<From> {
        self.stores.iter().flatten().find(|(to, _)| *to == place).map(|(_, from)| *from)
    }
}

/// What the calling convention of a processor on Windows makes of registers.
#[derive(Debug, Clone, Copy)]
pub struct Convention {
    /// The registers that hold the first arguments, in order.
    pub arguments: &'static [usize],
    /// The registers that a called function may change, a bit for each number.
    pub volatile: u32,
    /// The register that holds what a function returns.
    pub result: usize,
    /// The stack pointer.
    pub stack_pointer: usize,
    /// The register that often holds the frame's address.
    pub frame_pointer: usize,
    /// Size of a word on the stack, bytes.
    pub word: i64,
    /// Whether called functions may take their arguments off the stack.
    pub callee_cleans: bool,
    /// Where the first argument on the stack is, from the stack pointer on at a function's first instruction, bytes; on x64
    /// the four words of the register arguments count as well.
    pub first_on_stack: i64,
}

impl Convention {
    /// Whether a called function may change a register.
    pub fn is_volatile(&self, register: usize) -> bool {
        u32::try_from(register).is_ok_and(|bit| self.volatile.checked_shr(bit).is_some_and(|bits| bits & 1 == 1))
    }

    /// How many general registers there are.
    pub fn registers(&self) -> usize {
        match (self.word, self.stack_pointer) {
            (4, _) => 8,
            (_, 31) => 32,
            _ => 16,
        }
    }
}

/// 32-bit x86: arguments on the stack, `this` in ECX, and with `__fastcall` also EDX.
pub const X86: Convention = Convention {
    arguments: &[1, 2],
    volatile: 0b111,
    result: 0,
    stack_pointer: 4,
    frame_pointer: 5,
    word: 4,
    callee_cleans: true,
    first_on_stack: 4,
};

/// "x64 calling convention" of Microsoft's documentation: RCX, RDX, R8, R9.
pub const X64: Convention = Convention {
    arguments: &[1, 2, 8, 9],
    volatile: 0b1111_0000_0111,
    result: 0,
    stack_pointer: 4,
    frame_pointer: 5,
    word: 8,
    callee_cleans: false,
    first_on_stack: 8,
};

/// "Overview of ARM64 ABI conventions" of Microsoft's documentation: X0 to X7; X18 belongs to the system.
pub const ARM64: Convention = Convention {
    arguments: &[0, 1, 2, 3, 4, 5, 6, 7],
    volatile: 0x4003_FFFF,
    result: 0,
    stack_pointer: 31,
    frame_pointer: 29,
    word: 8,
    callee_cleans: false,
    first_on_stack: 0,
};

//! Details of an exception beside its record: what lies at the addresses, what the instruction is, and
//! what the exception's own data names.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Address, BitFlip, ExceptionCode, FaultingAccess, Givers, Origin};
use crate::words;

/// What could be read around an exception. Everything is absent unless the dump proves it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashDetail {
    /// What lies at the address that an access violation wanted.
    pub wanted: Option<Wanted>,
    /// What lies at the address of the exception, where it should have been code.
    pub code_place: Option<CodePlace>,
    /// The instruction at the fault.
    pub instruction: Option<Instruction>,
    /// What that instruction did with memory.
    pub access: Option<FaultingAccess>,
    /// A flipped bit that would explain the wrong address.
    pub bit_flip: Option<BitFlip>,
    /// How the value that made it fail came about.
    pub origin: Option<Origin>,
    /// Who gave the value that made it fail, or that a check before a stop found bad: one for each place from which it was
    /// followed.
    pub givers: Vec<Givers>,
    /// The general registers at the exception, in the order of [`CpuArchitecture::registers`](super::CpuArchitecture::registers);
    /// empty when they are not known.
    pub registers: Vec<u64>,
    /// For code outside of all modules that a hook made: where its jump leads to, in a module.
    pub hook_target: Option<Address>,
    /// Whether the instruction pointer is inside of an instruction that a hook overwrote.
    pub inside_hook: bool,
    /// The hook that led to the exception's address, where no code is.
    pub dead_hook: Option<DeadHook>,
    /// How the code returned to the exception's address, where no code is.
    pub returned: Option<Returned>,
    /// The C++ exception that was thrown.
    pub cpp: Option<CppException>,
    /// The `HRESULT` of a .NET exception.
    pub managed_result: Option<ExceptionCode>,
    /// The errors inside a stowed exception, in the dump's order.
    pub stowed: Vec<StowedException>,
    /// The crashing thread's stack.
    pub stack: Option<StackState>,
    /// The function in which the crashing thread started.
    pub thread_start: Option<Address>,
}

/// A function's beginning that was overwritten with a jump to where no code is any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadHook {
    /// Where the function begins.
    pub function: Address,
    /// Places in other modules, one in each, that hold the address to which the jump leads.
    pub holders: Vec<Address>,
}

/// A return to where no code is, by an address on the stack that was overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Where the last call of the function that returned was to return to, if that is still on the stack below.
    pub last_call: Option<Address>,
}

/// The address that the code accessed when it caused an access violation or in-page error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// What the address is; `None` when the dump does not show it.
    pub kind: Option<AddressKind>,
    /// The address that the registers of the instruction give, if it is not canonical: the processor then reports none.
    pub computed: Option<Address>,
    /// The fill pattern of a heap that the address is near to, as 32 bits. It proves that the pointer was made of the
    /// pattern only with `kind` [`AddressKind::FillPattern`].
    pub pattern: Option<u32>,
    /// The module that the address lies in: a loaded one, or one that was unloaded and whose place is free.
    pub module: Option<Arc<str>>,
    /// The page that it lies in.
    pub page: Option<Page>,
    /// Where accessible memory ends or begins that the access left: right before or behind the address.
    pub edge: Option<Address>,
}

words!(
    /// What an address is that could not be accessed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    AddressKind {
        /// In the first 64 KiB, which Windows never hands out: a null pointer and the place of a field.
        NullPage => "null-page",
        /// The processor reported no address: the pointer is not canonical, or it is -1.
        NotReported => "not-reported",
        /// The pointer is not canonical, by the registers at the fault.
        NonCanonical => "non-canonical",
        /// The instruction insists on an alignment that the address does not have.
        Misaligned => "misaligned",
        /// A pattern that heaps fill memory with, and a small offset.
        FillPattern => "fill-pattern",
        /// A guard page or the part below it at the end of the crashing thread's stack.
        StackEnd => "stack-end",
        /// The crashing thread's stack.
        Stack => "stack",
        /// A loaded module.
        Module => "module",
        /// Where a module was that has been unloaded.
        UnloadedModule => "unloaded-module",
        /// A guard page elsewhere.
        GuardPage => "guard-page",
        /// Committed, and its protection forbids what was wanted.
        Protected => "protected",
        /// Committed, and its protection allows what was wanted.
        Committed => "committed",
        /// Reserved, without memory behind it.
        Reserved => "reserved",
        /// Free.
        Free => "free",
        /// In the part of the address space that belongs to the system.
        Kernel => "kernel",
    }
);

words!(
    /// A page in the list of memory regions: its state, and of a committed one its protection
    /// (`PAGE_*` of the Windows API).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    Page {
        /// Free.
        Free => "free",
        /// Reserved.
        Reserved => "reserved",
        /// Committed, and the next access raises an exception once.
        Guard => "guard",
        /// No access.
        NoAccess => "no-access",
        /// Read.
        ReadOnly => "read-only",
        /// Read and write.
        ReadWrite => "read-write",
        /// Read, and write to a copy.
        WriteCopy => "write-copy",
        /// Execute.
        Execute => "execute",
        /// Execute and read.
        ExecuteRead => "execute-read",
        /// Execute, read and write.
        ExecuteReadWrite => "execute-read-write",
        /// Execute, read, and write to a copy.
        ExecuteWriteCopy => "execute-write-copy",
    }
);

impl Page {
    /// Whether it is committed.
    #[must_use]
    pub fn is_committed(self) -> bool {
        !matches!(self, Self::Free | Self::Reserved)
    }

    /// Whether code in it can be executed.
    #[must_use]
    pub fn is_executable(self) -> bool {
        matches!(self, Self::Execute | Self::ExecuteRead | Self::ExecuteReadWrite | Self::ExecuteWriteCopy)
    }

    /// Whether it can be written.
    #[must_use]
    pub fn is_writable(self) -> bool {
        matches!(self, Self::ReadWrite | Self::WriteCopy | Self::ExecuteReadWrite | Self::ExecuteWriteCopy)
    }

    /// Whether it can be read.
    #[must_use]
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Free | Self::Reserved | Self::Guard | Self::NoAccess | Self::Execute)
    }
}

words!(
    /// What is at the address where an exception was raised.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    CodePlace {
        /// A loaded module.
        Module => "module",
        /// Where a module was that has been unloaded.
        UnloadedModule => "unloaded-module",
        /// The first 64 KiB: a null pointer was called.
        NullPage => "null-page",
        /// The crashing thread's stack.
        Stack => "stack",
        /// Executable memory of no module: code that was made at run time.
        Generated => "generated",
        /// Memory that is committed and not executable.
        NotExecutable => "not-executable",
        /// Free or only reserved address space.
        Free => "free",
        /// No module, loaded or unloaded; what else is not known.
        NoModule => "no-module",
    }
);

/// One instruction: of x86 and x64 decoded, of 64-bit ARM only traps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// In its maker's notation (`vmovups ymm0,[rcx]`, `brk #0xf003`); where it is not decoded, a text that states that.
    pub text: Arc<str>,
    /// What kind of instruction.
    pub kind: InstructionKind,
    /// The extension of the processor that it needs; `None` for bytes that are no instruction.
    pub extension: Option<Extension>,
    /// Whether the processor has that extension and the system lets programs use it; `None` when the dump does not
    /// show it.
    pub supported: Option<bool>,
}

words!(
    /// Kinds of instructions that end programs by themselves, and all others.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    InstructionKind {
        /// None of the others.
        Ordinary => "ordinary",
        /// `int3`, `brk #0xf000`: a breakpoint, or a check that failed.
        Breakpoint => "breakpoint",
        /// `int 29h`, `brk #0xf003`: `__fastfail`.
        FastFail => "fast-fail",
        /// `ud0`, `ud1`, `ud2`, `udf`, other `brk`: undefined on purpose; compilers put it where the program must not come.
        Undefined => "undefined",
        /// Only for the system: `hlt`, `in`, `out`, access to control registers.
        Privileged => "privileged",
        /// Another software interrupt.
        Interrupt => "interrupt",
        /// Bytes that are no instruction.
        Invalid => "invalid",
        /// Of a processor whose instructions are not decoded.
        NotDecoded => "not-decoded",
    }
);

words!(
    /// Extensions of x86, as compilers' switches name them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    Extension {
        /// What every processor has that runs the architecture.
        Base => "base",
        /// MMX, 3DNow! and SSE.
        Sse => "sse",
        /// SSE2.
        Sse2 => "sse2",
        /// SSE3.
        Sse3 => "sse3",
        /// Supplemental SSE3.
        Ssse3 => "ssse3",
        /// SSE4a of AMD.
        Sse4a => "sse4a",
        /// SSE4.1.
        Sse41 => "sse4.1",
        /// SSE4.2.
        Sse42 => "sse4.2",
        /// `popcnt`, `lzcnt`, BMI1, BMI2, `movbe`, ADX.
        Bits => "bit-manipulation",
        /// AES, carry-less multiplication, SHA, random numbers.
        Crypto => "cryptography",
        /// AVX.
        Avx => "avx",
        /// Conversion of 16-bit floats.
        F16c => "f16c",
        /// Fused multiply-add.
        Fma => "fma",
        /// FMA4 and XOP of AMD.
        Fma4 => "fma4",
        /// AVX2.
        Avx2 => "avx2",
        /// What came to AVX later without being AVX-512 (AVX-VNNI...).
        LaterAvx => "later-avx",
        /// Any part of AVX-512.
        Avx512 => "avx512",
        /// Matrix extensions.
        Amx => "amx",
        /// Any other.
        Other => "other",
    }
);

/// A C++ exception of MSVC, by the throw information that its parameters point to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CppException {
    /// The types that would catch it, the thrown one first.
    pub types: Vec<Arc<str>>,
    /// The text inside a `std::exception`.
    pub what: Option<Arc<str>>,
    /// The image whose throw information it is: the base of a loaded module.
    pub image: Option<Address>,
}

/// One error inside a stowed exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StowedException {
    /// Its `HRESULT`.
    pub result: ExceptionCode,
    /// The thread that met it.
    pub thread: u32,
    /// Where it was met.
    pub address: Option<Address>,
    /// Its text, for those that have one instead of an address.
    pub text: Option<Arc<str>>,
}

/// The crashing thread's stack at the exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackState {
    /// The lowest address that belongs to it.
    pub bottom: Address,
    /// The first address above it, where it begins.
    pub base: Address,
    /// The stack pointer.
    pub pointer: Address,
    /// Whether it was used up; `None` when the pointer is near the end, but nothing shows that the end was reached.
    pub exhausted: Option<bool>,
}

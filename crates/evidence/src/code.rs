//! Codes that Windows uses for failures. Each kind is a type of its own, so that a bugcheck code can't be looked up
//! among exception codes.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! hex_code {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            /// `0x` and eight upper-case hexadecimal digits.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "0x{:08X}", self.0)
            }
        }
    };
}

hex_code!(
    /// The code of an exception or of a process exit: an NTSTATUS (`0xC0000005`) or a code that a language runtime
    /// defined (`0xE06D7363`).
    ExceptionCode
);
hex_code!(
    /// An NTSTATUS that is not itself the exception, such as the reason of an in-page error.
    NtStatus
);
hex_code!(
    /// A bugcheck (stop) code as written, with its flag bits.
    BugcheckCode
);

impl BugcheckCode {
    /// The code without the flag `0x1000_0000`, which marks the minidump variant of the same stop (`0x1000007E` is
    /// `0x7E`): the form under which it is looked up.
    ///
    /// Source: Windows driver documentation, bug checks `0x1000007E`, `0x1000007F`, `0x1000008E`, `0x100000EA`.
    #[must_use]
    pub fn plain(self) -> u32 {
        self.0 & 0x0FFF_FFFF
    }
}

/// The first parameter of a fast-fail exception (`0xC0000409`), also parameter 1 of bugcheck `0x139`. Written as a
/// decimal number, as `winnt.h` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FastFailCode(pub u32);

impl ExceptionCode {
    /// `STATUS_STACK_BUFFER_OVERRUN`: despite its name the code of every fast-fail exception.
    pub const FAST_FAIL: Self = Self(0xC000_0409);
    /// `STATUS_HEAP_CORRUPTION`.
    pub const HEAP_CORRUPTION: Self = Self(0xC000_0374);
    /// `STATUS_ACCESS_VIOLATION`.
    pub const ACCESS_VIOLATION: Self = Self(0xC000_0005);
    /// `STATUS_BREAKPOINT`.
    pub const BREAKPOINT: Self = Self(0x8000_0003);
    /// `STATUS_WX86_BREAKPOINT`: of 32-bit code on 64-bit Windows.
    pub const WOW64_BREAKPOINT: Self = Self(0x4000_001F);
    /// `STATUS_ASSERTION_FAILURE`: what `int 2Ch` raises.
    pub const ASSERTION_FAILURE: Self = Self(0xC000_0420);
    /// `STATUS_GUARD_PAGE_VIOLATION`.
    pub const GUARD_PAGE: Self = Self(0x8000_0001);
    /// `STATUS_DATATYPE_MISALIGNMENT`.
    pub const DATATYPE_MISALIGNMENT: Self = Self(0x8000_0002);
    /// `STATUS_STACK_OVERFLOW`: the stack of a thread has no room any more.
    pub const STACK_OVERFLOW: Self = Self(0xC000_00FD);
    /// `STATUS_ILLEGAL_INSTRUCTION`.
    pub const ILLEGAL_INSTRUCTION: Self = Self(0xC000_001D);
    /// `STATUS_PRIVILEGED_INSTRUCTION`.
    pub const PRIVILEGED_INSTRUCTION: Self = Self(0xC000_0096);
    /// `STATUS_INTEGER_DIVIDE_BY_ZERO`.
    pub const INTEGER_DIVIDE_BY_ZERO: Self = Self(0xC000_0094);
    /// `STATUS_INTEGER_OVERFLOW`.
    pub const INTEGER_OVERFLOW: Self = Self(0xC000_0095);
    /// `STATUS_FLOAT_DIVIDE_BY_ZERO`.
    pub const FLOAT_DIVIDE_BY_ZERO: Self = Self(0xC000_008E);
    /// `STATUS_STOWED_EXCEPTION`: an error of the Windows Runtime that nobody handled.
    pub const STOWED_EXCEPTION: Self = Self(0xC000_027B);
    /// `STATUS_FAIL_FAST_EXCEPTION`: `RaiseFailFastException`.
    pub const FAIL_FAST_EXCEPTION: Self = Self(0xC000_0602);
    /// `STATUS_FATAL_APP_EXIT`: `abort` of older C runtimes.
    pub const FATAL_APP_EXIT: Self = Self(0x4000_0015);
    /// `STATUS_INVALID_CRUNTIME_PARAMETER`: the C runtime refused an argument.
    pub const INVALID_CRUNTIME_PARAMETER: Self = Self(0xC000_0417);
    /// A C++ exception of Microsoft's compiler (`0xE0000000` and "msc").
    pub const CPP_EXCEPTION: Self = Self(0xE06D_7363);
    /// A C++ exception of GCC (`0x20000000` and "GCC").
    pub const GCC_EXCEPTION: Self = Self(0x2047_4343);
    /// An exception of .NET since version 4 (`0xE0000000` and "CCR").
    pub const CLR_EXCEPTION: Self = Self(0xE043_4352);
    /// An exception of .NET before version 4 (`0xE0000000` and "COM").
    pub const CLR_2_EXCEPTION: Self = Self(0xE043_4F4D);
    /// `COR_E_EXECUTIONENGINE`: the runtime of .NET found itself damaged.
    pub const CLR_ENGINE_ERROR: Self = Self(0x8013_1506);
    /// `COR_E_FAILFAST`: `Environment.FailFast` of .NET.
    pub const CLR_FAIL_FAST: Self = Self(0x8013_1623);
    /// `STATUS_IN_PAGE_ERROR`.
    pub const IN_PAGE_ERROR: Self = Self(0xC000_0006);
    /// MSVC delay-load: the DLL was not found (`0xC06D0000` + Win32 error 126).
    pub const DELAY_LOAD_MODULE: Self = Self(0xC06D_007E);
    /// MSVC delay-load: the procedure was not found (`0xC06D0000` + Win32 error 127).
    pub const DELAY_LOAD_PROCEDURE: Self = Self(0xC06D_007F);
    /// What Crashpad writes for a dump that a program asked for without a crash (`kSimulatedExceptionCode`).
    pub const CRASHPAD_REQUEST: Self = Self(0x0517_A7ED);
    /// No code: what tools write that dump a process without an exception.
    pub const NONE: Self = Self(0);
    /// What debuggers and Windows Error Reporting write down, and end, a process with that stopped answering.
    pub const APPLICATION_HANG: Self = Self(0xCFFF_FFFF);
    /// `STATUS_CONTROL_C_EXIT`: somebody closed the console.
    pub const CONTROL_C_EXIT: Self = Self(0xC000_013A);
}

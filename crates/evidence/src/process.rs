//! What a user-mode minidump states.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Address, CpuFeatures, CrashDetail, ExceptionCode, LoadedModule, ProcessState, Processor, UnloadedModule};
use crate::words;

/// One process at the moment its dump was written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProcessDump {
    /// When the dump was written, by its header.
    pub time: Option<Timestamp>,
    /// The system that the process ran on.
    pub system: System,
    /// Process id.
    pub pid: Option<u32>,
    /// When the process started; whole seconds, as the format stores it.
    pub started: Option<Timestamp>,
    /// The exception, absent in dumps of hanging or healthy processes.
    pub exception: Option<Exception>,
    /// Of dumps of a process that went on.
    pub requested: Option<RequestedDump>,
    /// The thread that raised the exception; without an exception, the one that asked for the dump or else the first.
    pub thread: Option<CrashThread>,
    /// How many threads the process had.
    pub thread_count: u32,
    /// The module list in the dump's order; the first is the executable. `None` when the dump has no readable list.
    pub modules: Option<Vec<LoadedModule>>,
    /// Whether that list has no gaps. Only a list without gaps proves that a module was absent.
    pub modules_complete: bool,
    /// Modules unloaded before, in the dump's order.
    pub unloaded: Vec<UnloadedModule>,
    /// What the delay-load helper could not load, for `0xC06D007E` and `0xC06D007F`.
    pub delay_load: Option<DelayLoad>,
    /// Details of the exception.
    pub detail: CrashDetail,
    /// State of process and system beside the exception.
    pub state: ProcessState,
    /// Whether the dump was asked for with all memory of the process.
    pub all_memory: bool,
    /// The comment stream's text (ProcDump and debuggers write one).
    pub comment: Option<Arc<str>>,
}

/// The system that a process ran on; by default, one of which nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    /// Which family of systems.
    pub os: OperatingSystem,
    /// Major, minor and build number; on Windows the build identifies the release.
    pub os_version: (u32, u32, u32),
    /// Service pack text or, on other systems, the kernel's own description.
    pub os_detail: Option<Arc<str>>,
    /// The processor architecture that the process ran as.
    pub cpu: CpuArchitecture,
    /// Logical processors.
    pub cpu_count: u8,
    /// The processor's description (`GenuineIntel family 6 model 158 stepping 10`).
    pub cpu_detail: Option<Arc<str>>,
    /// The processor's extensions as the system reports them.
    pub cpu_features: CpuFeatures,
    /// The processor, part by part.
    pub processor: Processor,
    /// Whether it is a server edition of Windows.
    pub server: Option<bool>,
}

words!(
    /// Families of operating systems that minidumps come from.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    OperatingSystem {
        /// Windows NT and its successors.
        Windows => "windows",
        /// Linux outside Android.
        Linux => "linux",
        /// macOS.
        MacOs => "macos",
        /// iOS.
        Ios => "ios",
        /// Android.
        Android => "android",
        /// Any other, or a number that is not known.
        #[default]
        Other => "other",
    }
);

words!(
    /// Processor architectures.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
    CpuArchitecture {
        /// 32-bit x86.
        X86 => "x86",
        /// 64-bit x86.
        X64 => "x64",
        /// 32-bit ARM.
        Arm => "arm",
        /// 64-bit ARM.
        Arm64 => "arm64",
        /// Any other.
        #[default]
        Other => "other",
    }
);

impl CpuArchitecture {
    /// Whether addresses have 64 bits.
    #[must_use]
    pub fn is_64_bit(self) -> bool {
        matches!(self, Self::X64 | Self::Arm64)
    }

    /// The names of the general registers, in the order of the numbers that instructions have for them.
    #[must_use]
    pub fn registers(self) -> &'static [&'static str] {
        match self {
            Self::X86 => &["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"],
            Self::X64 => &[
                "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                "r15",
            ],
            Self::Arm64 => &[
                "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "fp", "lr",
                "sp",
            ],
            Self::Arm | Self::Other => &[],
        }
    }
}

/// An exception record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exception {
    /// The code; a signal number on systems other than Windows.
    pub code: ExceptionCode,
    /// Flags; bit 0 is "noncontinuable".
    pub flags: u32,
    /// Where it was raised.
    pub address: Address,
    /// The parameters that the record counts, at most 15.
    pub parameters: Vec<u64>,
    /// On systems other than Windows, what the code means there (`SIGSEGV / SEGV_MAPERR`).
    pub foreign_reason: Option<Arc<str>>,
}

/// A dump that was asked for of a process that went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestedDump {
    /// Why it was written.
    pub reason: DumpReason,
    /// What was written in the place of an exception, or was raised to have a dump written.
    pub exception: Exception,
}

words!(
    /// Why a dump was written of a process that went on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    DumpReason {
        /// The program asked for it.
        Request => "request",
        /// A debugger broke in.
        Debugger => "debugger",
        /// An assertion failed after which the program goes on.
        Assertion => "assertion",
    }
);

/// The thread that raised the exception; of a dump without exception, the one that asked for it or else the first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CrashThread {
    /// Thread id.
    pub id: u32,
    /// The name that the program gave it.
    pub name: Option<Arc<str>>,
    /// The instruction pointer of the exception's context.
    pub instruction_pointer: Option<Address>,
    /// The stack, innermost frame first; empty when it was not walked.
    pub frames: Vec<Frame>,
    /// Files that would show more of the stack, in the order of the frames that lack them, each once.
    pub missing: Vec<MissingFile>,
}

/// A file that was not at hand and would show more of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingFile {
    /// The module that it belongs to: an index into the dump's module list.
    pub module: usize,
    /// Which file.
    pub kind: FileKind,
    /// What it would show.
    pub shows: FileShows,
    /// The innermost frame that lacks it: an index into the frames.
    pub frame: usize,
}

words!(
    /// The files of a module that `--symbols` takes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    FileKind {
        /// The `.dll` or `.exe` itself.
        Image => "image",
        /// The debug file.
        Pdb => "pdb",
    }
);

words!(
    /// What a file would show.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    FileShows {
        /// Who called the function: the caller was searched for on the stack.
        Caller => "caller",
        /// The code that made the bad value.
        Code => "code",
        /// The function's name.
        Function => "function",
    }
);

/// One frame of a walked stack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    /// The address of the instruction (of the call, for callers).
    pub address: Address,
    /// Index into the dump's module list.
    pub module: Option<usize>,
    /// How the frame was found.
    pub trust: FrameTrust,
    /// Of a scanned frame of 64-bit code on Windows, how likely a call still returns to it: 0 to 1. Absent of other frames.
    pub probability: Option<f32>,
    /// The call that returns here, if the code before that address was at hand. Stale return addresses have one, too;
    /// other words of the stack have none.
    pub call: Option<Call>,
    /// The function, by the image's exports or by symbols.
    pub function: Option<Arc<str>>,
    /// The line of the function: where code was inlined, the line that calls it.
    pub source: Option<SourceLine>,
    /// Functions that the compiler put into it at this place, innermost first.
    pub inlined: Vec<InlinedFunction>,
}

/// A line of a source file, as symbols name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The path of the computer that built the program.
    pub file: Arc<str>,
    /// From 1.
    pub line: u32,
}

/// A function that the compiler put into another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlinedFunction {
    /// Its name.
    pub function: Arc<str>,
    /// Its line.
    pub source: Option<SourceLine>,
}

/// What a call instruction calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// Its own module, as far as the code shows.
    Within,
    /// The address in a pointer: so other modules are called.
    ThroughPointer,
}

words!(
    /// How a stack frame was found, the weakest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::VariantArray)]
    FrameTrust {
        /// A value on the stack that looks like a return address. Stale values look the same.
        Scanned => "scanned",
        /// Through the chain of frame pointers. Functions without one are left out.
        FramePointer => "frame-pointer",
        /// By unwinding data, or by the code of the function that it called.
        Unwound => "unwound",
        /// The instruction pointer itself.
        Exact => "exact",
    }
);

/// `DelayLoadInfo` of MSVC's delay-load helper, as far as the dump holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayLoad {
    /// The DLL that was to be loaded.
    pub module: Option<Arc<str>>,
    /// The procedure that was asked for.
    pub procedure: Option<Arc<str>>,
    /// The Win32 error that the loader gave.
    pub error: Option<u32>,
}

impl ProcessDump {
    /// The executable: the first module.
    #[must_use]
    pub fn executable(&self) -> Option<&LoadedModule> {
        self.modules.as_ref()?.first()
    }

    /// The loaded module that contains `address`, with its index in the list.
    #[must_use]
    pub fn module_at(&self, address: Address) -> Option<(usize, &LoadedModule)> {
        self.modules.as_ref()?.iter().enumerate().find(|(_, module)| module.offset_of(address).is_some())
    }

    /// The unloaded module that was at `address`; `None` where several of different names were there one after the other,
    /// because the list does not show which of them an old pointer means.
    #[must_use]
    pub fn unloaded_at(&self, address: Address) -> Option<&UnloadedModule> {
        let mut there = self.unloaded.iter().filter(|module| module.offset_of(address).is_some());
        let first = there.next()?;
        there.all(|other| other.name().eq_ignore_ascii_case(first.name())).then_some(first)
    }

    /// The exception that was raised, whether or not the process went on; `None` where the program or a tool only wrote a dump.
    #[must_use]
    pub fn raised(&self) -> Option<&Exception> {
        let went_on = self.requested.as_ref().filter(|dump| dump.reason != DumpReason::Request);
        self.exception.as_ref().or(went_on.map(|dump| &dump.exception))
    }

    /// Why the dump was written, of a process that went on.
    #[must_use]
    pub fn reason(&self) -> Option<DumpReason> {
        self.requested.as_ref().map(|requested| requested.reason)
    }

    /// Whether the process tried to execute memory that is not executable: the address that could not be executed is
    /// the exception's own address, so none of the code there ran.
    #[must_use]
    pub fn could_not_execute(&self) -> bool {
        const EXECUTE: u64 = 8;
        self.exception.as_ref().is_some_and(|exception| {
            exception.code == ExceptionCode::ACCESS_VIOLATION
                && exception.parameters.first() == Some(&EXECUTE)
                && exception.parameters.get(1) == Some(&exception.address.0)
        })
    }

    /// Where the exception was raised, by what is most likely to be code: on Windows the exception's address, then the
    /// context's instruction pointer; elsewhere the other way round, because there the address is often that of the
    /// data that could not be accessed.
    #[must_use]
    pub fn fault_addresses(&self) -> Vec<Address> {
        let pointer = self.thread.as_ref().and_then(|thread| thread.instruction_pointer);
        let address = self.exception.as_ref().map(|exception| exception.address);
        let order = if self.system.os == OperatingSystem::Windows { [address, pointer] } else { [pointer, address] };
        order.into_iter().flatten().collect()
    }
}

//! The typed facts that readers take from artifacts, and where each came from.
//!
//! This is the waist of the program: readers turn bytes into these types, and
//! everything after them (joining, rules, reports) sees nothing else. A reader states what its file holds, in these
//! types, and judges nothing.

use serde::{Deserialize, Serialize};

mod artifact_kind;
mod code;
mod crash_detail;
mod error_record;
mod event;
mod faulting_access;
mod fill_pattern;
mod kernel;
mod log_coverage;
mod module;
mod names;
mod place;
mod process;
mod process_state;
mod processor;
mod reading;
mod sigma;
mod stop_stack;
mod ticket;
mod version;
mod wait;
mod wer;
mod word;
mod words;

pub use artifact_kind::ArtifactKind;
pub use code::{BugcheckCode, ExceptionCode, FastFailCode, NtStatus};
pub use crash_detail::{
    AddressKind, CodePlace, CppException, CrashDetail, DeadHook, Extension, Instruction, InstructionKind, Page,
    Returned, StackState, StowedException, Wanted,
};
pub use error_record::{
    ErrorComponent, ErrorDetail, ErrorRecord, ErrorSection, ErrorSeverity, MemoryError, PciDevice, ProcessorOperation,
    ProcessorPart,
};
pub use event::{
    ApplicationError, DriveHealth, Event, EventBody, EventContent, EventFields, MemoryHeld, ProcessExit, ServiceEnd,
    StorageRetry,
};
pub use faulting_access::{
    AccessFit, AccessKind, BitFlip, FaultingAccess, Giver, GiverKind, Givers, MemoryOperand, Origin, OriginEnd,
    OriginStep, RegisterValue,
};
pub use fill_pattern::{FILL_PATTERNS, FillPattern, Filled};
pub use kernel::{
    BlackBoxes, BootStatus, FileSystem, KernelDriver, KernelDump, KernelDumpType, KernelFrame, KernelProcess,
    KernelProcessor, KernelState, LogonState, PlugAndPlay, PowerRequest, SavedEvent, SecondaryBlock, UnloadedDriver,
};
pub use log_coverage::{CoverageAt, CoveredTimes, Days, LogCoverage, RecordIds};
pub use module::{
    Address, DebugId, DebugSignature, LoadedModule, ModuleOffset, UnloadedModule, base_name, has_folder, starts_process,
};
pub use names::Names;
pub use names::{ByHash, halves, seed};
pub use place::Place;
pub use process::{
    Call, CpuArchitecture, CrashThread, DelayLoad, DumpReason, Exception, FileKind, FileShows, Frame, FrameTrust,
    InlinedFunction, MissingFile, OperatingSystem, ProcessDump, RequestedDump, SourceLine, System,
};
pub use process_state::{
    Annotation, INTEGRITY_LEVELS, ProcessMemory, ProcessState, SystemMemory, ThreadStack, ThreadState,
};
pub use processor::{CpuFeatures, Processor};
pub use reading::Reading;
pub use sigma::{SIGMA_LEVELS, SigmaMatch, SigmaRule};
pub use stop_stack::{KernelRole, is_stop, kernel_role};
pub use ticket::{
    Contradiction, DEBUGGER_SUSPECTS, Inventory, PythonFrame, Ticket, TicketEvent, TicketFrame, TicketLine,
};
pub use version::Version;
pub use wait::{HeldLock, WaitKind};
pub use wer::{WerDetails, WerReport, WerSignature};
pub use word::Word;

/// The version of [`Evidence`] as it is encoded in mergeable reports: only a program with the same version can read it.
/// It is any 16 hexadecimal digits, and changes with every new variant or field of a type that evidence is made of;
/// `tests/reports/evidence_format.rs` keeps it beside a sum of the encoded bytes.
pub const FORMAT: &str = "b41d7c90e6f32a58";

/// One statement of an artifact, with its place in that artifact.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Evidence {
    /// Where in the artifact it is.
    pub place: Place,
    /// The statement.
    pub observation: Observation,
}

/// What an artifact states: one variant for each kind of thing that is read whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Observation {
    /// A user-mode minidump: one process at one moment.
    Process(Box<ProcessDump>),
    /// A kernel-mode dump: one bugcheck, or one live kernel report.
    Kernel(Box<KernelDump>),
    /// One relevant record of an event log.
    Event(Event),
    /// One `Report.wer`.
    Wer(Box<WerReport>),
    /// One text that somebody pasted.
    Ticket(Box<Ticket>),
    /// One record of an event log that a Sigma rule matches.
    Sigma(Box<SigmaMatch>),
}

//! What a pasted text states.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::word::Word;
use super::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, NtStatus, Version};

/// What a debugger's analysis names in the place of a module: damage of memory, of the kernel's pool or of a process's
/// heap, the processor, or hardware of any kind.
pub const DEBUGGER_SUSPECTS: &[&str] = &["hardware", "heap", "memory", "pool", "processor"];

/// A text that somebody pasted, with what was recognised in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ticket {
    /// The lines, in order, empty ones left out. Rules search them.
    pub lines: Vec<TicketLine>,
    /// What is certain of lines that deny, advise or list codes, by their position in `lines`.
    pub doubted: BTreeMap<usize, Arc<str>>,
    /// What is left of lines that quote a message in a sentence without a word that it appeared, by their position.
    pub unreported: BTreeMap<usize, Arc<str>>,
    /// Whether the text reads like a guide and not like a report of a crash.
    pub document: bool,
    /// Name of the crashed program.
    pub app: Option<Arc<str>>,
    /// Its version.
    pub app_version: Option<Version>,
    /// Its path.
    pub app_path: Option<Arc<str>>,
    /// Process id.
    pub pid: Option<u32>,
    /// When the process started.
    pub started: Option<Timestamp>,
    /// The dates that the text gives the records in it, each three numbers in the order in which it writes them.
    pub dates: Vec<[u32; 3]>,
    /// WER's id of the report, as [`ApplicationError`](super::ApplicationError) has it.
    pub report_id: Option<Arc<str>>,
    /// The computer.
    pub computer: Option<Arc<str>>,
    /// Exception code or exit code.
    pub code: Option<ExceptionCode>,
    /// Whether the text only mentions that code, without a word that something ended with it, or writes it in two ways that
    /// disagree.
    pub code_only_mentioned: bool,
    /// The code with which the process ended, also one that is no status of Windows.
    pub exit_code: Option<u32>,
    /// The type of a C++ exception that nobody caught, as the text names it.
    pub cpp_type: Option<Arc<str>>,
    /// The words of that exception.
    pub cpp_what: Option<Arc<str>>,
    /// Fast-fail code.
    pub fast_fail: Option<FastFailCode>,
    /// Where the access violation pointed.
    pub access_address: Option<Address>,
    /// Why a page of the program could not be read, where that was the exception.
    pub in_page_status: Option<NtStatus>,
    /// The faulting module that the text names.
    pub module: Option<Arc<str>>,
    /// Its version.
    pub module_version: Option<Version>,
    /// Its path.
    pub module_path: Option<Arc<str>>,
    /// Offset in it.
    pub offset: Option<ModuleOffset>,
    /// The module that a debugger's analysis blames, where that is another one.
    pub blamed: Option<Arc<str>>,
    /// What such an analysis suspects in the place of a module, one of [`DEBUGGER_SUSPECTS`].
    #[serde(deserialize_with = "super::word::optional_word")]
    pub debugger_suspects: Option<Word>,
    /// Bugcheck code with the parameters that were given.
    pub bugcheck: Option<(BugcheckCode, Vec<u64>)>,
    /// Whether the text only mentions that stop.
    pub stop_only_mentioned: bool,
    /// Whether a program did not answer, by the text: by WER's name of the problem, or in event 1002's words.
    pub hung: bool,
    /// How many different stops the text reports.
    pub stops_told: usize,
    /// Win32 error numbers (`WinError 126`).
    pub win_errors: Vec<u32>,
    /// HRESULTs that are failures.
    pub hresults: Vec<u32>,
    /// Win32 errors and HRESULTs that only denials, advice and lists of codes name.
    pub errors_only_mentioned: Vec<u32>,
    /// Win32 errors and HRESULTs that only such quotations name.
    pub errors_unreported: Vec<u32>,
    /// Events that the text shows.
    pub events: Vec<TicketEvent>,
    /// The crashing thread's stack as a debugger printed it, innermost frame first.
    pub frames: Vec<TicketFrame>,
    /// Python's frames at the crash, innermost first.
    pub python_frames: Vec<PythonFrame>,
    /// The machine and what is installed on it, by the text.
    pub inventory: Inventory,
    /// Statements of the text that contradict the facts above.
    pub contradictions: Vec<Contradiction>,
    /// How many different exception and stop codes the text names.
    pub codes_named: usize,
    /// The numbers of the lines that the facts above are in, in order.
    pub told_in: Vec<u32>,
}

/// A line of a ticket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TicketLine {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text without line end.
    pub text: Arc<str>,
}

/// An event of a log that a text shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketEvent {
    /// Provider.
    pub provider: Arc<str>,
    /// Event id.
    pub id: u32,
}

/// A stack frame that a debugger printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketFrame {
    /// The module, with its ending where that is known.
    pub module: Arc<str>,
    /// The function.
    pub symbol: Option<Arc<str>>,
    /// Where in the module; absent where the text counts from the function.
    pub offset: Option<ModuleOffset>,
}

/// A frame of Python code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonFrame {
    /// The file.
    pub file: Arc<str>,
    /// The line.
    pub line: Option<u32>,
    /// The function.
    pub function: Arc<str>,
}

/// A machine and what is installed on it, by a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Release of the NVIDIA driver.
    pub nvidia_driver: Option<Version>,
    /// The highest CUDA version that the driver supports.
    pub cuda_driver: Option<Version>,
    /// GPUs, in the text's order, each once.
    pub gpus: Vec<Arc<str>>,
    /// Windows build number.
    pub os_build: Option<u32>,
    /// Physical memory, bytes.
    pub memory: Option<u64>,
    /// Version and date of the firmware, as the system's tools print them.
    pub bios: Option<Arc<str>>,
    /// Model of the computer.
    pub model: Option<Arc<str>>,
    /// Version of Python.
    pub python: Option<Version>,
    /// Installed packages: name and version, in the text's order.
    pub packages: Vec<(Arc<str>, Arc<str>)>,
}

impl Inventory {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A statement of a text that contradicts a fact that was taken from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What it is a value of, such as `exception code`.
    #[serde(deserialize_with = "super::word::word")]
    pub of: Word,
    /// The other value.
    pub value: Arc<str>,
    /// The line that the statement is in.
    pub line: u32,
}

impl Ticket {
    /// Whether the text reports a crash or stop, and not only of a machine.
    #[must_use]
    pub fn reports_a_crash(&self) -> bool {
        self.code.is_some()
            || self.module.is_some()
            || self.bugcheck.is_some()
            || self.app.is_some()
            || self.shows_a_stop()
    }
}

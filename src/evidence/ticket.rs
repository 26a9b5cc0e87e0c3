//! What a pasted text says.

use std::sync::Arc;

use super::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, Version};

/// A text that somebody pasted, with what was recognised in it.
#[derive(Debug, Clone, Default)]
pub struct Ticket {
    /// The lines, in order, empty ones left out. Rules search them.
    pub lines: Vec<TicketLine>,
    /// Name of the crashed program.
    pub app: Option<Arc<str>>,
    /// Its version.
    pub app_version: Option<Version>,
    /// Exception code or exit code.
    pub code: Option<ExceptionCode>,
    /// Fast-fail code.
    pub fast_fail: Option<FastFailCode>,
    /// Where the access violation pointed.
    pub access_address: Option<Address>,
    /// The faulting module that the text names.
    pub module: Option<Arc<str>>,
    /// Its version.
    pub module_version: Option<Version>,
    /// Its path.
    pub module_path: Option<Arc<str>>,
    /// Offset in it.
    pub offset: Option<ModuleOffset>,
    /// Bugcheck code with the parameters that were given.
    pub bugcheck: Option<(BugcheckCode, Vec<u64>)>,
    /// Win32 error numbers (`WinError 126`).
    pub win_errors: Vec<u32>,
}

/// A line of a ticket.
#[derive(Debug, Clone)]
pub struct TicketLine {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text without line end.
    pub text: Arc<str>,
}

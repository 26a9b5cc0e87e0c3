//! What a `Report.wer` states.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CpuArchitecture, ExceptionCode, ModuleOffset, ProcessMemory, Version};

/// One Windows Error Reporting report, from its file or from event 1001.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WerReport {
    /// `APPCRASH`, `BEX64`, `AppHangB1`, `LiveKernelEvent`...
    pub event_type: Arc<str>,
    /// When the crash happened (the file's `EventTime`); an event 1001's own time is later and is not this.
    pub time: Option<Timestamp>,
    /// The id that event 1000 carries too (`IntegratorReportIdentifier`), lower case without braces.
    pub report_id: Option<Arc<str>>,
    /// The report's own id, the last part of its folder's name.
    pub own_id: Option<Arc<str>>,
    /// Process id and start time out of `AppSessionGuid`.
    pub pid: Option<u32>,
    /// When the process started.
    pub started: Option<Timestamp>,
    /// Path of the executable.
    pub app_path: Option<Arc<str>>,
    /// The problem signature, by meaning.
    pub signature: WerSignature,
    /// Loaded modules, full paths in load order, the executable first; empty when not listed.
    pub modules: Vec<Arc<str>>,
    /// Windows' version as written in the dynamic signature (`10.0.19045.2.0.0.768.101`).
    pub os_version: Option<Arc<str>>,
    /// The file's values beside the signature; absent in events.
    pub details: WerDetails,
}

/// The values of a `Report.wer` beside its signature and modules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WerDetails {
    /// The architecture that the process ran as.
    pub architecture: Option<CpuArchitecture>,
    /// Update revision of Windows (the last part of `10.0.19045.4170`).
    pub os_revision: Option<u32>,
    /// The system's language as Windows numbers it (1031 is German).
    pub locale: Option<u32>,
    /// Physical memory, MiB.
    pub memory: Option<u64>,
    /// The file's original name by its version resource, where the executable was renamed.
    pub original_name: Option<Arc<str>>,
    /// File name of the program that started the process.
    pub parent: Option<Arc<str>>,
    /// What the report is called in the system's language.
    pub friendly_name: Option<Arc<str>>,
    /// Where Microsoft's service counts it: a hash, lower case.
    pub bucket: Option<Arc<str>>,
    /// How long the process had run when the report was made, seconds.
    pub uptime: Option<u64>,
    /// Memory of the process then.
    pub process_memory: Option<ProcessMemory>,
    /// The number by which Windows Error Reporting knows the machine.
    pub machine: Option<Arc<str>>,
    /// Whether it is the file of metadata that lies beside a `Report.wer` and knows less.
    pub metadata: bool,
}

/// A problem signature read by the layout of its event type: P1..P10 of event 1001, `Sig[0..]` of the file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WerSignature {
    /// All values as written, in order; what a type without known layout still shows.
    pub raw: Vec<Arc<str>>,
    /// Executable's file name.
    pub app: Option<Arc<str>>,
    /// Executable's version.
    pub app_version: Option<Version>,
    /// The module that contained the exception address.
    pub module: Option<Arc<str>>,
    /// Whether it had already been unloaded.
    pub module_unloaded: bool,
    /// That module's version.
    pub module_version: Option<Version>,
    /// Exception code.
    pub code: Option<ExceptionCode>,
    /// Offset in the module.
    pub offset: Option<ModuleOffset>,
    /// Exception data of BEX reports: for `0xC0000409` the fast-fail code.
    pub data: Option<u64>,
    /// Bugcheck or live-kernel-event code with its parameters.
    pub bugcheck: Option<(super::BugcheckCode, [u64; 4])>,
    /// Exception type of `CLR20r3` reports, as written (its trailing `Exception` is cut by WER).
    pub managed_exception: Option<Arc<str>>,
    /// The process that a hanging process waited for (`AppHangXProcB1`).
    pub waiting_for: Option<Arc<str>>,
    /// Full name of the package of a packaged app.
    pub package: Option<Arc<str>>,
    /// What distinguishes hangs at different places: four hexadecimal digits.
    pub hang_signature: Option<Arc<str>>,
    /// Hang type, bits by which Windows sorts hangs.
    pub hang_type: Option<u32>,
    /// The error that a failed update or service reports: an HRESULT.
    pub error: Option<ExceptionCode>,
}

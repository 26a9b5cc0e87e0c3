//! What a kernel-mode dump says.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Address, BugcheckCode, CpuArchitecture};

/// The header of a kernel dump, and the driver list where the dump is a triage dump.
#[derive(Debug, Clone)]
pub struct KernelDump {
    /// Which kind of dump was written.
    pub dump_type: KernelDumpType,
    /// Bugcheck code; for live kernel reports, the code of the live report.
    pub code: BugcheckCode,
    /// The four parameters.
    pub parameters: [u64; 4],
    /// Windows build number.
    pub build: u32,
    /// Processor architecture.
    pub cpu: CpuArchitecture,
    /// Processors.
    pub cpu_count: u32,
    /// When the dump was made.
    pub time: Option<Timestamp>,
    /// How long the system had been up.
    pub uptime: Option<SignedDuration>,
    /// Where the exception was raised, when the header holds one.
    pub exception_address: Option<Address>,
    /// Loaded drivers; empty when this kind of dump has no list that is read.
    pub drivers: Vec<KernelDriver>,
}

/// The kinds of kernel dump, by the header's `DumpType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelDumpType {
    /// 1: all physical memory.
    Full,
    /// 2: kernel memory.
    Kernel,
    /// 3: only the header.
    Header,
    /// 4: the small dump in `C:\Windows\Minidump`.
    Triage,
    /// 5 or 6: pages by bitmap.
    Bitmap,
    /// 7: automatic.
    Automatic,
    /// Any other number.
    Other(u32),
}

/// A driver of a triage dump's list.
#[derive(Debug, Clone)]
pub struct KernelDriver {
    /// File name.
    pub name: Arc<str>,
    /// Where the image begins.
    pub base: Address,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// The PE header's `TimeDateStamp`; stands in for the version, which triage dumps don't hold.
    pub timestamp: u32,
}

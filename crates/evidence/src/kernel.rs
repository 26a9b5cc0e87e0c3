//! What a kernel-mode dump states.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::module::offset_within;
use super::{Address, BugcheckCode, CpuArchitecture, ErrorRecord, FrameTrust, ModuleOffset, Processor};

/// The header of a kernel dump and, where the dump holds them, its drivers and the stack of the thread that stopped.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KernelDump {
    /// Which kind of dump was written.
    pub dump_type: KernelDumpType,
    /// Whether it holds all memory of the computer.
    pub all_memory: bool,
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
    /// The instruction pointer of the header's context: of the exception, or of the code that stopped the system.
    pub instruction_pointer: Option<Address>,
    /// The text that the dump's writer left in the header.
    pub comment: Option<Arc<str>>,
    /// Loaded drivers; empty when the dump has no list that can be read.
    pub drivers: Vec<KernelDriver>,
    /// Whether the driver list has no gaps. Only a list without gaps proves that a driver was absent.
    pub drivers_complete: bool,
    /// Drivers unloaded before, in the dump's order; `None` when the dump has no list that can be read.
    pub unloaded: Option<Vec<UnloadedDriver>>,
    /// The driver that the kernel itself named on the blue screen.
    pub named_driver: Option<Arc<str>>,
    /// The stack of the thread that stopped, innermost first; empty when it was not walked.
    pub frames: Vec<KernelFrame>,
    /// What else the dump holds of the moment of the stop.
    pub state: KernelState,
}

/// What a dump holds of the moment of the stop, beyond drivers and stack. Everything is absent where the dump does not hold
/// it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelState {
    /// The process whose thread ran on the processor that stopped the system.
    pub process: Option<KernelProcess>,
    /// Processors: the one that stopped the system, and others where the dump holds them.
    pub processors: Vec<KernelProcessor>,
    /// The record of the hardware error that stopped the system.
    pub error_record: Option<ErrorRecord>,
    /// The request to change a device's power that was not done.
    pub power_request: Option<PowerRequest>,
    /// What parts of Windows keep for the case of a stop.
    pub black_boxes: BlackBoxes,
    /// Events of the sessions that Windows saves into small dumps, the oldest first.
    pub saved_events: Vec<SavedEvent>,
    /// The blocks of the secondary data, which callbacks of drivers add to a dump.
    pub blocks: Vec<SecondaryBlock>,
}

/// A process, by the kernel's own description of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelProcess {
    /// File name, of which the kernel keeps 14 characters.
    pub name: Arc<str>,
    /// Process id.
    pub id: Option<u32>,
}

/// A processor, by the kernel's own description of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelProcessor {
    /// Maker, family, model and stepping.
    pub kind: Processor,
    /// The name by CPUID (`AMD Ryzen 7 3700X 8-Core Processor`).
    pub name: Option<Arc<str>>,
    /// Clock that the processor is specified for, MHz.
    pub megahertz: Option<u32>,
    /// Revision of the microcode.
    pub microcode: Option<u32>,
    /// Number of the processor.
    pub number: Option<u16>,
}

/// A request to change a device's power, which drivers hand down to the device.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerRequest {
    /// The driver that holds it.
    pub holder: Option<Arc<str>>,
    /// The driver of the device's bus.
    pub bus_driver: Option<Arc<str>>,
}

/// What parts of Windows keep for the case of a stop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlackBoxes {
    /// Plug and Play.
    pub plug_and_play: Option<PlugAndPlay>,
    /// The file system NTFS.
    pub file_system: Option<FileSystem>,
    /// Boot and shutdown.
    pub boot: Option<BootStatus>,
    /// Winlogon, which logs users on and off.
    pub logon: Option<LogonState>,
}

/// The event of Plug and Play that was handled last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlugAndPlay {
    /// Whether it was still being handled.
    pub in_progress: bool,
    /// The device's instance id (`PCI\\VEN_...`).
    pub device: Option<Arc<str>>,
    /// The device's problem code; 0 for none.
    pub problem: u32,
    /// Who refused to let the device be removed or stopped.
    pub veto: Option<Arc<str>>,
}

/// What NTFS waited for too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// Requests to the drive that took too long.
    pub slow_requests: u32,
    /// Locks for caching (oplocks) whose owner did not give them up in time.
    pub oplock_timeouts: u32,
}

/// What Windows keeps of boot and shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootStatus {
    /// Whether the last start came to its end.
    pub boot_succeeded: bool,
    /// Whether the last session was shut down.
    pub shut_down: bool,
    /// Whether a shutdown was going on when Windows stopped.
    pub shutdown_in_progress: bool,
    /// Whether the system was on its way to or from sleep.
    pub sleep_in_progress: bool,
    /// When the power button was pressed for long.
    pub power_button: Option<Timestamp>,
}

/// What Winlogon was doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogonState {
    /// Whether an operation was pending.
    pub pending: bool,
    /// The name of its thread, which names the operation.
    pub thread: Option<Arc<str>>,
}

/// An event that was logged, and perhaps not yet written into a log's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedEvent {
    /// The session that held it (`EventLog-System`).
    pub session: Arc<str>,
    /// The provider's identifier, lower case and without braces.
    pub provider: Arc<str>,
    /// Event id.
    pub id: u16,
    /// Level: 1 critical, 2 error, 3 warning, 4 information.
    pub level: u8,
    /// When it was logged.
    pub time: Option<Timestamp>,
}

/// A block of the secondary data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondaryBlock {
    /// The identifier of its kind, lower case and without braces.
    pub tag: Arc<str>,
    /// Its length, bytes.
    pub bytes: u32,
}

/// The kinds of kernel dump, by the header's `DumpType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
    /// 8, 9 or 10: ranges of pages, as debuggers write them.
    Ranges,
    /// Any other number.
    Other(u32),
}

impl KernelDumpType {
    /// The word for it in facts and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A loaded driver.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KernelDriver {
    /// File name.
    pub name: Arc<str>,
    /// The path as the kernel writes it (`\SystemRoot\System32\drivers\ndis.sys`); only a file name where the dump
    /// holds no path.
    pub path: Arc<str>,
    /// Where the image begins.
    pub base: Address,
    /// `SizeOfImage`, bytes.
    pub size: u32,
    /// The PE header's `TimeDateStamp`; shown in the place of the version, which kernel dumps don't list. On reproducible builds
    /// a hash and no date.
    pub timestamp: Option<u32>,
}

/// A driver that had been unloaded before the dump was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnloadedDriver {
    /// File name; the kernel keeps its first 12 characters.
    pub name: Arc<str>,
    /// Where the image began.
    pub base: Address,
    /// The image's length, bytes.
    pub size: u64,
}

/// One frame of the stack of the thread that stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFrame {
    /// The address of the instruction; for callers the address to which the call returns.
    pub address: Address,
    /// Index into the driver list.
    pub driver: Option<usize>,
    /// How the frame was found.
    pub trust: FrameTrust,
}

impl KernelDump {
    /// The loaded driver that contains `address`, and where in it that is.
    #[must_use]
    pub fn driver_at(&self, address: Address) -> Option<(&KernelDriver, ModuleOffset)> {
        self.drivers.iter().find_map(|driver| Some((driver, driver.offset_of(address)?)))
    }

    /// The unloaded driver that contained `address`, and the offset in it. Addresses are reused, so this is meaningful
    /// only if no loaded driver contains the address. `None` where the list of loaded drivers has gaps, so that one of
    /// them may be at the address, and where drivers with different names were at it.
    #[must_use]
    pub fn unloaded_at(&self, address: Address) -> Option<(&UnloadedDriver, ModuleOffset)> {
        let mut there = self
            .unloaded
            .iter()
            .flatten()
            .filter_map(|driver| Some((driver, offset_within(driver.base, driver.size, address)?)));
        let first = there.next().filter(|_| self.drivers_complete)?;
        there.all(|(other, _)| other.name.eq_ignore_ascii_case(&first.0.name)).then_some(first)
    }
}

impl KernelDriver {
    /// The offset of `address` in this driver, if it lies within it.
    #[must_use]
    pub fn offset_of(&self, address: Address) -> Option<ModuleOffset> {
        offset_within(self.base, u64::from(self.size), address)
    }

    /// When the driver was linked, if its timestamp can be a date: not before 2000, when none of the formats read here
    /// existed with drivers still in use, and not after the dump was made. Reproducible builds have a hash there, which
    /// in most cases lies outside.
    #[must_use]
    pub fn built(&self, dumped: Timestamp) -> Option<Timestamp> {
        const YEAR_2000: i64 = 946_684_800;
        let built = Timestamp::from_second(i64::from(self.timestamp?)).ok()?;
        (built.as_second() >= YEAR_2000 && built <= dumped).then_some(built)
    }
}

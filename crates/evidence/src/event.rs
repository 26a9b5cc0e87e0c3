//! What a relevant record of an event log states.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::word::Word;
use super::{BugcheckCode, ExceptionCode, ModuleOffset, Names, NtStatus, Version, WerReport};

/// One relevant record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// The computer that logged it.
    pub computer: Option<Arc<str>>,
    /// When it was logged, UTC.
    pub time: Option<Timestamp>,
    /// What it states; records that state the same share it.
    pub content: Arc<EventContent>,
}

/// What a record states, whenever and wherever it was logged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EventContent {
    /// Provider name as the log writes it.
    pub provider: Arc<str>,
    /// Event id.
    pub id: u32,
    /// Channel, such as `System`.
    pub channel: Option<Arc<str>>,
    /// Its meaning.
    pub body: EventBody,
    /// Every field as written, by the event's own names or, for positional events, by the names of the catalogue's
    /// layout (`data0`, `data1`... where there is none). Empty values and binary data are left out.
    pub fields: EventFields,
}

/// The fields of a record. A log may hold many thousands of records that belong to a machine's history, so all names
/// and all values are one text each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventFields {
    /// The values, with [`EventFields::BETWEEN`] between them.
    values: Arc<str>,
    /// The names, one behind the other. Most records have the names of others.
    names: Arc<str>,
    /// Where each name and each value ends.
    ends: Box<[(u32, u32)]>,
}

impl EventFields {
    /// The separator of two values where all are one text.
    pub const BETWEEN: &str = "; ";

    /// Names and values in the record's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let (mut name_start, mut value_start) = (0, 0);
        self.ends.iter().map(move |(name_end, value_end)| {
            let (name_end, value_end) = (*name_end as usize, *value_end as usize);
            let name = self.names.get(name_start..name_end).unwrap_or_default();
            let value = self.values.get(value_start..value_end).unwrap_or_default();
            (name_start, value_start) = (name_end, value_end.saturating_add(Self::BETWEEN.len()));
            (name, value)
        })
    }

    /// Event fields with the names and values of `fields`. Equal texts are stored once in `known` and shared by all
    /// events, because most texts of a log occur in many records.
    pub fn sharing<'f>(fields: impl Iterator<Item = (&'f str, &'f str)> + Clone, known: &Names) -> Self {
        let (mut count, mut name_bytes, mut value_bytes) = (0_usize, 0_usize, 0_usize);
        for (name, value) in fields.clone() {
            count = count.saturating_add(1);
            name_bytes = name_bytes.saturating_add(name.len());
            value_bytes = value_bytes.saturating_add(value.len()).saturating_add(Self::BETWEEN.len());
        }
        let (mut names, mut values) = (String::with_capacity(name_bytes), String::with_capacity(value_bytes));
        let mut ends = Vec::with_capacity(count);
        let end = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        for (name, value) in fields {
            if !ends.is_empty() {
                values.push_str(Self::BETWEEN);
            }
            names.push_str(name);
            values.push_str(value);
            ends.push((end(&names), end(&values)));
        }
        Self { values: known.share(&values), names: known.share(&names), ends: ends.into() }
    }

    /// All values as one text.
    #[must_use]
    pub fn values(&self) -> &Arc<str> {
        &self.values
    }
}

impl Default for EventFields {
    fn default() -> Self {
        Self { values: Arc::from(""), names: Arc::from(""), ends: Box::default() }
    }
}

/// Who held the memory when it ran out, bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryHeld {
    /// The kernel's pools, paged and not.
    pub pools: u64,
    /// All processes together.
    pub processes: u64,
    /// The tag under which most of the pools was allocated, and how much.
    pub tag: Option<(Arc<str>, u64)>,
}

/// The meaning of a record, by its kind. Fields are absent where the record writes one of Windows' ways of saying
/// "none".
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum EventBody {
    /// Application Error 1000: a process died of an unhandled exception.
    ApplicationError(Box<ApplicationError>),
    /// Application Error 1005: a page of a mapped file could not be read.
    InPageError {
        /// The file.
        file: Option<Arc<str>>,
        /// The program.
        app: Option<Arc<str>>,
        /// Why the page could not be read.
        status: Option<NtStatus>,
        /// Kind of medium: 3 fixed disk, 4 network, 5 optical, 0 not known.
        medium: Option<u32>,
    },
    /// Windows Error Reporting 1001.
    Wer(Box<WerReport>),
    /// Application Hang 1002: a window stopped answering and the process was closed.
    Hang {
        /// File name of the executable.
        app: Arc<str>,
        /// Its version.
        app_version: Option<Version>,
        /// Process id.
        pid: Option<u32>,
        /// When the process started.
        started: Option<Timestamp>,
        /// Path of the executable.
        app_path: Option<Arc<str>>,
        /// Report id as in [`ApplicationError`].
        report_id: Option<Arc<str>>,
        /// `Cross-process`, `Quiesce`...; language of the log.
        hang_type: Option<Arc<str>>,
    },
    /// .NET Runtime 1022 to 1028.
    DotNet {
        /// File name of the executable, from the text's first line.
        app: Option<Arc<str>>,
        /// Full name of the exception's type, such as `System.OverflowException`.
        exception_type: Option<Arc<str>>,
        /// The whole text.
        text: Arc<str>,
    },
    /// SideBySide 33 to 80: a program did not start because of its manifest.
    SideBySide {
        /// The dependent assembly that was asked for (33) or is in error.
        assembly: Option<Arc<str>>,
        /// The program.
        app: Option<Arc<str>>,
    },
    /// Application Popup 26: the text of a message box of the system, often a missing DLL.
    Popup {
        /// Window title.
        caption: Arc<str>,
        /// Text, in the system's language.
        message: Arc<str>,
        /// The program, from the caption.
        app: Option<Arc<str>>,
        /// File names ending in `.dll` in the message.
        dlls: Vec<Arc<str>>,
    },
    /// BugCheck 1001 of WER-SystemErrorReporting: the system restarted from a stop.
    BugCheck {
        /// The code.
        code: BugcheckCode,
        /// Its parameters.
        parameters: [u64; 4],
        /// Path of the dump on that machine.
        dump_path: Option<Arc<str>>,
        /// Report id as in [`ApplicationError`]; older systems write another form.
        report_id: Option<Arc<str>>,
    },
    /// Kernel-Power 41: the system started without having been shut down.
    UncleanRestart {
        /// Bugcheck code; absent for 0, which means that none was recorded.
        code: Option<BugcheckCode>,
        /// Its parameters.
        parameters: [u64; 4],
        /// When the power button was pressed; absent for "not".
        power_button: Option<Timestamp>,
        /// Whether a long press of the power button was seen.
        long_press: Option<bool>,
        /// Whether the system was going to or in sleep.
        sleeping: Option<bool>,
        /// How many errors of the hardware the firmware had for Windows at that start (Windows 11 24H2 and later).
        hardware_errors: Option<u32>,
    },
    /// Kernel-Power 86: the system shut itself down because a part was too hot; logged at the next start.
    ShutDownByHeat {
        /// The thermal zone, as the firmware calls it.
        zone: Option<Arc<str>>,
    },
    /// EventLog 6008: the last session was not shut down.
    UncleanShutdown {
        /// The last moment the system is known to have run, UTC.
        last_alive: Option<Timestamp>,
    },
    /// Display 4101: the display driver stopped answering and was reset.
    DisplayReset {
        /// Name of the driver without `.sys`.
        driver: Arc<str>,
    },
    /// nvlddmkm, amdkmdag and other display drivers' own events; other ids of `Display`.
    DisplayDriver {
        /// Name of the driver (the provider).
        driver: Arc<str>,
        /// The driver's text, insertion strings joined with `; `.
        text: Option<Arc<str>>,
        /// Whether the text reports a reset after a timeout (TDR).
        reset: bool,
    },
    /// NVIDIA OpenGL Driver 1.
    OpenGlDriver {
        /// The text.
        text: Arc<str>,
        /// `Error code:` of the text; 7 is a timeout that was detected.
        code: Option<u32>,
        /// Process id of the text.
        pid: Option<u32>,
    },
    /// WHEA-Logger: an error that the hardware reported.
    Hardware {
        /// `processor`, `memory`, `pcie`, `pci` or `other`.
        #[serde(deserialize_with = "super::word::word")]
        component: Word,
        /// Whether the hardware corrected it.
        corrected: bool,
        /// APIC id of the processor.
        apic_id: Option<u32>,
        /// Machine-check bank.
        bank: Option<u32>,
        /// `MciStat`.
        status: Option<u64>,
        /// Error type as the event numbers it.
        error_type: Option<u32>,
        /// PCI identifier of the device.
        device: Option<Arc<str>>,
        /// Physical address, of errors of the memory.
        address: Option<u64>,
    },
    /// disk, storahci, stornvme, iaStor*...: a storage request failed.
    Storage {
        /// The device as written (`\Device\Harddisk0\DR0`).
        device: Option<Arc<str>>,
        /// `FinalStatus` of the binary packet: it distinguishes an unplugged device from a failing one.
        status: Option<NtStatus>,
        /// How the adapter's driver ended a request that was tried again (disk 153).
        retry: Option<StorageRetry>,
    },
    /// StorPort 512: what an NVMe drive reports of its health. Healthy drives are left out.
    DriveHealth(Box<DriveHealth>),
    /// Ntfs 55 and 98 with a damaged state, Ntfs 140.
    FileSystem {
        /// Drive letter or volume.
        volume: Option<Arc<str>>,
        /// Whether the record reports that structures are damaged or data was lost.
        damaged: bool,
    },
    /// Resource-Exhaustion-Detector 2004: the commit limit was nearly reached.
    MemoryExhausted {
        /// Commit limit, bytes.
        commit_limit: Option<u64>,
        /// Commit charge, bytes.
        commit_charge: Option<u64>,
        /// The processes that had committed most: name, process id, bytes.
        top: Vec<(Arc<str>, u32, u64)>,
        /// Who held the memory, where the record has it for kernel and processes.
        held: Option<Box<MemoryHeld>>,
    },
    /// CodeIntegrity 3001 to 3111, AppLocker 8004, Security-Mitigations 6, 8 and 12: an image was refused, or would
    /// have been.
    ImageRefused {
        /// The image.
        file: Option<Arc<str>>,
        /// The process that wanted it.
        process: Option<Arc<str>>,
        /// Whether it was really refused; audit events only report that it would have been.
        blocked: bool,
        /// Why: `signature`, `revoked`, `policy` (of the machine), or `hardening` (the process or the kernel accepts only
        /// some images).
        #[serde(deserialize_with = "super::word::word")]
        reason: Word,
    },
    /// Security-Auditing 4689 and ProcessExitMonitor 3000 and 3001: a process ended with this code.
    ProcessExit(Box<ProcessExit>),
    /// MemoryDiagnostics-Results: a memory test's outcome.
    MemoryTest {
        /// Whether it found errors.
        errors: bool,
    },
    /// Service Control Manager 7031 and 7034: a service ended unexpectedly.
    ServiceEnded(ServiceEnd),
    /// An event that the catalogue has a sentence for, with the record's values in it.
    Said {
        /// The sentence.
        sentence: Arc<str>,
        /// What kind of timeline entry it makes, where the record's values decide that and not the catalogue.
        #[serde(deserialize_with = "super::word::optional_word")]
        kind: Option<Word>,
    },
    /// A catalogued event without the fields that it must have.
    Other {
        /// Field values joined with `; `.
        text: Arc<str>,
    },
    /// Kernel-General 12: the system started.
    SystemStarted {
        /// Build of Windows.
        build: Option<Arc<str>>,
        /// When the last record before the start was logged, where the log has it near.
        last_before: Option<Timestamp>,
    },
}

/// What Application Error 1000 states of a process that died of an unhandled exception.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApplicationError {
    /// File name of the executable; services in a shared host as `svchost.exe_Name`.
    pub app: Arc<str>,
    /// Its version.
    pub app_version: Option<Version>,
    /// The module that contained the exception address; absent for `unknown`.
    pub module: Option<Arc<str>>,
    /// Whether that module had already been unloaded (`NAME_unloaded`, the suffix is cut from `module`).
    pub module_unloaded: bool,
    /// Its version.
    pub module_version: Option<Version>,
    /// Exception code.
    pub code: Option<ExceptionCode>,
    /// Offset in the module; a raw address when there is no module.
    pub offset: Option<ModuleOffset>,
    /// Whether the offset is written with 16 digits, as 64-bit processes are.
    pub wide_offset: Option<bool>,
    /// Process id.
    pub pid: Option<u32>,
    /// When the process started.
    pub started: Option<Timestamp>,
    /// Path of the executable.
    pub app_path: Option<Arc<str>>,
    /// Path of the module.
    pub module_path: Option<Arc<str>>,
    /// Report id: lower case, without braces. Equals event 1001's.
    pub report_id: Option<Arc<str>>,
}

/// A service that ended without having been stopped.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServiceEnd {
    /// Display name, in the system's language.
    pub display_name: Arc<str>,
    /// Internal name, the same in every language.
    pub name: Option<Arc<str>>,
    /// How often it has happened.
    pub times: Option<u32>,
}

impl ServiceEnd {
    /// The internal name; the display name where no other is known.
    #[must_use]
    pub fn key(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.display_name)
    }

    /// The internal name with the display name, where that is another one: `Spooler (Print Spooler)`.
    #[must_use]
    pub fn described(&self) -> String {
        match &self.name {
            Some(name) if **name != *self.display_name && !self.display_name.is_empty() => {
                format!("{name} ({})", self.display_name)
            }
            _ => self.key().to_owned(),
        }
    }
}

/// The end of a process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProcessExit {
    /// Path of the executable.
    pub path: Arc<str>,
    /// Process id.
    pub pid: Option<u32>,
    /// The code that it ended with.
    pub code: u32,
    /// When the process started.
    pub started: Option<Timestamp>,
    /// Path of the process that ended it from outside.
    pub ended_by: Option<Arc<str>>,
}

impl ProcessExit {
    /// The code, if it is a status or the code of an exception and no number that the program chose itself: those are
    /// small, counted from 0 up or, as negative numbers, down.
    ///
    /// Source: layout of NTSTATUS values in the open specifications (MS-ERREF, section 2.3).
    #[must_use]
    pub fn status(&self) -> Option<ExceptionCode> {
        (0x4000_0000..0xF000_0000).contains(&self.code).then_some(ExceptionCode(self.code))
    }
}

/// What became of a request before it was tried again.
///
/// Source: disk event 153 in Microsoft's "Interpreting Event 153 Errors"; numbers of `srb.h` and `scsi.h` of the
/// Windows driver kit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorageRetry {
    /// Status of the SCSI device.
    pub scsi_status: u8,
    /// Status of the request block, without its flags: 9 is a timeout, 14 a reset of the bus.
    pub srb_status: u8,
    /// First byte of the command: 0x28 and 0x88 read, 0x2A and 0x8A write.
    pub command: u8,
}

/// The health log of an NVMe drive.
///
/// Source: NVM Express base specification, "SMART / Health Information" log page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveHealth {
    /// Its model, or its maker where that is all there is.
    pub model: Option<Arc<str>>,
    /// Whether the system starts from it.
    pub boot: Option<bool>,
    /// Bits of what the drive warns of: 1 spare blocks, 2 temperature, 4 reliability, 8 read only, 16 backup of its
    /// volatile memory.
    pub warning: u8,
    /// Temperature, degrees Celsius.
    pub temperature: i32,
    /// Spare blocks that are left, percent.
    pub spare: u8,
    /// Below how much of them the drive warns, percent.
    pub spare_threshold: u8,
    /// How much of its life is used by the maker's reckoning, percent; may exceed 100.
    pub used: u8,
    /// How often data could not be read or checked, over its whole life.
    pub media_errors: u128,
}

impl DriveHealth {
    /// Whether it warns of its temperature and of nothing else.
    #[must_use]
    pub fn is_only_hot(&self) -> bool {
        self.warning == 2 && self.spare >= self.spare_threshold && self.used < 100 && self.media_errors == 0
    }
}

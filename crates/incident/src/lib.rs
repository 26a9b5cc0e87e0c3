//! What happened, once: all evidence about one crash, hang, bugcheck, reset, failed start or power loss.

mod bugcheck;
mod build;
mod caller;
mod context;
mod contradictions;
mod dump_detail;
pub mod environment;
mod fault_site;
mod gathered;
mod hosts;
mod join;
mod kernel_card;
mod kernel_site;
mod machine;
mod machine_environment;
mod renamed;
mod same_process;
mod says;
mod sighting;
mod signature;
mod stable_name;
mod standing;
mod text_stack;

pub use build::{Built, incidents};
pub use context::short as short_host;
pub use environment::{build_of, tells_no_version};
pub use fault_site::Carriers;
pub use gathered::{CrashRecord, Gathered};
pub use hosts::unify;
pub use join::JoinKey;
pub use machine::{machines, timeline_kind, values};
pub use machine_environment::{OF_MACHINE, describe, started_build};
pub use renamed::{LastNames, NamedLog, last_names, under_last_name};
pub use says::says;
pub use sighting::{ByPlace, Family, Item, RestartRecord, Sighting, report_kind};
pub use signature::ALGORITHM;
pub use standing::{Standing, stand, standing};

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use evidence::LogCoverage;
use evidence::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, Place, SigmaRule, Version};
use windows_codes::McaStatus;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IncidentKind {
    /// A process died of an exception.
    Crash,
    /// A process stopped answering.
    Hang,
    /// The system stopped with a code.
    Bugcheck,
    /// The GPU or its driver was reset and the system lived on.
    GpuReset,
    /// A program did not start.
    StartFailure,
    /// The system ended without shutdown and without a code.
    PowerLoss,
    /// A process or service ended and nothing says by which exception.
    Exit,
}

impl IncidentKind {
    /// The word for it in facts and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Bugcheck => "bugcheck",
            Self::GpuReset => "gpu-reset",
            Self::StartFailure => "start-failure",
            Self::PowerLoss => "power-loss",
            Self::Exit => "exit",
        }
    }
}

/// One incident with everything that is known of it, before any rule has seen it.
#[derive(Debug, Clone)]
pub struct Incident {
    /// Stable for equal evidence.
    pub id: String,
    /// What kind of thing happened.
    pub kind: IncidentKind,
    /// When, UTC.
    pub time: Option<Timestamp>,
    /// The computer.
    pub host: Option<Arc<str>>,
    /// Whether no evidence names that computer, and it is the one whose event logs lie beside it.
    pub host_by_folder: bool,
    /// Of a text that fits several other incidents: their ids, sorted. It tells of one of them and is none of its own.
    pub may_be_of: Vec<String>,
    /// The process, for incidents of one.
    pub process: Option<Process>,
    /// Of a hang: how long after it the same process crashed, seconds.
    pub crashed_later: Option<u64>,
    /// The exception.
    pub exception: Option<ExceptionFacts>,
    /// The bugcheck.
    pub bugcheck: Option<Bugcheck>,
    /// Where the exception was raised.
    pub fault_site: Option<FaultSite>,
    /// The module that the evidence points to.
    pub suspect: Option<Suspect>,
    /// What is known of the machine and the program's surroundings, by key (`os`, `cpu`, `gpu_driver`, `cuda`...).
    pub environment: BTreeMap<&'static str, String>,
    /// The key that groups alike incidents.
    pub signature: Signature,
    /// What was read about it, in the order of its numbers: the first is `e1`.
    pub evidence: Vec<EvidenceItem>,
    /// What could not be read or joined, or contradicts itself, in sentences.
    pub remarks: Vec<String>,
}

/// The process that an incident is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    /// File name of the executable.
    pub name: Option<Arc<str>>,
    /// Its version.
    pub version: Option<Version>,
    /// Process id.
    pub pid: Option<u32>,
    /// Path of the executable.
    pub path: Option<Arc<str>>,
    /// When it started.
    pub started: Option<Timestamp>,
}

/// The exception that ended a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionFacts {
    /// Its code.
    pub code: ExceptionCode,
    /// The code's name, where it has one (`STATUS_ACCESS_VIOLATION`; a signal's name on other systems).
    pub name: Option<Arc<str>>,
    /// Where it was raised.
    pub address: Option<Address>,
    /// Its parameters; absent when no artifact holds them.
    pub parameters: Option<Vec<u64>>,
    /// The fast-fail code and its name.
    pub fast_fail: Option<(FastFailCode, Option<Arc<str>>)>,
    /// What an access violation or in-page error wanted: `read`, `write` or `execute`, where that is known, and the
    /// address.
    pub access: Option<(Option<&'static str>, Address)>,
}

/// The stop that ended a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bugcheck {
    /// Its code, without the minidump flag.
    pub code: BugcheckCode,
    /// Its name.
    pub name: Option<Arc<str>>,
    /// Whether only live kernel reports carry it: the system went on.
    pub live: bool,
    /// Those of its parameters that are recorded, from the first on; empty when none is.
    pub parameters: Vec<u64>,
    /// What those of them say of which that is known, in their order.
    pub meanings: Vec<ParameterMeaning>,
    /// The NTSTATUS among its parameters.
    pub status: Option<ExceptionCode>,
    /// In how many bits its parameters 3 and 4 differ, where they are two records of the same.
    pub bits_differ: Option<u32>,
    /// The status of the bank of a machine check.
    pub machine_check: Option<McaStatus>,
}

/// What a parameter of a stop says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterMeaning {
    /// Which one, 1 to 4.
    pub number: u8,
    /// What it holds.
    pub is: &'static str,
    /// What its value means; absent where the value says nothing by itself.
    pub means: Option<String>,
}

/// The module in which the exception was raised. Not a judgement: many modules deliver exceptions for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSite {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    pub version: Option<Version>,
    /// Where in the module.
    pub offset: Option<ModuleOffset>,
    /// Path.
    pub path: Option<Arc<str>>,
    /// The function, by the image's exports or by symbols.
    pub function: Option<Arc<str>>,
    /// Whether the module had been unloaded.
    pub unloaded: bool,
    /// Whether it is a carrier.
    pub carrier: bool,
}

/// The module that the evidence points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    pub version: Option<Version>,
    /// Path.
    pub path: Option<Arc<str>>,
    /// On what basis: a word of the fact `suspect.basis`.
    pub basis: &'static str,
    /// Why, in a sentence.
    pub reason: String,
}

/// The stable key that groups alike incidents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Version of the way it is made. Changes whenever equal evidence would give another signature.
    pub algorithm: u32,
    /// Survives a new build of the modules.
    pub coarse: String,
    /// With versions and offsets.
    pub fine: String,
}

/// One item of evidence as the report shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceItem {
    /// The artifact: index into the run's artifact list.
    pub artifact: usize,
    /// Where in it.
    pub place: Place,
    /// What it says, in a sentence.
    pub says: String,
    /// By what it was joined to the others; absent for the first.
    pub joined_by: Option<JoinedBy>,
}

/// By what an item of evidence was joined to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinedBy {
    /// What both have in common.
    pub key: JoinKey,
    /// How much that proves.
    pub strength: JoinStrength,
    /// The other item: its index in the incident's evidence.
    pub to: usize,
}

/// How much a join proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JoinStrength {
    /// Nothing but agreement of what many incidents could have, and no other that could be meant.
    Likely,
    /// What two incidents hardly ever share.
    Strong,
    /// What was made for this incident alone.
    Certain,
}

impl JoinStrength {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Likely => "likely",
            Self::Strong => "strong",
            Self::Certain => "certain",
        }
    }
}

/// A machine with what its logs recorded.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The computer's name.
    pub host: Arc<str>,
    /// What is known of it: the keys [`OF_MACHINE`] of the cards of its incidents, and what texts and logs add. Of
    /// several values the latest.
    pub environment: BTreeMap<&'static str, String>,
    /// The other values that evidence has for the same keys, by key, the latest first.
    pub earlier: Vec<EarlierValue>,
    /// What its logs recorded, in time.
    pub timeline: Vec<TimelineEntry>,
    /// The event logs that were given, by channel and time.
    pub logs: Vec<LogCoverage>,
    /// The logs of which its logs say that they were cleared, in time.
    pub cleared: Vec<Cleared>,
    /// What the artifacts could not show, in sentences.
    pub coverage: Vec<String>,
}

/// A value that a machine had as well, before the one that counts or at a time that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierValue {
    /// The key of the environment.
    pub key: &'static str,
    /// The value.
    pub value: String,
    /// The last time at which evidence shows it.
    pub time: Option<Timestamp>,
}

/// That a log was cleared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cleared {
    /// The log's channel.
    pub channel: Arc<str>,
    /// When.
    pub time: Timestamp,
}

/// The kind of timeline entries that say that a Sigma rule matches a record.
pub const SIGMA: &str = "sigma";

/// One thing that a machine's log recorded, or an incident.
#[derive(Debug, Clone)]
pub struct TimelineEntry {
    /// When it was logged; of an incident, when it happened.
    pub time: Timestamp,
    /// What kind of thing: one of `facts::schema::TIMELINE_KINDS`.
    pub kind: &'static str,
    /// Provider of the event; empty for an incident of which no event tells.
    pub provider: Arc<str>,
    /// Event id.
    pub id: u32,
    /// What it says, in a sentence.
    pub says: Arc<str>,
    /// The Sigma rule that matches the record, of entries that say so.
    pub sigma: Option<Arc<SigmaRule>>,
    /// The id of the incident that stands here.
    pub incident: Option<String>,
    /// The item that it was made of: index into the run's items.
    pub item: usize,
    /// The artifact: index into the run's artifact list.
    pub artifact: usize,
    /// Where in it.
    pub place: Place,
}

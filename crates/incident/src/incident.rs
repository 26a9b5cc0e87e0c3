//! An incident with everything that is known of it. What is serialized has the form of the JSON report.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};
use serde_with::{DisplayFromStr, SerializeAs, serde_as, skip_serializing_none};

use super::basis::Basis;
use super::dump_state::DumpState;
use super::join::key::{JoinKey, JoinStrength};
use super::mechanism::Mechanism;
use super::needed::NeededFile;
use super::other_software::{Component, OtherSoftware};
use super::stack::StackFrame;
use super::thrown::Thrown;
use evidence::{Address, BugcheckCode, ExceptionCode, FastFailCode, ModuleOffset, Place, Version};
use windows_codes::McaStatus;

evidence::words!(
    /// The kinds of incidents.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray)]
    IncidentKind {
        /// A process died of an exception.
        Crash => "crash",
        /// A process stopped answering.
        Hang => "hang",
        /// A blue screen: the system stopped with a bugcheck code.
        Bugcheck => "bugcheck",
        /// The GPU failed, or it or its driver was reset, and the system went on.
        GpuReset => "gpu-reset",
        /// A program did not start.
        StartFailure => "start-failure",
        /// The system ended without shutdown and without a code.
        PowerLoss => "power-loss",
        /// A process or service ended, and no evidence names an exception.
        Exit => "exit",
    }
);

/// One incident with everything that is known of it, before any rule has seen it.
#[derive(Debug, Clone)]
pub struct Incident {
    /// Equal for equal evidence: 16 hexadecimal digits, and a number where two incidents have the same evidence.
    pub id: String,
    /// What kind of incident it is.
    pub kind: IncidentKind,
    /// When it happened, UTC.
    pub time: Option<Timestamp>,
    /// The computer.
    pub host: Option<Arc<str>>,
    /// Whether no evidence names that computer, and it is the one whose event logs are beside the evidence.
    pub host_by_folder: bool,
    /// For a text that fits several other incidents: their ids, sorted. The text is about one of them and no incident
    /// of its own.
    pub may_be_of: Vec<String>,
    /// The process that it happened to.
    pub process: Option<Process>,
    /// Of a restart without shutdown: whether Windows had finished shutting down, so that no session was lost.
    pub shut_down: bool,
    /// For a hang: how many seconds after it the same process crashed.
    pub crashed_later: Option<u64>,
    /// The exception.
    pub exception: Option<ExceptionFacts>,
    /// The bugcheck.
    pub bugcheck: Option<Bugcheck>,
    /// Where the exception was raised.
    pub fault_site: Option<FaultSite>,
    /// How the process failed.
    pub mechanism: Option<Mechanism>,
    /// The module that the evidence points to.
    pub suspect: Option<Suspect>,
    /// The stacks of the thread that crashed or stopped the system, innermost frame first: that of the process or the
    /// kernel, then those of .NET and Python.
    pub stack: Vec<StackFrame>,
    /// Images and PDBs that would show more of the stack.
    pub symbols_needed: Vec<NeededFile>,
    /// The exception objects of C++ and .NET that nobody caught.
    pub thrown: Vec<Thrown>,
    /// What the dump shows of process and system beside the exception.
    pub dump: Option<DumpState>,
    /// Modules of other products in the process.
    pub other_software: Option<OtherSoftware>,
    /// What the program is built with: engines, runtimes of languages, toolkits.
    pub built_with: Vec<Component>,
    /// What is known of the machine and the program's surroundings, by key (`os`, `cpu`, `gpu_driver`, `cuda`...).
    pub environment: BTreeMap<&'static str, String>,
    /// The key of its group.
    pub signature: Signature,
    /// What was read about it, in the order of evidence numbers: the first is `e1`.
    pub evidence: Vec<EvidenceItem>,
    /// What could not be read or joined, or contradicts itself, in sentences.
    pub remarks: Vec<String>,
}

impl Incident {
    /// Whether a program reported to have failed only in a text, without a code: this does not show that the program crashed, nor
    /// that it ended.
    #[must_use]
    pub fn is_only_told(&self) -> bool {
        let of_a_text = |item: &EvidenceItem| matches!(item.place, Place::Lines(_) | Place::Whole);
        self.kind == IncidentKind::Exit && self.exception.is_none() && self.evidence.iter().all(of_a_text)
    }
}

/// The process that an incident is about.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// File name of the executable.
    pub name: Option<Arc<str>>,
    /// Its version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// Process id.
    pub pid: Option<u32>,
    /// Path of the executable.
    pub path: Option<Arc<str>>,
    /// When it started.
    pub started: Option<Timestamp>,
}

/// The exception that ended a process.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExceptionFacts {
    /// Its code.
    #[serde_as(as = "DisplayFromStr")]
    pub code: ExceptionCode,
    /// The code's name, where it has one (`STATUS_ACCESS_VIOLATION`; a signal's name on other systems).
    pub name: Option<Arc<str>>,
    /// Where it was raised.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub address: Option<Address>,
    /// The code that a log or a report recorded, where the dump has another: an exception that nobody caught (C++,
    /// .NET) leads to a second one, with which the process ends.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub recorded_code: Option<ExceptionCode>,
    /// Its parameters; absent when no artifact holds them.
    #[serde_as(as = "Option<Hexadecimal>")]
    pub parameters: Option<Vec<u64>>,
    /// The reason of a fast fail.
    pub fast_fail: Option<FastFail>,
    /// What an access violation or in-page error wanted.
    pub access: Option<Access>,
}

/// The reason for which a process ended itself.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FastFail {
    /// Its code.
    pub code: FastFailCode,
    /// The code's name, where it has one.
    pub name: Option<Arc<str>>,
}

/// What an access violation or in-page error wanted.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Access {
    /// `read`, `write` or `execute`, where that is known.
    pub kind: Option<&'static str>,
    /// The address.
    #[serde_as(as = "DisplayFromStr")]
    pub address: Address,
}

/// The blue screen that ended a session, or the kernel error report that the system survived.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bugcheck {
    /// Its code, without the minidump flag.
    #[serde_as(as = "DisplayFromStr")]
    pub code: BugcheckCode,
    /// Its name.
    pub name: Option<Arc<str>>,
    /// The parameters that are recorded, from the first on; empty when none is.
    #[serde_as(as = "Hexadecimal")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<u64>,
    /// The parameters with a known meaning, in order.
    pub meanings: Vec<ParameterMeaning>,
    /// Whether only kernel error reports without a restart have this code.
    pub live: bool,
    /// The NTSTATUS among its parameters.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub status: Option<ExceptionCode>,
    /// In how many bits parameters 3 and 4 differ, where both record the same thing.
    pub bits_differ: Option<u32>,
    /// The status of the bank of a machine check (a hardware error that the processor reports).
    #[serde_as(as = "Option<ErrorClass>")]
    pub machine_check: Option<McaStatus>,
}

/// What a parameter of a blue screen means.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParameterMeaning {
    /// The parameter's number, 1 to 4.
    #[serde(rename = "parameter")]
    pub number: u8,
    /// What it holds.
    pub is: &'static str,
    /// What its value means; absent where the value means nothing by itself.
    pub means: Option<String>,
}

/// The faulting module, in which the exception was raised. No judgement: many modules only pass on errors of others.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FaultSite {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// Offset of the code in the module.
    #[serde_as(as = "Option<DisplayFromStr>")]
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
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suspect {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// Path.
    pub path: Option<Arc<str>>,
    /// The product that it belongs to, by the lists of rule sets.
    pub what: Option<Arc<str>>,
    /// The name of that list: the kind of product.
    pub kind: Option<Arc<str>>,
    /// On what basis.
    pub basis: Basis,
    /// Why, in a sentence.
    pub reason: String,
}

/// The stable key by which incidents are alike.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// Number of the algorithm, which changes whenever equal evidence would give another signature.
    pub algorithm: u32,
    /// Equal over builds of the modules.
    pub coarse: String,
    /// With versions and offsets: of one build.
    pub fine: String,
}

/// One numbered item of an incident's evidence, as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceItem {
    /// Index into the run's artifact list.
    pub artifact: usize,
    /// Where in the artifact.
    pub place: Place,
    /// Its content, in a sentence.
    pub sentence: String,
    /// What joined it to the others; absent for the first.
    pub joined_by: Option<JoinedBy>,
}

/// What joined an item of evidence to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinedBy {
    /// What both have in common.
    pub key: JoinKey,
    /// How much that proves.
    pub strength: JoinStrength,
    /// The other item: its index in the incident's evidence.
    pub to: usize,
}

/// Numbers without unit, in lower-case hexadecimal.
struct Hexadecimal;

impl SerializeAs<Vec<u64>> for Hexadecimal {
    fn serialize_as<S: Serializer>(numbers: &Vec<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(numbers.iter().map(|number| format!("{number:#x}")))
    }
}

/// The status of a machine check, as the word for its class of errors.
struct ErrorClass;

impl SerializeAs<McaStatus> for ErrorClass {
    fn serialize_as<S: Serializer>(status: &McaStatus, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(status.class().word())
    }
}

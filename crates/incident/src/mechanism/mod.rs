//! How a process failed: the mechanism, with its certainty. Why it failed is another question, which rules answer.
//!
//! A dump shows it by the instruction at the fault, the registers and the memory there; without one, only exception
//! codes that mean one thing are enough.

mod access;
mod code;
mod origin;
mod text;

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use super::incident::{ExceptionFacts, FaultSite, Process};
use super::joined_evidence::JoinedEvidence;
use evidence::{Address, DumpReason, EventBody, MemoryOperand, OperatingSystem, ProcessDump};

pub use self::origin::{MechanismOrigin, MechanismStep};

evidence::words!(
    /// Ways in which processes fail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    MechanismKind {
        /// It read through a null pointer.
        NullRead => "null-read",
        /// It wrote through a null pointer.
        NullWrite => "null-write",
        /// It called a null pointer.
        NullCall => "null-call",
        /// It used a small number that is not null as a pointer.
        NearNullField => "near-null-field",
        /// It read where no memory is, or none that can be read.
        WildRead => "wild-read",
        /// It wrote where no memory is, or none that can be written.
        WildWrite => "wild-write",
        /// It called or jumped to where no code is.
        WildCall => "wild-call",
        /// It used a pointer that is a pattern with which heaps fill freed or fresh memory.
        FreedMemory => "freed-memory",
        /// It used characters as a pointer.
        TextAsPointer => "text-as-pointer",
        /// It used a pointer that no processor takes for an address.
        NonCanonical => "non-canonical",
        /// It executed data.
        DataExecution => "data-execution",
        /// It went on beyond the end, or the beginning, of memory.
        PastMappedEnd => "past-mapped-end",
        /// It touched a guard page.
        GuardPage => "guard-page",
        /// It used up its stack.
        StackExhausted => "stack-exhausted",
        /// It accessed data that is not aligned as the instruction needs it.
        Misaligned => "misaligned",
        /// It crashed itself on purpose: by a trap, or an access to a fixed address that is never mapped.
        DeliberateCrash => "deliberate-crash",
        /// It ended itself by a fast fail.
        FailFast => "fail-fast",
        /// The C runtime or the program ended it after an error (`abort`).
        Abort => "abort",
        /// A C++ exception was not caught.
        UnhandledCpp => "unhandled-cpp",
        /// A .NET exception was not caught.
        Managed => "managed",
        /// The heap found that its structures are damaged.
        HeapDetected => "heap-detected",
        /// A DLL or a function in it could not be loaded when it was first needed.
        DelayLoad => "delay-load",
        /// A division by zero, or one whose result has no room.
        Division => "division",
        /// It executed an instruction that the processor does not have or that is only for the system.
        IllegalInstruction => "illegal-instruction",
        /// The instruction cannot have done what the exception reports.
        Inconsistent => "inconsistent",
        /// One flipped bit would explain the wrong address.
        BitFlipSuspect => "bit-flip-suspect",
        /// A hook of other software is broken.
        HookBroken => "hook-broken",
        /// A breakpoint was reached.
        Breakpoint => "breakpoint",
        /// Another exception, whose code names it.
        Other => "other",
        /// The evidence does not show it.
        Unknown => "unknown",
    }
);

/// How a process failed.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mechanism {
    /// What kind of failure.
    #[serde(serialize_with = "word")]
    pub kind: MechanismKind,
    /// How certain that is, 0 to 1.
    pub certainty: f64,
    /// The mechanism in a sentence.
    pub sentence: String,
    /// The register that held the bad pointer.
    pub register: Option<Arc<str>>,
    /// What the instruction added to that register, bytes; absent where it subtracted.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub offset: Option<FieldOffset>,
    /// The address that was accessed or called; where the processor reported none, the one by the registers.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub address: Option<Address>,
    /// `read`, `write` or `execute`.
    pub access: Option<&'static str>,
    /// The instruction.
    pub instruction: Option<Arc<str>>,
    /// How the bad value came about.
    pub origin: Option<MechanismOrigin>,
}

/// The place of a field in an object, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldOffset(pub u64);

impl fmt::Display for FieldOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

fn word<S: Serializer>(kind: &MechanismKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.word())
}

/// A kind with its certainty and the end of its sentence, behind the name of what failed.
struct Finding {
    kind: MechanismKind,
    certainty: f64,
    /// What it did: "read through a null pointer".
    did: String,
}

impl Finding {
    fn new(kind: MechanismKind, certainty: f64, did: impl Into<String>) -> Self {
        Self { kind, certainty, did: did.into() }
    }
}

/// How the process of an incident failed; `None` for incidents that are no failure of a process with an exception or an exit
/// code that means one.
pub(super) fn mechanism(
    evidence: &JoinedEvidence<'_>,
    exception: Option<&ExceptionFacts>,
    site: Option<&FaultSite>,
    process: Option<&Process>,
) -> Option<Mechanism> {
    let managed = managed_type(evidence);
    let program = process.and_then(|process| process.name.as_deref()).unwrap_or("The program");
    let (Some(exception), dump) = (exception, evidence.dump().map(|(_, dump)| dump)) else {
        return Some(plain(code::managed(managed?, None), program));
    };
    match dump.and_then(ProcessDump::reason) {
        Some(DumpReason::Debugger) => return Some(plain(code::broke_in(), program)),
        Some(DumpReason::Assertion) => return None,
        Some(DumpReason::Request) | None => {}
    }
    let dump = dump.filter(|dump| dump.exception.is_some());
    if dump.is_some_and(|dump| dump.system.os != OperatingSystem::Windows) {
        return None;
    }
    let Some(dump) = dump else {
        let finding = code::of_record(exception, site, managed)?;
        let subject = site.filter(|_| is_by_one_module(finding.kind)).map_or(program, |site| &*site.module);
        return Some(plain(finding, subject));
    };
    let finding = access::finding(dump, site).unwrap_or_else(|| code::of_dump(dump, exception, site, managed));
    let subject = if is_by_one_module(finding.kind) {
        site.map_or("Code outside of all modules", |site| &*site.module)
    } else {
        program
    };
    let mut mechanism = plain(finding, subject);
    let operand = dump.detail.access.as_ref().and_then(|access| access.operand.as_ref());
    let shown = access::is_of_access(mechanism.kind);
    let operand = operand.filter(|_| shown);
    let base = operand.and_then(MemoryOperand::pointer);
    mechanism.register = base.map(|base| Arc::clone(&base.name));
    let offset = operand.filter(|operand| operand.base.is_some()).map(|operand| operand.displacement);
    mechanism.offset = offset.and_then(|offset| u64::try_from(offset).ok()).map(FieldOffset);
    mechanism.access = exception.access.and_then(|access| access.kind).filter(|_| shown);
    mechanism.address = if shown { access::address(dump) } else { None };
    mechanism.instruction = dump.detail.instruction.as_ref().map(|instruction| Arc::clone(&instruction.text));
    mechanism.origin = dump.detail.origin.as_ref().filter(|_| shown).map(|origin| MechanismOrigin::new(origin, dump));
    if let Some(origin) = &mechanism.origin {
        mechanism.sentence.push(' ');
        mechanism.sentence.push_str(&origin.sentence);
    }
    Some(mechanism)
}

/// Whether the module at the fault failed, so that its sentence names it; else the program ended itself, or was ended, by way of
/// modules that only pass errors on.
fn is_by_one_module(kind: MechanismKind) -> bool {
    use MechanismKind::*;
    !matches!(
        kind,
        FailFast | Abort | UnhandledCpp | Managed | HeapDetected | DelayLoad | StackExhausted | Other | Unknown
    )
}

fn plain(finding: Finding, subject: &str) -> Mechanism {
    Mechanism {
        kind: finding.kind,
        certainty: finding.certainty,
        sentence: format!("{subject} {}.", finding.did),
        register: None,
        offset: None,
        address: None,
        access: None,
        instruction: None,
        origin: None,
    }
}

/// The type of the .NET exception that an event names.
fn managed_type<'i>(evidence: &JoinedEvidence<'i>) -> Option<&'i str> {
    let found = evidence.event(|body| match body {
        EventBody::DotNet { exception_type, .. } => exception_type.as_deref(),
        _ => None,
    });
    found.map(|(_, name)| name)
}

//! Every fact that a rule can ask for: path, type, meaning, and which artifact brings it.
//!
//! Adding a fact is adding a row here and setting it where facts are made from an incident. Paths are stable.

mod lists;
mod scalars;
mod sources;

use super::Value;

pub use lists::LISTS;
pub use scalars::SCALARS;
pub use sources::not_given;

/// The type of a fact: how it is written in a rule and how it compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactType {
    /// One of a closed set of words.
    Word(&'static [&'static str]),
    /// A 32-bit code in any spelling: `0xC0000409`, `-1073740791`, `3221226505`.
    Code,
    /// A whole number.
    Number,
    /// A length of time in whole seconds: `300`, `5 min`, `2 h`, `3 d`.
    Duration,
    /// An address or offset, written in hexadecimal.
    Address,
    /// A version of one to four parts.
    Version,
    /// A module's file name; compared without regard to case, path ignored.
    Module,
    /// A path; compared without regard to case, `/` equals `\`.
    Path,
    /// Any text; compared without regard to case.
    Text,
    /// `true` or `false`.
    Flag,
}

impl FactType {
    /// Whether `value` is of the variant that this type is held in.
    #[must_use]
    pub fn holds(self, value: &Value) -> bool {
        match self {
            Self::Word(words) => matches!(value, Value::Text(word) if words.contains(&&**word)),
            Self::Module | Self::Path | Self::Text => matches!(value, Value::Text(_)),
            Self::Code | Self::Number | Self::Duration | Self::Address => matches!(value, Value::Number(_)),
            Self::Version => matches!(value, Value::Version(_)),
            Self::Flag => matches!(value, Value::Flag(_)),
        }
    }

    /// What a rule author calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Word(_) => "word",
            Self::Code => "code",
            Self::Number => "number",
            Self::Duration => "duration",
            Self::Address => "address",
            Self::Version => "version",
            Self::Module => "module name",
            Self::Path => "path",
            Self::Text => "text",
            Self::Flag => "true or false",
        }
    }
}

/// A fact with one value.
#[derive(Debug, Clone, Copy)]
pub struct FactDefinition {
    /// Its path (or, in a list, its field name).
    pub path: &'static str,
    /// Its type.
    pub kind: FactType,
    /// What it means.
    pub about: &'static str,
    /// What brings it; a report's "what to collect" is made of it.
    pub from: &'static str,
    /// Of a field of a list: what it means that an entry lacks it.
    pub absent: Absent,
}

/// What it means that an entry of a list lacks a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// That nobody knows it.
    Unknown,
    /// That it is not so, or that there is no such thing.
    No,
    /// That nobody knows it, of entries whose field of this name is one of these words; of others that there is no such
    /// thing.
    UnknownOf(&'static str, &'static [&'static str]),
    /// That nobody knows it, of entries that have the field of this name; of others that there is no such thing.
    UnknownWith(&'static str),
    /// That nobody knows it, but of entries that have the field of this name, which says that it is not so.
    UnknownUnless(&'static str),
}

/// A fact with many entries.
#[derive(Debug, Clone, Copy)]
pub struct ListDefinition {
    /// Its name.
    pub name: &'static str,
    /// The fields of an entry.
    pub fields: &'static [FactDefinition],
    /// What it means, and when it is known.
    pub about: &'static str,
    /// What brings it.
    pub from: &'static str,
}

/// The kinds of incident.
pub const INCIDENT_KINDS: &[&str] = &["crash", "hang", "bugcheck", "gpu-reset", "start-failure", "power-loss", "exit"];
/// Places that a path can lie in, all that a path can be asked for; of several a module's location is one.
pub const PLACES: &[&str] = &[
    "application",
    "conda",
    "downloads",
    "driver-store",
    "network",
    "other",
    "program-files",
    "site-packages",
    "system",
    "system32",
    "temp",
    "user",
];
/// What kind of place a module was loaded from.
pub const LOCATIONS: &[&str] =
    &["system", "driver-store", "site-packages", "program-files", "user", "temp", "network", "other"];
/// The bases on which a suspect can be named, the strongest first.
pub const SUSPECT_BASES: &[&str] = &["exact", "unwound", "scanned", "named", "inferred"];
/// How a stack frame was found.
pub const FRAME_TRUSTS: &[&str] = &["exact", "unwound", "scanned"];
/// What an access violation wanted to do.
pub const ACCESS_KINDS: &[&str] = &["read", "write", "execute"];
/// Families of operating systems.
pub const OS_FAMILIES: &[&str] = &["windows", "linux", "macos", "ios", "android", "other"];
/// Processor architectures.
pub const ARCHITECTURES: &[&str] = &["x86", "x64", "arm", "arm64", "other"];
/// Whether something is below a minimum.
pub const AGES: &[&str] = &["enough", "too-old"];
/// Whether two things go together.
pub const FITS: &[&str] = &["fits", "other"];
/// What of an incident a record of the machine is about: the program itself, a module that it lacked or died in, another
/// file that it wanted, another program that it wanted to start; or it only mentions one of the names.
pub const NAMED_PARTS: &[&str] = &["program", "module", "wanted", "parent", "mentioned"];
/// Whether a record is about the drive that an incident depends on, or about another one.
pub const DRIVES: &[&str] = &["same", "other"];
/// The parts of a machine that report errors of the hardware.
pub const COMPONENTS: &[&str] = &["processor", "memory", "pcie", "pci", "other"];
/// What a machine check reports an error of.
pub const MACHINE_CHECKS: &[&str] = windows_codes::MCA_CLASSES;
/// The list of the other incidents of a run that share something with one.
pub const OTHER_INCIDENTS: &str = "other_incidents";
/// Words for who held the memory when it ran out.
pub const MEMORY_HOLDERS: &[&str] = &["pool", "program", "programs", "other"];
/// Kinds of timeline entries.
pub const TIMELINE_KINDS: &[&str] = &[
    "driver-reset",
    "driver-error",
    "hardware-error",
    "storage-error",
    "drive-health",
    "file-system-error",
    "memory-exhausted",
    "memory-test",
    "image-refused",
    "security-block",
    "thermal",
    "driver-install",
    "update",
    "software-install",
    "device-problem",
    "service-error",
    "service-ended",
    "power-state",
    "log-cleared",
    "unclean-restart",
    "bugcheck",
    "power-loss",
    "crash",
    "hang",
    "start-failure",
    "exit",
    "report",
    "sigma",
    "other",
];
/// The levels of Sigma rules.
pub const SIGMA_LEVELS: &[&str] = evidence::SIGMA_LEVELS;

const DUMP: &str = "a minidump of the crash";
const DUMP_OR_METADATA: &str = "a minidump of the crash, or WERInternalMetadata.xml";
const METADATA: &str = "WERInternalMetadata.xml";
const DUMP_WITH_HANDLES: &str = "a minidump with handle data (MiniDumpWithHandleData)";
const DUMP_WITH_THREAD_INFO: &str = "a minidump with the times of threads (MiniDumpWithThreadInfo)";
const DUMP_WITH_REGIONS: &str = "a minidump with memory information (MiniDumpWithFullMemoryInfo)";
const CRASH_RECORD: &str = "a minidump, the Application event log, Report.wer or a text";
/// Of the place at which a process crashed or a system stopped.
const SITE_RECORD: &str = "a dump, the Application event log, Report.wer or a text";
const STOP_RECORD: &str =
    "a kernel dump (C:\\Windows\\Minidump, MEMORY.DMP), the System event log, Report.wer or a text";
const STACK: &str = "a dump, or a debugger's stack in a text";
const KERNEL_DUMP: &str = "a kernel dump (C:\\Windows\\Minidump, MEMORY.DMP)";
const SYSTEM_LOG: &str = "the System event log";
const SIGMA_RULES: &str = "event logs, with --rules sigma:PATH";
const APPLICATION_LOG: &str = "the Application event log";
const APPLICATION_LOG_OR_REPORT: &str = "the Application event log or Report.wer";
const EXIT_LOG: &str = "silent exit monitoring of the program";
const EXIT_LOG_OR_TEXT: &str = "silent exit monitoring of the program, or text";
const TEXT: &str = "the text that the program printed";
const INVENTORY: &str = "the output of nvidia-smi, dxdiag, systeminfo or pip list";
/// What brings something that nothing in particular brings; of a field, that it comes with its list.
pub const ANY: &str = "any artifact";
const PATTERNS: &str = "evidence that names computer and time (event logs do)";
const DUMP_OR_TEXT: &str = "a minidump of the crash, or a text with the versions";
const DUMP_OR_CONSOLE: &str = "a minidump of the crash, or the text that the program printed";
const MODULE_LIST: &str = "a minidump or Report.wer";
const FUNCTIONS: &str =
    "a minidump with the modules' memory, or the program's own images or symbols, with --symbols PATH";

const fn fact(path: &'static str, kind: FactType, from: &'static str, about: &'static str) -> FactDefinition {
    FactDefinition { path, kind, about, from, absent: Absent::Unknown }
}

/// A field of a list of which it is known what it means that an entry lacks it.
const fn where_absent(absent: Absent, field: FactDefinition) -> FactDefinition {
    FactDefinition { absent, ..field }
}

/// A field that an entry lacks where it is not so, or where there is no such thing.
const fn if_so(field: FactDefinition) -> FactDefinition {
    where_absent(Absent::No, field)
}

/// The definition of a fact with one value.
#[must_use]
pub fn scalar(path: &str) -> Option<&'static FactDefinition> {
    let index = SCALARS.binary_search_by(|definition| definition.path.cmp(path)).ok()?;
    SCALARS.get(index)
}

/// The definition of a list.
#[must_use]
pub fn list(name: &str) -> Option<&'static ListDefinition> {
    LISTS.iter().find(|definition| definition.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_sorted_so_that_lookup_finds_them() {
        assert!(SCALARS.is_sorted_by(|a, b| a.path < b.path));
        assert!(LISTS.is_sorted_by(|a, b| a.name < b.name));
    }
}

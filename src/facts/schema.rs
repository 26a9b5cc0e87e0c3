//! Every fact that a rule can ask for: path, type, meaning, and which artifact brings it.
//!
//! Adding a fact is adding a row here and setting it where facts are made from an incident. Paths are stable.

use super::Value;

/// The type of a fact: how it is written in a rule and how it compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactType {
    /// One of a closed set of words.
    Word(&'static [&'static str]),
    /// A 32-bit code in any spelling: `0xC0000409`, `-1073740791`, `3221226505`.
    Code,
    /// A whole number.
    Number,
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
            Self::Code | Self::Number | Self::Address => matches!(value, Value::Number(_)),
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

const DUMP: &str = "a minidump of the crash";
const CRASH_RECORD: &str = "a minidump, the Application event log or Report.wer";
const SYSTEM_LOG: &str = "the System event log";
const APPLICATION_LOG: &str = "the Application event log";
const TEXT: &str = "the text that the program printed";
const ANY: &str = "any artifact";

/// The kinds of incident.
pub const INCIDENT_KINDS: &[&str] = &["crash", "hang", "bugcheck", "gpu-reset", "start-failure", "power-loss", "exit"];
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
/// Kinds of timeline entries.
pub const TIMELINE_KINDS: &[&str] = &[
    "driver-reset",
    "driver-error",
    "hardware-error",
    "storage-error",
    "file-system-error",
    "memory-exhausted",
    "memory-test",
    "image-refused",
    "service-ended",
    "unclean-restart",
    "bugcheck",
    "power-loss",
    "crash",
    "hang",
    "start-failure",
    "report",
    "other",
];

const fn fact(path: &'static str, kind: FactType, from: &'static str, about: &'static str) -> FactDefinition {
    FactDefinition { path, kind, about, from }
}

/// Facts with one value, sorted by path.
pub const SCALARS: &[FactDefinition] = &[
    fact("bugcheck.code", FactType::Code, SYSTEM_LOG, "stop code, without the minidump flag 0x10000000"),
    fact("bugcheck.parameter_1", FactType::Address, SYSTEM_LOG, "first parameter of the stop"),
    fact("bugcheck.parameter_2", FactType::Address, SYSTEM_LOG, "second parameter of the stop"),
    fact("bugcheck.parameter_3", FactType::Address, SYSTEM_LOG, "third parameter of the stop"),
    fact("bugcheck.parameter_4", FactType::Address, SYSTEM_LOG, "fourth parameter of the stop"),
    fact("delay_load.error", FactType::Number, DUMP, "Win32 error of a failed delay load"),
    fact("delay_load.module", FactType::Module, DUMP, "the DLL that a delay load did not find"),
    fact("delay_load.procedure", FactType::Text, DUMP, "the procedure that a delay load did not find"),
    fact("environment.cuda", FactType::Version, DUMP, "CUDA runtime, as far as file names tell it"),
    fact("environment.cudnn", FactType::Version, DUMP, "cuDNN major version, from its file name"),
    fact("environment.nvidia_driver", FactType::Version, DUMP, "NVIDIA driver release, such as 536.23"),
    fact("environment.python", FactType::Version, DUMP, "Python version, from the name of its DLL"),
    fact("exception.access", FactType::Word(ACCESS_KINDS), DUMP, "what an access violation wanted to do"),
    fact("exception.access_address", FactType::Address, DUMP, "the address that an access violation wanted"),
    fact("exception.address", FactType::Address, DUMP, "where the exception was raised"),
    fact("exception.code", FactType::Code, CRASH_RECORD, "exception code, or the code the process ended with"),
    fact(
        "exception.fast_fail",
        FactType::Number,
        "a minidump or Report.wer (P9 of BEX64)",
        "fast-fail code of 0xC0000409",
    ),
    fact("exception.in_page_status", FactType::Code, DUMP, "why a page could not be read (0xC0000006)"),
    fact("exception.managed_type", FactType::Text, APPLICATION_LOG, ".NET exception type, full name"),
    fact(
        "fault_site.carrier",
        FactType::Flag,
        CRASH_RECORD,
        "whether the fault site only delivers exceptions of others",
    ),
    fact("fault_site.function", FactType::Text, DUMP, "its function, by the image's exports or by symbols"),
    fact("fault_site.module", FactType::Module, CRASH_RECORD, "the module in which the exception was raised"),
    fact("fault_site.offset", FactType::Address, CRASH_RECORD, "where in that module"),
    fact("fault_site.path", FactType::Path, CRASH_RECORD, "that module's path"),
    fact("fault_site.unloaded", FactType::Flag, CRASH_RECORD, "whether that module had already been unloaded"),
    fact("fault_site.version", FactType::Version, CRASH_RECORD, "that module's file version"),
    fact("hang.waiting_for", FactType::Module, APPLICATION_LOG, "the process that a hanging process waited for"),
    fact("incident.kind", FactType::Word(INCIDENT_KINDS), ANY, "what happened"),
    fact(
        "opengl.error_code",
        FactType::Number,
        APPLICATION_LOG,
        "error code of NVIDIA OpenGL Driver 1; 7 is a timeout",
    ),
    fact("os.build", FactType::Number, "a dump or Report.wer", "Windows build number"),
    fact("os.family", FactType::Word(OS_FAMILIES), ANY, "family of operating systems"),
    fact("power.button_pressed", FactType::Flag, SYSTEM_LOG, "whether the power button ended the session"),
    fact("power.sleeping", FactType::Flag, SYSTEM_LOG, "whether the system was in or on its way to sleep"),
    fact("process.architecture", FactType::Word(ARCHITECTURES), CRASH_RECORD, "architecture the process ran as"),
    fact("process.name", FactType::Module, ANY, "file name of the executable"),
    fact("process.path", FactType::Path, CRASH_RECORD, "path of the executable"),
    fact("process.uptime_seconds", FactType::Number, CRASH_RECORD, "how long the process had run"),
    fact("process.version", FactType::Version, CRASH_RECORD, "file version of the executable"),
    fact("service.name", FactType::Text, SYSTEM_LOG, "internal name of a service that ended unexpectedly"),
    fact("start_failure.assembly", FactType::Text, APPLICATION_LOG, "side-by-side assembly that was not found"),
    fact("start_failure.message", FactType::Text, SYSTEM_LOG, "message box of a program that did not start"),
    fact("start_failure.module", FactType::Module, SYSTEM_LOG, "DLL that the message box names"),
    fact("suspect.basis", FactType::Word(SUSPECT_BASES), CRASH_RECORD, "on what basis the suspect is named"),
    fact("suspect.module", FactType::Module, CRASH_RECORD, "the module that the evidence points to"),
    fact("suspect.path", FactType::Path, CRASH_RECORD, "that module's path"),
    fact("suspect.version", FactType::Version, CRASH_RECORD, "that module's file version"),
    fact("thread.name", FactType::Text, DUMP, "name of the crashing thread"),
    fact(
        "wer.event_type",
        FactType::Text,
        "Report.wer or event 1001",
        "WER's own name for the kind of problem (APPCRASH, BEX64...)",
    ),
];

/// Facts with many entries, sorted by name.
pub const LISTS: &[ListDefinition] = &[
    ListDefinition {
        name: "events",
        about: "the event-log records that belong to the incident; always known",
        from: "event logs",
        fields: &[
            fact("provider", FactType::Text, ANY, "provider"),
            fact("id", FactType::Number, ANY, "event id"),
            fact("text", FactType::Text, ANY, "the record's values, joined with `; `"),
        ],
    },
    ListDefinition {
        name: "frames",
        about: "the crashing thread's stack, innermost first; known when a stack was walked",
        from: DUMP,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the innermost"),
            fact("module", FactType::Module, ANY, "module of the frame"),
            fact("version", FactType::Version, ANY, "its file version"),
            fact("offset", FactType::Address, ANY, "where in that module"),
            fact("function", FactType::Text, ANY, "its function, by the image's exports or by symbols"),
            fact("trust", FactType::Word(FRAME_TRUSTS), ANY, "how the frame was found"),
        ],
    },
    ListDefinition {
        name: "modules",
        about: "the modules loaded in the process, in load order; known when a dump or Report.wer lists them",
        from: "a minidump or Report.wer",
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the executable"),
            fact("name", FactType::Module, ANY, "file name"),
            fact("path", FactType::Path, ANY, "path"),
            fact("version", FactType::Version, ANY, "file version"),
            fact("location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
        ],
    },
    ListDefinition {
        name: "text",
        about: "lines of pasted text and comments; known when there is any",
        from: TEXT,
        fields: &[fact("line", FactType::Text, ANY, "the line")],
    },
    ListDefinition {
        name: "timeline",
        about: "what the machine's logs recorded from 24 hours before to 10 minutes after the incident, the incident's own \
                records left out; known when a log of the machine covers the incident",
        from: SYSTEM_LOG,
        fields: &[
            fact("kind", FactType::Word(TIMELINE_KINDS), ANY, "what kind of thing"),
            fact("provider", FactType::Text, ANY, "provider"),
            fact("id", FactType::Number, ANY, "event id"),
            fact("seconds_before", FactType::Number, ANY, "how long before the incident; absent when after it"),
            fact("seconds_after", FactType::Number, ANY, "how long after the incident; absent when before it"),
            fact("text", FactType::Text, ANY, "the record's values, joined with `; `"),
        ],
    },
    ListDefinition {
        name: "unloaded_modules",
        about: "modules unloaded before the crash; known when the dump lists them",
        from: DUMP,
        fields: &[fact("name", FactType::Module, ANY, "file name")],
    },
    ListDefinition {
        name: "win_errors",
        about: "Win32 error numbers in pasted text (`[WinError 126]`); known when there is any text",
        from: TEXT,
        fields: &[fact("number", FactType::Number, ANY, "the number")],
    },
];

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

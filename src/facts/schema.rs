//! Every fact that a rule can ask for: path, type, meaning, and which artifact brings it.
//!
//! Adding a fact is adding a row here and setting it where facts are made from an incident. Paths are stable.

use super::Value;
use crate::evidence::{AddressKind, CodePlace, Extension, INTEGRITY_LEVELS, InstructionKind, Page};
use crate::incident::environment::{FRAMEWORKS, INSTALLATIONS};

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
const DUMP_WITH_HANDLES: &str = "a minidump with handle data (MiniDumpWithHandleData)";
const DUMP_WITH_REGIONS: &str = "a minidump with memory information (MiniDumpWithFullMemoryInfo)";
const CRASH_RECORD: &str = "a minidump, the Application event log or Report.wer";
const KERNEL_DUMP: &str = "a kernel dump (C:\\Windows\\Minidump, MEMORY.DMP)";
const SYSTEM_LOG: &str = "the System event log";
const APPLICATION_LOG: &str = "the Application event log";
const EXIT_LOG: &str = "silent exit monitoring of the program";
const TEXT: &str = "the text that the program printed";
const INVENTORY: &str = "the output of nvidia-smi, dxdiag, systeminfo or pip list";
const ANY: &str = "any artifact";
const DUMP_OR_TEXT: &str = "a minidump of the crash, or a text with the versions";
const MODULE_LIST: &str = "a minidump or Report.wer";

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
/// Whether something is below a minimum.
pub const AGES: &[&str] = &["enough", "too-old"];
/// Whether two things go together.
pub const FITS: &[&str] = &["fits", "other"];
/// What of an incident a record of the machine names.
pub const NAMED_PARTS: &[&str] = &["program", "module"];
/// What a machine check reports an error of.
pub const MACHINE_CHECKS: &[&str] = crate::incident::MACHINE_CHECKS;
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
    "unclean-restart",
    "bugcheck",
    "power-loss",
    "crash",
    "hang",
    "start-failure",
    "exit",
    "report",
    "other",
];

const fn fact(path: &'static str, kind: FactType, from: &'static str, about: &'static str) -> FactDefinition {
    FactDefinition { path, kind, about, from }
}

/// Facts with one value, sorted by path.
pub const SCALARS: &[FactDefinition] = &[
    fact(
        "bugcheck.bits_differ",
        FactType::Number,
        SYSTEM_LOG,
        "in how many bits parameters 3 and 4 differ, of stops where they are two records of the same (0x1A, 0x403)",
    ),
    fact("bugcheck.code", FactType::Code, SYSTEM_LOG, "stop code, without the minidump flag 0x10000000"),
    fact(
        "bugcheck.live",
        FactType::Flag,
        SYSTEM_LOG,
        "whether only live kernel reports carry the code: the system went on",
    ),
    fact(
        "bugcheck.machine_check",
        FactType::Word(MACHINE_CHECKS),
        SYSTEM_LOG,
        "what kind of error a machine check reported, of stops whose parameters hold the status of its bank",
    ),
    fact("bugcheck.parameter_1", FactType::Address, SYSTEM_LOG, "first parameter of the stop"),
    fact("bugcheck.parameter_1_means", FactType::Text, SYSTEM_LOG, "what its value means, where that is documented"),
    fact("bugcheck.parameter_2", FactType::Address, SYSTEM_LOG, "second parameter of the stop"),
    fact("bugcheck.parameter_2_means", FactType::Text, SYSTEM_LOG, "what its value means, where that is documented"),
    fact("bugcheck.parameter_3", FactType::Address, SYSTEM_LOG, "third parameter of the stop"),
    fact("bugcheck.parameter_3_means", FactType::Text, SYSTEM_LOG, "what its value means, where that is documented"),
    fact("bugcheck.parameter_4", FactType::Address, SYSTEM_LOG, "fourth parameter of the stop"),
    fact("bugcheck.parameter_4_means", FactType::Text, SYSTEM_LOG, "what its value means, where that is documented"),
    fact("bugcheck.status", FactType::Code, SYSTEM_LOG, "the NTSTATUS among the parameters, as 32 bits"),
    fact(
        "compat.cuda_driver",
        FactType::Word(AGES),
        DUMP_OR_TEXT,
        "whether the NVIDIA driver is below the oldest that any CUDA release of that name or number runs with",
    ),
    fact("compat.cuda_driver_minimum", FactType::Text, DUMP_OR_TEXT, "that oldest driver, as it is written: 525.00"),
    fact(
        "compat.cuda_driver_release",
        FactType::Text,
        DUMP_OR_TEXT,
        "the driver that was compared, as it is written: 456.71",
    ),
    fact(
        "compat.cuda_names",
        FactType::Word(FITS),
        DUMP,
        "whether one CUDA toolkit has all loaded CUDA libraries, by their names",
    ),
    fact(
        "compat.cuda_releases",
        FactType::Text,
        DUMP_OR_TEXT,
        "the CUDA releases that it was looked up for, such as 11.x",
    ),
    fact(
        "compat.cudnn_names",
        FactType::Word(FITS),
        DUMP,
        "whether all loaded libraries of cuDNN are of one major version, by their names",
    ),
    fact(
        "compat.msvcp140",
        FactType::Word(AGES),
        DUMP,
        "whether the msvcp140.dll that was loaded first is below what current builds of a loaded library need",
    ),
    fact("compat.msvcp140_minimum", FactType::Text, DUMP, "what those builds need"),
    fact("compat.msvcp140_needed_by", FactType::Module, DUMP, "that library"),
    fact(
        "compat.tensorflow_built_with_cuda",
        FactType::Text,
        TEXT,
        "the CUDA toolkit that packages of the stated TensorFlow were built with",
    ),
    fact("compat.tensorflow_built_with_cudnn", FactType::Text, TEXT, "the cuDNN that they were built with"),
    fact(
        "compat.tensorflow_cuda",
        FactType::Word(FITS),
        TEXT,
        "whether the stated CUDA toolkit has all libraries that the stated TensorFlow asks for",
    ),
    fact(
        "compat.tensorflow_cudnn",
        FactType::Word(FITS),
        TEXT,
        "whether cuDNN has the major version that the stated TensorFlow was built with, and no lower minor version",
    ),
    fact("compat.tensorflow_missing", FactType::Module, TEXT, "a library that the stated toolkit does not have"),
    fact("cpp_exception.module", FactType::Module, DUMP, "the module whose code threw a C++ exception (0xE06D7363)"),
    fact(
        "cpp_exception.type",
        FactType::Text,
        DUMP,
        "type of a C++ exception, such as std::bad_alloc; templates keep their decorated name",
    ),
    fact(
        "cpp_exception.what",
        FactType::Text,
        DUMP,
        "the text inside a C++ exception that derives from std::exception",
    ),
    fact("cpu.avx", FactType::Flag, DUMP, "whether the system lets programs use AVX; absent before Windows 10 2004"),
    fact("cpu.avx2", FactType::Flag, DUMP, "the same for AVX2"),
    fact("cpu.avx512f", FactType::Flag, DUMP, "the same for AVX-512 Foundation"),
    fact("cpu.family", FactType::Number, DUMP, "family of an x86 processor"),
    fact("cpu.model", FactType::Number, DUMP, "its model"),
    fact("cpu.stepping", FactType::Number, DUMP, "its stepping"),
    fact("cpu.vendor", FactType::Text, DUMP, "its maker as CPUID writes it; dumps of 64-bit processes lack it"),
    fact("cuda_mix.first", FactType::Module, DUMP, "a CUDA library beside which another toolkit's is loaded"),
    fact("cuda_mix.second", FactType::Module, DUMP, "that other library: no CUDA release has both"),
    fact("cudnn_mix.first", FactType::Number, DUMP, "major version of cuDNN, when parts of two are loaded"),
    fact("cudnn_mix.second", FactType::Number, DUMP, "the other major version"),
    fact("delay_load.error", FactType::Number, DUMP, "Win32 error of a failed delay load"),
    fact("delay_load.module", FactType::Module, DUMP, "the DLL that a delay load did not find"),
    fact("delay_load.procedure", FactType::Text, DUMP, "the procedure that a delay load did not find"),
    fact(
        "dump.requested",
        FactType::Flag,
        DUMP,
        "whether the program asked for the dump itself while it ran; never false",
    ),
    fact("environment.amd_driver", FactType::Version, DUMP, "AMD display driver, its file version"),
    fact("environment.cublas", FactType::Version, DUMP, "cuBLAS, the number in its file name"),
    fact("environment.cuda", FactType::Version, DUMP, "CUDA runtime, as far as file names tell it"),
    fact(
        "environment.cuda_driver",
        FactType::Version,
        INVENTORY,
        "highest CUDA version that the display driver supports, as nvidia-smi prints it; not an installed one",
    ),
    fact("environment.cudnn", FactType::Version, DUMP, "cuDNN major version, from its file name"),
    fact("environment.gpu", FactType::Text, INVENTORY, "name of the first GPU that a text names"),
    fact("environment.intel_driver", FactType::Version, DUMP, "Intel display driver, its file version"),
    fact("environment.memory", FactType::Number, INVENTORY, "physical memory, bytes, as systeminfo or dxdiag print it"),
    fact("environment.model", FactType::Text, INVENTORY, "model of the computer, as systeminfo or dxdiag print it"),
    fact("environment.msvcp140", FactType::Version, DUMP, "version of the msvcp140.dll that was loaded first"),
    fact("environment.msvcp140_location", FactType::Word(LOCATIONS), DUMP, "what kind of folder it was loaded from"),
    fact("environment.msvcp140_path", FactType::Path, DUMP, "its path"),
    fact("environment.nvidia_driver", FactType::Version, DUMP, "NVIDIA driver release, such as 536.23"),
    fact("environment.python", FactType::Version, DUMP, "Python version, from the name of its DLL"),
    fact("environment.python_installation", FactType::Word(INSTALLATIONS), DUMP, "how that Python was installed"),
    fact("environment.ucrtbase", FactType::Version, DUMP, "version of the ucrtbase.dll that was loaded first"),
    fact("environment.vcruntime140", FactType::Version, DUMP, "version of the vcruntime140.dll that was loaded first"),
    fact(
        "environment.vcruntime140_location",
        FactType::Word(LOCATIONS),
        DUMP,
        "what kind of folder it was loaded from",
    ),
    fact("environment.vcruntime140_path", FactType::Path, DUMP, "its path"),
    fact("exception.access", FactType::Word(ACCESS_KINDS), DUMP, "what an access violation wanted to do"),
    fact("exception.access_address", FactType::Address, DUMP, "the address that an access violation wanted"),
    fact(
        "exception.access_computed",
        FactType::Address,
        DUMP,
        "the address that the instruction wanted by the registers, where the processor reported none",
    ),
    fact(
        "exception.access_module",
        FactType::Module,
        DUMP,
        "the module, loaded or unloaded, in which the wanted address lies",
    ),
    fact(
        "exception.access_page",
        FactType::Word(Page::WORDS),
        DUMP_WITH_REGIONS,
        "state or protection of the page at the wanted address",
    ),
    fact(
        "exception.access_pattern",
        FactType::Code,
        DUMP,
        "the fill pattern that the wanted address is made of, such as 0xFEEEFEEE",
    ),
    fact(
        "exception.access_target",
        FactType::Word(AddressKind::WORDS),
        DUMP,
        "what lies at the address that an access violation wanted",
    ),
    fact("exception.address", FactType::Address, DUMP, "where the exception was raised"),
    fact("exception.code", FactType::Code, CRASH_RECORD, "exception code, or the code the process ended with"),
    fact("exception.code_place", FactType::Word(CodePlace::WORDS), DUMP, "what lies where the exception was raised"),
    fact(
        "exception.fast_fail",
        FactType::Number,
        "a minidump or Report.wer (P9 of BEX64)",
        "fast-fail code of 0xC0000409",
    ),
    fact("exception.in_page_status", FactType::Code, DUMP, "why a page could not be read (0xC0000006)"),
    fact(
        "exception.inner_code",
        FactType::Code,
        DUMP,
        "HRESULT inside an envelope: of a .NET exception (0xE0434352), or of the first stowed one (0xC000027B)",
    ),
    fact("exception.managed_type", FactType::Text, APPLICATION_LOG, ".NET exception type, full name"),
    fact(
        "exception.mentioned",
        FactType::Flag,
        TEXT,
        "that a text only mentions the code, without a word that something ended with it, and nothing else tells it",
    ),
    fact("exit.code", FactType::Code, EXIT_LOG, "the code that the process ended with, whatever it is"),
    fact("exit.ended_by", FactType::Module, EXIT_LOG, "the process that ended it from outside"),
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
    fact(
        "hang.waiting_for_service",
        FactType::Text,
        APPLICATION_LOG,
        "the service in that process, where the report names one",
    ),
    fact("incident.kind", FactType::Word(INCIDENT_KINDS), ANY, "what happened"),
    fact(
        "instruction.extension",
        FactType::Word(Extension::WORDS),
        DUMP,
        "the extension of the processor that the instruction at the fault needs",
    ),
    fact(
        "instruction.kind",
        FactType::Word(InstructionKind::WORDS),
        DUMP,
        "what kind of instruction raised the exception",
    ),
    fact("instruction.supported", FactType::Flag, DUMP, "whether processor and system offer that extension"),
    fact("instruction.text", FactType::Text, DUMP, "the instruction at the fault"),
    fact("memory.available", FactType::Number, DUMP, "RAM of the system that was not in use, bytes"),
    fact("memory.commit_charge", FactType::Number, DUMP, "how much the whole system had committed, bytes"),
    fact("memory.commit_limit", FactType::Number, DUMP, "how much the system could commit (RAM and page files), bytes"),
    fact("memory.commit_percent", FactType::Number, DUMP, "the commit charge in percent of the limit"),
    fact(
        "opengl.error_code",
        FactType::Number,
        APPLICATION_LOG,
        "error code of NVIDIA OpenGL Driver 1; 7 is a timeout",
    ),
    fact("os.build", FactType::Number, "a dump or Report.wer", "Windows build number"),
    fact("os.family", FactType::Word(OS_FAMILIES), ANY, "family of operating systems"),
    fact("os.language", FactType::Number, "Report.wer", "the system's language as Windows numbers it (1031 is German)"),
    fact("os.memory_mib", FactType::Number, "Report.wer", "physical memory, MiB"),
    fact("os.revision", FactType::Number, "Report.wer", "update revision of Windows, the last part of 10.0.19045.4170"),
    fact("power.button_pressed", FactType::Flag, SYSTEM_LOG, "whether the power button ended the session"),
    fact("power.sleeping", FactType::Flag, SYSTEM_LOG, "whether the system was in or on its way to sleep"),
    fact("power.too_hot", FactType::Flag, SYSTEM_LOG, "that the system shut itself down because of heat"),
    fact("process.architecture", FactType::Word(ARCHITECTURES), CRASH_RECORD, "architecture the process ran as"),
    fact("process.commit", FactType::Number, DUMP, "how much the process had committed, bytes"),
    fact(
        "process.exit_code",
        FactType::Code,
        TEXT,
        "code with which the process ended, as a text gives it, also one that is no status of Windows",
    ),
    fact("process.handles", FactType::Number, DUMP_WITH_HANDLES, "how many handles the process had open"),
    fact("process.integrity", FactType::Word(INTEGRITY_LEVELS), DUMP, "integrity level of the process"),
    fact("process.name", FactType::Module, ANY, "file name of the executable"),
    fact(
        "process.original_name",
        FactType::Module,
        "Report.wer",
        "the executable's name by its version resource, where the file was renamed",
    ),
    fact("process.path", FactType::Path, CRASH_RECORD, "path of the executable"),
    fact("process.uptime_seconds", FactType::Number, CRASH_RECORD, "how long the process had run"),
    fact("process.version", FactType::Version, CRASH_RECORD, "file version of the executable"),
    fact("process.virtual_size", FactType::Number, DUMP, "address space that the process used, bytes"),
    fact("process.working_set", FactType::Number, DUMP, "RAM that the process used, bytes"),
    fact("process.wow64", FactType::Flag, DUMP, "whether it was a 32-bit process on 64-bit Windows"),
    fact("service.name", FactType::Text, SYSTEM_LOG, "internal name of a service that ended unexpectedly"),
    fact("stack.exhausted", FactType::Flag, DUMP, "whether the stack of the crashing thread was used up"),
    fact("stack.left", FactType::Number, DUMP, "how much room was left on the stack of the crashing thread, bytes"),
    fact(
        "stack.size",
        FactType::Number,
        DUMP,
        "size of the stack of the crashing thread with what was only reserved, bytes",
    ),
    fact("start_failure.assembly", FactType::Text, APPLICATION_LOG, "side-by-side assembly that was not found"),
    fact("start_failure.message", FactType::Text, SYSTEM_LOG, "message box of a program that did not start"),
    fact("start_failure.module", FactType::Module, SYSTEM_LOG, "DLL that the message box names"),
    fact("stated.cuda", FactType::Version, TEXT, "CUDA toolkit that a text states"),
    fact("stated.cudnn", FactType::Version, TEXT, "cuDNN that a text states"),
    fact("stated.nvidia_driver", FactType::Version, TEXT, "NVIDIA driver release that a text states"),
    fact("stated.onnxruntime", FactType::Version, TEXT, "ONNX Runtime that a text states"),
    fact("stated.processor", FactType::Text, TEXT, "name of the processor that a text states"),
    fact("stated.pytorch", FactType::Version, TEXT, "PyTorch that a text states"),
    fact("stated.tensorflow", FactType::Version, TEXT, "TensorFlow that a text states"),
    fact("suspect.basis", FactType::Word(SUSPECT_BASES), CRASH_RECORD, "on what basis the suspect is named"),
    fact("suspect.module", FactType::Module, CRASH_RECORD, "the module that the evidence points to"),
    fact("suspect.path", FactType::Path, CRASH_RECORD, "that module's path"),
    fact("suspect.version", FactType::Version, CRASH_RECORD, "that module's file version"),
    fact("system.uptime_seconds", FactType::Number, KERNEL_DUMP, "how long the system had run when it stopped"),
    fact("thread.name", FactType::Text, DUMP, "name of the crashing thread"),
    fact("thread.start_module", FactType::Module, DUMP, "the module in which the crashing thread started"),
    fact("wer.bucket", FactType::Text, "Report.wer", "the hash under which Microsoft counts the problem"),
    fact("wer.error", FactType::Code, "Report.wer or event 1001", "error that a failed update reports"),
    fact(
        "wer.event_type",
        FactType::Text,
        "Report.wer or event 1001",
        "WER's own name for the kind of problem (APPCRASH, BEX64...)",
    ),
    fact("wer.hang_signature", FactType::Text, "Report.wer or event 1001", "what tells hangs at one place from others"),
    fact("wer.hang_type", FactType::Number, "Report.wer or event 1001", "bits by which Windows sorts hangs"),
    fact("wer.package", FactType::Text, "Report.wer or event 1001", "full name of the package of a packaged app"),
];

/// Facts with many entries, sorted by name.
pub const LISTS: &[ListDefinition] = &[
    ListDefinition {
        name: "annotations",
        about: "keys and values that the program or its crash handler (Crashpad, Breakpad, Unreal Engine) wrote into the \
                dump; known when there are any",
        from: DUMP,
        fields: &[fact("key", FactType::Text, ANY, "the key"), fact("value", FactType::Text, ANY, "the value")],
    },
    ListDefinition {
        name: "cpp_types",
        about: "the types that would catch a C++ exception, the thrown one first; known when the dump holds them",
        from: DUMP,
        fields: &[fact("name", FactType::Text, ANY, "the type's name")],
    },
    ListDefinition {
        name: "cuda_libraries",
        about: "the loaded libraries of the CUDA toolkit and of cuDNN, in load order; known when a dump or Report.wer lists \
                the modules",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Module, ANY, "file name"),
            fact("installation", FactType::Word(INSTALLATIONS), ANY, "how it was installed, as its path tells"),
            fact("path", FactType::Path, ANY, "path"),
        ],
    },
    ListDefinition {
        name: "drivers",
        about: "the drivers that the kernel had loaded, in load order; known when a kernel dump lists them without gaps",
        from: KERNEL_DUMP,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the kernel"),
            fact("name", FactType::Module, ANY, "file name"),
            fact("path", FactType::Path, ANY, "path as the kernel writes it"),
            fact("size", FactType::Number, ANY, "length of the image, bytes"),
            fact("timestamp", FactType::Number, ANY, "the image's own timestamp; a date or a hash"),
            fact(
                "built",
                FactType::Text,
                ANY,
                "that timestamp as a date (2020-12-31), where it can be one: not before 2000 and not after the dump",
            ),
            fact("built_year", FactType::Number, ANY, "the year of that date"),
        ],
    },
    ListDefinition {
        name: "duplicates",
        about: "DLLs that are loaded from several folders, not all of them Windows' own; known when a dump or Report.wer \
                lists the modules with paths",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Module, ANY, "file name"),
            fact("copies", FactType::Number, ANY, "how many"),
            fact("first_path", FactType::Path, ANY, "path of the one that was loaded first, which others get by name"),
            fact("first_version", FactType::Version, ANY, "its file version"),
            fact("first_location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
            fact("second_path", FactType::Path, ANY, "path of the one that was loaded next"),
            fact("second_version", FactType::Version, ANY, "its file version"),
            fact("second_location", FactType::Word(LOCATIONS), ANY, "what kind of folder it was loaded from"),
        ],
    },
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
        about: "the stack of the thread that crashed or stopped the system, innermost first; known when a stack was walked",
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
        name: "frameworks",
        about: "machine-learning frameworks that are loaded; known when a dump or Report.wer lists the modules",
        from: MODULE_LIST,
        fields: &[
            fact("name", FactType::Word(FRAMEWORKS), ANY, "which"),
            fact("version", FactType::Version, ANY, "its release, where a file tells it"),
            fact("installation", FactType::Word(INSTALLATIONS), ANY, "how it was installed, as its path tells"),
            fact("path", FactType::Path, ANY, "path of the module that shows it"),
        ],
    },
    ListDefinition {
        name: "handles",
        about: "the handles that the process had open, by type; known when the dump holds handle data",
        from: DUMP_WITH_HANDLES,
        fields: &[
            fact("type", FactType::Text, ANY, "the type (File, Event, Thread, Key...)"),
            fact("count", FactType::Number, ANY, "how many"),
        ],
    },
    ListDefinition {
        name: "hresults",
        about: "HRESULTs of failures in pasted text (`0x887A0005`); known when there is any text",
        from: TEXT,
        fields: &[fact("code", FactType::Code, ANY, "the HRESULT")],
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
        name: "packages",
        about: "installed packages of Python or conda; known when a text lists them",
        from: INVENTORY,
        fields: &[
            fact("name", FactType::Text, ANY, "the package"),
            fact("version", FactType::Text, ANY, "its version as written (`2.1.0+cu118`)"),
        ],
    },
    ListDefinition {
        name: "python_frames",
        about: "Python's stack at the crash, innermost first; known when a text has a traceback",
        from: TEXT,
        fields: &[
            fact("position", FactType::Number, ANY, "0 is the innermost"),
            fact("file", FactType::Path, ANY, "source file"),
            fact("line", FactType::Number, ANY, "line in it"),
            fact("function", FactType::Text, ANY, "function"),
            fact("package", FactType::Text, ANY, "the folder of site-packages that the file lies in"),
        ],
    },
    ListDefinition {
        name: "stowed_exceptions",
        about: "the errors inside a stowed exception (0xC000027B); known when the dump holds them",
        from: DUMP,
        fields: &[
            fact("code", FactType::Code, ANY, "its HRESULT"),
            fact("module", FactType::Module, ANY, "the module that met it"),
            fact("text", FactType::Text, ANY, "its text"),
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
        about: "what the machine's logs recorded from 24 hours before to 10 minutes after the incident, and of what was \
                installed or blocked from 7 days before, the incident's own records left out; known when a log of the \
                machine covers the incident",
        from: SYSTEM_LOG,
        fields: &[
            fact("kind", FactType::Word(TIMELINE_KINDS), ANY, "what kind of thing"),
            fact("provider", FactType::Text, ANY, "provider"),
            fact("id", FactType::Number, ANY, "event id"),
            fact("seconds_before", FactType::Number, ANY, "how long before the incident; absent when after it"),
            fact("seconds_after", FactType::Number, ANY, "how long after the incident; absent when before it"),
            fact("text", FactType::Text, ANY, "the record's values, joined with `; `"),
            fact("status", FactType::Code, ANY, "how a request to a drive or file ended, where the record says it"),
            fact(
                "names",
                FactType::Word(NAMED_PARTS),
                ANY,
                "whether one of the record's values is the file name of the incident's program, or of the module that it \
                 lacked or died in, or for a refused file the id of its process",
            ),
        ],
    },
    ListDefinition {
        name: "unloaded_drivers",
        about: "drivers unloaded before the stop; known when a kernel dump lists them",
        from: KERNEL_DUMP,
        fields: &[fact("name", FactType::Module, ANY, "file name, of which the kernel keeps 12 characters")],
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

//! User-mode minidumps: one process at the moment of its crash.
//!
//! A dump is read in three steps: `directory` checks header and stream directory against the file, `excerpt`
//! puts the wanted parts together into a small dump that can be trusted, and this module reads that one with the
//! `minidump` crate. The stack is walked when asked for, by the unwinding data that dump and `--symbols` give.

mod annotations;
mod counters;
mod cpp;
mod delay_load;
mod detail;
mod directory;
mod excerpt;
mod handles;
mod image;
mod instruction;
mod memory;
mod processor;
mod regions;
mod stack;
mod stowed;
mod symbols;
mod thread;
mod threads;
mod wanted;
mod writer;

use std::borrow::Cow;
use std::fs::File;
use std::sync::Arc;
use std::time::SystemTime;

use jiff::Timestamp;
use minidump::system_info::{Cpu, Os};
use minidump::{
    Minidump, MinidumpContext, MinidumpException, MinidumpMiscInfo, MinidumpModule, MinidumpModuleList,
    MinidumpSystemInfo, MinidumpThreadList, MinidumpThreadNames, MinidumpUnloadedModuleList, Module,
};

pub use self::symbols::Symbols;

use self::detail::Streams;
use self::directory::stream;
use self::image::Memory;
use evidence::Reading;
use evidence::{
    Address, CpuArchitecture, CpuFeatures, CrashDetail, CrashThread, DebugId, DebugSignature, Evidence, Exception,
    ExceptionCode, LoadedModule, Names, Observation, OperatingSystem, Place, ProcessDump, ProcessState, Processor,
    System, UnloadedModule, Version, base_name,
};
use untrusted::bytes::Source;
use untrusted::{Loss, Unreadable};

/// How many losses are spelled out as the reason why nothing could be read.
const LOSSES_IN_REASON: usize = 4;

/// The excerpt's dump, as the crate reads it.
type Excerpted<'b> = Minidump<'b, &'b [u8]>;

/// Whether a file that begins with `first` is a minidump.
#[must_use]
pub fn is_minidump(first: &[u8]) -> bool {
    first.starts_with(b"MDMP")
}

/// What the dumps of a run share, and how they are read.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    /// Equal names.
    pub names: &'c Names,
    /// Whether crashing threads' stacks are walked.
    pub walk_stacks: bool,
    /// Symbols and images from outside of the dumps, if any were given.
    pub symbols: Option<&'c Symbols>,
}

/// Reads a minidump of `bytes` bytes.
///
/// # Errors
/// When header or stream directory can't be believed, or the file can't be read.
pub fn read(file: &mut File, bytes: u64, context: &Context<'_>) -> Result<Reading, Unreadable> {
    let mut source = Source::open(file, bytes).map_err(|error| Unreadable::whole(error.to_string()))?;
    let mut losses = Vec::new();
    if source.len() < bytes {
        losses.push(Loss::new("end of file", format!("the file shrank from {bytes} to {} bytes", source.len())));
    }
    let directory = directory::read(&mut source, &mut losses)?;
    let excerpt = excerpt::excerpt(&mut source, &directory, &mut losses);
    let dump = Minidump::read(excerpt.bytes.as_slice())
        .map_err(|error| Unreadable::whole(format!("not readable as a minidump: {error}")))?;

    let told = [stream::SYSTEM_INFO, stream::EXCEPTION, stream::MODULE_LIST];
    if told.iter().all(|kind| directory.find(*kind).is_none()) {
        let mut reason = "the streams SystemInfo, Exception and ModuleList are all missing".to_owned();
        if !losses.is_empty() {
            reason = format!("{reason}: {}", Loss::join(&losses, LOSSES_IN_REASON));
        }
        return Err(Unreadable::whole(reason));
    }
    let mut system = system(&dump, context.names).unwrap_or_else(|| {
        let place = directory::place(stream::SYSTEM_INFO);
        if !losses.iter().any(|loss| loss.place == place) {
            losses.push(Loss::new(place, "missing; the system and its processor are not known"));
        }
        unknown_system()
    });
    if system.os == OperatingSystem::Windows {
        for (kind, present) in [
            (stream::MODULE_LIST, directory.find(stream::MODULE_LIST).is_some()),
            (stream::THREAD_LIST, directory.find(stream::THREAD_LIST).is_some()),
        ] {
            let place = directory::place(kind);
            if !present && !losses.iter().any(|loss| loss.place == place) {
                losses.push(Loss::new(place, "missing; every Windows dump has it"));
            }
        }
    }

    let mut content = Content { directory: &directory, losses: &mut losses };
    let modules = content.of(stream::MODULE_LIST, dump.get_stream::<MinidumpModuleList>());
    let misc = content.of(stream::MISC_INFO, dump.get_stream::<MinidumpMiscInfo>());
    let raw_exception = content.of(stream::EXCEPTION, dump.get_stream::<MinidumpException>());
    let comment = comment(&dump, content.losses);
    // What such a dump holds as an exception was raised before the hang, and handled, or is the debugger's own break.
    let raw_exception = raw_exception.filter(|_| !comment.as_deref().is_some_and(is_of_a_hung_window));
    let unloaded_modules = content.of(stream::UNLOADED_MODULE_LIST, dump.get_stream::<MinidumpUnloadedModuleList>());
    // The states of MINIDUMP_MISC_INFO_5, which only Windows' own writers fill in.
    let saved = misc.as_ref().and_then(|misc| misc.raw.xstate_data().map(|states| states.enabled_features));
    // Crashpad puts there what it found out by itself, and leaves most bits out.
    if directory.find(stream::CRASHPAD_INFO).is_some() {
        system.cpu_features.windows = None;
    }
    system.cpu_features.saved_states = saved.filter(|_| system.os == OperatingSystem::Windows);
    let exception = raw_exception.as_ref().map(|raw| exception(raw, &dump, &system, context.names));
    // Some writers fill in the stream although nothing was raised.
    let (requested, exception) = match exception {
        Some(Exception { code: code @ (ExceptionCode::CRASHPAD_REQUEST | ExceptionCode::NONE), .. })
            if system.os == OperatingSystem::Windows =>
        {
            (Some(code), None)
        }
        exception => (None, exception),
    };
    let mut process = ProcessDump {
        time: seconds(u64::from(directory.time)),
        pid: misc.as_ref().and_then(|misc| misc.raw.process_id().copied()),
        started: misc.as_ref().and_then(MinidumpMiscInfo::process_create_time).and_then(timestamp),
        thread: crash_thread(excerpt.crash_thread, raw_exception.as_ref(), &dump, misc.as_ref(), context.names),
        thread_count: excerpt.thread_count,
        modules: modules.as_ref().map(|list| list.iter().map(|module| loaded(module, context.names)).collect()),
        modules_complete: excerpt.has_modules,
        unloaded: unloaded_modules.map_or_else(Vec::new, |list| unloaded(&list, context.names)),
        delay_load: None,
        detail: CrashDetail::default(),
        state: ProcessState::default(),
        comment,
        exception,
        requested,
        system,
    };
    process.delay_load = delay_load::read(&process, &excerpt.memory, &mut source, context.names);
    let info = dump.get_stream::<MinidumpSystemInfo>().ok();
    let registers =
        raw_exception.as_ref().zip(info.as_ref()).and_then(|(raw, system)| raw.context(system, misc.as_ref()));
    let streams =
        Streams { directory: &directory, memory: &excerpt.memory, misc: misc.as_ref(), context: registers.as_deref() };
    detail::read(&mut process, streams, &mut source, context.names, &mut losses);
    if context.walk_stacks {
        let registers =
            registers.or_else(|| thread_registers(&dump, excerpt.crash_thread?, info.as_ref()?, misc.as_ref()));
        let given = stack::Given {
            dump: &dump,
            modules: modules.as_ref(),
            context: registers.as_deref(),
            symbols: context.symbols,
            names: context.names,
        };
        let contexts = threads::contexts(&mut source, &directory);
        let mut memory = Memory::new(&excerpt.memory, &mut source);
        stack::walk(&given, &mut memory, &mut process);
        stack::walk_others(&given, &contexts, &mut memory, &mut process);
    }
    let place = if process.exception.is_some() { Place::Stream("Exception") } else { Place::Whole };
    Ok(Reading {
        evidence: vec![Evidence { place, observation: Observation::Process(Box::new(process)) }],
        losses,
        ..Reading::default()
    })
}

/// Takes streams that the crate has read; one that is there and that it refused is a loss.
struct Content<'a> {
    directory: &'a directory::Directory,
    losses: &'a mut Vec<Loss>,
}

impl Content<'_> {
    fn of<T>(&mut self, kind: u32, read: Result<T, minidump::Error>) -> Option<T> {
        let place = directory::place(kind);
        if read.is_err() && self.directory.find(kind).is_some() && !self.losses.iter().any(|loss| loss.place == place) {
            self.losses.push(Loss::new(place, "its content is not what such a stream holds"));
        }
        read.ok()
    }
}

fn system(dump: &Excerpted<'_>, names: &Names) -> Option<System> {
    let info = dump.get_stream::<MinidumpSystemInfo>().ok()?;
    let os = match info.os {
        Os::Windows => OperatingSystem::Windows,
        Os::Linux => OperatingSystem::Linux,
        Os::MacOs => OperatingSystem::MacOs,
        Os::Ios => OperatingSystem::Ios,
        Os::Android => OperatingSystem::Android,
        _ => OperatingSystem::Other,
    };
    let cpu = match info.cpu {
        Cpu::X86 => CpuArchitecture::X86,
        Cpu::X86_64 => CpuArchitecture::X64,
        Cpu::Arm => CpuArchitecture::Arm,
        Cpu::Arm64 => CpuArchitecture::Arm64,
        _ => CpuArchitecture::Other,
    };
    Some(System {
        os,
        os_version: (info.raw.major_version, info.raw.minor_version, info.raw.build_number),
        os_detail: info.csd_version().filter(|detail| !detail.is_empty()).map(|detail| names.share(&detail)),
        cpu,
        cpu_count: info.raw.number_of_processors,
        cpu_detail: info.cpu_info().and_then(|detail| plain(&detail).map(|detail| names.share(detail))),
        cpu_features: processor::features(&info.raw.cpu.data, cpu, os),
        processor: processor::processor(&info.raw, cpu, names),
        server: (os == OperatingSystem::Windows).then(|| product(info.raw.product_type)).flatten(),
    })
}

/// A processor's description, if its maker's name is one: a stream of zeros describes nothing.
fn plain(detail: &str) -> Option<&str> {
    let detail = detail.trim();
    (!detail.is_empty() && !detail.chars().any(char::is_control)).then_some(detail)
}

/// A dump without readable SystemInfo still has codes, addresses and modules.
fn unknown_system() -> System {
    System {
        os: OperatingSystem::Other,
        os_version: (0, 0, 0),
        os_detail: None,
        cpu: CpuArchitecture::Other,
        cpu_count: 0,
        cpu_detail: None,
        cpu_features: CpuFeatures::default(),
        processor: Processor::default(),
        server: None,
    }
}

/// Whether a product type of Windows is one of servers: `VER_NT_WORKSTATION`, `VER_NT_DOMAIN_CONTROLLER`, `VER_NT_SERVER`.
fn product(kind: u8) -> Option<bool> {
    match kind {
        1 => Some(false),
        2 | 3 => Some(true),
        _ => None,
    }
}

fn exception(raw: &MinidumpException<'_>, dump: &Excerpted<'_>, system: &System, names: &Names) -> Exception {
    let record = &raw.raw.exception_record;
    let count = usize::try_from(record.number_parameters).unwrap_or(0);
    let foreign_reason = (system.os != OperatingSystem::Windows)
        .then(|| dump.get_stream::<MinidumpSystemInfo>().ok())
        .flatten()
        .map(|info| names.share(&raw.get_crash_reason(info.os, info.cpu).to_string()));
    Exception {
        code: ExceptionCode(record.exception_code),
        flags: record.exception_flags,
        address: Address(narrow(record.exception_address, system.cpu)),
        parameters: record.exception_information.iter().copied().take(count).collect(),
        foreign_reason,
    }
}

/// 32-bit addresses may be sign-extended in the format's 64-bit fields.
fn narrow(address: u64, cpu: CpuArchitecture) -> u64 {
    if matches!(cpu, CpuArchitecture::X86 | CpuArchitecture::Arm) { address & 0xFFFF_FFFF } else { address }
}

fn crash_thread(
    id: Option<u32>,
    exception: Option<&MinidumpException<'_>>,
    dump: &Excerpted<'_>,
    misc: Option<&MinidumpMiscInfo>,
    names: &Names,
) -> Option<CrashThread> {
    let id = id?;
    let system = dump.get_stream::<MinidumpSystemInfo>().ok()?;
    let instruction_pointer = exception
        .and_then(|exception| exception.context(&system, misc))
        .map(|context| Address(context.get_instruction_pointer()));
    let name = dump
        .get_stream::<MinidumpThreadNames>()
        .ok()
        .and_then(|list| list.get_name(id).map(|name| names.share(&name)))
        .filter(|name| !name.is_empty());
    Some(CrashThread { id, name, instruction_pointer, frames: Vec::new() })
}

/// The registers of a thread, for dumps without exception.
fn thread_registers(
    dump: &Excerpted<'_>,
    id: u32,
    system: &MinidumpSystemInfo,
    misc: Option<&MinidumpMiscInfo>,
) -> Option<Cow<'static, MinidumpContext>> {
    let threads = dump.get_stream::<MinidumpThreadList<'_>>().ok()?;
    let context = threads.get_thread(id)?.context(system, misc)?.into_owned();
    Some(Cow::Owned(context))
}

fn loaded(module: &MinidumpModule, names: &Names) -> LoadedModule {
    let raw = &module.raw;
    let info = &raw.version_info;
    // VS_FFI_SIGNATURE of winver.h; without it the fields mean nothing.
    let version = (info.signature == 0xFEEF_04BD)
        .then(|| Version::from_halves(info.file_version_hi, info.file_version_lo))
        .flatten();
    LoadedModule {
        name: names.share(base_name(&module.name)),
        path: names.share(&module.name),
        version,
        base: Address(raw.base_of_image),
        size: raw.size_of_image,
        timestamp: raw.time_date_stamp,
        debug_id: module.debug_identifier().map(|id| {
            let bytes = *id.uuid().as_bytes();
            // The crate keeps an old identifier's time in the first four bytes, most significant first.
            let [a, b, c, d, ..] = bytes;
            let time = || DebugSignature::Time(u32::from_be_bytes([a, b, c, d]));
            DebugId { signature: if id.is_pdb20() { time() } else { DebugSignature::Guid(bytes) }, age: id.appendix() }
        }),
    }
}

fn unloaded(list: &MinidumpUnloadedModuleList, names: &Names) -> Vec<UnloadedModule> {
    list.iter()
        .map(|module| UnloadedModule {
            path: names.share(&module.name),
            base: Address(module.raw.base_of_image),
            size: module.raw.size_of_image,
            timestamp: module.raw.time_date_stamp,
        })
        .collect()
}

/// Whether a dump's comment says that it was written because a window of the program did not answer.
///
/// Source: what ProcDump writes with its option `-h`.
fn is_of_a_hung_window(comment: &str) -> bool {
    comment.lines().any(|line| line.trim_start().starts_with("*** Hung window detected"))
}

/// Longest comment that is read, bytes. ProcDump and debuggers write a few lines, and rules search all of it.
const LONGEST_COMMENT: usize = 64 << 10;

/// The comment stream: UTF-16 where it is there, else one byte a character.
fn comment(dump: &Excerpted<'_>, losses: &mut Vec<Loss>) -> Option<Arc<str>> {
    let mut beginning = |kind: u32| {
        let bytes = dump.get_raw_stream(kind).ok()?;
        if bytes.len() > LONGEST_COMMENT {
            let reason = format!("only the first {LONGEST_COMMENT} of {} bytes are read", bytes.len());
            losses.push(Loss::new(directory::place(kind), reason));
        }
        Some(bytes.get(..LONGEST_COMMENT).unwrap_or(bytes))
    };
    let text = match beginning(stream::COMMENT_W) {
        Some(wide) => {
            let units = wide.chunks_exact(2).filter_map(|unit| unit.try_into().ok().map(u16::from_le_bytes));
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        None => String::from_utf8_lossy(beginning(stream::COMMENT_A)?).into_owned(),
    };
    let text = text.trim_end_matches('\0').trim();
    (!text.is_empty()).then(|| Arc::from(text))
}

fn seconds(since_1970: u64) -> Option<Timestamp> {
    if since_1970 == 0 {
        return None;
    }
    Timestamp::from_second(i64::try_from(since_1970).ok()?).ok()
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    seconds(since.as_secs())
}

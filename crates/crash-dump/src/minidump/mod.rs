//! User-mode minidumps: one process at the moment of its crash.
//!
//! A dump is read in three steps: `directory` checks header and stream directory against the file, `excerpt`
//! puts the wanted parts together into a small dump that can be trusted, and this module reads that one with the
//! `minidump` crate. The stack is walked when asked for, by the unwinding data that dump and `--symbols` give.

mod access;
mod annotations;
mod counters;
mod cpp;
mod delay_load;
mod detail;
mod directory;
mod exception;
mod excerpt;
mod handles;
mod hook;
mod image;
mod instruction;
mod lists;
mod location;
mod memory;
mod origin;
mod regions;
mod returned;
mod running;
mod stack;
mod stack_state;
mod stowed;
mod symbols;
mod system;
mod threads;
mod wanted;
mod writer;

use std::fs::File;
use std::sync::Arc;

use jiff::Timestamp;
use minidump::{
    Minidump, MinidumpException, MinidumpMiscInfo, MinidumpModule, MinidumpModuleList, MinidumpSystemInfo,
    MinidumpThreadList, MinidumpThreadNames, MinidumpUnloadedModuleList, Module,
};

pub use self::symbols::{Symbols, SymbolsError};

use self::detail::Streams;
use self::directory::{Directory, StreamKind, place};
use self::excerpt::Excerpted;
use self::memory::Memory;
use crate::error::{Error, ErrorKind};
use crate::options::Options;
use evidence::Reading;
use evidence::{
    Address, CrashDetail, CrashThread, DebugId, DebugSignature, DumpReason, Evidence, ExceptionCode, LoadedModule,
    Names, Observation, OperatingSystem, Place, ProcessDump, ProcessState, RequestedDump, System, UnloadedModule,
    Version, base_name,
};
use untrusted::Loss;
use untrusted::bytes::Source;
use untrusted::text::{utf16_lossy, utf16_units};

/// How many losses are spelled out as the reason why nothing could be read.
const LOSSES_IN_REASON: usize = 4;

/// The flag of a dump that was asked for with all memory of the process (`MiniDumpWithFullMemory` in `minidumpapiset.h`).
const WITH_FULL_MEMORY: u64 = 0x2;

/// Whether a file that begins with `first_bytes` is a minidump: with `MDMP`.
#[must_use]
pub fn is_minidump(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(b"MDMP")
}

/// Reads the minidump in `file`, which has `bytes` bytes.
///
/// # Errors
/// When header or stream directory can't be believed, or the file can't be read.
pub fn read_minidump(file: &mut File, bytes: u64, options: &Options<'_>) -> Result<Reading, Error> {
    let names = options.names;
    let mut source = Source::open(file, bytes)?;
    let mut losses = Vec::new();
    if source.len() < bytes {
        losses.push(Loss::new("end of file", format!("the file shrank from {bytes} to {} bytes", source.len())));
    }
    let directory = directory::read(&mut source, &mut losses)?;
    let excerpt = excerpt::excerpt(&mut source, &directory, &mut losses);
    let dump = Minidump::read(excerpt.bytes.as_slice())?;

    let essential = [StreamKind::SystemInfo, StreamKind::Exception, StreamKind::ModuleList];
    if essential.into_iter().all(|kind| directory.find(kind).is_none()) {
        let lost =
            if losses.is_empty() { String::new() } else { format!(": {}", Loss::join(&losses, LOSSES_IN_REASON)) };
        return Err(ErrorKind::NothingKnown(lost).into());
    }
    let mut content = Content { dump: &dump, directory: &directory, losses: &mut losses };
    let info = dump.get_stream::<MinidumpSystemInfo>().ok();
    let mut system = info.as_ref().map_or_else(System::default, |info| system::system(info, names));
    if info.is_none() {
        content.lose(StreamKind::SystemInfo, "missing; the system and its processor are not known");
    }
    if system.os == OperatingSystem::Windows {
        for kind in [StreamKind::ModuleList, StreamKind::ThreadList] {
            if directory.find(kind).is_none() {
                content.lose(kind, "missing; every Windows dump has it");
            }
        }
    }

    let modules: Option<MinidumpModuleList> = content.stream(StreamKind::ModuleList);
    let misc: Option<MinidumpMiscInfo> = content.stream(StreamKind::MiscInfo);
    let raw_exception: Option<MinidumpException<'_>> = content.stream(StreamKind::Exception);
    let comment = comment(&dump, content.losses);
    // What such a dump holds as an exception was raised before the hang, and handled, or is the debugger's own break.
    let raw_exception = raw_exception.filter(|_| !comment.as_deref().is_some_and(is_of_a_hung_window));
    let unloaded: Option<MinidumpUnloadedModuleList> = content.stream(StreamKind::UnloadedModuleList);
    // The states of MINIDUMP_MISC_INFO_5, which only Windows' own writers fill in.
    let saved = misc.as_ref().and_then(|misc| misc.raw.xstate_data().map(|states| states.enabled_features));
    // Crashpad puts there what it found out by itself, and leaves most bits out.
    if directory.find(StreamKind::CrashpadInfo).is_some() {
        system.cpu_features.windows = None;
    }
    system.cpu_features.saved_states = saved.filter(|_| system.os == OperatingSystem::Windows);
    let exception = raw_exception.as_ref().map(|raw| exception::exception(raw, info.as_ref(), &system, names));
    // Some writers fill in the stream although nothing was raised.
    let (requested, exception) = match exception {
        Some(exception)
            if matches!(exception.code, ExceptionCode::CRASHPAD_REQUEST | ExceptionCode::NONE)
                && system.os == OperatingSystem::Windows =>
        {
            (Some(RequestedDump { reason: DumpReason::Request, exception }), None)
        }
        exception => (None, exception),
    };
    let registers =
        raw_exception.as_ref().zip(info.as_ref()).and_then(|(raw, system)| raw.context(system, misc.as_ref()));
    let thread = excerpt.crash_thread.filter(|_| info.is_some()).map(|id| CrashThread {
        id,
        name: thread_name(&dump, id).map(|name| names.share(&name)),
        instruction_pointer: registers.as_ref().map(|context| Address(context.get_instruction_pointer())),
        frames: Vec::new(),
        missing: Vec::new(),
    });
    let mut process = ProcessDump {
        time: seconds(u64::from(directory.time)),
        pid: misc.as_ref().and_then(|misc| misc.raw.process_id().copied()),
        started: misc.as_ref().and_then(|misc| seconds(u64::from(*misc.raw.process_create_time()?))),
        thread,
        thread_count: excerpt.thread_count,
        modules: modules.as_ref().map(|list| list.iter().map(|module| loaded_module(module, names)).collect()),
        modules_complete: excerpt.has_modules,
        unloaded: unloaded.as_ref().map_or_else(Vec::new, |list| unloaded_modules(list, names)),
        delay_load: None,
        detail: CrashDetail::default(),
        state: ProcessState::default(),
        all_memory: directory.flags & WITH_FULL_MEMORY != 0,
        comment,
        exception,
        requested,
        system,
    };
    let mut memory = Memory { map: &excerpt.memory, source: &mut source };
    if let Some(registers) = registers.as_deref()
        && running::is_of_a_debugger(&process, Address(registers.get_stack_pointer()), &mut memory)
    {
        process.requested =
            process.exception.take().map(|exception| RequestedDump { reason: DumpReason::Debugger, exception });
    }
    process.delay_load = delay_load::read(&process, &mut memory, names);
    let streams = Streams { directory: &directory, misc: misc.as_ref(), context: registers.as_deref() };
    detail::read(&mut process, streams, &mut memory, names, &mut losses);
    if running::is_of_an_assertion(&process) {
        process.requested =
            process.exception.take().map(|exception| RequestedDump { reason: DumpReason::Assertion, exception });
        process.detail = CrashDetail::default();
    }
    if options.walk_stacks {
        // A dump without exception has the registers in its list of threads.
        let threads = dump.get_stream::<MinidumpThreadList<'_>>().ok();
        let listed = || threads.as_ref()?.get_thread(excerpt.crash_thread?)?.context(info.as_ref()?, misc.as_ref());
        let registers = registers.or_else(listed);
        let given = stack::Given {
            dump: &dump,
            modules: modules.as_ref(),
            context: registers.as_deref(),
            symbols: options.symbols,
            names,
        };
        let contexts = threads::contexts(memory.source, &directory);
        let walked = stack::walk(&given, &mut memory, &mut process);
        process.detail.givers = origin::givers(&process, &mut memory, options.symbols, &walked);
        stack::walk_other_threads(&given, &contexts, &mut memory, &mut process);
    }
    process.detail.origin = origin::read(&process, &mut memory, options.symbols, options.walk_stacks, names);
    stack::add_missing_code(&mut process, options.symbols);
    let place = if process.exception.is_some() { Place::Stream("Exception") } else { Place::Whole };
    Ok(Reading {
        evidence: vec![Evidence { place, observation: Observation::Process(Box::new(process)) }],
        losses,
        ..Reading::default()
    })
}

/// Reads the excerpt's streams. A stream that exists and that the `minidump` crate rejects is noted as a loss.
struct Content<'a, 'b> {
    dump: &'b Excerpted<'b>,
    directory: &'a Directory,
    losses: &'a mut Vec<Loss>,
}

impl<'b> Content<'_, 'b> {
    fn stream<T: minidump::MinidumpStream<'b>>(&mut self, kind: StreamKind) -> Option<T> {
        let read = self.dump.get_stream::<T>().ok();
        if read.is_none() && self.directory.find(kind).is_some() {
            self.lose(kind, "its content is not what such a stream holds");
        }
        read
    }

    /// Reports a stream, unless something of it is reported already.
    fn lose(&mut self, kind: StreamKind, reason: &str) {
        let place = place(kind);
        if !self.losses.iter().any(|loss| loss.place == place) {
            self.losses.push(Loss::new(place, reason));
        }
    }
}

/// The name that the program gave a thread.
fn thread_name(dump: &Excerpted<'_>, id: u32) -> Option<String> {
    let list = dump.get_stream::<MinidumpThreadNames>().ok()?;
    list.get_name(id).filter(|name| !name.is_empty()).map(|name| name.into_owned())
}

fn loaded_module(module: &MinidumpModule, names: &Names) -> LoadedModule {
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
        debug_id: debug_id(module),
        debug_file: module.debug_file().filter(|file| !file.is_empty()).map(|file| names.share(base_name(&file))),
    }
}

/// The identifier of a module's debug file.
fn debug_id(module: &dyn Module) -> Option<DebugId> {
    let id = module.debug_identifier()?;
    let bytes = *id.uuid().as_bytes();
    // The crate keeps an old identifier's time in the first four bytes, most significant first.
    let [a, b, c, d, ..] = bytes;
    let time = || DebugSignature::Time(u32::from_be_bytes([a, b, c, d]));
    let signature = if id.is_pdb20() { time() } else { DebugSignature::Guid(bytes) };
    Some(DebugId { signature, age: id.appendix() })
}

fn unloaded_modules(list: &MinidumpUnloadedModuleList, names: &Names) -> Vec<UnloadedModule> {
    list.iter()
        .map(|module| UnloadedModule {
            path: names.share(&module.name),
            base: Address(module.raw.base_of_image),
            size: module.raw.size_of_image,
            timestamp: module.raw.time_date_stamp,
        })
        .collect()
}

/// Whether a dump's comment states that it was written because a window of the program did not answer.
///
/// Source: what ProcDump writes with its option `-h`.
fn is_of_a_hung_window(comment: &str) -> bool {
    comment.lines().any(|line| line.trim_start().starts_with("*** Hung window detected"))
}

/// Longest comment that is read, bytes. ProcDump and debuggers write a few lines, and rules search all of it.
const LONGEST_COMMENT: usize = 64 << 10;

/// The comment stream: UTF-16 where it is there, else one byte a character.
fn comment(dump: &Excerpted<'_>, losses: &mut Vec<Loss>) -> Option<Arc<str>> {
    let mut beginning = |kind: StreamKind| {
        let bytes = dump.get_raw_stream(kind.into()).ok()?;
        if bytes.len() > LONGEST_COMMENT {
            let reason = format!("only the first {LONGEST_COMMENT} of {} bytes are read", bytes.len());
            losses.push(Loss::new(place(kind), reason));
        }
        Some(bytes.get(..LONGEST_COMMENT).unwrap_or(bytes))
    };
    let text = match beginning(StreamKind::CommentW) {
        Some(wide) => utf16_lossy(utf16_units(wide)),
        None => String::from_utf8_lossy(beginning(StreamKind::CommentA)?).into_owned(),
    };
    let text = text.trim_end_matches('\0').trim();
    (!text.is_empty()).then(|| Arc::from(text))
}

/// The time so many seconds after the beginning of 1970; `None` for 0, which means that there is none.
fn seconds(since_1970: u64) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(since_1970).ok().filter(|seconds| *seconds != 0)?).ok()
}

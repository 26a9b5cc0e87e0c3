//! Header and stream directory, checked against the file before anything is believed.
//!
//! Layout: `MINIDUMP_HEADER` and `MINIDUMP_DIRECTORY` of Microsoft's `minidumpapiset.h`.

use untrusted::bytes::{Source, u32_at, u64_at};
use untrusted::{Loss, Unreadable};

/// Size of `MINIDUMP_HEADER`, bytes.
const HEADER_SIZE: u64 = 32;
/// Size of a `MINIDUMP_DIRECTORY` entry, bytes.
const ENTRY_SIZE: u64 = 12;
/// More streams than this are not believed: Windows writes about 20, Breakpad and Crashpad about 15. Without a bound
/// a header of 32 bytes could make a reader allocate one entry for each of four billion streams.
const MOST_STREAMS: u32 = 4096;

/// The kinds of stream that are read or checked, by `MINIDUMP_STREAM_TYPE`.
pub mod stream {
    pub const UNUSED: u32 = 0;
    pub const THREAD_LIST: u32 = 3;
    pub const MODULE_LIST: u32 = 4;
    pub const MEMORY_LIST: u32 = 5;
    pub const EXCEPTION: u32 = 6;
    pub const SYSTEM_INFO: u32 = 7;
    pub const MEMORY_64_LIST: u32 = 9;
    pub const COMMENT_A: u32 = 10;
    pub const COMMENT_W: u32 = 11;
    pub const HANDLE_DATA: u32 = 12;
    pub const UNLOADED_MODULE_LIST: u32 = 14;
    pub const MISC_INFO: u32 = 15;
    pub const MEMORY_INFO_LIST: u32 = 16;
    pub const THREAD_INFO_LIST: u32 = 17;
    pub const SYSTEM_MEMORY_INFO: u32 = 21;
    pub const PROCESS_VM_COUNTERS: u32 = 22;
    pub const THREAD_NAMES: u32 = 24;
    /// Unreal Engine's crash context; the first number above those that Microsoft keeps.
    pub const UNREAL_CONTEXT: u32 = 0x1_0000;
    pub const CRASHPAD_INFO: u32 = 0x4350_0001;
    pub const BREAKPAD_INFO: u32 = 0x4767_0001;
    pub const BREAKPAD_ASSERTION: u32 = 0x4767_0002;
    pub const LINUX_CPU_INFO: u32 = 0x4767_0003;
    pub const LINUX_PROC_STATUS: u32 = 0x4767_0004;
    pub const LINUX_LSB_RELEASE: u32 = 0x4767_0005;
}

/// A stream's place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    /// `MINIDUMP_STREAM_TYPE`.
    pub kind: u32,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Size, bytes.
    pub size: u64,
}

/// A header that fits its file.
#[derive(Debug)]
pub struct Directory {
    /// When the dump was written, seconds since 1970; 0 when not set.
    pub time: u32,
    /// `MINIDUMP_TYPE`.
    pub flags: u64,
    /// Streams that lie within the file, in directory order, unused entries left out.
    pub streams: Vec<Stream>,
}

impl Directory {
    /// The first stream of a kind.
    #[must_use]
    pub fn find(&self, kind: u32) -> Option<Stream> {
        self.streams.iter().copied().find(|stream| stream.kind == kind)
    }
}

/// Reads header and directory. Streams that reach beyond the file are losses and left out.
///
/// # Errors
/// When there is no directory to go by.
pub fn read(source: &mut Source<'_>, losses: &mut Vec<Loss>) -> Result<Directory, Unreadable> {
    let len = source.len();
    let header = source
        .read(0, HEADER_SIZE)
        .ok_or_else(|| Unreadable::at("header", format!("the file ends after {len} of the header's 32 bytes")))?;
    let field = |offset| u32_at(&header, offset).unwrap_or(0);
    // The version's high half is the writer's own; the low half is MINIDUMP_VERSION.
    let version = field(4) & 0xFFFF;
    let (count, directory_at, time) = (field(8), u64::from(field(12)), field(20));
    let flags = u64_at(&header, 24).unwrap_or(0);
    drop(header);
    if version != 0xA793 {
        return Err(Unreadable::at("header", format!("version {version:#x} is not that of a minidump (0xa793)")));
    }
    if count > MOST_STREAMS {
        return Err(Unreadable::at("header", format!("{count} streams are not believable (at most {MOST_STREAMS})")));
    }
    if count == 0 {
        return Err(Unreadable::at("header", "the dump counts no streams"));
    }
    let directory_size = u64::from(count).saturating_mul(ENTRY_SIZE);
    let entries = source.read(directory_at, directory_size).ok_or_else(|| {
        Unreadable::at(
            "stream directory",
            format!("{count} streams are listed at byte {directory_at}, and the file has {len} bytes"),
        )
    })?;

    let mut streams = Vec::new();
    for entry in entries.chunks_exact(ENTRY_SIZE as usize) {
        let (Some(kind), Some(size), Some(offset)) = (u32_at(entry, 0), u32_at(entry, 4), u32_at(entry, 8)) else {
            continue;
        };
        if kind == stream::UNUSED {
            continue;
        }
        let found = Stream { kind, offset: u64::from(offset), size: u64::from(size) };
        let end = found.offset.saturating_add(found.size);
        if end > len {
            losses.push(Loss::new(
                place(kind),
                format!("bytes {} to {end} are beyond the end of the file ({len} bytes)", found.offset),
            ));
        } else if streams.iter().any(|known: &Stream| known.kind == kind) {
            losses.push(Loss::new(place(kind), "listed a second time; only the first is read"));
        } else if is_reserved_unknown(kind) {
            losses.push(Loss::new(place(kind), "not a kind of stream that is known; not read"));
        } else {
            streams.push(found);
        }
    }
    if streams.is_empty() && !losses.is_empty() {
        return Err(Unreadable::at("streams", format!("none can be read: {}", Loss::join(losses, 4))));
    }
    Ok(Directory { time, flags, streams })
}

/// Whether a number lies in the range that Microsoft keeps for itself (up to `LastReservedStream`, 0xFFFF) and is no
/// kind that is documented. Numbers above are free for every writer's own streams, of which nothing can be missed.
fn is_reserved_unknown(kind: u32) -> bool {
    /// The highest number documented: `ThreadNamesStream`.
    const HIGHEST_KNOWN: u32 = stream::THREAD_NAMES;
    /// Written by Wine's `MiniDumpWriteDump`.
    const WINE: u32 = 0xFFF0;
    matches!(kind, 1 | 2) || (kind > HIGHEST_KNOWN && kind <= 0xFFFF && kind != WINE)
}

/// What a stream is called in messages.
#[must_use]
pub fn place(kind: u32) -> String {
    match name(kind) {
        Some(name) => format!("stream {name}"),
        None => format!("stream of type {kind:#x}"),
    }
}

/// A stream's name: that of its constant in `minidumpapiset.h` without `Stream`, or its writer's.
fn name(kind: u32) -> Option<&'static str> {
    Some(match kind {
        3 => "ThreadList",
        4 => "ModuleList",
        5 => "MemoryList",
        6 => "Exception",
        7 => "SystemInfo",
        8 => "ThreadExList",
        9 => "Memory64List",
        10 => "CommentA",
        11 => "CommentW",
        12 => "HandleData",
        13 => "FunctionTable",
        14 => "UnloadedModuleList",
        15 => "MiscInfo",
        16 => "MemoryInfoList",
        17 => "ThreadInfoList",
        18 => "HandleOperationList",
        19 => "Token",
        20 => "JavaScriptData",
        21 => "SystemMemoryInfo",
        22 => "ProcessVmCounters",
        23 => "IptTrace",
        24 => "ThreadNames",
        0x4767_0001 => "BreakpadInfo",
        0x4767_0002 => "BreakpadAssertion",
        0x4767_0003 => "LinuxCpuInfo",
        0x4767_0004 => "LinuxProcStatus",
        0x4767_0005 => "LinuxLsbRelease",
        0x4767_0009 => "LinuxMaps",
        0x4350_0001 => "CrashpadInfo",
        _ => return None,
    })
}

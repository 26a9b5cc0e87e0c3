//! Header and stream directory, checked against the file before anything is believed.
//!
//! Layout: `MINIDUMP_HEADER` and `MINIDUMP_DIRECTORY` of Microsoft's `minidumpapiset.h`.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at, u64_at};

/// Size of `MINIDUMP_HEADER`, bytes.
const HEADER_SIZE: u64 = 32;
/// Size of a `MINIDUMP_DIRECTORY` entry, bytes.
const ENTRY_SIZE: u64 = 12;
/// More streams than this are not believed: Windows writes about 20, Breakpad and Crashpad about 15. Without a bound
/// a header of 32 bytes could make a reader allocate one entry for each of four billion streams.
const MOST_STREAMS: u32 = 4096;

/// The kinds of stream that have a name, by their number (`MINIDUMP_STREAM_TYPE`). The variants are named as in
/// `minidumpapiset.h` without `Stream`, or as their writers name them: so they are called in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::FromRepr, strum::IntoStaticStr)]
#[repr(u32)]
pub enum StreamKind {
    ThreadList = 3,
    ModuleList = 4,
    MemoryList = 5,
    Exception = 6,
    SystemInfo = 7,
    ThreadExList = 8,
    Memory64List = 9,
    CommentA = 10,
    CommentW = 11,
    HandleData = 12,
    FunctionTable = 13,
    UnloadedModuleList = 14,
    MiscInfo = 15,
    MemoryInfoList = 16,
    ThreadInfoList = 17,
    HandleOperationList = 18,
    Token = 19,
    JavaScriptData = 20,
    SystemMemoryInfo = 21,
    ProcessVmCounters = 22,
    IptTrace = 23,
    ThreadNames = 24,
    CrashpadInfo = 0x4350_0001,
    BreakpadInfo = 0x4767_0001,
    BreakpadAssertion = 0x4767_0002,
    LinuxCpuInfo = 0x4767_0003,
    LinuxProcStatus = 0x4767_0004,
    LinuxLsbRelease = 0x4767_0005,
    LinuxMaps = 0x4767_0009,
}

impl From<StreamKind> for u32 {
    fn from(kind: StreamKind) -> Self {
        kind as Self
    }
}

/// The number of Unreal Engine's crash context, the first above those that Microsoft keeps for itself.
pub const UNREAL_CONTEXT: u32 = 0x1_0000;

/// `UnusedStream`: an entry without a stream.
const UNUSED: u32 = 0;

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

/// The header of a minidump and the streams of its directory that are within the file.
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
    pub fn find(&self, kind: impl Into<u32>) -> Option<Stream> {
        let kind = kind.into();
        self.streams.iter().copied().find(|stream| stream.kind == kind)
    }

    /// The beginning of the stream of a kind, at most `most` bytes. `None` when the dump has none, or it can't be read.
    pub fn bytes<'s>(&self, source: &'s mut Source<'_>, kind: StreamKind, most: u64) -> Option<Cow<'s, [u8]>> {
        let found = self.find(kind)?;
        source.read(found.offset, found.size.min(most))
    }
}

/// Reads header and directory. Streams that reach beyond the file are losses and left out.
///
/// # Errors
/// When there is no directory to go by.
pub fn read(source: &mut Source<'_>, losses: &mut Vec<Loss>) -> Result<Directory, Error> {
    let present = source.len();
    let header = source.read(0, HEADER_SIZE);
    let header = header.ok_or_else(|| ErrorKind::HeaderCut { needed: HEADER_SIZE, present }.at("header"))?;
    let field = |offset| u32_at(&header, offset).unwrap_or(0);
    // The version's high half is the writer's own; the low half is MINIDUMP_VERSION.
    let version = field(4) & 0xFFFF;
    let (count, at, time) = (field(8), u64::from(field(12)), field(20));
    let flags = u64_at(&header, 24).unwrap_or(0);
    drop(header);
    match count {
        _ if version != 0xA793 => return Err(ErrorKind::Version(version).at("header")),
        0 => return Err(ErrorKind::NoStreams.at("header")),
        1..=MOST_STREAMS => {}
        _ => return Err(ErrorKind::TooManyStreams { count, most: MOST_STREAMS }.at("header")),
    }
    let entries = source.read(at, u64::from(count).saturating_mul(ENTRY_SIZE));
    let entries = entries.ok_or_else(|| ErrorKind::NoDirectory { count, at, present }.at("stream directory"))?;

    let mut streams = Vec::new();
    for entry in entries.chunks_exact(ENTRY_SIZE as usize) {
        let (Some(kind), Some(size), Some(offset)) = (u32_at(entry, 0), u32_at(entry, 4), u32_at(entry, 8)) else {
            continue;
        };
        if kind == UNUSED {
            if size > 0 || offset > 0 {
                let bytes = format!("{size} bytes at {offset}");
                losses.push(Loss::new(
                    "stream directory",
                    format!("an entry without a kind of stream has {bytes}; not read"),
                ));
            }
            continue;
        }
        let found = Stream { kind, offset: u64::from(offset), size: u64::from(size) };
        if found.size > 0 && found.offset < HEADER_SIZE {
            let reason = format!("{size} bytes at {offset}, where the header of the file is; not read");
            losses.push(Loss::new(place(kind), reason));
            continue;
        }
        let end = found.offset.saturating_add(found.size);
        if end > present {
            losses.push(Loss::new(
                place(kind),
                format!("bytes {} to {end} are beyond the end of the file ({present} bytes)", found.offset),
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
        return Err(ErrorKind::NothingReadable(Loss::join(losses, 4)).at("streams"));
    }
    Ok(Directory { time, flags, streams })
}

/// Whether a number lies in the range that Microsoft keeps for itself (up to `LastReservedStream`, 0xFFFF) and is no
/// kind that is documented. Numbers above are free for every writer's own streams, of which nothing can be missed.
fn is_reserved_unknown(kind: u32) -> bool {
    /// Written by Wine's `MiniDumpWriteDump`.
    const WINE: u32 = 0xFFF0;
    kind <= 0xFFFF && kind != WINE && StreamKind::from_repr(kind).is_none()
}

/// What a stream is called in messages.
pub fn place(kind: impl Into<u32>) -> String {
    let kind = kind.into();
    StreamKind::from_repr(kind)
        .map_or_else(|| format!("stream of type {kind:#x}"), |known| format!("stream {}", <&str>::from(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The directory of a dump of 1,000 bytes with these entries (kind, size, offset), and what is lost of it.
    fn of_entries(entries: &[[u32; 3]]) -> (Vec<u32>, Vec<String>) {
        let mut bytes = b"MDMP\x93\xA7\0\0".to_vec();
        let count = u32::try_from(entries.len()).expect("few");
        for word in [count, 32, 0, 0, 0, 0] {
            bytes.extend_from_slice(&u32::to_le_bytes(word));
        }
        entries.iter().flatten().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.resize(1_000, 0);
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, &bytes).expect("written");
        let mut source = Source::open(&mut file, bytes.len() as u64).expect("readable");
        let mut losses = Vec::new();
        let directory = read(&mut source, &mut losses).expect("a directory");
        (directory.streams.iter().map(|stream| stream.kind).collect(), losses.iter().map(Loss::to_string).collect())
    }

    #[test]
    fn entries_that_contradict_themselves_are_losses() {
        let (kinds, losses) = of_entries(&[[7, 56, 200], [4, 112, 0], [3, 48, 31], [0, 40, 300], [0, 0, 0], [6, 0, 0]]);
        assert_eq!(kinds, [7, 6]);
        assert_eq!(
            losses,
            [
                "stream ModuleList: 112 bytes at 0, where the header of the file is; not read",
                "stream ThreadList: 48 bytes at 31, where the header of the file is; not read",
                "stream directory: an entry without a kind of stream has 40 bytes at 300; not read",
            ]
        );
    }
}

//! An excerpt of a dump: a small dump of the same format with only the streams that are read.
//!
//! The `minidump` crate wants a dump as one piece of memory and trusts its header. Dumps can have many gigabytes, may
//! shrink while they are read, and may lie. So the wanted parts are read at checked offsets and put together anew,
//! with corrected offsets: what reaches the crate is small, whole and consistent, whatever the file is. Everything
//! that the file refers to and does not hold is a [`Loss`].
//!
//! Layouts: `minidumpapiset.h`.

use minidump::Minidump;

use super::directory::{Directory, StreamKind, place};
use super::lists::{LONGEST_LIST, List};
use super::location::{Location, overwrite};
use super::memory::MemoryMap;
use super::threads::THREAD_SIZE;
use super::writer::{LONGEST_STREAM, Writer};
use crate::context::stack_pointer;
use evidence::Address;
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at, u64_at};

/// How much of the crashing thread's stack is walked, bytes above the stack pointer. The frames that matter are the
/// innermost; a stack overflow would otherwise be walked for a megabyte.
const STACK_WALKED: u64 = 64 << 10;

/// Length of `MINIDUMP_MODULE`, bytes.
const MODULE_SIZE: usize = 108;
/// Why parts of modules are left out.
const BEYOND: &str = "modules lie beyond the end of the file or are too many";
/// Where the record ends in `MINIDUMP_EXCEPTION_STREAM`, bytes: behind it is only the location of the registers.
const EXCEPTION_RECORD_END: u64 = 160;
/// Length of `MINIDUMP_EXCEPTION_STREAM`, bytes.
const EXCEPTION_STREAM_SIZE: u64 = 168;

/// The excerpt's dump, as the crate reads it.
pub type Excerpted<'b> = Minidump<'b, &'b [u8]>;

/// The excerpt and what was noticed while it was made.
#[derive(Debug)]
pub struct Excerpt {
    /// A dump of its own.
    pub bytes: Vec<u8>,
    /// How many threads the whole dump lists.
    pub thread_count: u32,
    /// The thread that raised the exception, by the exception or the writer's own stream; without any exception, the
    /// process's first thread.
    pub crash_thread: Option<u32>,
    /// Whether the module list is there and was read whole.
    pub has_modules: bool,
    /// Where the process's memory lies in the file.
    pub memory: MemoryMap,
}

/// Makes the excerpt.
pub fn excerpt(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Excerpt {
    let memory = MemoryMap::read(source, directory, losses);
    let mut copier = Copier { source, directory, losses, copy: Writer::new(directory) };
    for kind in [
        StreamKind::CommentA,
        StreamKind::CommentW,
        StreamKind::MiscInfo,
        StreamKind::MemoryInfoList,
        StreamKind::BreakpadInfo,
        StreamKind::LinuxCpuInfo,
        StreamKind::LinuxProcStatus,
        StreamKind::LinuxLsbRelease,
    ] {
        copier.whole_stream(kind);
    }
    copier.system_info();
    let crash_thread = copier.exception().or_else(|| copier.requesting_thread()).or_else(|| copier.first_thread());
    let has_modules = copier.modules();
    copier.unloaded_modules();
    let thread_count = copier.threads(&memory, crash_thread);
    copier.thread_names(crash_thread);
    Excerpt { bytes: copier.copy.finish(), thread_count, crash_thread, has_modules, memory }
}

/// Copies parts of a dump into an excerpt.
struct Copier<'c, 'f> {
    source: &'c mut Source<'f>,
    directory: &'c Directory,
    losses: &'c mut Vec<Loss>,
    copy: Writer,
}

/// How many entries of a list of modules were left out or have no real name, by the reason.
#[derive(Default)]
struct ModulesLeftOut {
    nameless: usize,
    without_extent: usize,
    /// These are not left out: their names are empty, or no text.
    misnamed: usize,
}

impl Copier<'_, '_> {
    fn lose(&mut self, kind: StreamKind, reason: impl Into<String>) {
        self.losses.push(Loss::new(place(kind), reason));
    }

    /// Copies the text at an offset of the dump and gives the offset of the copy.
    fn text(&mut self, offset: Option<u32>) -> Option<u32> {
        self.copy.text(self.source, offset?)
    }

    /// Copies the record to which a location descriptor at `at` of `part` refers, and puts the copy's location there.
    ///
    /// # Errors
    /// When the dump does not hold the record; then the location says "none".
    fn record(&mut self, part: &mut [u8], at: usize) -> Result<Location, ()> {
        let copied = self.copy.record(self.source, Location::read(part, at).unwrap_or_default());
        copied.unwrap_or_default().write(part, at);
        copied
    }

    fn whole_stream(&mut self, kind: StreamKind) {
        let Some(found) = self.directory.find(kind) else { return };
        if found.size > LONGEST_STREAM {
            self.lose(kind, format!("{} bytes are more than is read ({LONGEST_STREAM})", found.size));
        } else if let Some(content) = self.source.read(found.offset, found.size) {
            self.copy.stream(kind, &content);
        } else {
            self.lose(kind, "could not be read");
        }
    }

    /// `MINIDUMP_SYSTEM_INFO`: 56 bytes; the service pack's text is at offset 24.
    fn system_info(&mut self) {
        let kind = StreamKind::SystemInfo;
        let info = self.directory.bytes(self.source, kind, 64);
        let Some(mut info) = info.map(|info| info.into_owned()) else { return };
        if info.len() < 56 {
            self.lose(kind, format!("{} bytes instead of 56", info.len()));
            return;
        }
        let csd = u32_at(&info, 24).filter(|offset| *offset != 0);
        let copied = self.text(csd);
        if csd.is_some() && copied.is_none() {
            self.lose(kind, "the service pack's name is beyond the end of the file");
        }
        overwrite(&mut info, 24, copied.unwrap_or(0));
        self.copy.stream(kind, &info);
    }

    /// `MINIDUMP_EXCEPTION_STREAM`: thread id at 0, location of the context at 160. Gives the thread.
    fn exception(&mut self) -> Option<u32> {
        let kind = StreamKind::Exception;
        let found = self.directory.find(kind)?;
        let held = found.size.min(EXCEPTION_STREAM_SIZE);
        let record = self.source.read(found.offset, held).map(|record| record.into_owned());
        let Some(mut record) = record.filter(|_| held >= EXCEPTION_RECORD_END) else {
            self.lose(kind, "cut short");
            return None;
        };
        if held < EXCEPTION_STREAM_SIZE {
            self.lose(kind, format!("{held} bytes instead of 168; the thread's registers are missing"));
            record.truncate(EXCEPTION_RECORD_END as usize);
            record.resize(EXCEPTION_STREAM_SIZE as usize, 0);
        }
        // EXCEPTION_MAXIMUM_PARAMETERS of winnt.h.
        if u32_at(&record, 32).unwrap_or(0) > 15 {
            self.lose(kind, "counts more than 15 parameters; none of them is believed");
            overwrite(&mut record, 32, 0);
        }
        if self.record(&mut record, 160).is_err() {
            self.lose(kind, "the thread's registers are beyond the end of the file");
        }
        self.copy.stream(kind, &record);
        u32_at(&record, 0)
    }

    /// `MINIDUMP_BREAKPAD_INFO`: validity bits, the thread that wrote the dump, the thread that asked for it.
    fn requesting_thread(&mut self) -> Option<u32> {
        const REQUESTING_VALID: u32 = 2;
        let bytes = self.directory.bytes(self.source, StreamKind::BreakpadInfo, 12)?;
        (u32_at(&bytes, 0)? & REQUESTING_VALID != 0).then(|| u32_at(&bytes, 8)).flatten()
    }

    /// The first thread of the list, with which the process began, unless the dump has an exception.
    fn first_thread(&mut self) -> Option<u32> {
        if self.directory.find(StreamKind::Exception).is_some() {
            return None;
        }
        let kind = StreamKind::ThreadList;
        let list = List::read(self.source, self.directory, kind, THREAD_SIZE, &mut Vec::new())?;
        list.entries().next().and_then(|entry| u32_at(entry, 0))
    }

    /// Copies the name of a module, whose entry has its base (64 bits) at 0, its size at 8 and the name's offset at 20.
    /// `None`, and counted, when the module has no name or no addresses: the crate leaves such modules out.
    fn module_name(&mut self, entry: &[u8], left_out: &mut ModulesLeftOut) -> Option<u32> {
        let (base, size) = (u64_at(entry, 0).unwrap_or(0), u32_at(entry, 8).unwrap_or(0));
        if size == 0 || base.checked_add(u64::from(size)).is_none() {
            left_out.without_extent = left_out.without_extent.saturating_add(1);
            return None;
        }
        let name = self.text(u32_at(entry, 20));
        left_out.nameless = left_out.nameless.saturating_add(usize::from(name.is_none()));
        let is_misnamed = name.is_some_and(|name| !self.copy.holds_name(name));
        left_out.misnamed = left_out.misnamed.saturating_add(usize::from(is_misnamed));
        name
    }

    /// Reports that something is missing of some entries of a list, if it is: of how many, and what.
    fn lose_some(&mut self, kind: StreamKind, missing: usize, reason: String) {
        if missing > 0 {
            self.lose(kind, reason);
        }
    }

    fn lose_nameless(&mut self, kind: StreamKind, nameless: usize, count: u64) {
        self.lose_some(kind, nameless, format!("names of {nameless} of {count} {BEYOND}"));
    }

    fn lose_misnamed(&mut self, kind: StreamKind, misnamed: usize, count: u64) {
        self.lose_some(kind, misnamed, format!("names of {misnamed} of {count} modules are empty or no text"));
    }

    fn lose_without_extent(&mut self, kind: StreamKind, without_extent: usize, count: u64) {
        let reason = format!("{without_extent} of {count} modules have no size, or one beyond all addresses");
        self.lose_some(kind, without_extent, reason);
    }

    /// `MINIDUMP_MODULE_LIST`: 108 bytes a module; name at 20, CodeView record at 76, misc record at 84. Gives whether
    /// the list was read whole.
    fn modules(&mut self) -> bool {
        let kind = StreamKind::ModuleList;
        let before = self.losses.len();
        let list = List::read(self.source, self.directory, kind, MODULE_SIZE, self.losses);
        let Some(list) = list else { return false };
        let mut copy = vec![0; 4];
        let (mut kept, mut left_out, mut without_record) = (0_u32, ModulesLeftOut::default(), 0_usize);
        for entry in list.entries() {
            let Some(name) = self.module_name(entry, &mut left_out) else { continue };
            let mut module = entry.to_vec();
            overwrite(&mut module, 20, name);
            without_record = without_record.saturating_add(usize::from(self.record(&mut module, 76).is_err()));
            Location::default().write(&mut module, 84);
            copy.extend_from_slice(&module);
            kept = kept.saturating_add(1);
        }
        overwrite(&mut copy, 0, kept);
        self.copy.stream(kind, &copy);
        self.lose_nameless(kind, left_out.nameless, list.count);
        self.lose_misnamed(kind, left_out.misnamed, list.count);
        self.lose_without_extent(kind, left_out.without_extent, list.count);
        let complete = self.losses.len() == before;
        let reason = format!("debug records of {without_record} of {} {BEYOND}", list.count);
        self.lose_some(kind, without_record, reason);
        complete
    }

    /// `MINIDUMP_UNLOADED_MODULE_LIST`: sizes of header and entries, a count; an entry's name is at 20.
    fn unloaded_modules(&mut self) {
        let kind = StreamKind::UnloadedModuleList;
        let list = List::read_with_sizes(self.source, self.directory, kind, LONGEST_LIST, (12, 24), self.losses);
        let Some(list) = list else { return };
        let mut copy: Vec<u8> = [12_u32, 24, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        let (mut kept, mut left_out) = (0_u32, ModulesLeftOut::default());
        for entry in list.entries() {
            let Some(name) = self.module_name(entry, &mut left_out) else { continue };
            copy.extend_from_slice(entry.get(..20).unwrap_or_default());
            copy.extend_from_slice(&name.to_le_bytes());
            kept = kept.saturating_add(1);
        }
        overwrite(&mut copy, 8, kept);
        self.copy.stream(kind, &copy);
        self.lose_without_extent(kind, left_out.without_extent, list.count);
        self.lose_nameless(kind, left_out.nameless, list.count);
        self.lose_misnamed(kind, left_out.misnamed, list.count);
    }

    /// `MINIDUMP_THREAD_LIST`: 48 bytes a thread; stack (start, size, offset) at 24, context (size, offset) at 40.
    /// Only the crashing thread is taken over. Gives the number of all.
    fn threads(&mut self, memory: &MemoryMap, crash_thread: Option<u32>) -> u32 {
        let kind = StreamKind::ThreadList;
        let list = List::read(self.source, self.directory, kind, THREAD_SIZE, self.losses);
        let Some(list) = list else { return 0 };
        let mut copy = 0_u32.to_le_bytes().to_vec();
        let (mut kept, mut without_registers, mut without_stack) = (false, 0_usize, 0_usize);
        for entry in list.entries() {
            let (stack, context) = (Location::read(entry, 32), Location::read(entry, 40));
            let missing = |place: Option<Location>| {
                usize::from(place.is_some_and(|Location { size, offset }| {
                    size > 0 && !self.source.holds(u64::from(offset), u64::from(size))
                }))
            };
            without_registers = without_registers.saturating_add(missing(context));
            without_stack = without_stack.saturating_add(missing(stack));
            if kept || crash_thread != u32_at(entry, 0) {
                continue;
            }
            let mut thread = entry.to_vec();
            let context = self.record(&mut thread, 40).unwrap_or_default();
            let listed = u64_at(entry, 24).unwrap_or(0);
            let (start, stack) = self.stack(memory, Address(listed), context).unwrap_or((listed, Location::default()));
            if let Some(field) = thread.get_mut(24..).and_then(<[u8]>::first_chunk_mut) {
                *field = start.to_le_bytes();
            }
            stack.write(&mut thread, 32);
            copy.extend_from_slice(&thread);
            kept = true;
        }
        overwrite(&mut copy, 0, u32::from(kept));
        self.copy.stream(kind, &copy);
        for (missing, what) in [(without_registers, "registers"), (without_stack, "stacks")] {
            let count = list.count;
            self.lose_some(
                kind,
                missing,
                format!("{what} of {missing} of {count} threads are beyond the end of the file"),
            );
        }
        // A count beyond what is listed may be anything.
        u32::try_from(list.entries().len()).unwrap_or(u32::MAX)
    }

    /// Copies the part of the crashing thread's stack that is walked: from the stack pointer of the exception's
    /// context (which may lie on another stack than the thread's own) or of the thread's context upwards. Gives its first
    /// address and where the copy is.
    fn stack(&mut self, memory: &MemoryMap, listed: Address, context: Location) -> Option<(u64, Location)> {
        let exception = self.copy.streams.iter().find(|(kind, _)| *kind == u32::from(StreamKind::Exception));
        let exception_context =
            exception.and_then(|(_, part)| Location::read(self.copy.bytes.get(part.offset as usize..)?, 160));
        let pointer = [exception_context, Some(context)].into_iter().flatten().find_map(|context| {
            let start = context.offset as usize;
            let registers = self.copy.bytes.get(start..start.checked_add(context.size as usize)?)?;
            stack_pointer(registers).map(Address).filter(|pointer| memory.region_at(*pointer).is_some())
        });
        let start = pointer.unwrap_or(listed);
        let part = memory.bytes(self.source, start, STACK_WALKED)?;
        Some((start.0, self.copy.append(&part)))
    }

    /// `MINIDUMP_THREAD_NAME_LIST`: a count and 12 bytes an entry: thread id, 64-bit offset of the name.
    fn thread_names(&mut self, crash_thread: Option<u32>) {
        let kind = StreamKind::ThreadNames;
        let Some(list) = List::read(self.source, self.directory, kind, 12, self.losses) else { return };
        let mut missing = 0_usize;
        for entry in list.entries() {
            let (Some(thread), Some(offset)) = (u32_at(entry, 0), u64_at(entry, 4)) else { continue };
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            if !self.source.holds(u64::from(offset), 4) {
                missing = missing.saturating_add(1);
            } else if crash_thread == Some(thread)
                && let Some(name) = self.text(Some(offset))
            {
                let copy = [1, thread, name, 0].map(u32::to_le_bytes);
                self.copy.stream(kind, copy.as_flattened());
            }
        }
        self.lose_some(kind, missing, format!("{missing} of {} names are beyond the end of the file", list.count));
    }
}

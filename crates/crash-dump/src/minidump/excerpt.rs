//! An excerpt of a dump: a small dump of the same format with only the streams that are read.
//!
//! The `minidump` crate wants a dump as one piece of memory and trusts its header. Dumps can have many gigabytes, may
//! shrink while they are read, and may lie. So the wanted parts are read at checked offsets and put together anew,
//! with corrected offsets: what reaches the crate is small, whole and consistent, whatever the file is. Everything
//! that the file refers to and does not hold is a [`Loss`].
//!
//! Layouts: `minidumpapiset.h`.

use super::directory::{Directory, place, stream};
use super::memory::{MemoryMap, entries_after_header};
use super::writer::{Writer, overwrite, overwrite_u64};
use evidence::Address;
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at, u64_at};

/// Longest list of modules, threads or memory ranges that is read, bytes: half a million ranges.
pub(super) const LONGEST_LIST: u64 = 8 << 20;
/// How much of the crashing thread's stack is walked, bytes above the stack pointer. The frames that matter are the
/// innermost; a stack overflow would otherwise be walked for a megabyte.
const STACK_WALKED: u64 = 64 << 10;

const MODULE_SIZE: usize = 108;
const THREAD_SIZE: usize = 48;
const EXCEPTION_STREAM_SIZE: u64 = 168;

/// The excerpt and what was noticed while it was made.
#[derive(Debug)]
pub struct Excerpt {
    /// A dump of its own.
    pub bytes: Vec<u8>,
    /// How many threads the whole dump lists.
    pub thread_count: u32,
    /// The thread that raised the exception, by the exception or the writer's own stream.
    pub crash_thread: Option<u32>,
    /// Whether the module list is there and was read whole.
    pub has_modules: bool,
    /// Where the process's memory lies in the file.
    pub memory: MemoryMap,
}

/// Makes the excerpt.
pub fn excerpt(source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Excerpt {
    let memory = MemoryMap::read(source, directory, losses);
    let mut writer = Writer::new(directory);

    for kind in [
        stream::COMMENT_A,
        stream::COMMENT_W,
        stream::MISC_INFO,
        stream::MEMORY_INFO_LIST,
        stream::BREAKPAD_INFO,
        stream::LINUX_CPU_INFO,
        stream::LINUX_PROC_STATUS,
        stream::LINUX_LSB_RELEASE,
    ] {
        if let Some(found) = directory.find(kind) {
            writer.copy_stream(source, found, losses);
        }
    }
    writer.system_info(source, directory, losses);
    let mut crash_thread = writer.exception(source, directory, losses);
    if crash_thread.is_none() {
        crash_thread = requesting_thread(source, directory);
    }
    let has_modules = writer.modules(source, directory, losses);
    writer.unloaded_modules(source, directory, losses);
    let thread_count = writer.threads(source, directory, &memory, crash_thread, losses);
    writer.thread_names(source, directory, crash_thread, losses);
    Excerpt { bytes: writer.finish(), thread_count, crash_thread, has_modules, memory }
}

/// Whether a module's entry, which begins with base and size, names addresses. The crate leaves others out.
fn has_extent(entry: &[u8]) -> bool {
    let (base, size) = (u64_at(entry, 0).unwrap_or(0), u32_at(entry, 8).unwrap_or(0));
    size > 0 && base.checked_add(u64::from(size)).is_some()
}

fn extents_lost(kind: u32, lost: u32, count: u64) -> Option<Loss> {
    let reason = || format!("{lost} of {count} modules have no size, or one beyond all addresses");
    (lost > 0).then(|| Loss::new(place(kind), reason()))
}

/// `MINIDUMP_BREAKPAD_INFO`: validity bits, the thread that wrote the dump, the thread that asked for it.
fn requesting_thread(source: &mut Source<'_>, directory: &Directory) -> Option<u32> {
    const REQUESTING_VALID: u32 = 2;
    const SIZE: u64 = 12;
    let found = directory.find(stream::BREAKPAD_INFO)?;
    let bytes = source.read(found.offset, found.size.min(SIZE))?;
    (u32_at(&bytes, 0)? & REQUESTING_VALID != 0).then(|| u32_at(&bytes, 8)).flatten()
}

impl Writer {
    /// `MINIDUMP_SYSTEM_INFO`: 56 bytes; the service pack's text is at offset 24.
    fn system_info(&mut self, source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) {
        let Some(found) = directory.find(stream::SYSTEM_INFO) else { return };
        let Some(mut info) = source.read(found.offset, found.size.min(64)).map(|info| info.into_owned()) else {
            return;
        };
        if info.len() < 56 {
            losses.push(Loss::new(place(found.kind), format!("{} bytes instead of 56", info.len())));
            return;
        }
        let csd = u32_at(&info, 24).filter(|offset| *offset != 0);
        let copied = csd.and_then(|offset| self.text(source, offset));
        if csd.is_some() && copied.is_none() {
            losses.push(Loss::new(place(found.kind), "the service pack's name is beyond the end of the file"));
        }
        overwrite(&mut info, 24, copied.unwrap_or(0));
        self.stream(found.kind, &info);
    }

    /// `MINIDUMP_EXCEPTION_STREAM`: thread id at 0, location of the context at 160. Gives the thread.
    fn exception(&mut self, source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> Option<u32> {
        let found = directory.find(stream::EXCEPTION)?;
        let Some(mut record) = source.read(found.offset, EXCEPTION_STREAM_SIZE).map(|record| record.into_owned())
        else {
            losses.push(Loss::new(place(found.kind), "cut short"));
            return None;
        };
        if found.size < EXCEPTION_STREAM_SIZE {
            losses.push(Loss::new(place(found.kind), format!("{} bytes instead of 168", found.size)));
            return None;
        }
        // EXCEPTION_MAXIMUM_PARAMETERS of winnt.h.
        if u32_at(&record, 32).unwrap_or(0) > 15 {
            losses.push(Loss::new(place(found.kind), "counts more than 15 parameters; none of them is believed"));
            overwrite(&mut record, 32, 0);
        }
        let (size, offset) = (u32_at(&record, 160)?, u32_at(&record, 164)?);
        let (size, offset) = self.record(source, size, offset).unwrap_or_else(|()| {
            losses.push(Loss::new(place(found.kind), "the thread's registers are beyond the end of the file"));
            (0, 0)
        });
        overwrite(&mut record, 160, size);
        overwrite(&mut record, 164, offset);
        self.stream(found.kind, &record);
        u32_at(&record, 0)
    }

    /// `MINIDUMP_MODULE_LIST`: 108 bytes a module; name at 20, CodeView record at 76, misc record at 84.
    fn modules(&mut self, source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) -> bool {
        let Some(found) = directory.find(stream::MODULE_LIST) else { return false };
        let Some(list) = source.read(found.offset, found.size.min(LONGEST_LIST)).map(|list| list.into_owned()) else {
            return false;
        };
        let before = losses.len();
        let count = u64::from(u32_at(&list, 0).unwrap_or(0));
        let entries = entries_after_header(&list, 4, count, MODULE_SIZE, found.kind, losses);
        let mut copy = Vec::with_capacity(entries.len().saturating_add(4));
        copy.extend_from_slice(&[0; 4]);
        let (mut kept, mut nameless, mut without_extent, mut without_record) = (0_u32, 0_u32, 0_u32, 0_u32);
        for entry in entries.chunks_exact(MODULE_SIZE) {
            let mut module = entry.to_vec();
            if !has_extent(entry) {
                without_extent = without_extent.saturating_add(1);
                continue;
            }
            let Some(name) = u32_at(entry, 20).and_then(|offset| self.text(source, offset)) else {
                nameless = nameless.saturating_add(1);
                continue;
            };
            overwrite(&mut module, 20, name);
            let (size, offset) = (u32_at(entry, 76).unwrap_or(0), u32_at(entry, 80).unwrap_or(0));
            let (size, offset) = self.record(source, size, offset).unwrap_or_else(|()| {
                without_record = without_record.saturating_add(1);
                (0, 0)
            });
            overwrite(&mut module, 76, size);
            overwrite(&mut module, 80, offset);
            overwrite(&mut module, 84, 0);
            overwrite(&mut module, 88, 0);
            copy.extend_from_slice(&module);
            kept = kept.saturating_add(1);
        }
        overwrite(&mut copy, 0, kept);
        self.stream(found.kind, &copy);
        if nameless > 0 {
            losses.push(Loss::new(
                place(found.kind),
                format!("names of {nameless} of {count} modules lie beyond the end of the file or are too many"),
            ));
        }
        losses.extend(extents_lost(found.kind, without_extent, count));
        let complete = losses.len() == before;
        if without_record > 0 {
            losses.push(Loss::new(
                place(found.kind),
                format!("debug records of {without_record} of {count} modules lie beyond the end of the file or are too many"),
            ));
        }
        complete
    }

    /// `MINIDUMP_UNLOADED_MODULE_LIST`: sizes of header and entries, a count; an entry's name is at 20.
    fn unloaded_modules(&mut self, source: &mut Source<'_>, directory: &Directory, losses: &mut Vec<Loss>) {
        let Some(found) = directory.find(stream::UNLOADED_MODULE_LIST) else { return };
        let Some(list) = source.read(found.offset, found.size.min(LONGEST_LIST)).map(|list| list.into_owned()) else {
            return;
        };
        let (Some(header), Some(size), Some(count)) = (u32_at(&list, 0), u32_at(&list, 4), u32_at(&list, 8)) else {
            losses.push(Loss::new(place(found.kind), "shorter than its own header"));
            return;
        };
        let (header, size) = (header as usize, size as usize);
        if !(12..=256).contains(&header) || !(24..=256).contains(&size) {
            losses.push(Loss::new(place(found.kind), "sizes of header and entries are not believable"));
            return;
        }
        let entries = entries_after_header(&list, header, u64::from(count), size, found.kind, losses);
        let mut copy = Vec::new();
        for value in [12_u32, 24, 0] {
            copy.extend_from_slice(&value.to_le_bytes());
        }
        let (mut kept, mut nameless, mut without_extent) = (0_u32, 0_u32, 0_u32);
        for entry in entries.chunks_exact(size) {
            if !has_extent(entry) {
                without_extent = without_extent.saturating_add(1);
                continue;
            }
            let Some(name) = u32_at(entry, 20).and_then(|offset| self.text(source, offset)) else {
                nameless = nameless.saturating_add(1);
                continue;
            };
            copy.extend_from_slice(entry.get(..20).unwrap_or_default());
            copy.extend_from_slice(&name.to_le_bytes());
            kept = kept.saturating_add(1);
        }
        overwrite(&mut copy, 8, kept);
        self.stream(found.kind, &copy);
        losses.extend(extents_lost(found.kind, without_extent, u64::from(count)));
        if nameless > 0 {
            losses.push(Loss::new(
                place(found.kind),
                format!("names of {nameless} of {count} modules lie beyond the end of the file or are too many"),
            ));
        }
    }

    /// `MINIDUMP_THREAD_LIST`: 48 bytes a thread; stack (start, size, offset) at 24, context (size, offset) at 40.
    /// Only the crashing thread is taken over. Gives the number of all.
    fn threads(
        &mut self,
        source: &mut Source<'_>,
        directory: &Directory,
        memory: &MemoryMap,
        crash_thread: Option<u32>,
        losses: &mut Vec<Loss>,
    ) -> u32 {
        let Some(found) = directory.find(stream::THREAD_LIST) else { return 0 };
        let Some(list) = source.read(found.offset, found.size.min(LONGEST_LIST)).map(|list| list.into_owned()) else {
            return 0;
        };
        let count = u32_at(&list, 0).unwrap_or(0);
        let entries = entries_after_header(&list, 4, u64::from(count), THREAD_SIZE, found.kind, losses);
        let mut copy = 0_u32.to_le_bytes().to_vec();
        let (mut kept, mut without_registers, mut without_stack) = (0_u32, 0_u32, 0_u32);
        for entry in entries.chunks_exact(THREAD_SIZE) {
            let field = |at| u32_at(entry, at).unwrap_or(0);
            let (stack_start, stack_size, stack_offset) = (u64_at(entry, 24).unwrap_or(0), field(32), field(36));
            let (context_size, context_offset) = (field(40), field(44));
            if context_size > 0 && !source.holds(u64::from(context_offset), u64::from(context_size)) {
                without_registers = without_registers.saturating_add(1);
            }
            let stack_held = source.holds(u64::from(stack_offset), u64::from(stack_size));
            if stack_size > 0 && !stack_held {
                without_stack = without_stack.saturating_add(1);
            }
            if kept > 0 || crash_thread != Some(field(0)) {
                continue;
            }
            let mut thread = entry.to_vec();
            let context = self.record(source, context_size, context_offset).unwrap_or((0, 0));
            overwrite(&mut thread, 40, context.0);
            overwrite(&mut thread, 44, context.1);
            let stack = self.stack(source, memory, Address(stack_start), context);
            overwrite_u64(&mut thread, 24, stack.map_or(stack_start, |(start, _, _)| start));
            overwrite(&mut thread, 32, stack.map_or(0, |(_, size, _)| size));
            overwrite(&mut thread, 36, stack.map_or(0, |(_, _, offset)| offset));
            copy.extend_from_slice(&thread);
            kept = 1;
        }
        overwrite(&mut copy, 0, kept);
        self.stream(found.kind, &copy);
        for (missing, what) in [(without_registers, "registers"), (without_stack, "stacks")] {
            if missing > 0 {
                losses.push(Loss::new(
                    place(found.kind),
                    format!("{what} of {missing} of {count} threads are beyond the end of the file"),
                ));
            }
        }
        // A count beyond what is listed may be anything.
        u32::try_from(entries.chunks_exact(THREAD_SIZE).len()).unwrap_or(count)
    }

    /// Copies the part of the crashing thread's stack that is walked: from the stack pointer of the exception's
    /// context (which may lie on another stack than the thread's own) or of the thread's context upwards. Gives start,
    /// size and offset of the copy.
    fn stack(
        &mut self,
        source: &mut Source<'_>,
        memory: &MemoryMap,
        listed: Address,
        context: (u32, u32),
    ) -> Option<(u64, u32, u32)> {
        let exception_context =
            self.streams.iter().find(|(kind, _, _)| *kind == stream::EXCEPTION).and_then(|(_, _, offset)| {
                let record = self.bytes.get(*offset as usize..)?;
                Some((u32_at(record, 160)?, u32_at(record, 164)?))
            });
        let pointer = [exception_context, Some(context)].into_iter().flatten().find_map(|(size, offset)| {
            let start = offset as usize;
            let registers = self.bytes.get(start..start.checked_add(size as usize)?)?;
            stack_pointer(registers).filter(|pointer| memory.region_at(*pointer).is_some())
        });
        let start = pointer.unwrap_or(listed);
        let part = memory.bytes(source, start, STACK_WALKED)?.into_owned();
        let size = u32::try_from(part.len()).ok()?;
        Some((start.0, size, self.append(&part)))
    }

    /// `MINIDUMP_THREAD_NAME_LIST`: a count and 12 bytes an entry: thread id, 64-bit offset of the name.
    fn thread_names(
        &mut self,
        source: &mut Source<'_>,
        directory: &Directory,
        crash_thread: Option<u32>,
        losses: &mut Vec<Loss>,
    ) {
        let Some(found) = directory.find(stream::THREAD_NAMES) else { return };
        let Some(list) = source.read(found.offset, found.size.min(LONGEST_LIST)).map(|list| list.into_owned()) else {
            return;
        };
        let count = u64::from(u32_at(&list, 0).unwrap_or(0));
        let entries = entries_after_header(&list, 4, count, 12, found.kind, losses);
        let mut missing = 0_u32;
        for entry in entries.chunks_exact(12) {
            let (Some(thread), Some(offset)) = (u32_at(entry, 0), u64_at(entry, 4)) else { continue };
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            if !source.holds(u64::from(offset), 4) {
                missing = missing.saturating_add(1);
            } else if crash_thread == Some(thread)
                && let Some(name) = self.text(source, offset)
            {
                let mut copy = 1_u32.to_le_bytes().to_vec();
                copy.extend_from_slice(&thread.to_le_bytes());
                copy.extend_from_slice(&u64::from(name).to_le_bytes());
                self.stream(found.kind, &copy);
            }
        }
        if missing > 0 {
            losses.push(Loss::new(
                place(found.kind),
                format!("{missing} of {count} names are beyond the end of the file"),
            ));
        }
    }
}

/// The stack pointer of a context, told by the context's size and flags: x64 at 0x98, x86 at 0xC4, ARM64 at 0x100.
/// Offsets and flags: `CONTEXT` of `winnt.h`, and Breakpad's for ARM64 (`minidump_cpu_arm64.h`).
fn stack_pointer(registers: &[u8]) -> Option<Address> {
    const AMD64: u32 = 0x0010_0000;
    const X86: u32 = 0x0001_0000;
    const ARM64: u32 = 0x0040_0000;
    let has = |at: usize, flag: u32| u32_at(registers, at).is_some_and(|flags| flags & flag != 0);
    if registers.len() >= 1232 && has(0x30, AMD64) {
        u64_at(registers, 0x98).map(Address)
    } else if registers.len() >= 0x100 && has(0, ARM64) {
        u64_at(registers, 0x100).map(Address)
    } else if registers.len() >= 716 && has(0, X86) {
        u32_at(registers, 0xC4).map(|pointer| Address(u64::from(pointer)))
    } else {
        None
    }
}

//! Writes user-mode minidumps.
//!
//! A [`Minidump`] is a plain description of a process at one moment; [`Minidump::to_bytes`] lays it out as Windows'
//! `dbgcore.dll` does: header, directory, streams, what they point to, and the memory last, so that a copy which broke
//! off has lost memory first. Layouts are those of Microsoft's documentation of `minidumpapiset.h`; sizes of records are
//! given where they are written.

mod context;
mod counters;
mod crashed;
mod crashpad;
mod exception;
mod memory;
mod module;
mod pending;
mod process;
mod stack;
mod system;

pub use context::Context;
pub use counters::{process_memory, system_memory};
pub use exception::Exception;
pub use memory::{Memory, Protection, Region};
pub use module::{Module, UnloadedModule};
pub use process::{Process, Thread};
pub use stack::StackImage;
pub use system::{Processor, System};

use crate::FileTime;
use crate::bytes::{ByteWriter, count32};
use pending::Pending;

/// Flags of `MINIDUMP_TYPE`, as the header stores them.
pub mod flag {
    /// All memory: its list has 64-bit sizes then (`MINIDUMP_MEMORY64_LIST`).
    pub const FULL_MEMORY: u64 = 0x2;
    /// Modules that were unloaded.
    pub const UNLOADED_MODULES: u64 = 0x20;
    /// Memory that the stack points to.
    pub const INDIRECTLY_REFERENCED_MEMORY: u64 = 0x40;
    /// Process and thread environment blocks.
    pub const PROCESS_THREAD_DATA: u64 = 0x100;
    /// Descriptions of all memory regions.
    pub const FULL_MEMORY_INFO: u64 = 0x800;
    /// Times and start addresses of threads.
    pub const THREAD_INFO: u64 = 0x1000;
}

/// Numbers of streams (`MINIDUMP_STREAM_TYPE`).
mod stream_type {
    pub const THREAD_LIST: u32 = 3;
    pub const MODULE_LIST: u32 = 4;
    pub const MEMORY_LIST: u32 = 5;
    pub const EXCEPTION: u32 = 6;
    pub const SYSTEM_INFO: u32 = 7;
    pub const MEMORY_64_LIST: u32 = 9;
    pub const UNLOADED_MODULE_LIST: u32 = 14;
    pub const MISC_INFO: u32 = 15;
    pub const MEMORY_INFO_LIST: u32 = 16;
    pub const THREAD_INFO_LIST: u32 = 17;
    pub const THREAD_NAMES: u32 = 24;
    pub const CRASHPAD_INFO: u32 = 0x4350_0001;
}

/// A process at one moment.
#[derive(Debug, Clone)]
pub struct Minidump {
    /// When the dump was written.
    pub time: FileTime,
    /// The requested optional parts; see [`flag`].
    pub flags: u64,
    /// System and processor.
    pub system: System,
    /// Id and times of the process.
    pub process: Process,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// The exception, none in dumps of processes that only hang.
    pub exception: Option<Exception>,
    /// Loaded modules, the executable first.
    pub modules: Vec<Module>,
    /// Modules that were unloaded before.
    pub unloaded: Vec<UnloadedModule>,
    /// Captured memory besides the threads' stacks. Ranges don't overlap.
    pub memory: Vec<Memory>,
    /// Descriptions of memory regions.
    pub regions: Vec<Region>,
    /// Keys and values that a crash handler adds (Crashpad); empty for other writers.
    pub annotations: Vec<(String, String)>,
    /// Further streams, written unchanged: number and bytes.
    pub other_streams: Vec<(u32, Vec<u8>)>,
}

/// Entries of the directory that `dbgcore.dll` leaves unused.
const SPARE_ENTRIES: usize = 3;

/// Writes one stream of a dump.
type StreamWriter = fn(&Minidump, &mut ByteWriter, &mut Pending);

impl Minidump {
    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let streams = self.streams();
        let spare = if self.system.is_windows() { SPARE_ENTRIES } else { 0 };
        let count = streams.len() + self.other_streams.len() + spare;
        let mut out = ByteWriter::new();
        // MINIDUMP_HEADER, 32 bytes: the version's low half is fixed, the high half belongs to the writer's build.
        out.raw(b"MDMP").u32(0xA0F1_A793).u32(count32(count)).u32(32).u32(0);
        out.u32(self.time.unix_seconds()).u64(self.flags);
        // MINIDUMP_DIRECTORY, 12 bytes a stream: type, size, location. Filled in as the streams are written; the entries
        // that are left stay zero, which is the type "unused".
        let mut entry = out.len();
        out.zeros(count * 12);

        let mut pending = Pending::default();
        let mut write = |kind: u32, out: &mut ByteWriter, content: &mut dyn FnMut(&mut ByteWriter)| {
            out.align(4);
            let start = out.len();
            content(out);
            out.patch_u32(entry, kind);
            out.patch_u32(entry + 4, count32(out.len() - start));
            out.patch_u32(entry + 8, count32(start));
            entry += 12;
        };
        for (kind, stream) in streams {
            write(kind, &mut out, &mut |out| stream(self, out, &mut pending));
        }
        for (kind, bytes) in &self.other_streams {
            write(*kind, &mut out, &mut |out| {
                out.raw(bytes);
            });
        }
        pending.flush(&mut out, &self.all_memory());
        out.into_bytes()
    }

    /// The number of bytes of memory in the dump. They are the last bytes of the file.
    #[must_use]
    pub fn captured_bytes(&self) -> usize {
        self.all_memory().iter().map(|memory| memory.bytes.len()).sum()
    }

    /// The streams that this dump has, in the order in which `dbgcore.dll` writes them.
    fn streams(&self) -> Vec<(u32, StreamWriter)> {
        let windows = self.system.is_windows();
        let named = self.threads.iter().any(|thread| thread.name.is_some());
        let thread_info = self.flags & flag::THREAD_INFO != 0;
        let full = self.flags & flag::FULL_MEMORY != 0;
        let all: [(bool, u32, StreamWriter); 12] = [
            (true, stream_type::THREAD_LIST, process::write_threads),
            (true, stream_type::MODULE_LIST, module::write_loaded),
            (!self.unloaded.is_empty(), stream_type::UNLOADED_MODULE_LIST, module::write_unloaded),
            (!full, stream_type::MEMORY_LIST, memory::write_list),
            (full, stream_type::MEMORY_64_LIST, memory::write_large_list),
            (self.exception.is_some(), stream_type::EXCEPTION, exception::write),
            (true, stream_type::SYSTEM_INFO, system::write),
            (windows, stream_type::MISC_INFO, process::write_misc_info),
            (named, stream_type::THREAD_NAMES, process::write_names),
            (thread_info, stream_type::THREAD_INFO_LIST, process::write_infos),
            (!self.regions.is_empty(), stream_type::MEMORY_INFO_LIST, memory::write_regions),
            (!self.annotations.is_empty(), stream_type::CRASHPAD_INFO, crashpad::write),
        ];
        all.into_iter().filter(|(present, ..)| *present).map(|(_, kind, write)| (kind, write)).collect()
    }

    /// All captured memory, by address: stacks and the rest.
    fn all_memory(&self) -> Vec<&Memory> {
        let mut all: Vec<&Memory> = self.threads.iter().map(|thread| &thread.stack).chain(&self.memory).collect();
        all.sort_by_key(|memory| memory.address);
        all
    }
}

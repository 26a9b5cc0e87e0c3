//! The process and its threads.

use super::pending::{Pending, string};
use super::{Context, Memory, Minidump};
use crate::FileTime;
use crate::bytes::{ByteWriter, count32};

/// Id and times of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub id: u32,
    /// When it started.
    pub started: FileTime,
    /// Processor time that it has used, seconds.
    pub cpu_seconds: u32,
}

/// A thread.
#[derive(Debug, Clone)]
pub struct Thread {
    /// Thread id.
    pub id: u32,
    /// The name that the program gave it.
    pub name: Option<String>,
    /// Address of its environment block.
    pub teb: u64,
    /// Captured part of its stack, from the stack pointer up.
    pub stack: Memory,
    /// Registers.
    pub context: Context,
}

/// `MINIDUMP_THREAD_LIST`: a count and `MINIDUMP_THREAD`s of 48 bytes.
pub(super) fn write_threads(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    out.u32(count32(dump.threads.len()));
    for thread in &dump.threads {
        // Id, suspend count, priority class (normal), priority.
        out.u32(thread.id).u32(0).u32(0x20).u32(0).u64(thread.teb);
        pending.describe_memory(out, &thread.stack);
        pending.locate(out, thread.context.to_bytes());
    }
}

/// `MINIDUMP_THREAD_NAME_LIST`: a count and 12 bytes a thread: id, and a location of 64 bits.
pub(super) fn write_names(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    let named: Vec<_> = dump.threads.iter().filter_map(|thread| Some((thread.id, thread.name.as_deref()?))).collect();
    out.u32(count32(named.len()));
    for (id, name) in named {
        out.u32(id);
        pending.point_to(out, string(name));
        out.u32(0);
    }
}

/// `MINIDUMP_THREAD_INFO_LIST`: a header of 12 bytes and 64 bytes a thread.
pub(super) fn write_infos(dump: &Minidump, out: &mut ByteWriter, _: &mut Pending) {
    const STILL_ACTIVE: u32 = 0x103;
    out.u32(12).u32(64).u32(count32(dump.threads.len()));
    for thread in &dump.threads {
        out.u32(thread.id).u32(0).u32(0).u32(STILL_ACTIVE);
        // Times of creation, exit, kernel and user; start address; affinity.
        out.u64(dump.process.started.0).u64(0).u64(0).u64(0).u64(0).u64((1 << dump.system.processor.count) - 1);
    }
}

/// `MINIDUMP_MISC_INFO_5`, 1364 bytes.
pub(super) fn write_misc_info(dump: &Minidump, out: &mut ByteWriter, _: &mut Pending) {
    /// Id, times, processor power, integrity, execute flags, time zone, protection, build string, cookie.
    const VALID: u32 = 0x3F7;
    let start = out.len();
    out.u32(1364).u32(VALID);
    out.u32(dump.process.id).u32(dump.process.started.unix_seconds()).u32(dump.process.cpu_seconds).u32(0);
    let mhz = dump.system.processor.mhz;
    out.u32(mhz).u32(mhz).u32(mhz).u32(2).u32(1);
    // Medium integrity, execute flags of a 64-bit process (0x0D, as in dumps of Windows 10), not protected.
    out.u32(0x2000).u32(0x0D).u32(0);
    // Time zone: unknown id, then TIME_ZONE_INFORMATION: bias, name and date twice.
    out.u32(0).u32(0).utf16_field("UTC", 32).zeros(16).u32(0).utf16_field("UTC", 32).zeros(16).u32(0);
    out.utf16_field(dump.system.build_string(), 260);
    out.utf16_field(&dump.system.writer(), 40);
    // XSTATE_CONFIG_FEATURE_MSC_INFO, 528 bytes, names no extended state; then the process cookie.
    out.u32(528).zeros_to(start + 1360).u32(0x5AFE_C0DE);
}

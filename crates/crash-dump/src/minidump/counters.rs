//! How much memory the whole system and the process had in use.
//!
//! Layouts: `MINIDUMP_SYSTEM_MEMORY_INFO_1` (492 bytes) and `MINIDUMP_PROCESS_VM_COUNTERS_1` and `_2` (80 and 152
//! bytes) of `minidumpapiset.h`, packed to four bytes.

use super::directory::{Directory, StreamKind};
use evidence::{ProcessMemory, SystemMemory};
use untrusted::bytes::{Source, u16_at, u32_at, u64_at};

/// The system's memory; the stream counts pages.
pub fn system(source: &mut Source<'_>, directory: &Directory) -> Option<SystemMemory> {
    /// `MINIDUMP_SYSMEMINFO1_BASICPERF`: the four numbers at 116 are valid.
    const BASIC_PERFORMANCE: u16 = 0x0002;
    let info = directory.bytes(source, StreamKind::SystemMemoryInfo, 148)?;
    let (revision, flags) = (u16_at(&info, 0)?, u16_at(&info, 2)?);
    if revision == 0 || flags & BASIC_PERFORMANCE == 0 {
        return None;
    }
    let page = u64::from(u32_at(&info, 8)?);
    let bytes = |at: usize| u64_at(&info, at)?.checked_mul(page);
    let memory = SystemMemory { available: bytes(116)?, commit_charge: bytes(124)?, commit_limit: bytes(132)? };
    (memory.commit_limit != 0).then_some(memory)
}

/// The process's memory counters (`PROCESS_VM_COUNTERS` stream); `None` if the dump lacks them or they are empty.
pub fn process(source: &mut Source<'_>, directory: &Directory) -> Option<ProcessMemory> {
    /// `MINIDUMP_PROCESS_VM_COUNTERS_VIRTUALSIZE`.
    const VIRTUAL_SIZE: u16 = 0x0001;
    let counters = directory.bytes(source, StreamKind::ProcessVmCounters, 96)?;
    let revision = u16_at(&counters, 0)?;
    // PagefileUsage, which despite its name is what the process has committed.
    let (working_set, commit) = (u64_at(&counters, 16)?, u64_at(&counters, 56)?);
    let virtual_size = (revision >= 2 && u16_at(&counters, 2)? & VIRTUAL_SIZE != 0)
        .then(|| u64_at(&counters, 80))
        .flatten()
        .filter(|size| *size != 0);
    (revision != 0 && commit != 0).then_some(ProcessMemory { commit, working_set, virtual_size })
}

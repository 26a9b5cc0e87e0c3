//! Streams with counters of memory, for [`super::Minidump::other_streams`].

use crate::bytes::ByteWriter;

/// Size of a page, bytes.
const PAGE: u64 = 4096;

/// `MINIDUMP_SYSTEM_MEMORY_INFO_1`, 492 bytes, with RAM, RAM that is not in use, commit charge and commit limit, bytes.
#[must_use]
pub fn system_memory(installed: u64, available: u64, charge: u64, limit: u64) -> (u32, Vec<u8>) {
    let mut out = ByteWriter::new();
    // Revision, flags: all numbers are valid. Timer resolution, page size, RAM in pages.
    out.u16(1).u16(0x0F).u32(156_250).u32(4096).u32((installed / PAGE) as u32);
    out.zeros_to(116).u64(available / PAGE).u64(charge / PAGE).u64(limit / PAGE).u64(charge / PAGE).zeros_to(492);
    (21, out.into_bytes())
}

/// `MINIDUMP_PROCESS_VM_COUNTERS_2`, 152 bytes, with what the process has committed, its working set and its address
/// space, bytes.
#[must_use]
pub fn process_memory(commit: u64, working_set: u64, virtual_size: u64) -> (u32, Vec<u8>) {
    let mut out = ByteWriter::new();
    // Revision, flags: address space and private memory are valid. Page faults; then peak and present.
    out.u16(2).u16(0x03).u32(20_000).u64(working_set).u64(working_set).zeros_to(56);
    out.u64(commit).u64(commit).u64(virtual_size).u64(virtual_size).u64(commit).zeros_to(152);
    (22, out.into_bytes())
}

//! Captured memory and descriptions of memory.

use super::Minidump;
use super::pending::Pending;
use crate::bytes::{ByteWriter, count32};

/// Captured memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Page protection (`PAGE_*` constants of the Windows SDK).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// No access.
    None,
    /// Read.
    ReadOnly,
    /// Read and write.
    ReadWrite,
    /// Read and write; the next access raises an exception once. The end of a growing stack.
    Guard,
    /// Read and execute.
    ExecuteRead,
}

impl Protection {
    fn bits(self) -> u32 {
        match self {
            Self::None => 0x01,
            Self::ReadOnly => 0x02,
            Self::ReadWrite => 0x04,
            Self::Guard => 0x104,
            Self::ExecuteRead => 0x20,
        }
    }
}

/// A range of pages with the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: u64,
    /// The first address of its allocation.
    pub allocation: u64,
    /// Size, bytes.
    pub size: u64,
    /// Protection; `None` for address space that is only reserved.
    pub protection: Option<Protection>,
    /// Whether it is part of a loaded image.
    pub image: bool,
}

/// `MINIDUMP_MEMORY_LIST`: a count and 16 bytes a range.
pub(super) fn write_list(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    let all = dump.all_memory();
    out.u32(count32(all.len()));
    for memory in all {
        pending.describe_memory(out, memory);
    }
}

/// `MINIDUMP_MEMORY64_LIST`: a count, the offset of the first range, and 16 bytes a range; the ranges follow each other.
pub(super) fn write_large_list(dump: &Minidump, out: &mut ByteWriter, pending: &mut Pending) {
    let all = dump.all_memory();
    out.u64(all.len() as u64);
    if let Some(first) = all.first() {
        pending.point_to_memory(out, first);
    }
    for memory in all {
        out.u64(memory.address).u64(memory.bytes.len() as u64);
    }
}

/// `MINIDUMP_MEMORY_INFO_LIST`: a header of 16 bytes whose count has 64 bits, then 48 bytes a region.
pub(super) fn write_regions(dump: &Minidump, out: &mut ByteWriter, _: &mut Pending) {
    const COMMITTED: u32 = 0x1000;
    const RESERVED: u32 = 0x2000;
    const PRIVATE: u32 = 0x0002_0000;
    const IMAGE: u32 = 0x0100_0000;
    const EXECUTE_WRITECOPY: u32 = 0x80;
    let mut regions = dump.regions.clone();
    regions.sort_by_key(|region| region.base);
    out.u32(16).u32(48).u64(regions.len() as u64);
    for region in regions {
        let (kind, allocated_as) =
            if region.image { (IMAGE, EXECUTE_WRITECOPY) } else { (PRIVATE, Protection::ReadWrite.bits()) };
        let (state, protection) = match region.protection {
            Some(protection) => (COMMITTED, protection.bits()),
            None => (RESERVED, 0),
        };
        out.u64(region.base).u64(region.allocation).u32(allocated_as).u32(0).u64(region.size);
        out.u32(state).u32(protection).u32(kind).u32(0);
    }
}

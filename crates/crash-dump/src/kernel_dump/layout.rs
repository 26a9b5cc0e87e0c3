//! Where the fields of a kernel dump's header, of its triage block and of its lists are. What they mean is in the
//! modules that read them.
//!
//! Source: the documented contents of small memory dumps (Windows driver documentation), and the offsets on which the
//! public parsers of kernel dumps agree.

use super::width::{ByWidth, both};
use untrusted::text::utf16;

/// Offsets of a header's fields from the beginning of the file, in bytes.
pub(super) mod header {
    use crate::kernel_dump::width::{ByWidth, both, same};

    /// Length of the header; what depends on the dump's type begins here.
    pub const LENGTH: ByWidth<u64> = both(0x2000, 0x1000);
    /// `MinorVersion`, which holds the build number.
    pub const BUILD: ByWidth = same(0x0C);
    /// `DirectoryTableBase`: the physical address of the page tables.
    pub const DIRECTORY_TABLE: ByWidth = same(0x10);
    /// `PsLoadedModuleList`, a pointer into the kernel's image.
    pub const MODULE_LIST: ByWidth = both(0x20, 0x18);
    /// `MachineImageType`.
    pub const MACHINE: ByWidth = both(0x30, 0x20);
    /// `NumberProcessors`.
    pub const PROCESSORS: ByWidth = both(0x34, 0x24);
    /// `BugCheckCode`.
    pub const CODE: ByWidth = both(0x38, 0x28);
    /// The four parameters, each as wide as a pointer.
    pub const PARAMETERS: [ByWidth; 4] = [both(0x40, 0x2C), both(0x48, 0x30), both(0x50, 0x34), both(0x58, 0x38)];
    /// `KdDebuggerDataBlock`, a pointer into the kernel's image.
    pub const DEBUGGER_DATA: ByWidth = both(0x80, 0x60);
    /// The runs of physical pages that a full dump holds, 700 bytes.
    pub const PHYSICAL_MEMORY: ByWidth = both(0x88, 0x64);
    /// `ContextRecord`.
    pub const CONTEXT: ByWidth = both(0x348, 0x320);
    /// `ExceptionCode` of the exception record.
    pub const EXCEPTION_CODE: ByWidth = both(0xF00, 0x7D0);
    /// `ExceptionAddress` of the exception record.
    pub const EXCEPTION_ADDRESS: ByWidth = both(0xF10, 0x7DC);
    /// `DumpType`.
    pub const DUMP_TYPE: ByWidth = both(0xF98, 0xF88);
    /// `RequiredDumpSpace`, 64 bits: the bytes that the whole dump needs.
    pub const REQUIRED_SPACE: ByWidth = same(0xFA0);
    /// `SystemTime`, a FILETIME.
    pub const SYSTEM_TIME: ByWidth = both(0xFA8, 0xFC0);
    /// `Comment`, 128 bytes.
    pub const COMMENT: ByWidth = both(0xFB0, 0x820);
    /// `SystemUpTime`, 100 ns units, 64 bits.
    pub const UPTIME: ByWidth = both(0x1030, 0xFB8);
}

/// Length of the header's comment, bytes.
pub(super) const COMMENT_LENGTH: usize = 128;

/// Offsets in the triage block, which follows the header of a triage dump. Its first 18 fields of 32 bits are the
/// same for both widths. Offsets that the block holds count from the beginning of the file.
pub(super) mod triage {
    use crate::kernel_dump::width::{ByWidth, both};

    /// The length of the fields that both widths share, bytes.
    pub const LENGTH: u64 = 0x48;
    /// The length of the whole block, bytes.
    pub const WHOLE_LENGTH: ByWidth<u64> = both(0x80, 0x68);
    /// `SizeOfDump`: the bytes of the dump without the secondary data that may follow it.
    pub const SIZE_OF_DUMP: usize = 0x04;
    /// `ValidOffset`: where the end mark is.
    pub const END_MARK: usize = 0x08;
    /// `UnloadedDriversOffset`.
    pub const UNLOADED_DRIVERS: usize = 0x18;
    /// `PrcbOffset`: the description of the processor that stopped the system.
    pub const PROCESSOR: usize = 0x1C;
    /// `ProcessOffset`: the description of the process.
    pub const PROCESS: usize = 0x20;
    /// `CallStackOffset`.
    pub const CALL_STACK: usize = 0x28;
    /// `SizeOfCallStack`, bytes.
    pub const CALL_STACK_SIZE: usize = 0x2C;
    /// `DriverListOffset`.
    pub const DRIVER_LIST: usize = 0x30;
    /// `DriverCount`.
    pub const DRIVER_COUNT: usize = 0x34;
    /// `StringPoolOffset`.
    pub const STRING_POOL: usize = 0x38;
    /// `StringPoolSize`, bytes.
    pub const STRING_POOL_SIZE: usize = 0x3C;
    /// `BrokenDriverOffset`.
    pub const NAMED_DRIVER: usize = 0x40;
    /// `TriageOptions`.
    pub const OPTIONS: usize = 0x44;
    /// `TopOfStack`, a pointer: the address of the call stack's first byte.
    pub const TOP_OF_STACK: usize = 0x48;
    /// `DebuggerDataOffset` and `DebuggerDataSize`.
    pub const DEBUGGER_DATA: ByWidth = both(0x70, 0x58);
    pub const DEBUGGER_DATA_SIZE: ByWidth = both(0x74, 0x5C);
    /// `DataBlocksOffset`.
    pub const DATA_BLOCKS: ByWidth = both(0x78, 0x60);
    /// `DataBlocksCount`.
    pub const DATA_BLOCK_COUNT: ByWidth = both(0x7C, 0x64);
    /// Length of a data block's description: its address, its offset and its length.
    pub const DATA_BLOCK: ByWidth = both(16, 12);
    /// The bit of `TriageOptions` that is set when something did not fit and was left out.
    pub const OVERFLOWED: u32 = 0x100;
    /// The mark at `ValidOffset` of a dump that was written to its end.
    pub const END: [u8; 4] = *b"TRGD";
}

/// Where an entry of a triage dump's driver list holds its fields. An entry is the offset of the name in the file, and
/// then the kernel's own description of the driver (`KLDR_DATA_TABLE_ENTRY`).
///
/// The 64-bit layout is measured on a dump of Windows 10. Of the 32-bit one no dump was at hand: it follows from the
/// same fields with pointers of 32 bits. A list that is read by it must make sense as a whole, or is not used.
pub(super) mod driver_entry {
    use crate::kernel_dump::width::{ByWidth, both};

    /// Offset of the name in the file, 32 bits.
    pub const NAME: usize = 0x00;
    /// `DllBase`.
    pub const BASE: ByWidth = both(0x38, 0x1C);
    /// `SizeOfImage`, 32 bits.
    pub const SIZE: ByWidth = both(0x48, 0x24);
    /// `TimeDateStamp`, 32 bits.
    pub const TIMESTAMP: ByWidth = both(0x88, 0x48);
    /// Lengths of entries: the shortest one that holds all of these, which Windows 10 and 11 write, and others that other
    /// systems are reported to write.
    pub const LENGTHS: ByWidth<[usize; 3]> = both([0x90, 0x98, 0xA8], [0x4C, 0x50, 0x54]);
    /// The longest entry that is believed, bytes.
    pub const LONGEST: usize = 0x200;
    /// What an entry's length is a multiple of.
    pub const ALIGNMENT: ByWidth = both(8, 4);
}

/// Where an entry of the list of unloaded drivers holds its fields: a counted string whose characters follow it, then
/// where the image began and ended.
///
/// The 64-bit layout is measured on a dump of Windows 10: a 64-bit count is before the entries. The 32-bit one has the same
/// fields with pointers of 32 bits. No dump was at hand.
pub(super) mod unloaded_entry {
    use crate::kernel_dump::width::{ByWidth, both};

    /// The characters of the name.
    pub const NAME: ByWidth = both(0x10, 0x08);
    /// Where the image began, a pointer.
    pub const START: ByWidth = both(0x28, 0x20);
    /// Where it ended, a pointer.
    pub const END: ByWidth = both(0x30, 0x24);
    /// Length of an entry.
    pub const LENGTH: ByWidth = both(0x38, 0x28);
    /// Length of the name in UTF-16 units.
    pub const UNITS: usize = 12;
    /// The kernel keeps no more entries.
    pub const MOST: u32 = 50;
}

/// Offsets in the kernel's description of a loaded driver (`KLDR_DATA_TABLE_ENTRY`, 64 bits), which is an element of the
/// list that `PsLoadedModuleList` heads. Source: the fields up to the name are those of the documented loader entry
/// (`LDR_DATA_TABLE_ENTRY`); triage dumps hold copies of the same structure.
pub(super) mod loader_entry {
    /// The next element.
    pub const NEXT: usize = 0x00;
    /// The one before.
    pub const BEFORE: usize = 0x08;
    /// `DllBase`.
    pub const BASE: usize = 0x30;
    /// `SizeOfImage`, 32 bits.
    pub const SIZE: usize = 0x40;
    /// `FullDllName`: length in bytes (16 bits), and 8 bytes later the address of the characters.
    pub const PATH: usize = 0x48;
    /// `BaseDllName`.
    pub const NAME: usize = 0x58;
    /// As much of the element as is read.
    pub const LENGTH: usize = 0x68;
}

/// Offsets in what follows the header of a dump whose pages a bitmap lists. Source: public parsers agree.
pub(super) mod bitmap {
    /// `FDMP` (all memory) or `SDMP` (the kernel's).
    pub const SIGNATURES: [[u8; 4]; 2] = [*b"FDMP", *b"SDMP"];
    /// What follows the signature.
    pub const VALID: [u8; 4] = *b"DUMP";
    /// Offset of the first page in the file, 64 bits.
    pub const FIRST_PAGE: usize = 0x20;
    /// How many bits the bitmap has, 64 bits.
    pub const PAGES: usize = 0x30;
    /// Where the bitmap begins; as much as is read before it.
    pub const BITS: usize = 0x38;
}

/// A driver's name or path in UTF-16; `None` where it is no text that a name can be.
pub(super) fn wide_text(bytes: &[u8]) -> Option<String> {
    utf16(bytes).filter(|text| !text.contains(char::is_control))
}

/// A page of memory, bytes.
pub(super) const PAGE: u64 = 0x1000;
/// Display drivers are the largest, with somewhat more than 100 MiB.
pub(super) const LARGEST_IMAGE: u32 = 512 << 20;

/// The lowest address of the kernel's part of the address space: half of it, unless a 32-bit system was told to give
/// programs 3 GiB.
pub(super) const KERNEL_SPACE: ByWidth<u64> = both(0xFFFF_8000_0000_0000, 0x8000_0000);

/// Whether an image can lie there: in the kernel's part, on a page, and as long as drivers are.
pub(super) fn is_image_range(base: u64, size: u64, wide: bool) -> bool {
    base >= KERNEL_SPACE.of(wide)
        && base.is_multiple_of(PAGE)
        && (PAGE..=u64::from(LARGEST_IMAGE)).contains(&size)
        && base.checked_add(size).is_some()
}

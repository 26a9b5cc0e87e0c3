//! Where the fields of a kernel dump's header, of its triage block and of its lists are. What they mean is in the
//! modules that read them.
//!
//! Source: the documented contents of small memory dumps (Windows driver documentation), and the offsets on which the
//! public parsers of kernel dumps agree.

use untrusted::text::utf16;

/// Offsets of a header's fields from the beginning of the file, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeaderLayout {
    /// Length of the header; what depends on the dump's type begins here.
    pub length: u64,
    /// Whether pointers have 64 bits.
    pub wide: bool,
    /// `DirectoryTableBase`: the physical address of the page tables.
    pub directory_table: usize,
    /// `PsLoadedModuleList`, a pointer into the kernel's image.
    pub module_list: usize,
    /// `MachineImageType`.
    pub machine: usize,
    /// `NumberProcessors`.
    pub processors: usize,
    /// `BugCheckCode`.
    pub code: usize,
    /// The first of four parameters, each as wide as a pointer.
    pub parameters: usize,
    /// `KdDebuggerDataBlock`, a pointer into the kernel's image.
    pub debugger_data: usize,
    /// The runs of physical pages that a full dump holds, 700 bytes.
    pub physical_memory: usize,
    /// `ContextRecord`.
    pub context: usize,
    /// `ExceptionCode` of the exception record.
    pub exception_code: usize,
    /// `ExceptionAddress` of the exception record.
    pub exception_address: usize,
    /// `DumpType`.
    pub dump_type: usize,
    /// `RequiredDumpSpace`, 64 bits: the bytes that the whole dump needs.
    pub required_space: usize,
    /// `SystemTime`, a FILETIME.
    pub system_time: usize,
    /// `Comment`, 128 bytes.
    pub comment: usize,
    /// `SystemUpTime`, 100 ns units, 64 bits.
    pub uptime: usize,
}

/// `MinorVersion`, which holds the build number; the same in both headers.
pub(super) const BUILD: usize = 0x0C;

/// The header that begins with `PAGEDU64`.
pub(super) const WIDE: HeaderLayout = HeaderLayout {
    length: 0x2000,
    wide: true,
    directory_table: 0x10,
    module_list: 0x20,
    machine: 0x30,
    processors: 0x34,
    code: 0x38,
    parameters: 0x40,
    debugger_data: 0x80,
    physical_memory: 0x88,
    context: 0x348,
    exception_code: 0xF00,
    exception_address: 0xF10,
    dump_type: 0xF98,
    required_space: 0xFA0,
    system_time: 0xFA8,
    comment: 0xFB0,
    uptime: 0x1030,
};

/// The header that begins with `PAGEDUMP`.
pub(super) const NARROW: HeaderLayout = HeaderLayout {
    length: 0x1000,
    wide: false,
    directory_table: 0x10,
    module_list: 0x18,
    machine: 0x20,
    processors: 0x24,
    code: 0x28,
    parameters: 0x2C,
    debugger_data: 0x60,
    physical_memory: 0x64,
    context: 0x320,
    exception_code: 0x7D0,
    exception_address: 0x7DC,
    dump_type: 0xF88,
    required_space: 0xFA0,
    system_time: 0xFC0,
    comment: 0x820,
    uptime: 0xFB8,
};

/// Length of the header's comment, bytes.
pub(super) const COMMENT_LENGTH: usize = 128;

/// Offsets in the triage block, which follows the header of a triage dump. Its first 18 fields of 32 bits are the
/// same for both widths. Offsets that the block holds count from the beginning of the file.
pub(super) mod triage {
    /// The length of the fields that both widths share, bytes.
    pub const LENGTH: usize = 0x48;
    /// The length of the whole block of a 64-bit dump, bytes.
    pub const WIDE_LENGTH: usize = 0x80;
    /// The length of the whole block of a 32-bit dump, bytes.
    pub const NARROW_LENGTH: usize = 0x68;
    /// `SizeOfDump`: the bytes of the dump without the secondary data that may follow it.
    pub const SIZE_OF_DUMP: usize = 0x04;
    /// `ValidOffset`: where the end mark is.
    pub const END_MARK: usize = 0x08;
    /// `UnloadedDriversOffset`.
    pub const UNLOADED_DRIVERS: usize = 0x18;
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
    /// `DataBlocksOffset` and `DataBlocksCount` of a 64-bit dump.
    pub const WIDE_DATA_BLOCKS: (usize, usize) = (0x78, 0x7C);
    /// The same of a 32-bit dump.
    pub const NARROW_DATA_BLOCKS: (usize, usize) = (0x60, 0x64);
    /// Length of a data block's description in a 64-bit dump: its address, its offset and its length.
    pub const WIDE_DATA_BLOCK: usize = 16;
    /// The same of a 32-bit dump.
    pub const NARROW_DATA_BLOCK: usize = 12;
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
#[derive(Debug, Clone, Copy)]
pub(super) struct DriverEntry {
    /// Offset of the name in the file, 32 bits.
    pub name: usize,
    /// `DllBase`.
    pub base: usize,
    /// `SizeOfImage`, 32 bits.
    pub size: usize,
    /// `TimeDateStamp`, 32 bits.
    pub timestamp: usize,
    /// The shortest entry that holds all of these.
    pub length: usize,
    /// Lengths that other systems are reported to write.
    pub other_lengths: &'static [usize],
    /// What an entry's length is a multiple of.
    pub alignment: usize,
}

/// The longest entry that is believed, bytes.
pub(super) const LONGEST_DRIVER_ENTRY: usize = 0x200;

/// An entry of a 64-bit dump; 0x90 bytes on Windows 10 and 11.
pub(super) const WIDE_DRIVER: DriverEntry = DriverEntry {
    name: 0x00,
    base: 0x38,
    size: 0x48,
    timestamp: 0x88,
    length: 0x90,
    other_lengths: &[0x98, 0xA8],
    alignment: 8,
};

/// An entry of a 32-bit dump.
pub(super) const NARROW_DRIVER: DriverEntry = DriverEntry {
    name: 0x00,
    base: 0x1C,
    size: 0x24,
    timestamp: 0x48,
    length: 0x4C,
    other_lengths: &[0x50, 0x54],
    alignment: 4,
};

/// Where an entry of the list of unloaded drivers holds its fields: a counted string whose characters follow it, then
/// where the image began and ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnloadedEntry {
    /// The characters of the name.
    pub name: usize,
    /// Where the image began, a pointer.
    pub start: usize,
    /// Where it ended, a pointer.
    pub end: usize,
    /// Length of an entry.
    pub length: usize,
}

/// Length of the name in UTF-16 units.
pub(super) const UNLOADED_NAME: usize = 12;
/// The kernel keeps no more.
pub(super) const MOST_UNLOADED: u32 = 50;

/// An entry of a 64-bit dump, measured on a dump of Windows 10: a 64-bit count is before the entries.
pub(super) const WIDE_UNLOADED: UnloadedEntry = UnloadedEntry { name: 0x10, start: 0x28, end: 0x30, length: 0x38 };
/// An entry of a 32-bit dump: the same fields with pointers of 32 bits. No dump was at hand.
pub(super) const NARROW_UNLOADED: UnloadedEntry = UnloadedEntry { name: 0x08, start: 0x20, end: 0x24, length: 0x28 };

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
pub(super) fn kernel_space(wide: bool) -> u64 {
    if wide { 0xFFFF_8000_0000_0000 } else { 0x8000_0000 }
}

/// Whether an image can lie there: in the kernel's part, on a page, and as long as drivers are.
pub(super) fn is_image_range(base: u64, size: u64, wide: bool) -> bool {
    base >= kernel_space(wide)
        && base.is_multiple_of(PAGE)
        && (PAGE..=u64::from(LARGEST_IMAGE)).contains(&size)
        && base.checked_add(size).is_some()
}

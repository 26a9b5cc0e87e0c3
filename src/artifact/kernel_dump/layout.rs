//! Where the fields of a kernel dump's header and of its triage block stand. What they mean is the readers' matter.
//!
//! Source: the documented contents of small memory dumps (Windows driver documentation), and the offsets on which the
//! public parsers of kernel dumps agree.

/// Offsets of a header's fields from the beginning of the file, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeaderLayout {
    /// Length of the header; what depends on the dump's type begins here.
    pub length: u64,
    /// Whether pointers have 64 bits.
    pub wide: bool,
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
    /// `SystemUpTime`, 100 ns units, 64 bits.
    pub uptime: usize,
}

/// `MinorVersion`, which holds the build number; the same in both headers.
pub(super) const BUILD: usize = 0x0C;

/// The header that begins with `PAGEDU64`.
pub(super) const WIDE: HeaderLayout = HeaderLayout {
    length: 0x2000,
    wide: true,
    module_list: 0x20,
    machine: 0x30,
    processors: 0x34,
    code: 0x38,
    parameters: 0x40,
    debugger_data: 0x80,
    exception_code: 0xF00,
    exception_address: 0xF10,
    dump_type: 0xF98,
    required_space: 0xFA0,
    system_time: 0xFA8,
    uptime: 0x1030,
};

/// The header that begins with `PAGEDUMP`.
pub(super) const NARROW: HeaderLayout = HeaderLayout {
    length: 0x1000,
    wide: false,
    module_list: 0x18,
    machine: 0x20,
    processors: 0x24,
    code: 0x28,
    parameters: 0x2C,
    debugger_data: 0x60,
    exception_code: 0x7D0,
    exception_address: 0x7DC,
    dump_type: 0xF88,
    required_space: 0xFA0,
    system_time: 0xFC0,
    uptime: 0xFB8,
};

/// Offsets in the triage block, which follows the header of a triage dump. Its first 18 fields of 32 bits are the
/// same for both widths. Offsets that the block holds count from the beginning of the file.
pub(super) mod triage {
    /// As much of the block as is read, in bytes.
    pub const LENGTH: usize = 0x48;
    /// `SizeOfDump`: the bytes of the dump without the secondary data that may follow it.
    pub const SIZE_OF_DUMP: usize = 0x04;
    /// `ValidOffset`: where the end mark stands.
    pub const END_MARK: usize = 0x08;
    /// `DriverListOffset`.
    pub const DRIVER_LIST: usize = 0x30;
    /// `DriverCount`.
    pub const DRIVER_COUNT: usize = 0x34;
    /// `StringPoolOffset`.
    pub const STRING_POOL: usize = 0x38;
    /// `StringPoolSize`, bytes.
    pub const STRING_POOL_SIZE: usize = 0x3C;
    /// `TriageOptions`.
    pub const OPTIONS: usize = 0x44;
    /// The bit of `TriageOptions` that says that something did not fit and was left out.
    pub const OVERFLOWED: u32 = 0x100;
    /// What stands at `ValidOffset` when the dump was written to its end.
    pub const END: [u8; 4] = *b"TRGD";
}

/// Offsets in an entry of a 64-bit triage dump's driver list.
pub(super) mod driver {
    /// Offset of the name in the file, 32 bits.
    pub const NAME: usize = 0x00;
    /// `DllBase`.
    pub const BASE: usize = 0x38;
    /// `SizeOfImage`, 32 bits.
    pub const SIZE: usize = 0x48;
    /// `TimeDateStamp`, 32 bits.
    pub const TIMESTAMP: usize = 0x88;
    /// The shortest entry that holds all of these, and the length on Windows 10 and 11.
    pub const LENGTH: usize = 0x90;
    /// Lengths that older systems are reported to write.
    pub const OLDER_LENGTHS: [usize; 2] = [0x98, 0xA8];
    /// The longest entry that is believed.
    pub const LONGEST: usize = 0x200;
}

/// The 32-bit value at `offset`.
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|field| u32::from_le_bytes(*field))
}

/// The 64-bit value at `offset`.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk().map(|field| u64::from_le_bytes(*field))
}

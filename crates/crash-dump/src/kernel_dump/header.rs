//! The header of a kernel dump.

use jiff::SignedDuration;

use super::layout::{COMMENT_LENGTH, KERNEL_SPACE, header as layout};
use super::width::{ByWidth, same};
use crate::context::ContextLayout;
use evidence::{Address, CpuArchitecture, KernelDumpType};
use untrusted::bytes::{u32_at, u64_at};

/// The text `PAGE`, with which the writer fills what it does not set.
const FILLER: u32 = u32::from_le_bytes(*b"PAGE");

/// A header. Fields are absent where the file ends before them, or where they were never set.
#[derive(Debug)]
pub(super) struct Header {
    /// The file's first bytes.
    bytes: Vec<u8>,
    /// Whether pointers have 64 bits.
    pub wide: bool,
}

impl Header {
    /// Whether pointers have 64 bits in the dump that begins with these bytes; `None` for files that are no kernel dumps.
    pub fn announced_width(first_bytes: &[u8]) -> Option<bool> {
        match first_bytes.first_chunk::<8>()? {
            b"PAGEDU64" => Some(true),
            b"PAGEDUMP" => Some(false),
            _ => None,
        }
    }

    /// The header in `bytes`, the file's first [`LENGTH`](layout::LENGTH) ones, or fewer where it is cut.
    pub fn new(bytes: Vec<u8>, wide: bool) -> Self {
        Self { bytes, wide }
    }

    /// Length of a whole header.
    pub fn length(&self) -> u64 {
        layout::LENGTH.of(self.wide)
    }

    /// A number of 32 bits.
    pub fn number(&self, field: ByWidth) -> Option<u32> {
        u32_at(&self.bytes, field.of(self.wide)).filter(|value| *value != FILLER)
    }

    /// A number of 64 bits.
    pub fn long(&self, field: ByWidth) -> Option<u64> {
        u64_at(&self.bytes, field.of(self.wide)).filter(|value| *value != u64::from(FILLER) << 32 | u64::from(FILLER))
    }

    /// A number as wide as the dump's pointers are.
    pub fn pointer(&self, field: ByWidth) -> Option<u64> {
        if self.wide { self.long(field) } else { self.number(field).map(u64::from) }
    }

    /// A pointer to something.
    pub fn address(&self, field: ByWidth) -> Option<u64> {
        self.pointer(field).filter(|address| *address != 0)
    }

    /// Addresses that lie in the kernel's own image.
    pub fn kernel_addresses(&self) -> Vec<Address> {
        let fields = [layout::MODULE_LIST, layout::DEBUGGER_DATA];
        fields.into_iter().filter_map(|field| self.address(field)).map(Address).collect()
    }

    /// Where the exception was raised.
    pub fn exception_address(&self) -> Option<Address> {
        let raised = self.number(layout::EXCEPTION_CODE).is_some_and(|code| code != 0);
        self.address(layout::EXCEPTION_ADDRESS).filter(|_| raised).map(Address)
    }

    /// How long the system had been up.
    pub fn uptime(&self) -> Option<SignedDuration> {
        // In units of 100 ns.
        let ticks = self.long(layout::UPTIME).filter(|ticks| *ticks != 0)?;
        SignedDuration::try_from_nanos_i128(i128::from(ticks).checked_mul(100)?)
    }

    /// The list of the physical pages of a full dump.
    pub fn physical_memory(&self) -> &[u8] {
        let place = layout::PHYSICAL_MEMORY.of(self.wide)..layout::CONTEXT.of(self.wide);
        self.bytes.get(place).unwrap_or_default()
    }

    /// Instruction and stack pointer of the context, if it was set: a kernel's stack lies in its own part of the address
    /// space.
    pub fn context(&self) -> Option<(u64, u64)> {
        let offsets = ContextLayout::for_cpu(self.cpu()?)?;
        let context = layout::CONTEXT.of(self.wide);
        let instruction = self.pointer(same(context.checked_add(offsets.instruction)?))?;
        let stack = self.pointer(same(context.checked_add(offsets.stack)?))?;
        (stack >= KERNEL_SPACE.of(self.wide) && stack.is_multiple_of(4)).then_some((instruction, stack))
    }

    /// The text that the dump's writer left: ANSI up to a NUL.
    pub fn comment(&self) -> Option<String> {
        let bytes = self.bytes.get(layout::COMMENT.of(self.wide)..)?.get(..COMMENT_LENGTH)?;
        let text = bytes.split(|byte| *byte == 0).next()?;
        let unset = text.starts_with(&FILLER.to_le_bytes());
        let text: String = text.iter().map(|byte| char::from(*byte)).collect();
        let text = text.trim();
        (!unset && !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')).then(|| text.to_owned())
    }

    /// Which kind of dump was written.
    ///
    /// Source: Windows driver documentation on the varieties of kernel dumps; public parsers agree on the numbers.
    pub fn dump_type(&self) -> Option<KernelDumpType> {
        Some(match self.number(layout::DUMP_TYPE)? {
            1 => KernelDumpType::Full,
            2 => KernelDumpType::Kernel,
            3 => KernelDumpType::Header,
            4 => KernelDumpType::Triage,
            5 | 6 => KernelDumpType::Bitmap,
            7 => KernelDumpType::Automatic,
            8..=10 => KernelDumpType::Ranges,
            other => KernelDumpType::Other(other),
        })
    }

    /// Whether the dump holds all memory: that of Windows up to 7, or its successor, of which the bitmap lists the pages.
    pub fn holds_all_memory(&self) -> bool {
        matches!(self.number(layout::DUMP_TYPE), Some(1 | 5))
    }

    /// The processor architecture.
    ///
    /// Source: the `IMAGE_FILE_MACHINE_` numbers of the PE format's documentation.
    pub fn cpu(&self) -> Option<CpuArchitecture> {
        Some(match self.number(layout::MACHINE)? {
            0x014C => CpuArchitecture::X86,
            0x8664 => CpuArchitecture::X64,
            0x01C0 | 0x01C2 | 0x01C4 => CpuArchitecture::Arm,
            0xAA64 => CpuArchitecture::Arm64,
            _ => CpuArchitecture::Other,
        })
    }
}

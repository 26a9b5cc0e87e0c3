//! The header of a kernel dump.

use jiff::{SignedDuration, Timestamp};

use super::layout::{BUILD, COMMENT_LENGTH, HeaderLayout, NARROW, WIDE, kernel_space};
use crate::context::ContextLayout;
use evidence::{Address, BugcheckCode, CpuArchitecture, KernelDumpType};
use untrusted::bytes::{u32_at, u64_at};
use untrusted::notation::filetime;

/// The text `PAGE`, with which the writer fills what it does not set.
const FILLER: u32 = u32::from_le_bytes(*b"PAGE");

/// A header's fields. Absent where the file ends before them, or where they were never set.
#[derive(Debug)]
pub(super) struct Header {
    pub layout: HeaderLayout,
    pub dump_type: Option<KernelDumpType>,
    pub code: Option<BugcheckCode>,
    pub parameters: [Option<u64>; 4],
    pub build: Option<u32>,
    pub cpu: Option<CpuArchitecture>,
    pub cpu_count: Option<u32>,
    pub time: Option<Timestamp>,
    pub uptime: Option<SignedDuration>,
    pub exception_address: Option<Address>,
    /// `RequiredDumpSpace`, bytes.
    pub required_space: Option<u64>,
    /// Addresses that lie in the kernel's own image.
    pub kernel_addresses: Vec<Address>,
    /// Where the list of loaded drivers begins.
    pub module_list: Option<u64>,
    /// The physical address of the page tables.
    pub directory_table: Option<u64>,
    /// The list of the physical pages of a full dump.
    pub physical_memory: Vec<u8>,
    /// The instruction pointer of the context.
    pub instruction_pointer: Option<u64>,
    /// The stack pointer of the context.
    pub stack_pointer: Option<u64>,
    /// The text that the dump's writer left.
    pub comment: Option<String>,
}

impl HeaderLayout {
    /// The layout that the file's first eight bytes announce.
    pub fn announced_by(first_bytes: &[u8]) -> Option<Self> {
        match first_bytes.first_chunk::<8>()? {
            b"PAGEDU64" => Some(WIDE),
            b"PAGEDUMP" => Some(NARROW),
            _ => None,
        }
    }
}

impl Header {
    /// Reads the header from `bytes`, the file's first [`HeaderLayout::length`] bytes, or fewer where it is cut.
    pub fn read(bytes: &[u8], layout: HeaderLayout) -> Self {
        let fields = Fields { bytes, wide: layout.wide };
        let mut parameters = [None; 4];
        let pointer_length = if layout.wide { 8 } else { 4 };
        for (parameter, offset) in parameters.iter_mut().zip((layout.parameters..).step_by(pointer_length)) {
            *parameter = fields.pointer(offset);
        }
        let raised = fields.number(layout.exception_code).is_some_and(|code| code != 0);
        let address = |offset| fields.pointer(offset).filter(|address| *address != 0);
        let cpu = fields.number(layout.machine).map(architecture);
        let (instruction_pointer, stack_pointer) = fields.context(layout.context, cpu).unzip();
        Self {
            layout,
            dump_type: fields.number(layout.dump_type).map(dump_type),
            code: fields.number(layout.code).map(BugcheckCode),
            parameters,
            build: fields.number(BUILD),
            cpu,
            cpu_count: fields.number(layout.processors),
            time: fields.long(layout.system_time).and_then(filetime),
            uptime: fields.long(layout.uptime).filter(|ticks| *ticks != 0).and_then(duration),
            exception_address: address(layout.exception_address).filter(|_| raised).map(Address),
            required_space: fields.long(layout.required_space).filter(|space| *space != 0),
            kernel_addresses: [layout.module_list, layout.debugger_data]
                .into_iter()
                .filter_map(address)
                .map(Address)
                .collect(),
            module_list: address(layout.module_list),
            directory_table: address(layout.directory_table),
            physical_memory: bytes.get(layout.physical_memory..layout.context).map(<[u8]>::to_vec).unwrap_or_default(),
            instruction_pointer,
            stack_pointer,
            comment: fields.comment(layout.comment),
        }
    }
}

/// The header's bytes. Fields filled with `PAGE` are absent.
struct Fields<'a> {
    bytes: &'a [u8],
    wide: bool,
}

impl Fields<'_> {
    /// The number of 32 bits at `offset`.
    fn number(&self, offset: usize) -> Option<u32> {
        u32_at(self.bytes, offset).filter(|value| *value != FILLER)
    }

    /// The number of 64 bits at `offset`.
    fn long(&self, offset: usize) -> Option<u64> {
        u64_at(self.bytes, offset).filter(|value| *value != u64::from(FILLER) << 32 | u64::from(FILLER))
    }

    /// The pointer at `offset`, as wide as the dump's are.
    fn pointer(&self, offset: usize) -> Option<u64> {
        if self.wide { self.long(offset) } else { self.number(offset).map(u64::from) }
    }

    /// Instruction and stack pointer of the context at `offset`, if it was set: a kernel's stack lies in its own part of
    /// the address space.
    fn context(&self, offset: usize, cpu: Option<CpuArchitecture>) -> Option<(u64, u64)> {
        let layout = ContextLayout::for_cpu(cpu?)?;
        let instruction = self.pointer(offset.checked_add(layout.instruction)?)?;
        let stack = self.pointer(offset.checked_add(layout.stack)?)?;
        (stack >= kernel_space(self.wide) && stack.is_multiple_of(4)).then_some((instruction, stack))
    }

    /// The comment: ANSI text up to a NUL.
    fn comment(&self, offset: usize) -> Option<String> {
        let bytes = self.bytes.get(offset..)?.get(..COMMENT_LENGTH)?;
        let text = bytes.split(|byte| *byte == 0).next()?;
        let unset = text.starts_with(&FILLER.to_le_bytes());
        let text: String = text.iter().map(|byte| char::from(*byte)).collect();
        let text = text.trim();
        (!unset && !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')).then(|| text.to_owned())
    }
}

/// Source: Windows driver documentation on the varieties of kernel dumps; public parsers agree on the numbers.
fn dump_type(number: u32) -> KernelDumpType {
    match number {
        1 => KernelDumpType::Full,
        2 => KernelDumpType::Kernel,
        3 => KernelDumpType::Header,
        4 => KernelDumpType::Triage,
        5 | 6 => KernelDumpType::Bitmap,
        7 => KernelDumpType::Automatic,
        8..=10 => KernelDumpType::Ranges,
        other => KernelDumpType::Other(other),
    }
}

/// Source: the `IMAGE_FILE_MACHINE_` numbers of the PE format's documentation.
fn architecture(machine: u32) -> CpuArchitecture {
    match machine {
        0x014C => CpuArchitecture::X86,
        0x8664 => CpuArchitecture::X64,
        0x01C0 | 0x01C2 | 0x01C4 => CpuArchitecture::Arm,
        0xAA64 => CpuArchitecture::Arm64,
        _ => CpuArchitecture::Other,
    }
}

/// A time span of `ticks` 100 ns units.
fn duration(ticks: u64) -> Option<SignedDuration> {
    const TICKS_A_SECOND: u64 = 10_000_000;
    let seconds = i64::try_from(ticks.checked_div(TICKS_A_SECOND)?).ok()?;
    let rest = i32::try_from(ticks.checked_rem(TICKS_A_SECOND)?).ok()?;
    Some(SignedDuration::new(seconds, rest.checked_mul(100)?))
}

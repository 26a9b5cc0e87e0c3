//! The debugger's data block (`KDDEBUGGER_DATA64`): where the kernel's descriptions of processes, threads and processors hold
//! their fields, which differs between builds of Windows.
//!
//! Source: `WDBGEXTS.H` of the Windows SDK.

use untrusted::bytes::{array_at, u16_at, u64_at};

/// As much of the block as is read, bytes: what Windows 10 has of it.
pub(super) const LENGTH: usize = 0x380;

/// Offsets in the block, bytes.
mod field {
    /// What every block holds here: `KDBG`.
    pub const TAG: usize = 0x10;
    /// `KiProcessorBlock`: the address of the list of processors' descriptions.
    pub const PROCESSOR_BLOCK: usize = 0x218;
    /// `OffsetKThreadInitialStack`.
    pub const THREAD_INITIAL_STACK: usize = 0x29E;
    /// `OffsetKThreadApcProcess`.
    pub const THREAD_PROCESS: usize = 0x2A0;
    /// `SizeEProcess`.
    pub const PROCESS_SIZE: usize = 0x2A8;
    /// `OffsetEprocessParentCID`.
    pub const PROCESS_PARENT: usize = 0x2AC;
    /// `SizePrcb`.
    pub const PROCESSOR_SIZE: usize = 0x2B0;
    /// `OffsetPrcbCurrentThread`.
    pub const PROCESSOR_THREAD: usize = 0x2B4;
    /// `OffsetPrcbMhz`.
    pub const PROCESSOR_MHZ: usize = 0x2B6;
    /// `OffsetPrcbCpuType`.
    pub const PROCESSOR_KIND: usize = 0x2B8;
    /// `OffsetPrcbVendorString`.
    pub const PROCESSOR_VENDOR: usize = 0x2BA;
    /// `OffsetPrcbNumber`.
    pub const PROCESSOR_NUMBER: usize = 0x2BE;
}

/// What is used of the block. Offsets and sizes in bytes; never zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct DebuggerData {
    pub processor_block: Option<u64>,
    pub thread_initial_stack: Option<usize>,
    pub thread_process: Option<usize>,
    pub process_size: Option<usize>,
    pub process_parent: Option<usize>,
    pub processor_size: Option<usize>,
    pub processor_thread: Option<usize>,
    pub processor_mhz: Option<usize>,
    pub processor_kind: Option<usize>,
    pub processor_vendor: Option<usize>,
    pub processor_number: Option<usize>,
}

impl DebuggerData {
    /// The block in `bytes`; `None` where they are none, or it is encoded as in a running system.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if array_at(bytes, field::TAG)? != *b"KDBG" {
            return None;
        }
        let number = |offset| u16_at(bytes, offset).filter(|number| *number != 0).map(usize::from);
        Some(Self {
            processor_block: u64_at(bytes, field::PROCESSOR_BLOCK).filter(|address| *address != 0),
            thread_initial_stack: number(field::THREAD_INITIAL_STACK),
            thread_process: number(field::THREAD_PROCESS),
            process_size: number(field::PROCESS_SIZE),
            process_parent: number(field::PROCESS_PARENT),
            processor_size: number(field::PROCESSOR_SIZE),
            processor_thread: number(field::PROCESSOR_THREAD),
            processor_mhz: number(field::PROCESSOR_MHZ),
            processor_kind: number(field::PROCESSOR_KIND),
            processor_vendor: number(field::PROCESSOR_VENDOR),
            processor_number: number(field::PROCESSOR_NUMBER),
        })
    }
}

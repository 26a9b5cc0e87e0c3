//! Where the registers of a thread (`CONTEXT`) hold instruction pointer and stack pointer.
//!
//! Sources: `CONTEXT` of `winnt.h` for each architecture, and Breakpad's for ARM64 (`minidump_cpu_arm64.h`).

use evidence::CpuArchitecture;
use untrusted::bytes::{pointer_at, u32_at};

/// The offsets in an architecture's `CONTEXT`, bytes.
#[derive(Debug)]
pub(crate) struct ContextLayout {
    cpu: CpuArchitecture,
    /// The least length by which such a context is known.
    length: usize,
    /// `ContextFlags`, and the bit in it that names the architecture.
    flags: (usize, u32),
    /// The instruction pointer: `Rip`, `Eip` or `Pc`.
    pub instruction: usize,
    /// The stack pointer: `Rsp`, `Esp` or `Sp`.
    pub stack: usize,
}

static LAYOUTS: [ContextLayout; 3] = {
    use CpuArchitecture::{Arm64, X64, X86};
    [
        ContextLayout { cpu: X64, length: 1232, flags: (0x30, 0x0010_0000), instruction: 0xF8, stack: 0x98 },
        ContextLayout { cpu: Arm64, length: 0x100, flags: (0, 0x0040_0000), instruction: 0x108, stack: 0x100 },
        ContextLayout { cpu: X86, length: 716, flags: (0, 0x0001_0000), instruction: 0xB8, stack: 0xC4 },
    ]
};

impl ContextLayout {
    /// The layout of an architecture's contexts, where it is known.
    pub fn for_cpu(cpu: CpuArchitecture) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| layout.cpu == cpu)
    }

    /// The layout of a context, by its length and flags.
    fn recognise(context: &[u8]) -> Option<&'static Self> {
        LAYOUTS.iter().find(|layout| {
            let (at, flag) = layout.flags;
            context.len() >= layout.length && u32_at(context, at).is_some_and(|flags| flags & flag != 0)
        })
    }
}

/// The instruction pointer of a context, whichever architecture it is of.
pub(crate) fn instruction_pointer(context: &[u8]) -> Option<u64> {
    let layout = ContextLayout::recognise(context)?;
    pointer_at(context, layout.instruction, layout.cpu.is_64_bit())
}

/// The stack pointer of a context, whichever architecture it is of.
pub(crate) fn stack_pointer(context: &[u8]) -> Option<u64> {
    let layout = ContextLayout::recognise(context)?;
    pointer_at(context, layout.stack, layout.cpu.is_64_bit())
}

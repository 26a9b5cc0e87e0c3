//! Thread contexts of 64-bit x86.

use crate::bytes::ByteWriter;

/// The general registers of a thread. Registers without a field have the values that are usual for Windows threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// Instruction pointer.
    pub rip: u64,
    /// Stack pointer.
    pub rsp: u64,
    /// Frame register; on Windows mostly an ordinary register.
    pub rbp: u64,
    /// Accumulator.
    pub rax: u64,
    /// Base register.
    pub rbx: u64,
    /// First argument.
    pub rcx: u64,
    /// Second argument.
    pub rdx: u64,
    /// Source index.
    pub rsi: u64,
    /// Destination index.
    pub rdi: u64,
    /// Third argument.
    pub r8: u64,
    /// Fourth argument.
    pub r9: u64,
    /// R10 to R15.
    pub upper: [u64; 6],
    /// Processor flags.
    pub flags: u32,
}

impl Context {
    /// A context with all registers zero but these two.
    #[must_use]
    pub fn at(rip: u64, rsp: u64) -> Self {
        Self {
            rip,
            rsp,
            rbp: 0,
            rax: 0,
            rbx: 0,
            rcx: 0,
            rdx: 0,
            rsi: 0,
            rdi: 0,
            r8: 0,
            r9: 0,
            upper: [0; 6],
            // Interrupts on, zero and parity set: what is left after a comparison of equals.
            flags: 0x246,
        }
    }

    /// The `CONTEXT` structure of 64-bit Windows, 1232 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::new();
        out.zeros(0x30);
        // CONTEXT_ALL for AMD64, and the SSE control word with all exceptions masked.
        out.u32(0x0010_001F).u32(0x1F80);
        // Selectors of a 64-bit user thread: CS, DS, ES, FS, GS, SS.
        for selector in [0x33, 0x2B, 0x2B, 0x53, 0x2B, 0x2B] {
            out.u16(selector);
        }
        // Flags, then six debug registers.
        out.u32(self.flags).zeros(48);
        for register in
            [self.rax, self.rcx, self.rdx, self.rbx, self.rsp, self.rbp, self.rsi, self.rdi, self.r8, self.r9]
        {
            out.u64(register);
        }
        for register in self.upper {
            out.u64(register);
        }
        out.u64(self.rip);
        // XMM_SAVE_AREA32 at 0x100: control word of the FPU, SSE control word and its mask at 0x118.
        out.u16(0x027F).zeros_to(0x118).u32(0x1F80).u32(0xFFFF);
        out.zeros_to(SIZE);
        out.into_bytes()
    }
}

/// Size of the structure, bytes.
const SIZE: usize = 1232;

#[cfg(test)]
mod tests {
    use super::Context;

    #[test]
    fn registers_are_where_windows_has_them() {
        let bytes = Context::at(0x1122_3344, 0x5566_7788).to_bytes();
        assert_eq!(bytes.len(), 1232);
        assert_eq!(bytes[0xF8..0xFC], [0x44, 0x33, 0x22, 0x11]);
        assert_eq!(bytes[0x98..0x9C], [0x88, 0x77, 0x66, 0x55]);
    }
}

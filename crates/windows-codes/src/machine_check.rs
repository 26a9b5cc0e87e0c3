//! The error that the status register of a machine-check bank (`MCi_STATUS`) reports.

/// The status register of a bank that reported an error.
///
/// Source: Intel's manual for software developers, volume 3, "Machine-check architecture"; AMD's programmer's manual,
/// volume 2, "Machine check architecture". Only bits that mean the same in both, or that one of them does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McaStatus(u64);

evidence::words!(
    /// The part of the machine in which the error is, by the error code.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    McaClass {
        /// A cache.
        Cache => "cache",
        /// Address translation.
        Tlb => "tlb",
        /// The memory controller or the memory itself.
        Memory => "memory",
        /// A bus or the interconnect.
        Bus => "bus",
        /// Input and output: the error code 0x0E0B, which lies in the range of codes of `Bus`.
        Io => "io",
        /// The processor's own checks: parity, its internal timer, and errors that only the maker's documents explain.
        Internal => "internal",
        /// None of the above.
        Other => "other",
    }
);

impl McaStatus {
    const VALID: u64 = 1 << 63;
    const OVERFLOW: u64 = 1 << 62;
    const UNCORRECTED: u64 = 1 << 61;
    const CONTEXT_CORRUPT: u64 = 1 << 57;
    /// The error code in the lower half, without bit 12, which only marks that reports of such errors are filtered.
    const CODE: u64 = 0xEFFF;

    /// The status; `None` unless the register's upper bit marks it as valid.
    #[must_use]
    pub fn new(register: u64) -> Option<Self> {
        (register & Self::VALID != 0).then_some(Self(register))
    }

    /// Whether another error had come before this one was read, and was lost.
    #[must_use]
    pub fn overflowed(self) -> bool {
        self.0 & Self::OVERFLOW != 0
    }

    /// Whether the hardware could not correct the error.
    #[must_use]
    pub fn is_uncorrected(self) -> bool {
        self.0 & Self::UNCORRECTED != 0
    }

    /// Whether the processor's state may be damaged, so that nothing could go on.
    #[must_use]
    pub fn context_is_corrupt(self) -> bool {
        self.0 & Self::CONTEXT_CORRUPT != 0
    }

    /// The class of the error code.
    #[must_use]
    pub fn class(self) -> McaClass {
        match self.0 & Self::CODE {
            0x0E0B => McaClass::Io,
            0x000C..=0x000F | 0x0100..=0x01FF => McaClass::Cache,
            0x0010..=0x001F => McaClass::Tlb,
            0x0080..=0x00FF | 0x0280..=0x02FF => McaClass::Memory,
            0x0005 | 0x0400..=0x07FF => McaClass::Internal,
            0x0800..=0x0FFF => McaClass::Bus,
            _ => McaClass::Other,
        }
    }
}

impl McaClass {
    /// The part of the machine in words for a reader; `None` where no part is known.
    #[must_use]
    pub fn about(self) -> Option<&'static str> {
        match self {
            Self::Cache => Some("cache"),
            Self::Tlb => Some("address translation (TLB)"),
            Self::Memory => Some("memory controller"),
            Self::Bus => Some("bus and interconnect"),
            Self::Io => Some("input and output"),
            Self::Internal => Some("internal to the processor"),
            Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_half_of_a_status_names_the_class() {
        for (status, expected) in [
            (0xF200_0000_0004_0005, McaClass::Internal),
            (0xBEA0_0000_0000_0108, McaClass::Cache),
            (0xBEA0_0000_0100_0118, McaClass::Cache),
            (0xBE00_0000_0000_1136, McaClass::Cache),
            (0x9820_0000_0002_080B, McaClass::Bus),
            (0xBE00_0000_0010_0E0F, McaClass::Bus),
            (0x8C00_0040_0000_1090, McaClass::Memory),
            (0x8C00_0040_0000_0280, McaClass::Memory),
            (0xB200_0000_0000_0014, McaClass::Tlb),
            (0xB200_0000_0000_0400, McaClass::Internal),
            (0xB200_0000_0000_0402, McaClass::Internal),
            (0xB200_0000_0000_0E0B, McaClass::Io),
            (0xB200_0000_0000_0001, McaClass::Other),
        ] {
            let class = McaStatus::new(status).map(McaStatus::class);
            assert_eq!(class, Some(expected), "{status:#x}");
            assert!(McaClass::WORDS.contains(&expected.word()));
        }
    }

    #[test]
    fn the_upper_bits_say_what_the_error_did() {
        let flags = |register| {
            let status = McaStatus::new(register)?;
            Some((status.overflowed(), status.is_uncorrected(), status.context_is_corrupt()))
        };
        assert_eq!(flags(0xBEA0_0000_0000_0108), Some((false, true, true)));
        assert_eq!(flags(0xF200_0000_0004_0005), Some((true, true, true)));
        assert_eq!(flags(0x9820_0000_0002_080B), Some((false, false, false)));
        assert_eq!(flags(0x3EA0_0000_0000_0108), None, "the register holds no error");
    }
}

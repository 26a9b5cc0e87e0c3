//! What the status of a machine check says of the kind of error.

/// The error code in the lower half of a status without bit 12, which only says that reports of such errors are
/// filtered.
const CODE: u64 = 0xEFFF;

/// The class of the error whose `MCi_STATUS` this is; `None` for those that only a processor's own documents explain.
///
/// Source: Intel's manual for software developers, volume 3, "Interpreting the MCA error codes"; AMD's programmer's
/// manual, volume 2, "Machine check architecture", counts the same classes.
#[must_use]
pub fn class(status: u64) -> Option<&'static str> {
    let code = status & CODE;
    match code {
        0x0005 => Some("internal parity"),
        0x0400 => Some("internal timer"),
        0x0E0B => Some("generic input and output"),
        0x000C..=0x000F | 0x0100..=0x01FF => Some("cache"),
        0x0010..=0x001F => Some("address translation (TLB)"),
        0x0080..=0x00FF => Some("memory controller"),
        0x0800..=0x0FFF => Some("bus and interconnect"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_half_of_a_status_names_the_class() {
        for (status, expected) in [
            (0xF200_0000_0004_0005, Some("internal parity")),
            (0xBEA0_0000_0000_0108, Some("cache")),
            (0xBEA0_0000_0100_0118, Some("cache")),
            (0x9820_0000_0002_080B, Some("bus and interconnect")),
            (0x8C00_0040_0000_1090, Some("memory controller")),
            (0xB200_0000_0000_0014, Some("address translation (TLB)")),
            (0xB200_0000_0000_0400, Some("internal timer")),
            (0xB200_0000_0000_0E0B, Some("generic input and output")),
            (0xB200_0000_0000_0001, None),
            (0xB200_0000_0000_0402, None),
        ] {
            assert_eq!(class(status), expected, "{status:#x}");
        }
    }
}

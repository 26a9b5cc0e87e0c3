//! Patterns with which heaps and compilers fill memory, so that its use before it is set or after it is freed shows.

/// A pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillPattern {
    /// The pattern, as 32 bits.
    pub bits: u32,
    /// What memory is filled with it.
    pub fills: Filled,
    /// Who fills it.
    pub by: &'static str,
}

/// What memory is filled with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// What was freed.
    Freed,
    /// What was never set.
    NeverSet,
    /// What lies around a block.
    Around,
}

/// The known patterns.
///
/// Sources: "CRT debug heap details" of Microsoft's documentation, `/RTC` of its compiler, the debug heap of Windows and page
/// heap (`gflags`), `MI_DEBUG_FREED` and its like in mimalloc's `types.h`, `kAllocPoison` in Firefox's `mozjemalloc.cpp`,
/// `kFreedByte` and `kQuarantinedByte` of Chromium's `partition_alloc_constants.h`.
pub const FILL_PATTERNS: &[FillPattern] = &[
    pattern(0xFEEE_FEEE, Filled::Freed, "the debug heap of Windows"),
    pattern(0xDDDD_DDDD, Filled::Freed, "the debug heap of the C runtime"),
    pattern(0xCDCD_CDCD, Filled::NeverSet, "the debug heap of the C runtime"),
    pattern(0xCCCC_CCCC, Filled::NeverSet, "the compiler's checks of local variables"),
    pattern(0xBAAD_F00D, Filled::NeverSet, "the debug heap of Windows"),
    pattern(0xFDFD_FDFD, Filled::Around, "the debug heap of the C runtime"),
    pattern(0xABAB_ABAB, Filled::Around, "the debug heap of Windows"),
    pattern(0xC0C0_C0C0, Filled::NeverSet, "page heap"),
    pattern(0xF0F0_F0F0, Filled::Freed, "page heap"),
    pattern(0xE5E5_E5E5, Filled::Freed, "the heap of Firefox"),
    pattern(0xDFDF_DFDF, Filled::Freed, "mimalloc"),
    pattern(0xD0D0_D0D0, Filled::NeverSet, "mimalloc"),
    pattern(0xEFEF_EFEF, Filled::Freed, "the heap of Chromium"),
    pattern(0xFEED_FACE, Filled::NeverSet, "programs that mark memory"),
    pattern(0xDEAD_BEEF, Filled::Freed, "programs that mark memory"),
];

const fn pattern(bits: u32, fills: Filled, by: &'static str) -> FillPattern {
    FillPattern { bits, fills, by }
}

impl FillPattern {
    /// How far the place of a field lies from the pointer, at most, bytes: forwards, and backwards to a block's header.
    const FIELD: u64 = 0x1000;
    const HEADER: u64 = 0x100;

    /// The pattern that a pointer of 32 bits is made of, or one whose upper half is empty, give or take a field's place.
    #[must_use]
    pub fn of_32_bits(address: u64) -> Option<&'static Self> {
        FILL_PATTERNS.iter().find(|pattern| Self::is_near(address, u64::from(pattern.bits)))
    }

    /// The pattern that fills a whole pointer of 64 bits, give or take a field's place.
    #[must_use]
    pub fn of_64_bits(address: u64) -> Option<&'static Self> {
        let twice = |bits: u32| u64::from(bits) << 32 | u64::from(bits);
        FILL_PATTERNS.iter().find(|pattern| Self::is_near(address, twice(pattern.bits)))
    }

    fn is_near(address: u64, pointer: u64) -> bool {
        match address.checked_sub(pointer) {
            Some(offset) => offset <= Self::FIELD,
            None => pointer.saturating_sub(address) <= Self::HEADER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FillPattern;

    #[test]
    fn patterns_are_told_with_small_offsets() {
        let narrow = |address| FillPattern::of_32_bits(address).map(|pattern| pattern.bits);
        assert_eq!(narrow(0xFEEE_FEEE), Some(0xFEEE_FEEE));
        assert_eq!(narrow(0xDDDD_DDE5), Some(0xDDDD_DDDD));
        assert_eq!(narrow(0xCDCD_CDC5), Some(0xCDCD_CDCD));
        assert_eq!(narrow(0xCDCE_0000), None);
        assert_eq!(narrow(0x18), None);
        let wide = |address| FillPattern::of_64_bits(address).map(|pattern| pattern.bits);
        assert_eq!(wide(0xBAAD_F00D_BAAD_F01D), Some(0xBAAD_F00D));
        assert_eq!(wide(0xFEEE_FEEE), None);
    }
}

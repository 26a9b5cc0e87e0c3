//! What the system lets programs use of the processor's extensions.

use crate::evidence::CpuFeatures;

/// The extensions that builds of programs differ by; each `None` where the dump does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extensions {
    /// SSE4.2.
    pub sse4_2: Option<bool>,
    /// AVX.
    pub avx: Option<bool>,
    /// AVX2.
    pub avx2: Option<bool>,
    /// AVX-512 Foundation.
    pub avx512f: Option<bool>,
}

// Numbers of `IsProcessorFeaturePresent`, from `winnt.h`.
const SSE: u32 = 6;
const SSE2: u32 = 10;
const SSSE3: u32 = 36;
const SSE4_2: u32 = 38;
const AVX: u32 = 39;
const AVX2: u32 = 40;
const AVX512F: u32 = 41;

impl Extensions {
    /// Reads what Windows says. What it hides from programs counts as missing, whatever the processor could do.
    ///
    /// Windows before 10 2004 leaves the bits from SSSE3 on zero, so they count only where one of them is set: every
    /// processor since 2011 has SSSE3.
    #[must_use]
    pub fn of(features: CpuFeatures) -> Self {
        // SSE and SSE2 are there on every 64-bit processor, and the errata 0 and 1 of the first Pentiums on none: otherwise
        // this is something else.
        let word = features.windows.filter(|word| has(*word, SSE) && has(*word, SSE2) && word & 0b11 == 0);
        let word = word.filter(|word| (SSSE3..=AVX512F).any(|feature| has(*word, feature)));
        let said = |feature| word.map(|word| has(word, feature));
        Self { sse4_2: said(SSE4_2), avx: said(AVX), avx2: said(AVX2), avx512f: said(AVX512F) }
    }

    /// `SSE4.2, AVX, AVX2 without AVX-512`.
    #[must_use]
    pub fn text(self) -> Option<String> {
        let all = [("SSE4.2", self.sse4_2), ("AVX", self.avx), ("AVX2", self.avx2), ("AVX-512", self.avx512f)];
        let names = |there: bool| {
            let names = all.iter().filter(|(_, is)| *is == Some(there)).map(|(name, _)| *name);
            names.collect::<Vec<_>>().join(", ")
        };
        match (names(true), names(false)) {
            (has, lacks) if has.is_empty() && lacks.is_empty() => None,
            (has, lacks) if lacks.is_empty() => Some(has),
            (has, lacks) if has.is_empty() => Some(format!("without {lacks}")),
            (has, lacks) => Some(format!("{has} without {lacks}")),
        }
    }
}

fn has(word: u64, bit: u32) -> bool {
    1_u64.checked_shl(bit).is_some_and(|mask| word & mask != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What any 64-bit processor has.
    const BASE: u64 = 0x10C0_774C;

    fn of(windows: u64) -> Extensions {
        Extensions::of(CpuFeatures { windows: Some(windows), ..CpuFeatures::default() })
    }

    #[test]
    fn extensions_are_known_where_windows_asks_for_them() {
        let nehalem = of(BASE | (0b111 << 36));
        assert_eq!((nehalem.sse4_2, nehalem.avx, nehalem.avx512f), (Some(true), Some(false), Some(false)));
        assert_eq!(nehalem.text().as_deref(), Some("SSE4.2 without AVX, AVX2, AVX-512"));
        let haswell = of(BASE | (0b1_1111 << 36));
        assert_eq!((haswell.avx, haswell.avx2, haswell.avx512f), (Some(true), Some(true), Some(false)));
        assert_eq!(of(BASE | (0b11_1111 << 36)).text().as_deref(), Some("SSE4.2, AVX, AVX2, AVX-512"));
    }

    #[test]
    fn an_older_windows_says_nothing() {
        assert_eq!(of(BASE), Extensions::default());
    }

    #[test]
    fn what_is_no_word_of_features_says_nothing() {
        assert_eq!(of(u64::from_le_bytes(*b"GenuineI")), Extensions::default());
        assert_eq!(of(0).text(), None);
    }
}

//! The processor, as an artifact describes it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Extension;

/// Which processor it is, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Processor {
    /// Its maker's name as CPUID writes it (`GenuineIntel`). Windows' dumps of 64-bit processes do not hold it.
    pub vendor: Option<Arc<str>>,
    /// Family; on x86 the displayed one, extended bits included.
    pub family: Option<u16>,
    /// Model.
    pub model: Option<u8>,
    /// Stepping.
    pub stepping: Option<u8>,
}

/// A processor's extensions as the system reports them; `None` where a dump does not hold it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFeatures {
    /// What Windows writes into dumps of 64-bit processes: a bit for each `PF_*` constant of
    /// `IsProcessorFeaturePresent`. Other writers put something else there.
    pub windows: Option<u64>,
    /// The register states that the dump's contexts can hold, a bit each as in the processor's XCR0: 2 is AVX. One that is
    /// there is one that the system saves. Writers leave states out, so one that is not there shows nothing: dumps of
    /// processors with shadow stacks can have 0x803, though those processors have AVX.
    pub saved_states: Option<u64>,
}

/// Bits of [`CpuFeatures::windows`]: the `PF_*` constants of `winnt.h`.
mod bit {
    pub const FLOATING_POINT_PRECISION_ERRATA: u32 = 0;
    pub const FLOATING_POINT_EMULATED: u32 = 1;
    pub const SSE: u32 = 6;
    pub const SSE2: u32 = 10;
    pub const SSE3: u32 = 13;
    pub const XSAVE: u32 = 17;
    pub const SSSE3: u32 = 36;
    pub const SSE4_1: u32 = 37;
    pub const SSE4_2: u32 = 38;
    pub const AVX: u32 = 39;
    pub const AVX2: u32 = 40;
    pub const AVX512F: u32 = 41;
}

/// The state of AVX in XCR0: the upper halves of its registers.
const AVX_STATE: u64 = 1 << 2;

impl CpuFeatures {
    /// Whether programs can use an extension; `None` where what is known proves neither. What Windows hides from programs
    /// counts as missing, whatever the processor could do: it is not used.
    #[must_use]
    pub fn has(self, extension: Extension) -> Option<bool> {
        match extension {
            Extension::Sse3 => self.reported(bit::SSE3),
            Extension::Ssse3 => self.reported(bit::SSSE3).filter(|has| *has),
            Extension::Sse41 => self.reported_since_2004(bit::SSE4_1),
            Extension::Sse42 => self.reported_since_2004(bit::SSE4_2),
            Extension::Avx => self.avx(),
            Extension::Avx2 => self.without_avx().or_else(|| self.reported_since_2004(bit::AVX2)),
            // No bit is for these, but their registers are those of AVX.
            Extension::F16c | Extension::Fma | Extension::Fma4 | Extension::LaterAvx => self.without_avx(),
            // It has many parts, and only the first has a bit.
            Extension::Avx512 => self.avx512_foundation().filter(|has| !has),
            // What every processor has, and what the system does not report.
            Extension::Base | Extension::Sse | Extension::Sse2 => None,
            Extension::Sse4a | Extension::Bits | Extension::Crypto | Extension::Amx | Extension::Other => None,
        }
    }

    /// Whether programs can use the part of AVX-512 that all others build upon.
    #[must_use]
    pub fn avx512_foundation(self) -> Option<bool> {
        self.without_avx().or_else(|| self.reported_since_2004(bit::AVX512F))
    }

    fn avx(self) -> Option<bool> {
        if self.reported(bit::XSAVE) == Some(false) {
            // Registers that the system does not save can't be used.
            return Some(false);
        }
        let saved = self.saved_states.is_some_and(|saved| saved & AVX_STATE != 0);
        self.reported_since_2004(bit::AVX).or(saved.then_some(true))
    }

    fn without_avx(self) -> Option<bool> {
        self.avx().filter(|has| !has)
    }

    /// A bit of Windows' own word.
    fn reported(self, feature: u32) -> Option<bool> {
        let has = |word: u64, feature: u32| word.checked_shr(feature).is_some_and(|rest| rest & 1 == 1);
        // Every 64-bit processor has SSE and SSE2, and none the errata of the first Pentiums: otherwise it is some other
        // number.
        let word = self.windows.filter(|word| {
            has(*word, bit::SSE)
                && has(*word, bit::SSE2)
                && !has(*word, bit::FLOATING_POINT_PRECISION_ERRATA)
                && !has(*word, bit::FLOATING_POINT_EMULATED)
        })?;
        Some(has(word, feature))
    }

    /// Whether the processor has a feature that Windows reports since 10 2004 (the bits from SSSE3 on); `None` without
    /// the SSSE3 bit: every processor with these features has SSSE3, so an older Windows reported them.
    fn reported_since_2004(self, feature: u32) -> Option<bool> {
        self.reported(bit::SSSE3).filter(|has| *has)?;
        self.reported(feature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits that Windows before 10 2004 reports for a processor with AVX.
    const OLD_WINDOWS: u64 = 0x1_10C2_774C;

    fn features(windows: impl Into<Option<u64>>, saved_states: impl Into<Option<u64>>) -> CpuFeatures {
        CpuFeatures { windows: windows.into(), saved_states: saved_states.into() }
    }

    #[test]
    fn what_is_not_told_is_not_missing() {
        for nothing in [features(None, None), features(0, 0), features(u64::from_le_bytes(*b"GenuineI"), None)] {
            for extension in [Extension::Sse3, Extension::Sse42, Extension::Avx, Extension::Avx2, Extension::Avx512] {
                assert_eq!(nothing.has(extension), None, "{nothing:?}");
            }
            assert_eq!(nothing.avx512_foundation(), None);
        }
        let old = features(OLD_WINDOWS, None);
        assert_eq!(
            (old.has(Extension::Sse3), old.has(Extension::Sse42), old.has(Extension::Avx)),
            (Some(true), None, None)
        );
    }

    #[test]
    fn avx_takes_a_processor_that_has_it_and_a_system_that_saves_it() {
        let avx = |features: CpuFeatures| features.has(Extension::Avx);
        assert_eq!(avx(features(OLD_WINDOWS, 0b111)), Some(true));
        assert_eq!(avx(features(OLD_WINDOWS, 0x803)), None, "its state may have been left out");
        assert_eq!(avx(features(OLD_WINDOWS & !(1 << 17), None)), Some(false), "no XSAVE");
        assert_eq!(avx(features(OLD_WINDOWS | 0b00_1111 << 36, None)), Some(true));
        assert_eq!(avx(features(OLD_WINDOWS | 0b00_0111 << 36, None)), Some(false));
        assert_eq!(avx(features(OLD_WINDOWS | 0b00_0111 << 36, 0b111)), Some(false), "hidden from programs");
    }

    #[test]
    fn what_builds_upon_avx_is_missing_with_it_and_not_there_because_of_it() {
        let (without, with) =
            (features(OLD_WINDOWS | 0b00_0111 << 36, None), features(OLD_WINDOWS | 0b01_1111 << 36, None));
        for extension in [Extension::Fma, Extension::F16c, Extension::LaterAvx, Extension::Avx2, Extension::Avx512] {
            assert_eq!(without.has(extension), Some(false));
        }
        assert_eq!((with.has(Extension::Fma), with.has(Extension::Avx2)), (None, Some(true)));
        let foundation = features(OLD_WINDOWS | 0b11_1111 << 36, None);
        assert_eq!((with.avx512_foundation(), foundation.avx512_foundation()), (Some(false), Some(true)));
        assert_eq!(foundation.has(Extension::Avx512), None, "it has many parts");
        assert_eq!(features(None, 0b111).avx512_foundation(), None, "its states may have been left out");
    }
}

//! Extensions of the processor that the system lets programs use.

use evidence::{CpuFeatures, Extension};

/// The extensions that decide which builds of programs run; each `None` where the dump does not contain it.
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

impl Extensions {
    /// Reads them from a dump.
    #[must_use]
    pub fn new(features: CpuFeatures) -> Self {
        Self {
            sse4_2: features.has(Extension::Sse42),
            avx: features.has(Extension::Avx),
            avx2: features.has(Extension::Avx2),
            avx512f: features.avx512_foundation(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What any 64-bit processor has.
    const BASE: u64 = 0x10C2_774C;

    fn extensions_of(windows: u64) -> Extensions {
        Extensions::new(CpuFeatures { windows: Some(windows), ..CpuFeatures::default() })
    }

    #[test]
    fn extensions_are_known_where_windows_asks_for_them() {
        let nehalem = extensions_of(BASE | (0b111 << 36));
        assert_eq!((nehalem.sse4_2, nehalem.avx, nehalem.avx512f), (Some(true), Some(false), Some(false)));
        assert_eq!(nehalem.text().as_deref(), Some("SSE4.2 without AVX, AVX2, AVX-512"));
        let haswell = extensions_of(BASE | (0b1_1111 << 36));
        assert_eq!((haswell.avx, haswell.avx2, haswell.avx512f), (Some(true), Some(true), Some(false)));
        assert_eq!(extensions_of(BASE | (0b11_1111 << 36)).text().as_deref(), Some("SSE4.2, AVX, AVX2, AVX-512"));
    }

    #[test]
    fn where_nothing_is_known_nothing_is_said() {
        assert_eq!(extensions_of(BASE), Extensions::default(), "an older Windows");
        assert_eq!(extensions_of(0).text(), None);
    }
}

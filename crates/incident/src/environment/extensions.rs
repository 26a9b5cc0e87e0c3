//! Extensions of the processor that the system lets programs use.

use evidence::{CpuFeatures, Extension};

/// The extensions that decide which builds of programs run, as far as a dump contains them: `SSE4.2, AVX, AVX2 without
/// AVX-512`.
pub(super) fn extensions(features: CpuFeatures) -> Option<String> {
    let all = [
        ("SSE4.2", features.has(Extension::Sse42)),
        ("AVX", features.has(Extension::Avx)),
        ("AVX2", features.has(Extension::Avx2)),
        ("AVX-512", features.avx512_foundation()),
    ];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What any 64-bit processor has.
    const BASE: u64 = 0x10C2_774C;

    fn features(windows: u64) -> CpuFeatures {
        CpuFeatures { windows: Some(windows), ..CpuFeatures::default() }
    }

    #[test]
    fn extensions_are_known_where_windows_asks_for_them() {
        let nehalem = features(BASE | (0b111 << 36));
        assert_eq!(extensions(nehalem).as_deref(), Some("SSE4.2 without AVX, AVX2, AVX-512"));
        let haswell = features(BASE | (0b1_1111 << 36));
        assert_eq!(extensions(haswell).as_deref(), Some("SSE4.2, AVX, AVX2 without AVX-512"));
        assert_eq!(extensions(features(BASE | (0b11_1111 << 36))).as_deref(), Some("SSE4.2, AVX, AVX2, AVX-512"));
    }

    #[test]
    fn where_nothing_is_known_nothing_is_said() {
        assert_eq!(extensions(features(BASE)), None, "an older Windows");
        assert_eq!(extensions(features(0)), None);
    }
}

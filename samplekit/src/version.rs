//! File versions.

use std::fmt;

/// A Windows file version: four numbers of 16 bits, most significant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileVersion(pub [u16; 4]);

impl FileVersion {
    /// The two 32-bit halves in which `VS_FIXEDFILEINFO` stores it.
    #[must_use]
    pub const fn halves(self) -> (u32, u32) {
        let Self([a, b, c, d]) = self;
        (((a as u32) << 16) | b as u32, ((c as u32) << 16) | d as u32)
    }
}

impl fmt::Display for FileVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([a, b, c, d]) = self;
        write!(f, "{a}.{b}.{c}.{d}")
    }
}

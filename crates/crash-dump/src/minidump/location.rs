//! Places inside of a dump, as its parts refer to each other.

use untrusted::bytes::u32_at;

/// Where a part of a dump is: `MINIDUMP_LOCATION_DESCRIPTOR`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Location {
    /// Bytes.
    pub size: u32,
    /// Offset in the file, bytes.
    pub offset: u32,
}

impl Location {
    /// The location that `bytes` hold at `at`.
    pub fn read(bytes: &[u8], at: usize) -> Option<Self> {
        Some(Self { size: u32_at(bytes, at)?, offset: u32_at(bytes, at.checked_add(4)?)? })
    }

    /// The location, unless it means that there is no record: without a size, or at the header's offset 0.
    pub fn present(self) -> Option<Self> {
        (self.size != 0 && self.offset != 0).then_some(self)
    }

    /// Puts the location at `at` of `bytes`.
    pub fn write(self, bytes: &mut [u8], at: usize) {
        overwrite(bytes, at, self.size);
        overwrite(bytes, at.saturating_add(4), self.offset);
    }
}

/// Puts a number of 32 bits at `at` of `bytes`, if it has room there.
pub fn overwrite(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(place) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = value.to_le_bytes();
    }
}

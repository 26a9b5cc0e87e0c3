//! Little-endian values at offsets that nobody has checked.

/// The 32-bit value at `offset`, if it lies within `bytes`.
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(array_at(bytes, offset)?))
}

/// The 64-bit value at `offset`, if it lies within `bytes`.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(array_at(bytes, offset)?))
}

/// `N` bytes from `offset` on, if they lie within `bytes`.
pub(super) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..offset.checked_add(N)?)?.try_into().ok()
}

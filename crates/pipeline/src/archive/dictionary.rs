//! The memory that compressed content asks for.

use std::io;

use crate::read_error::ReadError;

/// The largest dictionary or window, bytes: that of 7-Zip's highest level. `xz -9` needs 64 MiB, `zstd --ultra -22` 128 MiB.
pub(super) const MOST: u32 = 256 << 20;

/// The size of a dictionary, bytes, where it is allowed.
///
/// # Errors
/// When it is too large.
pub(super) fn allowed(bytes: u32) -> io::Result<u32> {
    if bytes > MOST {
        return Err(ReadError::NeedsMemory.into());
    }
    Ok(bytes)
}

/// The smallest dictionary of LZMA, bytes.
const LEAST: u64 = 4096;

/// The dictionary that content of so many bytes needs: none is used beyond the content.
pub(super) fn needed(dictionary: u32, bytes: u64) -> u32 {
    u32::try_from(u64::from(dictionary).min(bytes.max(LEAST))).unwrap_or(dictionary)
}

/// The size of a dictionary of LZMA2, bytes: two or three times a power of two, by its property.
///
/// # Errors
/// When there is no such property.
pub(super) fn of_lzma2(property: u8) -> io::Result<u32> {
    match property {
        0..40 => Ok((2 | u32::from(property & 1)).wrapping_shl(u32::from(property / 2).saturating_add(11))),
        40 => Ok(u32::MAX),
        _ => Err(ReadError::DamagedDirectory.into()),
    }
}

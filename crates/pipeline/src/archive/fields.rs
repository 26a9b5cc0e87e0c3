//! Numbers in the directories of archives, read one after the other.

use std::io;

use crate::read_error::ReadError;

/// The bytes that are not read yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'b>(pub(super) &'b [u8]);

impl<'b> Fields<'b> {
    /// How many bytes are left.
    pub(super) fn left(&self) -> u64 {
        self.0.len() as u64
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// When there are fewer, as of all that follow.
    pub(super) fn bytes(&mut self, count: u64) -> io::Result<&'b [u8]> {
        let split = usize::try_from(count).ok().and_then(|count| self.0.split_at_checked(count));
        let (bytes, rest) = split.ok_or(ReadError::DamagedDirectory)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(ReadError::DamagedDirectory)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(super) fn u8(&mut self) -> io::Result<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> io::Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number whose bytes have seven bits each, the lowest first, and a bit that says that there are more.
    pub(super) fn short_number(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7F).wrapping_shl(shift);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(ReadError::DamagedDirectory.into())
    }
}

//! The limits on what is unpacked of one archive, nested archives included.

use std::cell::Cell;
use std::io::{self, Read};

use crate::read_error::ReadError;
use untrusted::Loss;

/// The most archives around a file.
pub const DEEPEST: usize = 3;

/// The most members that are read, nested archives included. Collected evidence has hundreds.
pub(super) const MOST_MEMBERS: usize = 100_000;
/// The bytes that any archive may unpack to.
const ALWAYS: u64 = 1 << 30;
/// The most times its own size that a larger archive may unpack to: memory dumps shrink to a tenth, archives that are made
/// to fill disks to a thousandth.
const MOST_TIMES: u64 = 200;
/// The most bytes that any archive may unpack to: several dumps of the memory of a large machine.
const MOST_BYTES: u64 = 256 << 30;

/// The members and bytes that may still be unpacked.
#[derive(Debug)]
pub struct Allowance {
    members: Cell<usize>,
    bytes: Cell<u64>,
    /// The bytes that were allowed at first.
    allowed: u64,
}

impl Allowance {
    /// For an archive of `bytes`.
    #[must_use]
    pub fn for_archive(bytes: u64) -> Self {
        Self::new(bytes.saturating_mul(MOST_TIMES).clamp(ALWAYS, MOST_BYTES), MOST_MEMBERS)
    }

    /// For this number of bytes and members.
    #[must_use]
    pub fn new(bytes: u64, members: usize) -> Self {
        Self { members: Cell::new(members), bytes: Cell::new(bytes), allowed: bytes }
    }

    /// Counts one member; `false`, with a loss, after too many members, or when no more bytes may be unpacked.
    pub(super) fn take_member(&self, losses: &mut Vec<Loss>) -> bool {
        let refused = match self.members.get().checked_sub(1) {
            Some(_) if self.bytes.get() == 0 => format!("no more are read: {}", self.exceeded()),
            Some(left) => {
                self.members.set(left);
                return true;
            }
            None => ReadError::TooManyMembers.to_string(),
        };
        losses.push(Loss::new("members", refused));
        false
    }

    /// The error of content beyond the limit.
    fn exceeded(&self) -> ReadError {
        ReadError::UnpacksToTooMuch { allowed_mib: self.allowed >> 20 }
    }
}

/// Content whose bytes are taken from an allowance.
pub(super) struct Limited<'a, R> {
    pub(super) content: R,
    pub(super) allowance: &'a Allowance,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.allowance.bytes.get();
        if left == 0 && !buffer.is_empty() {
            // Content that ends exactly at the limit is whole.
            return match self.content.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(self.allowance.exceeded().into()),
            };
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.content.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.allowance.bytes.set(left.saturating_sub(read as u64));
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_archives_may_unpack_to_much_and_large_ones_to_a_multiple() {
        assert_eq!(Allowance::for_archive(100).bytes.get(), 1 << 30);
        assert_eq!(Allowance::for_archive(100 << 20).bytes.get(), 20_000 << 20);
        assert_eq!(Allowance::for_archive(u64::MAX).bytes.get(), 256 << 30);
    }

    #[test]
    fn what_is_allowed_is_read_and_what_is_more_is_an_error() {
        let allowance = Allowance::new(5, 1);
        let mut exact = Vec::new();
        assert!(Limited { content: &b"abc"[..], allowance: &allowance }.read_to_end(&mut exact).is_ok());
        let mut more = Vec::new();
        let error =
            Limited { content: &b"abcd"[..], allowance: &allowance }.read_to_end(&mut more).expect_err("too much");
        assert_eq!((exact.as_slice(), more.as_slice()), (&b"abc"[..], &b"ab"[..]));
        assert!(error.to_string().contains("unpacks to more than"), "{error}");
        assert!(
            Limited { content: &b""[..], allowance: &allowance }.read_to_end(&mut more).is_ok(),
            "there is nothing more"
        );
    }
}

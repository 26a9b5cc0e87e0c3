//! Content of a known size that is compared with its checksum.

use std::io::{self, Read};

use crc32fast::Hasher;

use crate::read_error::ReadError;

/// The first bytes of `content`: a member among others of one compressed stream, or one that is not compressed.
pub(super) struct Checked<R> {
    content: R,
    /// The bytes that were not read yet.
    left: u64,
    sum: Hasher,
    /// The checksum (CRC-32) that the archive states.
    expected: Option<u32>,
    /// Whether reading failed, after which the place in `content` is not known.
    failed: bool,
}

impl<R: Read> Checked<R> {
    /// The first `bytes` of `content`, whose checksum should be `expected`.
    pub(super) fn new(content: R, bytes: u64, expected: Option<u32>) -> Self {
        Self { content, left: bytes, sum: Hasher::new(), expected, failed: false }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Err(ReadError::DamagedBefore.into());
        }
        if self.left == 0 || buffer.is_empty() {
            let is_right = self.left > 0 || self.expected.take().is_none_or(|sum| sum == self.sum.clone().finalize());
            return if is_right { Ok(0) } else { Err(ReadError::Checksum.into()) };
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        let read = self.content.read(buffer).and_then(|read| match read {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        });
        match &read {
            Ok(read) => {
                self.sum.update(buffer.get(..*read).unwrap_or_default());
                self.left = self.left.saturating_sub(*read as u64);
            }
            Err(error) => self.failed = error.kind() != io::ErrorKind::Interrupted,
        }
        read
    }
}

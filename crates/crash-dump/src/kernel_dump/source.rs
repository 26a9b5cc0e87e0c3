//! A file that is read in a few places.

use std::io::{Read, Seek, SeekFrom};

use crate::error::ErrorKind;

/// A file with its length.
pub(super) struct Source<F> {
    pub file: F,
    /// The file's length, bytes.
    pub bytes: u64,
}

impl<F: Read + Seek> Source<F> {
    /// The `length` bytes at `offset`. Nothing is allocated for bytes that the file does not have.
    ///
    /// # Errors
    /// When the file has fewer bytes, or can't be read.
    pub fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, ErrorKind> {
        let within = offset.checked_add(length).is_some_and(|end| end <= self.bytes);
        let (at, needed, end) = (offset, length, self.bytes);
        let length = usize::try_from(length).ok().filter(|_| within);
        let mut bytes = vec![0; length.ok_or(ErrorKind::BeyondEnd { at, needed, end })?];
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| ErrorKind::Read { at, needed, error })?;
        Ok(bytes)
    }

    /// The bytes at `offset`, as many of `length` as the file has.
    ///
    /// # Errors
    /// When the file has none, or can't be read.
    pub fn read_up_to(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, ErrorKind> {
        match self.bytes.saturating_sub(offset) {
            0 => self.read(offset, length),
            left => self.read(offset, length.min(left)),
        }
    }
}

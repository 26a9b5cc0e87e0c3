//! A file that is read in a few places.

use std::io::{Read, Seek, SeekFrom};

/// A file with its length.
pub(super) struct Source<F> {
    pub file: F,
    /// The file's length, bytes.
    pub bytes: u64,
}

impl<F: Read + Seek> Source<F> {
    /// The `length` bytes at `offset`, or why there are not that many. Nothing is allocated for bytes that the file
    /// does not have.
    pub fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, String> {
        let within = offset.checked_add(length).is_some_and(|end| end <= self.bytes);
        let length = usize::try_from(length).ok().filter(|_| within).ok_or_else(|| {
            format!("the file ends at {:#x}, before the end of the {length} bytes at {offset:#x}", self.bytes)
        })?;
        let mut bytes = vec![0; length];
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| format!("reading {length} bytes at {offset:#x} failed: {error}"))?;
        Ok(bytes)
    }

    /// The bytes at `offset`, as many of `length` as the file has.
    pub fn read_up_to(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, String> {
        match self.bytes.saturating_sub(offset) {
            0 => self.read(offset, length),
            left => self.read(offset, length.min(left)),
        }
    }
}

//! Reading little-endian values at offsets that nobody has checked, from memory or from a file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The 16-bit value at `offset`, if it lies within `bytes`.
#[must_use]
pub fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_le_bytes(array_at(bytes, offset)?))
}

/// The 32-bit value at `offset`, if it lies within `bytes`.
#[must_use]
pub fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(array_at(bytes, offset)?))
}

/// The 64-bit value at `offset`, if it lies within `bytes`.
#[must_use]
pub fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(array_at(bytes, offset)?))
}

/// `N` bytes from `offset` on, if they lie within `bytes`.
#[must_use]
pub fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..offset.checked_add(N)?)?.try_into().ok()
}

/// A file up to this size is read whole at once; larger ones are read where they are needed. Dumps of crashed
/// processes are mostly far smaller (the median is below 1 MiB), and one large read is faster than many small ones.
const WHOLE_UP_TO: u64 = 4 << 20;

/// The bytes of a file, read where they are asked for. Never mapped: a mapped file that shrinks ends the program.
#[derive(Debug)]
pub enum Source<'f> {
    /// All of it.
    Memory(Vec<u8>),
    /// Too large to hold.
    File {
        /// The open file.
        file: &'f mut File,
        /// Its size when it was opened.
        len: u64,
        /// The part that was read last; small reads mostly follow each other.
        block: Vec<u8>,
        /// Where in the file that part begins.
        block_at: u64,
    },
}

/// How much is read at once where small parts are asked for, bytes.
const BLOCK: u64 = 64 << 10;

impl<'f> Source<'f> {
    /// The content of `file`, which has `len` bytes.
    ///
    /// # Errors
    /// When a small file can't be read. A file that is shorter than `len` is no error: its length is what was read.
    pub fn open(file: &'f mut File, len: u64) -> io::Result<Self> {
        if len > WHOLE_UP_TO {
            return Ok(Self::File { file, len, block: Vec::new(), block_at: 0 });
        }
        file.seek(SeekFrom::Start(0))?;
        let mut all = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        // The bound also holds for a file that grows while it is read.
        file.take(WHOLE_UP_TO).read_to_end(&mut all)?;
        Ok(Self::Memory(all))
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Self::Memory(all) => all.len() as u64,
            Self::File { len, .. } => *len,
        }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `size` bytes from `offset` on lie within the file.
    #[must_use]
    pub fn holds(&self, offset: u64, size: u64) -> bool {
        offset.checked_add(size).is_some_and(|end| end <= self.len())
    }

    /// `size` bytes from `offset` on; `None` when the file does not hold them or can't be read there. Nothing is
    /// allocated before the size has been checked against the file.
    pub fn read(&mut self, offset: u64, size: u64) -> Option<Cow<'_, [u8]>> {
        if !self.holds(offset, size) {
            return None;
        }
        let size = usize::try_from(size).ok()?;
        match self {
            Self::Memory(all) => {
                let start = usize::try_from(offset).ok()?;
                all.get(start..start.checked_add(size)?).map(Cow::Borrowed)
            }
            Self::File { file, .. } if size as u64 > BLOCK / 4 => {
                let mut part = vec![0; size];
                file.seek(SeekFrom::Start(offset)).ok()?;
                file.read_exact(&mut part).ok()?;
                Some(Cow::Owned(part))
            }
            Self::File { file, len, block, block_at } => {
                let within = |block: &[u8], block_at: u64| {
                    let start = usize::try_from(offset.checked_sub(block_at)?).ok()?;
                    let end = start.checked_add(size)?;
                    (end <= block.len()).then_some(start..end)
                };
                if within(block, *block_at).is_none() {
                    let wanted = usize::try_from(BLOCK.min(len.saturating_sub(offset))).ok()?;
                    block.resize(wanted, 0);
                    let read = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(block));
                    if read.is_err() {
                        block.clear();
                        return None;
                    }
                    *block_at = offset;
                }
                let range = within(block, *block_at)?;
                block.get(range).map(Cow::Borrowed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_is_read() {
        assert_eq!(u32_at(&[1, 0, 0, 0], 0), Some(1));
        assert_eq!(u32_at(&[1, 0, 0, 0], 1), None);
        assert_eq!(u64_at(&[0; 8], usize::MAX), None);
    }

    #[test]
    fn a_large_file_is_read_where_it_is_asked() {
        let mut file = tempfile::tempfile().expect("a file");
        file.set_len(WHOLE_UP_TO + 100).expect("a sparse file");
        file.seek(SeekFrom::Start(WHOLE_UP_TO)).expect("a place");
        std::io::Write::write_all(&mut file, b"end").expect("room");
        let mut source = Source::open(&mut file, WHOLE_UP_TO + 100).expect("readable");
        assert!(matches!(source, Source::File { .. }));
        assert_eq!(source.read(WHOLE_UP_TO, 3).as_deref(), Some(&b"end"[..]));
        assert_eq!(source.read(WHOLE_UP_TO - 1, 2).as_deref(), Some(&b"\0e"[..]));
        assert_eq!(source.read(0, BLOCK * 2).map(|part| part.len()), Some(131_072));
        assert_eq!(source.read(WHOLE_UP_TO + 99, 2), None);
    }

    #[test]
    fn a_source_knows_its_bounds() {
        let mut source = Source::Memory(vec![1, 2, 3]);
        assert_eq!(source.read(1, 2).as_deref(), Some(&[2, 3][..]));
        assert_eq!(source.read(1, 3), None);
        assert_eq!(source.read(u64::MAX, 2), None);
    }
}

//! Reading little-endian values at offsets that were not checked, from memory or from a file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

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

/// The pointer at `offset`, if it lies within `bytes`: of 64 bits where `wide`, else of 32.
#[must_use]
pub fn pointer_at(bytes: &[u8], offset: usize, wide: bool) -> Option<u64> {
    if wide { u64_at(bytes, offset) } else { u32_at(bytes, offset).map(u64::from) }
}

/// `N` bytes from `offset` on, if they lie within `bytes`.
#[must_use]
pub fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..offset.checked_add(N)?)?.try_into().ok()
}

/// How much of a file's beginning is read at first. Writers of dumps put their lists and names there, and the captured
/// memory, most of a dump, behind it.
const FIRST: u64 = 32 << 10;
/// How much of a file's beginning is read when a part behind [`FIRST`] is asked for, bytes: small dumps are then in
/// memory as a whole, and large ones cost little.
const HEAD: u64 = 256 << 10;
/// How much is read at once where small parts further on are asked for, bytes; they mostly follow each other.
const BLOCK: u64 = 16 << 10;

/// The bytes of a file, read where they are asked for. Never mapped: a mapped file that shrinks ends the program.
#[derive(Debug)]
pub struct Source<'f> {
    /// The beginning: [`FIRST`] bytes, and up to [`HEAD`] when they are asked for.
    head: Vec<u8>,
    rest: Option<Rest<'f>>,
}

/// What lies behind the head of a file that is larger.
#[derive(Debug)]
struct Rest<'f> {
    file: &'f mut File,
    /// The file's size when it was opened.
    len: u64,
    /// The part that was read last.
    block: Vec<u8>,
    /// Where in the file that part begins.
    block_at: u64,
}

impl<'f> Source<'f> {
    /// The content of `file`, which has `len` bytes.
    ///
    /// # Errors
    /// When the file's beginning can't be read. A small file that is shorter than `len` is no error: its length is
    /// what was read.
    pub fn open(file: &'f mut File, len: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        let mut head = Vec::with_capacity(usize::try_from(len.min(FIRST)).unwrap_or(0));
        file.take(len.min(FIRST)).read_to_end(&mut head)?;
        let rest =
            (len > FIRST && head.len() as u64 == FIRST).then(|| Rest { file, len, block: Vec::new(), block_at: 0 });
        Ok(Self { head, rest })
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.rest.as_ref().map_or(self.head.len() as u64, |rest| rest.len)
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
        let end = offset.checked_add(size)?;
        if end > self.head.len() as u64 && end <= HEAD {
            self.hold_more(end);
        }
        if end <= self.head.len() as u64 {
            return self.head.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?).map(Cow::Borrowed);
        }
        self.rest.as_mut()?.read(offset, size)
    }

    /// Holds the beginning up to `end`, and twice as much as before. When the file does not give it, nothing changes.
    fn hold_more(&mut self, end: u64) {
        let Some(rest) = &mut self.rest else { return };
        let known = self.head.len();
        let wanted = end.max((known as u64).saturating_mul(2)).min(HEAD).min(rest.len);
        self.head.resize(usize::try_from(wanted).unwrap_or(known), 0);
        let filled = self.head.get_mut(known..).and_then(|room| rest.fill(known as u64, room));
        if filled.is_none() {
            self.head.truncate(known);
        }
    }
}

impl Rest<'_> {
    fn read(&mut self, offset: u64, size: u64) -> Option<Cow<'_, [u8]>> {
        if size > BLOCK / 4 {
            let mut part = vec![0; usize::try_from(size).ok()?];
            self.fill(offset, &mut part)?;
            return Some(Cow::Owned(part));
        }
        if self.within(offset, size).is_none() {
            let mut block = std::mem::take(&mut self.block);
            block.resize(usize::try_from(BLOCK.min(self.len.saturating_sub(offset))).ok()?, 0);
            self.fill(offset, &mut block)?;
            self.block = block;
            self.block_at = offset;
        }
        let range = self.within(offset, size)?;
        self.block.get(range).map(Cow::Borrowed)
    }

    /// Where in the block that was read last a part lies, if it does.
    fn within(&self, offset: u64, size: u64) -> Option<Range<usize>> {
        let start = usize::try_from(offset.checked_sub(self.block_at)?).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        (end <= self.block.len()).then_some(start..end)
    }

    fn fill(&mut self, offset: u64, part: &mut [u8]) -> Option<()> {
        self.file.seek(SeekFrom::Start(offset)).ok()?;
        self.file.read_exact(part).ok()
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
        file.set_len(HEAD + 100_000).expect("a sparse file");
        file.seek(SeekFrom::Start(HEAD)).expect("a place");
        std::io::Write::write_all(&mut file, b"end").expect("room");
        let mut source = Source::open(&mut file, HEAD + 100_000).expect("readable");
        assert_eq!(source.len(), HEAD + 100_000);
        assert_eq!(source.read(HEAD, 3).as_deref(), Some(&b"end"[..]));
        assert_eq!(source.read(HEAD - 1, 2).as_deref(), Some(&b"\0e"[..]), "across the head's end");
        assert_eq!(source.read(HEAD + 1, 2).as_deref(), Some(&b"nd"[..]));
        assert_eq!(source.read(0, HEAD + 50_000).map(|part| part.len() as u64), Some(HEAD + 50_000));
        assert_eq!(source.read(HEAD + 99_999, 2), None);
    }

    #[test]
    fn more_of_the_beginning_is_held_when_it_is_asked_for() {
        let mut file = tempfile::tempfile().expect("a file");
        let content: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        std::io::Write::write_all(&mut file, &content).expect("room");
        for (offset, size) in [(0, 10), (32_760, 16), (100_000, 50_000), (199_999, 1), (0, 200_000)] {
            let mut source = Source::open(&mut file, 200_000).expect("readable");
            let part = source.read(offset as u64, size as u64).map(Cow::into_owned);
            assert_eq!(part.as_deref(), content.get(offset..offset + size), "{size} at {offset}");
        }
        let shrunk = file.try_clone().expect("a handle");
        let mut source = Source::open(&mut file, 200_000).expect("readable");
        shrunk.set_len(50_000).expect("shrunk");
        assert_eq!(source.read(100_000, 4), None);
        assert!(source.read(33_000, 4).is_some(), "what is still there is still read");
        assert!(shrunk.set_len(0).is_ok() && source.read(100, 4).is_some(), "what was read stays");
    }

    #[test]
    fn a_source_knows_its_bounds() {
        let mut source = Source { head: vec![1, 2, 3], rest: None };
        assert_eq!(source.read(1, 2).as_deref(), Some(&[2, 3][..]));
        assert_eq!(source.read(1, 3), None);
        assert_eq!(source.read(u64::MAX, 2), None);
    }
}

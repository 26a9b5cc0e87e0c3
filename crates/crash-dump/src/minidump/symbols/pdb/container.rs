//! The container of a PDB: numbered streams, cut into pages of the file.
//!
//! Layout: "The MSF File Format" of LLVM's documentation.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};

use untrusted::bytes::{array_at, u32_at};

/// What a file begins with.
const SIGNATURE: &[u8; 32] = b"Microsoft C/C++ MSF 7.00\r\n\x1a\x44\x53\x00\x00\x00";
/// Length of the header before the list of the directory's own pages, bytes.
const HEADER: usize = 52;
/// Sizes of pages that linkers write, bytes; those of 8 KiB and more are of files beyond 4 GiB.
const PAGE_SIZES: [u32; 7] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768];
/// Largest directory that is read, bytes: that of a file of 64 GiB.
const LARGEST_DIRECTORY: u32 = 64 << 20;
/// Most streams that are known: the other streams number them with 16 bits.
const MOST_STREAMS: usize = 1 << 17;
/// The size of a stream that was removed.
const REMOVED: u32 = u32::MAX;
/// How much of a stream [`Records`] read at once, bytes, and one block more where a record needs it.
const BLOCK: u32 = 64 << 10;

/// Where the file's bytes are.
pub trait Bytes: Read + Seek + Send {
    /// How many of them are in memory.
    fn in_memory(&self) -> u64;
}

impl Bytes for File {
    fn in_memory(&self) -> u64 {
        0
    }
}

impl Bytes for Cursor<Vec<u8>> {
    fn in_memory(&self) -> u64 {
        self.get_ref().len() as u64
    }
}

/// An opened container.
pub struct Container {
    bytes: Box<dyn Bytes>,
    /// Length of the file, bytes.
    length: u64,
    page_size: u32,
    streams: Vec<Stream>,
}

/// A stream: its size in bytes and the pages that hold it.
struct Stream {
    size: u32,
    pages: Vec<u32>,
}

impl Container {
    /// Reads the header and the directory of a file of `length` bytes. `None` when it is no PDB, or a damaged one.
    pub fn open(bytes: Box<dyn Bytes>, length: u64) -> Option<Self> {
        let mut container = Self { bytes, length, page_size: 0, streams: Vec::new() };
        let mut header = [0; HEADER];
        container.fill(0, &mut header)?;
        if !header.starts_with(SIGNATURE) {
            return None;
        }
        container.page_size = u32_at(&header, 32).filter(|size| PAGE_SIZES.contains(size))?;
        let directory_size = u32_at(&header, 44).filter(|size| *size <= LARGEST_DIRECTORY)?;
        let page_count = container.pages_of(directory_size)?;
        let of_list = container.pages_of(page_count.checked_mul(4)?)?;
        let list_of_lists = container.read_at(HEADER as u64, of_list.checked_mul(4)?)?;
        let list = Stream { size: page_count.checked_mul(4)?, pages: numbers(&list_of_lists) };
        let list = container.read_stream(&list, 0, list.size)?;
        let directory = Stream { size: directory_size, pages: numbers(&list) };
        let directory = container.read_stream(&directory, 0, directory_size)?;
        container.streams = container.streams_of(&directory)?;
        Some(container)
    }

    fn streams_of(&self, directory: &[u8]) -> Option<Vec<Stream>> {
        let count = usize::try_from(u32_at(directory, 0)?).ok().filter(|count| *count <= MOST_STREAMS)?;
        let sizes = numbers(directory.get(4..count.checked_mul(4)?.checked_add(4)?)?);
        let mut rest = directory.get(count.checked_mul(4)?.checked_add(4)?..)?;
        let mut streams = Vec::with_capacity(sizes.len());
        for size in sizes {
            let size = if size == REMOVED { 0 } else { size };
            let (pages, after) = rest.split_at_checked(usize::try_from(self.pages_of(size)?).ok()?.checked_mul(4)?)?;
            streams.push(Stream { size, pages: numbers(pages) });
            rest = after;
        }
        Some(streams)
    }

    /// About how many bytes the directory takes in memory.
    pub fn kept(&self) -> u64 {
        let pages: usize = self.streams.iter().map(|stream| stream.pages.len()).sum();
        let streams = self.streams.len().saturating_mul(size_of::<Stream>());
        pages.saturating_mul(4).saturating_add(streams) as u64
    }

    /// How many pages hold so many bytes.
    fn pages_of(&self, bytes: u32) -> Option<u32> {
        u32::try_from(u64::from(bytes).div_ceil(u64::from(self.page_size).max(1))).ok()
    }

    /// The size of a stream, bytes; 0 where it is not there.
    pub fn size(&self, stream: u32) -> u32 {
        usize::try_from(stream).ok().and_then(|index| self.streams.get(index)).map_or(0, |stream| stream.size)
    }

    /// All of a stream, if it is no larger than `most` bytes.
    pub fn whole(&mut self, stream: u32, most: u32) -> Option<Vec<u8>> {
        let size = self.size(stream);
        if size > most { None } else { self.part(stream, 0, size) }
    }

    /// `size` bytes of a stream from `offset` on.
    pub fn part(&mut self, stream: u32, offset: u32, size: u32) -> Option<Vec<u8>> {
        let index = usize::try_from(stream).ok()?;
        let streams = std::mem::take(&mut self.streams);
        let part = streams.get(index).and_then(|stream| self.read_stream(stream, offset, size));
        self.streams = streams;
        part
    }

    /// The text that is at an offset in a stream and ends with a zero, at most `most` bytes of it.
    pub fn text(&mut self, stream: u32, offset: u32, most: u32) -> Option<String> {
        let left = self.size(stream).checked_sub(offset)?;
        let part = self.part(stream, offset, left.min(most))?;
        let end = memchr::memchr(0, &part)?;
        Some(String::from_utf8_lossy(part.get(..end)?).into_owned())
    }

    fn read_stream(&mut self, stream: &Stream, offset: u32, size: u32) -> Option<Vec<u8>> {
        // Nothing is allocated that the file does not hold: pages that are used twice are damage.
        if offset.checked_add(size)? > stream.size || u64::from(size) > self.length {
            return None;
        }
        let mut part = vec![0; usize::try_from(size).ok()?];
        let mut filled = 0_usize;
        while filled < part.len() {
            let at = offset.checked_add(u32::try_from(filled).ok()?)?;
            let (page, within) = (at.checked_div(self.page_size)?, at.checked_rem(self.page_size)?);
            let first = usize::try_from(page).ok()?;
            let number = *stream.pages.get(first)?;
            // Pages that follow each other in the file are read at once.
            let wanted = part.len().checked_sub(filled)?;
            let mut length = usize::try_from(self.page_size.checked_sub(within)?).ok()?;
            let mut next = number;
            for following in stream.pages.get(first.checked_add(1)?..)? {
                next = next.checked_add(1)?;
                if length >= wanted || *following != next {
                    break;
                }
                length = length.checked_add(usize::try_from(self.page_size).ok()?)?;
            }
            let end = filled.checked_add(length.min(wanted))?;
            let place = u64::from(number).checked_mul(u64::from(self.page_size))?.checked_add(u64::from(within))?;
            self.fill(place, part.get_mut(filled..end)?)?;
            filled = end;
        }
        Some(part)
    }

    fn read_at(&mut self, offset: u64, size: u32) -> Option<Vec<u8>> {
        if offset.checked_add(u64::from(size))? > self.length {
            return None;
        }
        let mut part = vec![0; usize::try_from(size).ok()?];
        self.fill(offset, &mut part)?;
        Some(part)
    }

    fn fill(&mut self, offset: u64, part: &mut [u8]) -> Option<()> {
        self.bytes.seek(SeekFrom::Start(offset)).ok()?;
        self.bytes.read_exact(part).ok()
    }
}

/// Reads a stream's records one after another: a length of 16 bits that does not count itself, and so many bytes.
pub struct Records {
    stream: u32,
    /// Where the next record begins, and where the last one ends.
    at: u32,
    end: u32,
    block: Vec<u8>,
    block_at: u32,
}

impl Records {
    /// The records from `at` to `end` in a stream.
    pub fn new(stream: u32, at: u32, end: u32) -> Self {
        Self { stream, at, end, block: Vec::new(), block_at: 0 }
    }

    /// Where the next record begins.
    pub fn position(&self) -> u32 {
        self.at
    }

    /// The next record without its length: its kind, of 16 bits, and what belongs to it. `None` at the end or at damage.
    pub fn next<'r>(&'r mut self, container: &mut Container) -> Option<&'r [u8]> {
        let length = u32::from(u16::from_le_bytes(array_at(self.bytes(container, self.at, 2)?, 0)?));
        let at = self.at.checked_add(2)?;
        self.at = at.checked_add(length)?;
        if length < 2 || self.at > self.end {
            return None;
        }
        self.bytes(container, at, length)
    }

    fn bytes(&mut self, container: &mut Container, at: u32, size: u32) -> Option<&[u8]> {
        let end = at.checked_add(size).filter(|end| *end <= self.end)?;
        let held = self.block_at.checked_add(u32::try_from(self.block.len()).ok()?)?;
        if at < self.block_at || end > held {
            // A record is at most as long as a block.
            let left = self.end.min(container.size(self.stream)).checked_sub(at)?;
            self.block = container.part(self.stream, at, left.min(BLOCK.checked_mul(2)?))?;
            self.block_at = at;
        }
        let from = usize::try_from(at.checked_sub(self.block_at)?).ok()?;
        self.block.get(from..from.checked_add(usize::try_from(size).ok()?)?)
    }
}

/// Numbers of 32 bits, one after another.
pub fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).filter_map(|number| u32_at(number, 0)).collect()
}

/// The text at an offset that ends with a zero.
pub fn text_at(bytes: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = bytes.get(offset..)?;
    rest.get(..memchr::memchr(0, rest)?)
}

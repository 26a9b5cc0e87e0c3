//! The physical pages of a dump that holds them whole: where in the file each is.
//!
//! A full dump holds runs of pages, one behind the other; the header lists the runs. Other dumps have a bitmap with a
//! bit for every page of the machine, and hold those pages whose bit is set, in their order.

use std::io::{Read, Seek};

use super::header::Header;
use super::layout::{PAGE, bitmap};
use super::source::Source;
use untrusted::bytes::{u32_at, u64_at};

/// A bitmap of 2 TiB of memory; no larger one is read.
const LARGEST_BITMAP: u64 = 64 << 20;
/// The bits of the bitmap that are counted together.
const CHUNK: usize = 4096;
/// The most runs of pages that the header has room for.
const MOST_RUNS: u32 = 42;
/// Length of a run's description: first page and number of pages.
const RUN: usize = 16;

/// Where the pages are in the file.
#[derive(Debug)]
pub(super) enum Pages {
    /// In runs.
    Runs(Vec<Run>),
    /// By bitmap.
    Bitmap {
        /// A bit for each page, the lowest first.
        bits: Vec<u8>,
        /// The bits that are set before each chunk of the bitmap.
        before: Vec<u64>,
        /// Offset of the first page in the file, bytes.
        first: u64,
    },
}

/// Pages that follow each other in memory and in the file.
#[derive(Debug)]
pub(super) struct Run {
    /// Number of the first page.
    page: u64,
    /// How many pages.
    count: u64,
    /// Offset of the first one in the file, bytes.
    offset: u64,
}

impl Pages {
    /// The runs that the header of a full dump lists; `None` where they make no sense.
    pub fn from_runs(header: &Header) -> Option<Self> {
        let list = header.physical_memory();
        let count = u32_at(list, 0).filter(|count| (1..=MOST_RUNS).contains(count))?;
        let mut offset = header.length();
        let mut runs = Vec::new();
        for run in list.get(RUN..)?.chunks_exact(RUN).take(usize::try_from(count).ok()?) {
            let (page, count) = (u64_at(run, 0)?, u64_at(run, 8)?);
            runs.push(Run { page, count, offset });
            offset = offset.checked_add(count.checked_mul(PAGE)?)?;
        }
        Some(Self::Runs(runs))
    }

    /// The bitmap that follows the header at `offset`; `None` where there is none that makes sense.
    pub fn from_bitmap<F: Read + Seek>(source: &mut Source<F>, offset: u64) -> Option<Self> {
        let head = source.read(offset, u64::try_from(bitmap::BITS).ok()?).ok()?;
        let signature = head.first_chunk::<4>()?;
        if !bitmap::SIGNATURES.contains(signature) || head.get(4..8)? != bitmap::VALID.as_slice() {
            return None;
        }
        let bytes = u64_at(&head, bitmap::PAGES)?.div_ceil(8);
        if bytes > LARGEST_BITMAP {
            return None;
        }
        let begin = offset.checked_add(u64::try_from(bitmap::BITS).ok()?)?;
        let first = u64_at(&head, bitmap::FIRST_PAGE)?;
        if first < begin.checked_add(bytes)? {
            return None;
        }
        let bits = source.read(begin, bytes).ok()?;
        let mut before = Vec::with_capacity(bits.len().div_ceil(CHUNK));
        let mut set = 0_u64;
        for chunk in bits.chunks(CHUNK) {
            before.push(set);
            set = set.saturating_add(count_bits(chunk));
        }
        Some(Self::Bitmap { bits, before, first })
    }

    /// The offset in the file behind the last page.
    pub fn end(&self) -> Option<u64> {
        match self {
            Self::Runs(runs) => {
                let last = runs.last()?;
                last.offset.checked_add(last.count.checked_mul(PAGE)?)
            }
            Self::Bitmap { bits, before, first } => {
                let in_last = bits.chunks(CHUNK).last().map_or(0, count_bits);
                let pages = before.last().copied().unwrap_or_default().checked_add(in_last)?;
                first.checked_add(pages.checked_mul(PAGE)?)
            }
        }
    }

    /// The offset of page number `page` in the file; `None` if the dump does not hold it.
    pub fn offset_of(&self, page: u64) -> Option<u64> {
        match self {
            Self::Runs(runs) => runs.iter().find_map(|run| {
                let index = page.checked_sub(run.page).filter(|index| *index < run.count)?;
                run.offset.checked_add(index.checked_mul(PAGE)?)
            }),
            Self::Bitmap { bits, before, first } => {
                let byte = usize::try_from(page >> 3).ok()?;
                let bit = 1_u8.checked_shl(u32::try_from(page & 7).ok()?)?;
                let own = *bits.get(byte)?;
                if own & bit == 0 {
                    return None;
                }
                let chunk = byte.checked_div(CHUNK)?;
                let in_chunk = count_bits(bits.get(chunk.checked_mul(CHUNK)?..byte)?);
                let in_byte = u64::from((own & bit.wrapping_sub(1)).count_ones());
                let index = before.get(chunk)?.checked_add(in_chunk)?.checked_add(in_byte)?;
                first.checked_add(index.checked_mul(PAGE)?)
            }
        }
    }
}

fn count_bits(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(byte.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_bitmap_says_which_pages_the_dump_holds_and_where() {
        let mut file = vec![0_u8; 0x38];
        file[..8].copy_from_slice(b"SDMPDUMP");
        file[0x20..0x28].copy_from_slice(&0x4000_u64.to_le_bytes());
        // More than one chunk of bits, of which the last byte's lowest bit and two of the first byte are set.
        let bytes = CHUNK + 2;
        file[0x30..0x38].copy_from_slice(&((bytes * 8) as u64).to_le_bytes());
        file.resize(0x38 + bytes, 0);
        file[0x38] = 0b1000_0100;
        file[0x38 + CHUNK + 1] = 1;
        let mut source = Source { bytes: file.len() as u64, file: Cursor::new(file) };
        let pages = Pages::from_bitmap(&mut source, 0).expect("a bitmap");
        assert_eq!(pages.offset_of(2), Some(0x4000));
        assert_eq!(pages.offset_of(7), Some(0x5000));
        assert_eq!(pages.offset_of((CHUNK as u64 + 1) * 8), Some(0x6000));
        for absent in [0, 3, 8, u64::MAX] {
            assert_eq!(pages.offset_of(absent), None, "{absent}");
        }
    }

    #[test]
    fn a_bitmap_that_is_longer_than_the_file_is_refused() {
        for pages in [u64::MAX, 1 << 40, 64] {
            let mut file = vec![0_u8; 0x38];
            file[..8].copy_from_slice(b"FDMPDUMP");
            file[0x20..0x28].copy_from_slice(&0x4000_u64.to_le_bytes());
            file[0x30..0x38].copy_from_slice(&pages.to_le_bytes());
            let mut source = Source { bytes: file.len() as u64, file: Cursor::new(file) };
            assert!(Pages::from_bitmap(&mut source, 0).is_none(), "{pages}");
        }
    }
}

//! The lists of a minidump: a header with a count, and behind it entries of one size.

use std::slice::ChunksExact;

use super::directory::{Directory, StreamKind, place};
use untrusted::Loss;
use untrusted::bytes::{Source, u32_at};

/// Longest list of modules, threads or memory ranges that is read, bytes: half a million ranges.
pub const LONGEST_LIST: u64 = 8 << 20;
/// Longest header and longest entry that are believed of a list whose header gives their lengths, bytes.
const LONGEST_SIZES: usize = 256;

/// The entries of a list, as far as the dump holds them.
#[derive(Debug, Default)]
pub struct List {
    entries: Vec<u8>,
    entry_size: usize,
    /// How many entries the list's header counts; the dump may hold fewer.
    pub count: u64,
}

impl List {
    /// The list in a stream that begins with a count of 32 bits. `None` when the dump has no such stream, or it can't be
    /// read. Entries that are missing are a loss.
    pub fn read(
        source: &mut Source<'_>,
        directory: &Directory,
        kind: StreamKind,
        entry_size: usize,
        losses: &mut Vec<Loss>,
    ) -> Option<Self> {
        let bytes = directory.bytes(source, kind, LONGEST_LIST)?;
        let count = u64::from(u32_at(&bytes, 0).unwrap_or(0));
        Some(Self::behind_header(&bytes, 4, count, entry_size, kind, losses))
    }

    /// The list in the first `longest` bytes of a stream whose header gives the lengths of header and entries, which are at
    /// least `least` bytes. `None` when the dump has no such stream, or it can't be read or believed; that it can't be
    /// believed, and missing entries, are losses.
    pub fn read_with_sizes(
        source: &mut Source<'_>,
        directory: &Directory,
        kind: StreamKind,
        longest: u64,
        least: (usize, usize),
        losses: &mut Vec<Loss>,
    ) -> Option<Self> {
        let bytes = directory.bytes(source, kind, longest)?;
        match Sizes::read(&bytes, least) {
            Ok(Sizes { header, entry, count }) => {
                Some(Self::behind_header(&bytes, header, u64::from(count), entry, kind, losses))
            }
            Err(reason) => {
                losses.push(Loss::new(place(kind), reason));
                None
            }
        }
    }

    /// The list in `bytes`, the content of a stream, whose first `header_size` bytes count `count` entries. Entries that
    /// are missing are a loss.
    pub fn behind_header(
        bytes: &[u8],
        header_size: usize,
        count: u64,
        entry_size: usize,
        kind: StreamKind,
        losses: &mut Vec<Loss>,
    ) -> Self {
        let Some(after) = bytes.get(header_size..) else {
            losses.push(Loss::new(place(kind), "shorter than its own header"));
            return Self { entries: Vec::new(), entry_size, count };
        };
        let held = after.len().checked_div(entry_size).unwrap_or(0) as u64;
        // Some writers align the entries and leave four bytes between header and first entry.
        let rest = after.len().checked_rem(entry_size).unwrap_or(0);
        let after = if rest == 4 && held == count { after.get(4..).unwrap_or(after) } else { after };
        if count != held {
            losses.push(Loss::new(place(kind), format!("counts {count} entries and has room for {held}")));
        }
        let wanted = usize::try_from(count.min(held)).unwrap_or(0).saturating_mul(entry_size);
        Self { entries: after.get(..wanted).unwrap_or(after).to_vec(), entry_size, count }
    }

    /// The entries, all of the list's size.
    pub fn entries(&self) -> ChunksExact<'_, u8> {
        // An empty list has no size that a slice can be divided by.
        self.entries.chunks_exact(self.entry_size.max(1))
    }
}

/// The header of a list that gives its own length, that of an entry, and their number, 32 bits each.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Length of the header, bytes.
    pub header: usize,
    /// Length of an entry, bytes.
    pub entry: usize,
    /// How many entries there are.
    pub count: u32,
}

impl Sizes {
    /// The sizes in `bytes`, the content of a stream.
    ///
    /// # Errors
    /// Why they are not believed, in the words of a [`Loss`]: header or entries are shorter than `least` or far too long.
    pub fn read(bytes: &[u8], least: (usize, usize)) -> Result<Self, &'static str> {
        let (Some(header), Some(entry), Some(count)) = (u32_at(bytes, 0), u32_at(bytes, 4), u32_at(bytes, 8)) else {
            return Err("shorter than its own header");
        };
        let (header, entry) = (header as usize, entry as usize);
        if !(least.0..=LONGEST_SIZES).contains(&header) || !(least.1..=LONGEST_SIZES).contains(&entry) {
            return Err("sizes of header and entries are not believable");
        }
        Ok(Self { header, entry, count })
    }
}

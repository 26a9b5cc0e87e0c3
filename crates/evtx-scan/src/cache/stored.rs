//! The layout of a cache file: a table with a row for each place of the log, and behind it the entries.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 16 | [`MAGIC`] |
//! | 16 | 16 | hash of what the entries depend on |
//! | 32 | 8 | checksum (XXH3) of all behind it |
//! | 40 | 8 | number of rows |
//! | 48 | 24 each | rows: hash of the chunk's header; where its entry ends, counted from the end of the table |
//! | | | entries, one behind another; none where a row ends where the one before it does |
//!
//! Numbers are little-endian. This program writes the files, but a file may have been cut, damaged or put there by somebody
//! else: everything in it is checked, and no memory is reserved by a number in it.

use std::io::{self, Seek, SeekFrom, Write};

use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

use super::LAYOUT;
use untrusted::bytes::{array_at, u64_at};
use untrusted::reason;

/// The first bytes of a cache file.
const MAGIC: &[u8; 16] = b"crashsift cache\n";
const DIGEST_AT: usize = 16;
const CHECKSUM_AT: usize = 32;
/// Offset of the part that the checksum covers, up to the end.
const COVERED: usize = 40;
/// Offset of the rows.
const ROWS: usize = 48;
/// Size of a row, bytes.
const ROW: usize = 24;

/// Why a cache file is not used. The texts are shown to the user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The operating system can't read it.
    #[error("it can't be read: {}", reason(.0))]
    Unreadable(io::Error),
    /// A folder, a pipe or the like.
    #[error("it is no file")]
    NoFile,
    /// Somebody else may have written it.
    #[error("it belongs to another user, or others may write it")]
    Foreign,
    /// Larger than the file of a log of this size can be.
    #[error("it is larger than any that is written")]
    TooLarge,
    /// The file does not begin with [`MAGIC`].
    #[error("it is no cache file")]
    NoCacheFile,
    /// The file was written for another digest.
    #[error("another version of crashsift wrote it")]
    OtherDigest,
    /// The checksum is wrong, or the table.
    #[error("it is damaged")]
    Damaged,
}

/// The content of a cache file that can be used.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    bytes: Vec<u8>,
    /// The number of rows.
    pub(crate) rows: usize,
    /// Offset of the entries.
    entries: usize,
}

impl Stored {
    /// The content of a cache file with these bytes, if it was written for `digest`.
    ///
    /// # Errors
    /// Why the file can't be used.
    pub(crate) fn parse(bytes: Vec<u8>, digest: &str) -> Result<Self, Refusal> {
        const DAMAGED: Refusal = Refusal::Damaged;
        if !bytes.starts_with(MAGIC) {
            return Err(Refusal::NoCacheFile);
        }
        let written_for = array_at(&bytes, DIGEST_AT).map(u128::from_le_bytes).ok_or(DAMAGED)?;
        if written_for != hashed(digest) {
            return Err(Refusal::OtherDigest);
        }
        let checksum = u64_at(&bytes, CHECKSUM_AT).ok_or(DAMAGED)?;
        if bytes.get(COVERED..).map(xxh3_64) != Some(checksum) {
            return Err(DAMAGED);
        }
        let rows = u64_at(&bytes, COVERED).and_then(|rows| usize::try_from(rows).ok()).ok_or(DAMAGED)?;
        let entries = rows.checked_mul(ROW).and_then(|size| size.checked_add(ROWS)).ok_or(DAMAGED)?;
        let stored = Self { bytes, rows, entries };
        // The entries fill the rest of the file and do not overlap, so that they are no longer than it.
        let room = stored.bytes.len().checked_sub(entries).ok_or(DAMAGED)?;
        let ordered = (0..rows).map(|number| stored.end(number)).is_sorted();
        (ordered && stored.entry_bytes(rows) == room).then_some(stored).ok_or(DAMAGED)
    }

    /// The most bytes that the file of a log with `places` places can have, if its entries have at most `entries` bytes.
    pub(crate) fn most_bytes(places: u64, entries: usize) -> u64 {
        places.saturating_mul(ROW as u64).saturating_add(ROWS as u64).saturating_add(entries as u64)
    }

    /// The bytes of the entries of the first `places` places.
    pub(crate) fn entry_bytes(&self, places: usize) -> usize {
        self.rows.min(places).checked_sub(1).and_then(|last| self.end(last)).unwrap_or_default()
    }

    /// The hash of the header and the entry of the chunk at this place; `None` when nothing is kept of the chunk.
    pub(crate) fn row(&self, number: usize) -> Option<(u128, &[u8])> {
        let end = self.end(number)?;
        let start = match number.checked_sub(1) {
            Some(before) => self.end(before)?,
            None => 0,
        };
        let hash = array_at(&self.bytes, self.row_at(number)?).map(u128::from_le_bytes)?;
        let entry = self.bytes.get(self.entries..)?.get(start..end)?;
        (!entry.is_empty()).then_some((hash, entry))
    }

    /// Where the entry of this place ends.
    fn end(&self, number: usize) -> Option<usize> {
        let end = u64_at(&self.bytes, self.row_at(number)?.checked_add(16)?)?;
        usize::try_from(end).ok()
    }

    /// The offset of this row; `None` when there are fewer rows.
    fn row_at(&self, number: usize) -> Option<usize> {
        (number < self.rows).then_some(number)?.checked_mul(ROW)?.checked_add(ROWS)
    }

    /// Writes a file with these rows, for `digest`, from the beginning of `file` on.
    ///
    /// # Errors
    /// When it can't be written.
    pub(crate) fn write<'e>(
        rows: impl Iterator<Item = Option<(u128, &'e [u8])>> + Clone,
        digest: &str,
        file: &mut (impl Write + Seek),
    ) -> io::Result<()> {
        file.write_all(MAGIC)?;
        file.write_all(&hashed(digest).to_le_bytes())?;
        // The place of the checksum, which is known at the end.
        file.write_all(&[0; COVERED - CHECKSUM_AT])?;
        let mut checksum = Xxh3::new();
        let mut write = |bytes: &[u8]| {
            checksum.update(bytes);
            file.write_all(bytes)
        };
        write(&(rows.clone().count() as u64).to_le_bytes())?;
        let mut end = 0_u64;
        for row in rows.clone() {
            let (hash, entry) = row.unwrap_or_default();
            end = end.saturating_add(entry.len() as u64);
            write(&hash.to_le_bytes())?;
            write(&end.to_le_bytes())?;
        }
        rows.flatten().try_for_each(|(_, entry)| write(entry))?;
        file.seek(SeekFrom::Start(CHECKSUM_AT as u64))?;
        file.write_all(&checksum.digest().to_le_bytes())?;
        file.flush()
    }
}

/// The hash of the digest and the layout.
fn hashed(digest: &str) -> u128 {
    xxh3_128(format!("{LAYOUT} {digest}").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn rows() -> Vec<u8> {
        let rows: [Option<(u128, &[u8])>; 4] = [Some((7, b"seven")), None, Some((9, b"9")), None];
        let mut file = Cursor::new(Vec::new());
        Stored::write(rows.into_iter(), "a", &mut file).expect("memory");
        file.into_inner()
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let stored = Stored::parse(rows(), "a").expect("a cache file");
        let found: Vec<_> = (0..6).map(|number| stored.row(number)).collect();
        assert_eq!(found, [Some((7, b"seven".as_slice())), None, Some((9, b"9".as_slice())), None, None, None]);
        assert_eq!(stored.rows, 4);
        assert_eq!([0, 1, 2, 3, 9].map(|places| stored.entry_bytes(places)), [0, 5, 5, 6, 6]);
        assert_eq!(stored.row(usize::MAX), None);
        assert_eq!(Stored::default().row(0), None);
    }

    #[test]
    fn what_can_not_be_used_says_why() {
        let reason = |bytes: &[u8], digest| Stored::parse(bytes.to_vec(), digest).expect_err("of no use").to_string();
        assert_eq!(reason(b"", "a"), "it is no cache file");
        assert_eq!(reason(b"{}", "a"), "it is no cache file");
        assert_eq!(reason(&rows(), "b"), "another version of crashsift wrote it");
        assert_eq!(reason(&rows()[..20], "a"), "it is damaged");
        assert_eq!(reason(&rows()[..60], "a"), "it is damaged");
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let whole = rows();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 0x10;
            assert!(Stored::parse(flipped, "a").is_err(), "byte {at} flipped");
            assert!(Stored::parse(whole[..at].to_vec(), "a").is_err(), "cut at byte {at}");
        }
    }

    /// A file whose checksum is right, with another count of rows and other ends of entries.
    fn forged(count: u64, ends: &[u64]) -> Vec<u8> {
        let mut covered = count.to_le_bytes().to_vec();
        for end in ends {
            covered.extend(1_u128.to_le_bytes());
            covered.extend(end.to_le_bytes());
        }
        covered.extend(b"entry");
        [MAGIC.as_slice(), &hashed("a").to_le_bytes(), &xxh3_64(&covered).to_le_bytes(), &covered].concat()
    }

    #[test]
    fn counts_and_ends_that_can_not_be_right_are_damage() {
        for count in [0, 1, 2, u64::MAX, u64::MAX / 24, u64::MAX / 24 + 1] {
            assert_eq!(
                Stored::parse(forged(count, &[]), "a").err().map(|refusal| refusal.to_string()).as_deref(),
                Some("it is damaged"),
                "{count}"
            );
        }
        for ends in [&[3, 4][..], &[3, 6], &[4, 3, 5], &[u64::MAX, 5], &[u64::MAX, u64::MAX]] {
            assert_eq!(
                Stored::parse(forged(ends.len() as u64, ends), "a").err().map(|refusal| refusal.to_string()).as_deref(),
                Some("it is damaged"),
                "{ends:?}"
            );
        }
        assert!(Stored::parse(forged(3, &[3, 3, 5]), "a").is_ok());
    }
}

//! The records of a chunk, found by their headers: the records that the chunk's header counts, and others behind them.

use super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START};
use untrusted::bytes::{array_at, u32_at, u64_at};

/// The first bytes of a record.
pub(crate) const SIGNATURE: [u8; 4] = [0x2A, 0x2A, 0, 0];
/// Size of a record's header, bytes: signature, size, id and time.
const HEADER: usize = 24;
/// The least size of a record: its header, and its size again at its end.
const LEAST: usize = HEADER + 4;
/// The most records that a chunk can hold.
pub(crate) const MOST_RECORDS: u64 = ((CHUNK_BYTES - RECORDS_START) / LEAST) as u64;
/// The last FILETIME, 100 ns units since 1601-01-01, that a timestamp can hold (9999-12-30T22:00:00.9999999Z, the last
/// one in every time zone); a record with a later one is damaged.
const LATEST: u64 = 2_650_466_808_009_999_999;

/// A record by its header, before anything in it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawRecord {
    /// Offset in its chunk.
    pub(crate) offset: usize,
    /// Size, bytes: at least that of its header and the copy of the size.
    pub(crate) size: usize,
    /// The record's id.
    pub(crate) id: u64,
    /// When the record was logged: 100 ns units since 1601-01-01.
    pub(crate) filetime: u64,
}

impl RawRecord {
    /// The record at `offset`, if it has a valid header and its content ends within the chunk. With `copied`, it must also end
    /// with a copy of its size.
    #[inline]
    fn at(bytes: &[u8], offset: usize, copied: bool) -> Option<Self> {
        let header: [u8; HEADER] = array_at(bytes, offset)?;
        let [a, b, c, d, size @ ..] = header;
        let size = u32_at(&size, 0)? as usize;
        let (id, filetime) = (u64_at(&header, 8)?, u64_at(&header, 16)?);
        if [a, b, c, d] != SIGNATURE || size < LEAST || filetime > LATEST {
            return None;
        }
        let content_end = offset.checked_add(size)?.checked_sub(4)?;
        if content_end > bytes.len() || (copied && u32_at(bytes, content_end)? as usize != size) {
            return None;
        }
        Some(Self { offset, size, id, filetime })
    }

    /// Where the record's content begins.
    pub(crate) fn content_start(&self) -> usize {
        self.offset.saturating_add(HEADER)
    }

    /// Where the record's content ends.
    pub(crate) fn content_end(&self) -> usize {
        self.end().saturating_sub(4)
    }

    /// Where the record ends.
    pub(crate) fn end(&self) -> usize {
        self.offset.saturating_add(self.size)
    }
}

/// What was found where a record is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A record.
    Record(RawRecord),
    /// Anything else, at this offset.
    Damage(usize),
}

/// The records that the header of `chunk` counts, one after another, up to the last one's id or the free space. Behind
/// anything that is no record, the next record is searched by its signature. Such a record must have its size at both ends,
/// end in front of the free space, begin no later than the last record and have an id of the header's range: chunks are
/// reused, and there may be records of their earlier use in between.
#[inline]
pub(crate) fn live(chunk: Chunk<'_>) -> impl Iterator<Item = Found> {
    let end = chunk.live_end();
    let mut next = Some(RECORDS_START);
    std::iter::from_fn(move || {
        let offset = next.filter(|offset| *offset < end)?;
        if let Some(record) = RawRecord::at(chunk.bytes, offset, false) {
            next = (record.id != chunk.last_id).then(|| record.end());
            return Some(Found::Record(record));
        }
        next = search(&chunk, offset.saturating_add(1));
        // Zeros that no record follows are free space, although the header's free space begins later.
        (next.is_some() || !is_blank(chunk.bytes, offset)).then_some(Found::Damage(offset))
    })
}

/// Offset of the next record at or after `from` that [`live`] accepts behind damage.
#[cold]
fn search(chunk: &Chunk<'_>, from: usize) -> Option<usize> {
    let end = chunk.live_end();
    // Up to the signature of a record that begins where the last one does.
    let search_end = end.min(chunk.last_record.saturating_add(SIGNATURE.len()));
    let range = chunk.bytes.get(from..search_end)?;
    memchr::memmem::find_iter(range, &SIGNATURE).map(|hit| from.saturating_add(hit)).find(|offset| {
        RawRecord::at(chunk.bytes, *offset, true)
            .is_some_and(|record| record.end() <= end && (chunk.first_id..=chunk.last_id).contains(&record.id))
    })
}

/// Whether a record's header at this place would begin with zeros or reach beyond the chunk.
fn is_blank(bytes: &[u8], offset: usize) -> bool {
    array_at::<HEADER>(bytes, offset).is_none_or(|header| header.starts_with(&[0; 4]))
}

/// The whole records behind those that the header of `chunk` counts, each with the id after its predecessor's. Windows had
/// written these records when the log was copied, but not yet the header. Records with other ids are left over from earlier
/// use of the chunk. For a chunk whose header counts no records, `first_id` returns the id that its first one must have, if
/// that is known.
pub(crate) fn unflushed<'c>(
    chunk: &Chunk<'c>,
    first_id: &dyn Fn() -> Option<u64>,
) -> impl Iterator<Item = RawRecord> + use<'c> {
    let start = chunk.free_space().unwrap_or(chunk.bytes.len());
    let first_id = if chunk.is_empty() {
        let found = RawRecord::at(chunk.bytes, start, true).map(|record| record.id);
        found.filter(|found| first_id().is_none_or(|first_id| first_id == *found))
    } else {
        chunk.last_id.checked_add(1)
    };
    consecutive(chunk.bytes, start, first_id).filter(move |_| first_id.is_some())
}

/// Offset of the next whole record behind damage at `from` whose id is behind `last_id`, and not farther than a chunk's records
/// reach. A whole record with another id at `from` is of the chunk's earlier use, and so are those behind it.
#[cold]
pub(crate) fn later(bytes: &[u8], from: usize, last_id: u64) -> Option<usize> {
    if RawRecord::at(bytes, from, true).is_some() {
        return None;
    }
    let is_later =
        |record: RawRecord| record.id.checked_sub(last_id).is_some_and(|behind| (1..=MOST_RECORDS).contains(&behind));
    let hits = memchr::memmem::find_iter(bytes.get(from..)?, &SIGNATURE);
    hits.map(|hit| from.saturating_add(hit)).find(|offset| RawRecord::at(bytes, *offset, true).is_some_and(is_later))
}

/// The whole records that follow each other from `start` on with consecutive ids. The first one must have the id `first_id`,
/// if there is one.
pub(crate) fn consecutive(
    bytes: &[u8],
    start: usize,
    first_id: Option<u64>,
) -> impl Iterator<Item = RawRecord> + use<'_> {
    let (mut offset, mut wanted) = (start, first_id);
    std::iter::from_fn(move || {
        let record = RawRecord::at(bytes, offset, true)?;
        if wanted.is_some_and(|wanted| wanted != record.id) {
            return None;
        }
        offset = record.end();
        // Behind the greatest id there is no other one.
        wanted = Some(record.id.checked_add(1)?);
        Some(record)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, size: u32) -> Vec<u8> {
        let mut bytes = vec![0; size as usize];
        bytes[..4].copy_from_slice(&SIGNATURE);
        bytes[4..8].copy_from_slice(&size.to_le_bytes());
        bytes[8..16].copy_from_slice(&id.to_le_bytes());
        bytes.truncate(bytes.len().saturating_sub(4));
        bytes.extend(size.to_le_bytes());
        bytes
    }

    const NONE: [u64; 0] = [];

    fn ids(bytes: &[u8], start: usize, first: Option<u64>) -> Vec<u64> {
        consecutive(bytes, start, first).map(|record| record.id).collect()
    }

    #[test]
    fn records_follow_each_other_by_their_sizes_and_ids() {
        let mut data = [record(7, 28), record(8, 40), record(9, 32), record(4, 28)].concat();
        assert_eq!(ids(&data, 0, None), [7, 8, 9]);
        assert_eq!(ids(&data, 28, Some(8)), [8, 9]);
        assert_eq!(ids(&data, 28, Some(7)), NONE);
        // The second size of record 8.
        data[64] ^= 1;
        assert_eq!(ids(&data, 0, None), [7]);
    }

    #[test]
    fn no_record_is_found_outside_the_bytes() {
        let data = record(7, 28);
        assert_eq!(ids(&data[..27], 0, None), NONE);
        assert_eq!(ids(&data, usize::MAX, None), NONE);
        let mut huge = data.clone();
        huge[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(ids(&huge, 0, None), NONE);
        let mut none = data;
        none[4..8].fill(0);
        assert_eq!(ids(&none, 0, None), NONE);
    }

    #[test]
    fn a_time_that_no_calendar_holds_is_damage() {
        let mut data = record(7, 28);
        data[16..24].copy_from_slice(&LATEST.to_le_bytes());
        assert_eq!(ids(&data, 0, None), [7]);
        assert!(untrusted::notation::filetime(LATEST).is_some());
        data[16..24].copy_from_slice(&(LATEST + 1).to_le_bytes());
        assert_eq!(ids(&data, 0, None), NONE);
        assert_eq!(untrusted::notation::filetime(LATEST + 1), None);
    }
}

//! What is known of one log: which of its chunks are unchanged, and what is learnt of the others while it is read.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START};
use super::super::records;
use super::super::runs::{chunk_offset, fill_at, places};
use super::entry::MOST_BYTES;
use super::stored::Stored;
use super::{Cache, Entry};

/// What is kept of a chunk: the hash of its header, and the entry, encoded.
type Row = (u128, Vec<u8>);

/// What is known of one log.
#[derive(Debug)]
pub(in super::super) struct LogCache<'c> {
    cache: &'c Cache,
    /// Where its file lies.
    path: PathBuf,
    /// The log's size, bytes.
    bytes: u64,
    /// What earlier runs learnt.
    stored: Stored,
    /// Whether the file must be written anew, whatever is learnt.
    outdated: bool,
    /// What is learnt of chunks that changed, by place; `None` for those of which nothing can be kept.
    learnt: Mutex<BTreeMap<usize, Option<Row>>>,
}

impl<'c> LogCache<'c> {
    /// What the file at `path` knows of a log of `bytes` bytes.
    pub(super) fn open(cache: &'c Cache, path: PathBuf, bytes: u64) -> Self {
        let loaded = cache.load(&path, Stored::most_bytes(places(bytes), MOST_BYTES));
        let (stored, refused) = match loaded {
            Ok(stored) => (stored.unwrap_or_default(), false),
            Err(reason) => {
                cache.refuse(&path, &reason);
                (Stored::default(), true)
            }
        };
        let outdated = refused || stored.rows() as u64 > places(bytes);
        Self { cache, path, bytes, stored, outdated, learnt: Mutex::default() }
    }

    /// What is kept of chunk `number` of the log, if it is unchanged: its header is, and, in a log that was not closed
    /// (`dirty`), no record may have been written behind those that the header knows.
    pub(in super::super) fn unchanged(&self, file: &File, number: u64, dirty: bool) -> Option<Entry<'_>> {
        let (hash, entry) = self.stored.row(usize::try_from(number).ok()?)?;
        let start = chunk_offset(number);
        if start.saturating_add(CHUNK_BYTES as u64) > self.bytes {
            return None;
        }
        let mut header = [0; RECORDS_START];
        if fill_at(file, &mut header, start).ok()? < RECORDS_START || xxh3_128(&header) != hash {
            return None;
        }
        if dirty && records_may_follow(file, start, &header) {
            return None;
        }
        let entry = Entry::decode(entry)?;
        self.cache.count_unchanged();
        Some(entry)
    }

    /// Notes what is to be kept of chunk `number`, which was read: an entry with the chunk's bytes, or nothing.
    pub(in super::super) fn learn(&self, number: u64, kept: Option<(&[u8], Vec<u8>)>) {
        let Ok(number) = usize::try_from(number) else { return };
        let row = kept.and_then(|(chunk, entry)| Some((xxh3_128(chunk.get(..RECORDS_START)?), entry)));
        if row.is_some() || self.stored.row(number).is_some() {
            self.learnt.lock().unwrap_or_else(PoisonError::into_inner).insert(number, row);
        }
    }

    /// Writes the file anew, if there is anything new.
    pub(in super::super) fn save(self) {
        let learnt = self.learnt.into_inner().unwrap_or_else(PoisonError::into_inner);
        if learnt.is_empty() && !self.outdated {
            return;
        }
        let known = learnt.last_key_value().map_or(0, |(number, _)| number.saturating_add(1));
        let rows = self.stored.rows().max(known).min(usize::try_from(places(self.bytes)).unwrap_or(known));
        let row = |number| match learnt.get(&number) {
            Some(row) => row.as_ref().map(|(hash, entry)| (*hash, entry.as_slice())),
            None => self.stored.row(number),
        };
        self.cache.store(&self.path, (0..rows).map(row));
    }
}

/// Whether something that may be a record stands where the header of a chunk says that free space begins. Windows
/// writes records before it writes the header that knows them.
fn records_may_follow(file: &File, start: u64, header: &[u8]) -> bool {
    let Some(free) = Chunk::parse(header).and_then(|chunk| chunk.free_space_within(CHUNK_BYTES)) else { return false };
    let mut begin = [0; records::SIGNATURE.len()];
    let room = CHUNK_BYTES.saturating_sub(free).min(begin.len());
    let Some(begin) = begin.get_mut(..room) else { return true };
    // What can't be read is seen when the chunk is.
    !matches!(fill_at(file, begin, start.saturating_add(free as u64)), Ok(read) if read == room)
        || *begin == records::SIGNATURE
}

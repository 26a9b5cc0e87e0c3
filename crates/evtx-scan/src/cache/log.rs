//! What is kept of one log: which of its chunks are unchanged, and what is learnt of the others while it is read.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START};
use super::super::log_file::{chunk_offset, fill_at, places};
use super::super::records;
use super::stored::Stored;
use super::{Cache, Entry, MOST_KEPT};

/// What is kept of a chunk: the hash of its header, and the entry, encoded.
type Row = (u128, Box<[u8]>);

/// What a run learnt of chunks that changed.
#[derive(Debug)]
struct Learnt {
    /// By place; `None` for a chunk of which nothing can be kept.
    rows: BTreeMap<usize, Option<Row>>,
    /// The bytes of all entries that the file will have; at most [`MOST_KEPT`].
    bytes: usize,
}

/// What earlier runs kept of one log.
#[derive(Debug)]
pub struct LogCache<'c> {
    cache: &'c Cache,
    /// The path of the cache file.
    path: PathBuf,
    /// The log's size, bytes.
    bytes: u64,
    /// What earlier runs kept.
    stored: Stored,
    /// Whether the file must be written again even if nothing is learnt.
    outdated: bool,
    learnt: Mutex<Learnt>,
}

impl<'c> LogCache<'c> {
    /// Loads the cache file at `path` for a log of `bytes` bytes.
    pub(crate) fn open(cache: &'c Cache, path: PathBuf, bytes: u64) -> Self {
        let loaded = cache.load(&path, Stored::most_bytes(places(bytes), MOST_KEPT));
        let (stored, refused) = match loaded {
            Ok(stored) => (stored.unwrap_or_default(), false),
            Err(reason) => {
                cache.refuse(&path, &reason.to_string());
                (Stored::default(), true)
            }
        };
        let outdated = refused || stored.rows as u64 > places(bytes);
        let kept = stored.entry_bytes(usize::try_from(places(bytes)).unwrap_or(usize::MAX));
        let learnt = Mutex::new(Learnt { rows: BTreeMap::new(), bytes: kept });
        Self { cache, path, bytes, stored, outdated, learnt }
    }

    /// What is kept of chunk `number` of the log, if the chunk is unchanged: its header is the same and, in a log that was not
    /// closed (`dirty`), no record can be behind those that the header counts.
    pub(crate) fn unchanged(&self, file: &File, number: u64, dirty: bool) -> Option<Entry<'_>> {
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

    /// Notes what is to be kept of chunk `number`, which was read: the chunk's bytes and its entry, or nothing. Called once for
    /// each chunk.
    pub(crate) fn learn(&self, number: u64, kept: Option<(&[u8], Vec<u8>)>) {
        let Ok(number) = usize::try_from(number) else { return };
        let row = kept.and_then(|(chunk, entry)| Some((xxh3_128(chunk.get(..RECORDS_START)?), entry)));
        let before = self.stored.row(number).map(|(_, entry)| entry.len());
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        let others = learnt.bytes.saturating_sub(before.unwrap_or_default());
        let with = |entry: &[u8]| others.saturating_add(entry.len());
        let row = row.filter(|(_, entry)| with(entry) <= MOST_KEPT);
        learnt.bytes = row.as_ref().map_or(others, |(_, entry)| with(entry));
        if row.is_some() || before.is_some() {
            // A box has no unused memory behind the entry.
            learnt.rows.insert(number, row.map(|(hash, entry)| (hash, entry.into_boxed_slice())));
        }
    }

    /// Writes the cache file again, if something was learnt.
    pub fn save(self) {
        let learnt = self.learnt.into_inner().unwrap_or_else(PoisonError::into_inner).rows;
        if learnt.is_empty() && !self.outdated {
            return;
        }
        let known = learnt.last_key_value().map_or(0, |(number, _)| number.saturating_add(1));
        let rows = self.stored.rows.max(known).min(usize::try_from(places(self.bytes)).unwrap_or(known));
        let row = |number| match learnt.get(&number) {
            Some(row) => row.as_ref().map(|(hash, entry)| (*hash, &**entry)),
            None => self.stored.row(number),
        };
        self.cache.store(&self.path, (0..rows).map(row));
    }
}

/// Whether there may be a record where the free space of a chunk begins by its header. Windows writes records before it
/// writes the header that counts them.
pub(crate) fn records_may_follow(file: &File, start: u64, header: &[u8]) -> bool {
    let Some(free) = Chunk::parse(header).and_then(|chunk| chunk.free_space_within(CHUNK_BYTES)) else { return false };
    let mut begin = [0; records::SIGNATURE.len()];
    let room = CHUNK_BYTES.saturating_sub(free).min(begin.len());
    let Some(begin) = begin.get_mut(..room) else { return true };
    // If this can't be read, reading the chunk shows why.
    !matches!(fill_at(file, begin, start.saturating_add(free as u64)), Ok(read) if read == room)
        || *begin == records::SIGNATURE
}

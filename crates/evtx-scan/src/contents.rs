//! One copy of what records hold, however many hold it: most records of a log repeat others but for their ids and times.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::binary_xml::elements::Effort;
use super::fields::WrittenFields;
use super::record::Record;
use evidence::{ByHash, halves, seed};

/// What was read of records, by what they hold; shared by all logs that are read with it. For a reader that reads the
/// same content always alike.
pub struct Contents<C> {
    seed: u64,
    known: ByHash<u128, Option<Arc<C>>>,
    /// The same by what records hold before it is decoded.
    by_raw: ByHash<u128, Decoded<C>>,
}

impl<C> fmt::Debug for Contents<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").finish_non_exhaustive()
    }
}

/// How many of those are remembered in each part before its are forgotten: 3 MiB in all.
const MOST_RAW: usize = 4096;

/// What came of decoding a record.
pub(crate) struct Decoded<C> {
    /// What was read of it; `None` when nobody wants it.
    pub(crate) content: Option<Arc<C>>,
    /// What it took.
    pub(crate) effort: Effort,
}

impl<C> Clone for Decoded<C> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), effort: self.effort }
    }
}

/// The hash (XXH3, 128 bits) of all that a record's content is decoded from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawHash(u128);

impl<C> Default for Contents<C> {
    fn default() -> Self {
        Self { seed: seed(), known: ByHash::default(), by_raw: ByHash::default() }
    }
}

thread_local! {
    /// What a record holds, one behind the other, to be hashed.
    static HELD: RefCell<Vec<u8>> = RefCell::default();
}

impl<C> Contents<C> {
    /// What was read of a record that holds the same as this, or else what `read` reads of this.
    pub fn of(&self, record: &Record<'_>, read: impl FnOnce() -> Option<C>) -> Option<Arc<C>> {
        let Some(hash) = self.hash(record) else { return read().map(Arc::new) };
        if let Some(known) = self.known.get(part(hash), &hash) {
            return known;
        }
        let made = read().map(Arc::new);
        self.known.get_or_insert(part(hash), hash, || made)
    }

    /// The hash of what a record's content is decoded from.
    pub(crate) fn raw_hash(&self, raw: &[u8]) -> RawHash {
        RawHash(xxh3_128_with_seed(raw, self.seed))
    }

    /// What came of decoding a record with this hash.
    pub(crate) fn decoded(&self, RawHash(hash): RawHash) -> Option<Decoded<C>> {
        self.by_raw.get(part(hash), &hash)
    }

    /// Remembers what came of it.
    pub(crate) fn remember(&self, RawHash(hash): RawHash, decoded: Decoded<C>) {
        self.by_raw.insert_among(MOST_RAW, part(hash), hash, decoded);
    }

    /// The hash (XXH3, 128 bits) of all that a record's content is made of.
    fn hash(&self, record: &Record<'_>) -> Option<u128> {
        let Record { provider, event_id, channel, fields, .. } = record;
        HELD.with(|held| {
            let mut held = held.try_borrow_mut().ok()?;
            held.clear();
            held.extend(event_id.to_le_bytes());
            put(&mut held, Some(provider.as_bytes()));
            put(&mut held, channel.map(str::as_bytes));
            fields.put(&mut held);
            Some(xxh3_128_with_seed(&held, self.seed))
        })
    }
}

/// In which part a value of that hash is kept.
fn part(hash: u128) -> u64 {
    let [part, _] = halves(hash >> 32);
    part
}

/// Puts a text, or that there is none, behind others, so that it can't be taken for a part of them.
pub(crate) fn put(held: &mut Vec<u8>, text: Option<&[u8]>) {
    let length = text.map_or(u64::MAX, |text| text.len() as u64);
    held.extend(length.to_le_bytes());
    held.extend_from_slice(text.unwrap_or_default());
}

impl WrittenFields {
    /// Puts names and values behind others.
    fn put(&self, held: &mut Vec<u8>) {
        for (name, value) in self.iter() {
            put(held, name.map(str::as_bytes));
            put(held, Some(value.as_bytes()));
        }
    }
}

//! One copy of each content of records: most records of a log differ from others by their ids and times only.

use std::cell::RefCell;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::binary_xml::elements::Effort;
use super::record::Record;
use evidence::{ByHash, halves, seed};

/// What was read of records, by their content: provider, event id, channel and fields. Shared by all logs that are read with
/// the same function from a record to `C`, whose result must depend on the record's content only.
#[derive(Debug)]
pub struct Contents<C> {
    seed: u64,
    known: ByHash<u128, Option<Arc<C>>>,
    /// The results by the hash of the bytes that a record's content is decoded from.
    by_raw: ByHash<u128, Decoded<C>>,
}

/// How many entries each part of `by_raw` has before all of that part are forgotten: 3 MiB in all parts.
const MOST_RAW: usize = 4096;

/// The result of decoding a record.
#[derive(Debug)]
pub(crate) struct Decoded<C> {
    /// What was read of the record; `None` when the record is not wanted.
    pub(crate) content: Option<Arc<C>>,
    /// How much was read to decode the record.
    pub(crate) effort: Effort,
}

impl<C> Clone for Decoded<C> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), effort: self.effort }
    }
}

impl<C> Default for Contents<C> {
    fn default() -> Self {
        Self { seed: seed(), known: ByHash::default(), by_raw: ByHash::default() }
    }
}

thread_local! {
    /// The content of a record as bytes, to be hashed.
    static HELD: RefCell<Vec<u8>> = RefCell::default();
}

impl<C> Contents<C> {
    /// What was read of an earlier record with the same content or, for a new content, what `read` returns.
    pub fn get_or_read(&self, record: &Record<'_>, read: impl FnOnce() -> Option<C>) -> Option<Arc<C>> {
        let Some(hash) = self.hash(record) else { return read().map(Arc::new) };
        if let Some(known) = self.known.get(part(hash), &hash) {
            return known;
        }
        let made = read().map(Arc::new);
        self.known.get_or_insert(part(hash), hash, || made)
    }

    /// The hash (XXH3, 128 bits) of the bytes that a record's content is decoded from.
    pub(crate) fn raw_hash(&self, raw: &[u8]) -> u128 {
        xxh3_128_with_seed(raw, self.seed)
    }

    /// The result of decoding an earlier record with this hash.
    pub(crate) fn decoded(&self, hash: u128) -> Option<Decoded<C>> {
        self.by_raw.get(part(hash), &hash)
    }

    /// Remembers the result of decoding a record with this hash.
    pub(crate) fn remember(&self, hash: u128, decoded: Decoded<C>) {
        self.by_raw.insert_among(MOST_RAW, part(hash), hash, decoded);
    }

    /// The hash (XXH3, 128 bits) of a record's content; `None` while this thread is hashing another record.
    fn hash(&self, record: &Record<'_>) -> Option<u128> {
        let Record { provider, event_id, channel, fields, .. } = record;
        HELD.with(|held| {
            let mut held = held.try_borrow_mut().ok()?;
            held.clear();
            held.extend(event_id.to_le_bytes());
            push_text(&mut held, Some(provider.as_bytes()));
            push_text(&mut held, channel.map(str::as_bytes));
            for (name, value) in fields.iter() {
                push_text(&mut held, name.map(str::as_bytes));
                push_text(&mut held, Some(value.as_bytes()));
            }
            Some(xxh3_128_with_seed(&held, self.seed))
        })
    }
}

/// The part of a [`ByHash`] that has the values with this hash.
fn part(hash: u128) -> u64 {
    let [part, _] = halves(hash >> 32);
    part
}

/// Appends a text, or that there is none, with its length in front: different lists of texts give different bytes.
pub(crate) fn push_text(held: &mut Vec<u8>, text: Option<&[u8]>) {
    let length = text.map_or(u64::MAX, |text| text.len() as u64);
    held.extend(length.to_le_bytes());
    held.extend_from_slice(text.unwrap_or_default());
}

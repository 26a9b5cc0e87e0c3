//! One copy of what records say, however many say it: logs tell most of what they tell many times, and its meaning is
//! read once.

use std::cell::RefCell;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::binary_xml::elements::Effort;
use super::fields::WrittenFields;
use super::record::Record;
use super::{catalogue, meaning};
use evidence::{ByHash, EventContent, Names, halves, seed};

/// What the records of a run say, by what they hold: nothing for those that report that all is well.
#[derive(Debug)]
pub struct Contents {
    seed: u64,
    known: ByHash<u128, Option<Arc<EventContent>>>,
    /// The same by what records hold before it is decoded.
    by_raw: ByHash<u128, Decoded>,
}

/// How many of those are remembered in each part before its are forgotten: 3 MiB in all.
const MOST_RAW: usize = 4096;

/// What came of decoding a record.
#[derive(Debug, Clone)]
pub(super) struct Decoded {
    /// What it says; `None` when nobody wants it.
    pub(super) content: Option<Arc<EventContent>>,
    /// What it took.
    pub(super) effort: Effort,
}

/// The hash (XXH3, 128 bits) of all that a record's content is decoded from.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawHash(u128);

impl Default for Contents {
    fn default() -> Self {
        Self { seed: seed(), known: ByHash::default(), by_raw: ByHash::default() }
    }
}

thread_local! {
    /// What a record holds, one behind the other, to be hashed.
    static HELD: RefCell<Vec<u8>> = RefCell::default();
}

impl Contents {
    /// What `record` says; `None` when it reports that all is well, or nobody asks for it.
    pub(super) fn of(&self, record: &Record<'_>, names: &Names) -> Option<Arc<EventContent>> {
        let Some(hash) = self.hash(record) else { return content(record, names).map(Arc::new) };
        if let Some(known) = self.known.get(part(hash), &hash) {
            return known;
        }
        let made = content(record, names).map(Arc::new);
        self.known.get_or_insert(part(hash), hash, || made)
    }

    /// The hash of what a record's content is decoded from.
    pub(super) fn raw_hash(&self, raw: &[u8]) -> RawHash {
        RawHash(xxh3_128_with_seed(raw, self.seed))
    }

    /// What came of decoding a record with this hash.
    pub(super) fn decoded(&self, RawHash(hash): RawHash) -> Option<Decoded> {
        self.by_raw.get(part(hash), &hash)
    }

    /// Remembers what came of it.
    pub(super) fn remember(&self, RawHash(hash): RawHash, decoded: Decoded) {
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
pub(super) fn put(held: &mut Vec<u8>, text: Option<&[u8]>) {
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

/// What a record says; `None` when it reports that all is well, or nobody asks for it.
pub(super) fn content(record: &Record<'_>, names: &Names) -> Option<EventContent> {
    let entry = catalogue::find(record.provider, record.event_id)?;
    let fields = record.fields.named(entry.layout, names);
    let body = meaning::read(entry.meaning, record.provider, record.event_id, &fields)?;
    Some(EventContent {
        provider: names.share(record.provider),
        id: record.event_id,
        channel: record.channel.map(|channel| names.share(channel)),
        body,
        fields: fields.kept(),
    })
}

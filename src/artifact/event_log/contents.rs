//! One copy of what records say, however many say it: logs tell most of what they tell many times, and its meaning is
//! read once.

use std::cell::RefCell;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::fields::WrittenFields;
use super::record::Record;
use super::{catalogue, meaning};
use crate::evidence::{ByHash, EventContent, Names, halves, seed};

/// What the records of a run say, by what they hold: nothing for those that report that all is well.
#[derive(Debug)]
pub struct Contents {
    seed: u64,
    known: ByHash<u128, Option<Arc<EventContent>>>,
}

impl Default for Contents {
    fn default() -> Self {
        Self { seed: seed(), known: ByHash::default() }
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
        let [part, _] = halves(hash >> 32);
        if let Some(known) = self.known.get(part, &hash) {
            return known;
        }
        let made = content(record, names).map(Arc::new);
        self.known.get_or_insert(part, hash, || made)
    }

    /// The hash (XXH3, 128 bits) of all that a record's content is made of.
    fn hash(&self, record: &Record<'_>) -> Option<u128> {
        let Record { provider, event_id, channel, fields, .. } = record;
        HELD.with(|held| {
            let mut held = held.try_borrow_mut().ok()?;
            held.clear();
            held.extend(event_id.to_le_bytes());
            put(&mut held, Some(provider));
            put(&mut held, *channel);
            fields.put(&mut held);
            Some(xxh3_128_with_seed(&held, self.seed))
        })
    }
}

/// Puts a text, or that there is none, behind others, so that it can't be taken for a part of them.
fn put(held: &mut Vec<u8>, text: Option<&str>) {
    let length = text.map_or(u64::MAX, |text| text.len() as u64);
    held.extend(length.to_le_bytes());
    held.extend(text.unwrap_or_default().as_bytes());
}

impl WrittenFields {
    /// Puts names and values behind others.
    fn put(&self, held: &mut Vec<u8>) {
        for (name, value) in self.iter() {
            put(held, name);
            put(held, Some(value));
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

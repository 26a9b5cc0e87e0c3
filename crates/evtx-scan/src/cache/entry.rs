//! What is kept of a chunk: the wanted records as they were decoded, and number and coverage of all records.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::chunk::CHUNK_BYTES;
use super::super::coverage::{ChannelSpan, ChannelSpans};
use super::super::fields::RecordFields;
use super::super::head::Head;
use super::super::record::Record;
use evidence::RecordIds;

/// The longest entry that is kept, bytes: loading more than four chunks would be as much work as reading the chunk. Where all
/// records are wanted, hexadecimal digits of binary data and the names of fields make an entry larger than its chunk.
pub(crate) const MOST_BYTES: usize = 4 * CHUNK_BYTES;

/// What is kept of a chunk that was read whole.
#[derive(Debug)]
pub(crate) struct Entry<'e> {
    /// The number of the chunk's records.
    pub(crate) records: u64,
    /// The least and the greatest record id.
    pub(crate) ids: Option<RecordIds>,
    /// The time that its records cover, in the order in which channels and computers first occur.
    pub(crate) spans: Cow<'e, [ChannelSpan]>,
    /// The wanted records, in order.
    pub(crate) wanted: Vec<KeptRecord<'e>>,
}

/// An entry as it is encoded.
#[derive(Serialize, Deserialize)]
struct Encoded<'e> {
    records: u64,
    ids: Option<RecordIds>,
    spans: Cow<'e, [ChannelSpan]>,
    /// Each record encoded by itself: records are only borrowed while a chunk is read.
    #[serde(borrow)]
    wanted: Vec<&'e [u8]>,
}

impl<'e> Entry<'e> {
    /// An encoded entry of records that [`KeptRecord::encode`] encoded; `None` when the entry is too long.
    pub(crate) fn encode(
        records: u64,
        ids: Option<RecordIds>,
        spans: &'e ChannelSpans,
        wanted: Vec<&'e [u8]>,
    ) -> Option<Vec<u8>> {
        let entry = Encoded { records, ids, spans: Cow::Borrowed(&spans.list), wanted };
        postcard::to_allocvec(&entry).ok().filter(|written| written.len() <= MOST_BYTES)
    }

    /// The entry that was encoded; `None` when any part of it is damaged.
    pub(crate) fn decode(written: &'e [u8]) -> Option<Self> {
        let (entry, rest): (Encoded<'e>, _) = postcard::take_from_bytes(written).ok()?;
        let Encoded { records, ids, spans, wanted } = entry;
        let wanted = wanted.into_iter().map(KeptRecord::decode).collect::<Option<_>>()?;
        rest.is_empty().then_some(Self { records, ids, spans, wanted })
    }
}

/// A wanted record as it was decoded.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptRecord<'e> {
    id: u64,
    provider: &'e str,
    event_id: u32,
    channel: Option<&'e str>,
    computer: Option<&'e str>,
    /// Nanoseconds since 1970-01-01.
    time: Option<i128>,
    /// The same of the last record before.
    before: Option<i128>,
    fields: Cow<'e, RecordFields>,
}

impl<'e> KeptRecord<'e> {
    /// Encodes a record; empty, which is no record, when it can't be encoded.
    pub(crate) fn encode(record: &Record<'e>) -> Vec<u8> {
        let kept = Self {
            id: record.id,
            provider: record.provider,
            event_id: record.event_id,
            channel: record.channel,
            computer: record.computer,
            time: record.time.map(Timestamp::as_nanosecond),
            before: record.before.map(Timestamp::as_nanosecond),
            fields: Cow::Borrowed(record.fields),
        };
        postcard::to_allocvec(&kept).unwrap_or_default()
    }

    fn decode(encoded: &'e [u8]) -> Option<Self> {
        let kept: Self = postcard::from_bytes(encoded).ok()?;
        let mut times = [kept.time, kept.before].into_iter().flatten();
        times.all(|time| Timestamp::from_nanosecond(time).is_ok()).then_some(kept)
    }

    /// The record as it was when its chunk was read. Chunks with recovered records are not kept.
    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            id: self.id,
            provider: self.provider,
            event_id: self.event_id,
            channel: self.channel,
            computer: self.computer,
            time: self.time.and_then(|time| Timestamp::from_nanosecond(time).ok()),
            before: self.before.and_then(|time| Timestamp::from_nanosecond(time).ok()),
            recovered: false,
            // Callers that need other parts of the head do without the cache.
            head: Head::UNREAD,
            fields: &self.fields,
        }
    }
}

//! What is kept of a chunk: the wanted records as they were decoded, and what the others add to counts and coverage.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::chunk::CHUNK_BYTES;
use super::super::coverage::{KeptSpan, Spans};
use super::super::fields::WrittenFields;
use super::super::record::Record;

/// What is kept of a chunk that was read whole.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct Entry<'e> {
    /// How many records it holds.
    pub(in super::super) records: u64,
    /// The greatest record id.
    pub(in super::super) last_id: Option<u64>,
    /// What its records cover, in the order in which they first name it.
    #[serde(borrow)]
    spans: Vec<KeptSpan<'e>>,
    /// The wanted records, each encoded, in order.
    #[serde(borrow)]
    wanted: Vec<&'e [u8]>,
}

impl<'e> Entry<'e> {
    /// The encoded entry of a chunk; `None` when it is so large that reading the chunk is no more work.
    pub(in super::super) fn encode(
        records: u64,
        last_id: Option<u64>,
        spans: &'e Spans,
        wanted: Vec<&'e [u8]>,
    ) -> Option<Vec<u8>> {
        let entry = Self { records, last_id, spans: spans.kept().collect(), wanted };
        postcard::to_allocvec(&entry).ok().filter(|encoded| encoded.len() <= CHUNK_BYTES)
    }

    pub(super) fn decode(encoded: &'e [u8]) -> Option<Self> {
        let (entry, rest): (Self, _) = postcard::take_from_bytes(encoded).ok()?;
        rest.is_empty().then_some(entry)
    }

    /// Adds what the chunk covers.
    pub(in super::super) fn cover(&self, spans: &mut Spans) {
        self.spans.iter().for_each(|span| spans.add_kept(span));
    }

    /// The wanted records; `None` when one of them is damaged.
    pub(in super::super) fn wanted(&self) -> Option<Vec<KeptRecord<'e>>> {
        self.wanted.iter().map(|encoded| KeptRecord::decode(encoded)).collect()
    }
}

/// A wanted record as it was decoded.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct KeptRecord<'e> {
    id: u64,
    provider: &'e str,
    event_id: u32,
    channel: Option<&'e str>,
    computer: Option<&'e str>,
    /// Nanoseconds since 1970.
    time: Option<i128>,
    fields: Cow<'e, WrittenFields>,
}

impl<'e> KeptRecord<'e> {
    /// The encoded record; an empty one stands for what can't be encoded, and is no record.
    pub(in super::super) fn encode(record: &Record<'e>) -> Vec<u8> {
        let kept = Self {
            id: record.id,
            provider: record.provider,
            event_id: record.event_id,
            channel: record.channel,
            computer: record.computer,
            time: record.time.map(Timestamp::as_nanosecond),
            fields: Cow::Borrowed(record.fields),
        };
        postcard::to_allocvec(&kept).unwrap_or_default()
    }

    fn decode(encoded: &'e [u8]) -> Option<Self> {
        let kept: Self = postcard::from_bytes(encoded).ok()?;
        kept.time.is_none_or(|time| Timestamp::from_nanosecond(time).is_ok()).then_some(kept)
    }

    /// The record as its reader was lent it. It is not a recovered one: chunks with such are not kept.
    pub(in super::super) fn record(&self) -> Record<'_> {
        Record {
            id: self.id,
            provider: self.provider,
            event_id: self.event_id,
            channel: self.channel,
            computer: self.computer,
            time: self.time.and_then(|time| Timestamp::from_nanosecond(time).ok()),
            recovered: false,
            fields: &self.fields,
        }
    }
}

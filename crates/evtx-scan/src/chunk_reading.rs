//! One chunk from bytes to what its reader makes of the wanted records, with what was lost on the way.

use std::sync::Arc;

use super::binary_xml::Unusual;
use super::binary_xml::elements;
use super::binary_xml::raw_fields::RawFields;
use super::binary_xml::value::Slot;
use super::catalogue::Catalogue;
use super::chunk::{Chunk, RECORDS_START};
use super::contents::{Decoded, put};
use super::coverage::Spans;
use super::fields::WrittenFields;
use super::full_decode::{self, DecodeError, FullRecord};
use super::head::Head;
use super::record::Record;
use super::records::{self, Found, RawRecord};
use super::scan::{Decision, Scanner, Shape};
use super::selection::Selection;
use super::system_parts::{Parts, ReadText};
use super::take::{Stamp, Take};
use evidence::RecordIds;
use untrusted::Loss;

/// How many records that could not be decoded a loss names one by one.
const NAMED_FAILURES: usize = 3;

/// For how many records that are not passed over a chunk has room at first.
const PICKS: usize = 16;

/// What is read of a log, and what becomes of it.
pub(crate) struct Reader<'r, T, C> {
    /// Which records are wanted.
    pub(crate) selection: &'r Selection,
    /// What is made of them.
    pub(crate) take: Take<'r, T, C>,
    /// Whether the log was not closed, so that records may stand behind those that the chunks' headers know.
    pub(crate) dirty: bool,
    /// The id that the first record of a chunk must have, by the chunk's number, if the chunk before tells that.
    pub(crate) follows: &'r (dyn Fn(u64) -> Option<u64> + Sync),
}

/// What chunks gave.
#[derive(Debug)]
pub(crate) struct ChunkReading<T> {
    /// What was made of the wanted records, in order.
    pub(crate) taken: Vec<T>,
    /// Records found, but for those that could not be decoded.
    pub(crate) records: u64,
    /// The least and the greatest record id.
    pub(crate) ids: Option<RecordIds>,
    /// What is missing, or was read although no header knows it.
    pub(crate) losses: Vec<Loss>,
}

impl<T> Default for ChunkReading<T> {
    fn default() -> Self {
        Self { taken: Vec::new(), records: 0, ids: None, losses: Vec::new() }
    }
}

impl<T> ChunkReading<T> {
    /// Adds what later chunks gave.
    pub(crate) fn append(&mut self, later: Self) {
        self.taken.extend(later.taken);
        self.losses.extend(later.losses);
        self.records = self.records.saturating_add(later.records);
        self.ids = RecordIds::joined(self.ids, later.ids);
    }
}

/// What a thread keeps from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    scanner: Scanner,
    fields: WrittenFields,
    elements: elements::Scratch,
    raw_fields: RawFields,
    /// The values of the record.
    slots: Vec<Slot>,
    /// What the record is decoded from.
    raw: Vec<u8>,
    provider: ReadText,
    channel: ReadText,
    computer: ReadText,
}

impl Scratch {
    /// Forgets what belongs to the chunk before.
    fn begin_chunk(&mut self, catalogue: &Arc<Catalogue>) {
        self.scanner.begin_chunk(catalogue);
        self.elements.begin_chunk();
        self.raw_fields.begin_chunk();
    }
}

/// A record that somebody wants or that only decoding tells about.
struct Pick<'c> {
    record: RawRecord,
    decision: Decision<'c>,
    recovered: bool,
}

/// A record that could not be decoded.
struct Failure {
    /// Its id or, without that, where in the chunk it lies.
    place: String,
    reason: String,
}

/// How many records could not be decoded, of those that the chunk's header knows and of the others.
#[derive(Debug, Default, Clone, Copy)]
struct Undecoded {
    known: u64,
    recovered: u64,
}

/// The records of a chunk that were walked over.
#[derive(Default)]
struct Walked<'c> {
    picks: Vec<Pick<'c>>,
    failures: Vec<Failure>,
    /// Records that the chunk's header knows.
    known: u64,
    /// First and last id of those that it does not know, and how many they are.
    recovered: Option<(u64, u64, u64)>,
}

impl<T, C> Reader<'_, T, C> {
    /// Reads chunk `number`, whose bytes begin with its signature. Where the file ends within it, `bytes` end there
    /// too: `whole` is false.
    pub(crate) fn read_chunk(
        &self,
        number: u64,
        bytes: &[u8],
        whole: bool,
        spans: &mut Spans,
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) {
        let place = || format!("chunk {number}");
        let Some(chunk) = Chunk::parse(bytes) else { return };
        let header_intact = chunk.header_is_intact();
        if !header_intact {
            reading
                .losses
                .push(Loss::new(place(), "the checksum of its header is wrong; its records were read all the same"));
        }
        if whole && !chunk.records_are_intact() {
            reading
                .losses
                .push(Loss::new(place(), "the checksum of its records is wrong; they were read all the same"));
        }

        scratch.begin_chunk(self.selection.catalogue());
        let mut walked = Walked { picks: Vec::with_capacity(PICKS), ..Walked::default() };
        let Live { end, last_id, ids, mut damaged } =
            walk(chunk, self.selection, spans, &mut scratch.scanner, &mut walked);
        reading.ids = RecordIds::joined(reading.ids, ids);
        if !whole && damaged.last().is_some_and(|last| *last >= end) {
            // The record in which the file ends.
            damaged.pop();
        }
        walked.failures.extend(damaged.into_iter().map(|offset| Failure {
            place: format!("the record at offset {offset:#x}"),
            reason: "its header is damaged".to_owned(),
        }));
        if !header_intact {
            let next = last_id.and_then(|last| last.checked_add(1));
            self.recover(&chunk, records::consecutive(bytes, end, next), spans, scratch, &mut walked, reading);
        } else if self.dirty {
            let unflushed = records::unflushed(&chunk, &|| (self.follows)(number));
            self.recover(&chunk, unflushed, spans, scratch, &mut walked, reading);
        }

        let undecoded_picks = self.read_picks(&chunk, &mut walked, spans, scratch, reading);
        let known = walked.known.saturating_sub(undecoded_picks.known);
        let recovered = walked.recovered.map_or(0, |(_, _, count)| count);
        let read = known.saturating_add(recovered).saturating_sub(undecoded_picks.recovered);
        reading.records = reading.records.saturating_add(read);
        if !walked.failures.is_empty() {
            reading.losses.push(Loss::new(place(), undecoded(&walked.failures)));
        }
        let all = known.saturating_add(walked.failures.len() as u64);
        if whole
            && let Some(counted) = chunk.counted_records()
            && counted > all.saturating_add(recovered)
        {
            let reason = format!("its header counts {}, but {known} could be read", of_records(counted));
            reading.losses.push(Loss::new(place(), reason));
        }
        if let Some((first, last, count)) = walked.recovered {
            let ids = if first == last { format!("id {first}") } else { format!("ids {first} to {last}") };
            let where_from =
                if header_intact { "past the end of its flushed part" } else { "that its header does not know" };
            let reason = format!("{} ({ids}) {where_from} recovered", of_records(count));
            reading.losses.push(Loss::new(place(), reason));
        }
    }

    /// Reads what stands in the place of a chunk but does not begin like one: records that follow each other from
    /// where a chunk's records begin are those of a chunk with a damaged header. Whether there are any.
    pub(crate) fn salvage(
        &self,
        number: u64,
        bytes: &[u8],
        spans: &mut Spans,
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) -> bool {
        let Some(chunk) = Chunk::parse(bytes) else { return false };
        let mut walked = Walked::default();
        scratch.begin_chunk(self.selection.catalogue());
        let found = records::consecutive(bytes, RECORDS_START, None);
        self.recover(&chunk, found, spans, scratch, &mut walked, reading);
        let Some((first, last, count)) = walked.recovered else { return false };
        let undecoded_picks = self.read_picks(&chunk, &mut walked, spans, scratch, reading);
        reading.records = reading.records.saturating_add(count.saturating_sub(undecoded_picks.recovered));
        let place = format!("chunk {number}");
        let found = format!("{} (ids {first} to {last}) behind it recovered", of_records(count));
        reading.losses.push(Loss::new(&place, format!("it does not begin like a chunk; {found}")));
        if !walked.failures.is_empty() {
            reading.losses.push(Loss::new(place, undecoded(&walked.failures)));
        }
        true
    }

    /// Walks over records that the chunk's header does not know.
    fn recover<'c>(
        &self,
        chunk: &Chunk<'c>,
        found: impl Iterator<Item = RawRecord>,
        spans: &mut Spans,
        scratch: &mut Scratch,
        walked: &mut Walked<'c>,
        reading: &mut ChunkReading<T>,
    ) {
        for record in found {
            let (first, _, count) = walked.recovered.unwrap_or((record.id, record.id, 0));
            walked.recovered = Some((first, record.id, count.saturating_add(1)));
            reading.ids = RecordIds::joined(reading.ids, Some(RecordIds::of(record.id)));
            pick(chunk, record, true, self.selection, spans, &mut scratch.scanner, &mut walked.picks);
        }
    }

    /// Reads the records that were picked; tells which of them could not be decoded.
    fn read_picks(
        &self,
        chunk: &Chunk<'_>,
        walked: &mut Walked<'_>,
        spans: &mut Spans,
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) -> Undecoded {
        // Unusual ones, with where among those that were taken they belong.
        let mut unusual: Vec<(usize, &Pick<'_>)> = Vec::new();
        for pick in &walked.picks {
            let read = match &pick.decision {
                Decision::Take(shape) => self.read_own(chunk.bytes, pick, shape, scratch),
                Decision::Ask | Decision::Pass => Err(Unusual("not read yet")),
            };
            match read {
                Ok(taken) => reading.taken.extend(taken),
                Err(Unusual(_)) => unusual.push((reading.taken.len(), pick)),
            }
        }
        if unusual.is_empty() {
            return Undecoded::default();
        }
        let asked: Vec<RawRecord> = unusual.iter().map(|(_, pick)| pick.record).collect();
        let mut decoded = full_decode::decode(chunk, &asked);
        let mut failed = Undecoded::default();
        let mut late: Vec<(usize, T)> = Vec::new();
        for (position, pick) in unusual {
            let outcome = match &mut decoded {
                Ok(decoded) => decoded.remove(&pick.record.offset).unwrap_or(Err(DecodeError::NotReached)),
                Err(reason) => Err(reason.clone()),
            };
            match outcome {
                Ok(record) => {
                    if let (Some(record), Decision::Ask) = (&record, &pick.decision) {
                        spans.add_decoded(record.channel.as_deref(), record.computer.as_deref(), pick.record.filetime);
                    }
                    let record = record.filter(|record| self.wants(pick, record));
                    let taken = record.and_then(|record| self.take.take(&full_record(pick, &record)));
                    late.extend(taken.map(|taken| (position, taken)));
                }
                Err(reason) => {
                    let count = if pick.recovered { &mut failed.recovered } else { &mut failed.known };
                    *count = count.saturating_add(1);
                    let place = format!("record {}", pick.record.id);
                    walked.failures.push(Failure { place, reason: reason.to_string() });
                }
            }
        }
        if !late.is_empty() {
            let mut early = std::mem::take(&mut reading.taken).into_iter().enumerate().peekable();
            for (position, taken) in late {
                while let Some((_, before)) = early.next_if(|(index, _)| *index < position) {
                    reading.taken.push(before);
                }
                reading.taken.push(taken);
            }
            reading.taken.extend(early.map(|(_, after)| after));
        }
        failed
    }

    fn wants(&self, pick: &Pick<'_>, record: &FullRecord) -> bool {
        self.selection.takes_by_channel(record.channel.as_deref(), record.event_id)
            || (self.selection.takes_record(pick.record.id)
                && self.selection.takes(&record.provider, record.event_id)
                && self.selection.takes_data(&record.provider, record.event_id, &record.fields))
    }

    /// Reads a record by the shape that the scan found.
    fn read_own(
        &self,
        bytes: &[u8],
        pick: &Pick<'_>,
        shape: &Shape<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<T>, Unusual> {
        let values = match shape {
            Shape::Instance(_, values) => Some(values),
            Shape::Plain => None,
        };
        let (system, tokens_end) = scratch.scanner.system(bytes, &pick.record, shape)?;
        let Scratch { slots, raw, .. } = scratch;
        slots.clear();
        let end = values.map(|values| values.fill(slots)).transpose()?;
        if values.is_some() {
            system.check_whole(slots)?;
        }
        let parts = Parts { bytes, values: slots };
        let event_id = parts.number(system.event_id)?;
        let computer = parts.text(system.computer, &mut scratch.computer)?;
        let time = parts.time(system.created, pick.record.filetime)?;
        let (id, recovered) = (pick.record.id, pick.recovered);
        let tokens = system.end..tokens_end;
        let raw = match (&self.take, values.zip(end)) {
            // The tokens around the instance end with its last value.
            (Take::Shared(shared), Some((values, end))) if values.end_tokens(end) => {
                raw.clear();
                raw.extend(event_id.to_le_bytes());
                put(raw, parts.utf16(system.provider)?);
                put(raw, parts.utf16(system.channel)?);
                let put = scratch.raw_fields.put(bytes, tokens.clone(), slots, raw);
                put.map(|()| (shared, shared.contents.raw_hash(raw)))
            }
            _ => None,
        };
        if let Some((shared, hash)) = raw
            && let Some(decoded) = shared.contents.decoded(hash)
            && scratch.elements.count(decoded.effort)
        {
            let stamp = Stamp { id, computer, time, recovered };
            return Ok(decoded.content.map(|content| (shared.with)(&stamp, content)));
        }

        let provider = parts.text(system.provider, &mut scratch.provider)?.ok_or(Unusual("no provider"))?;
        let channel = parts.text(system.channel, &mut scratch.channel)?;
        let before = scratch.elements.effort();
        elements::read_fields(bytes, tokens, values, &mut scratch.fields, &mut scratch.elements)?;
        let effort = scratch.elements.effort().since(before);
        let fields = &scratch.fields;
        let head = Head::in_chunk(bytes, pick.record.content_start()..pick.record.content_end());
        let record = Record { id, provider, event_id, channel, computer, time, recovered, head, fields };
        let is_wanted =
            self.selection.takes_data(provider, event_id, fields) || self.selection.takes_by_channel(channel, event_id);
        let Some((shared, hash)) = raw else {
            return Ok(if is_wanted { self.take.take(&record) } else { None });
        };
        let content = if is_wanted { shared.content(&record) } else { None };
        shared.contents.remember(hash, Decoded { content: content.clone(), effort });
        Ok(content.map(|content| (shared.with)(&record.stamp(), content)))
    }
}

/// What walking over the records that a chunk's header knows gave beside the picks.
struct Live {
    /// Where the last of them ends.
    end: usize,
    last_id: Option<u64>,
    ids: Option<RecordIds>,
    /// Where records with a damaged header are.
    damaged: Vec<usize>,
}

/// Walks over the records that the chunk's header knows. The scan's inner loop: of the same kind whatever is made of
/// records, so that it is compiled here.
fn walk<'c>(
    chunk: Chunk<'c>,
    selection: &Selection,
    spans: &mut Spans,
    scanner: &mut Scanner,
    walked: &mut Walked<'c>,
) -> Live {
    let mut live = Live { end: RECORDS_START, last_id: None, ids: None, damaged: Vec::new() };
    for found in records::live(chunk) {
        match found {
            Found::Record(record) => {
                live.end = record.end();
                live.last_id = Some(record.id);
                live.ids = RecordIds::joined(live.ids, Some(RecordIds::of(record.id)));
                walked.known = walked.known.saturating_add(1);
                pick(&chunk, record, false, selection, spans, scanner, &mut walked.picks);
            }
            Found::Damage(offset) => live.damaged.push(offset),
        }
    }
    live
}

/// Keeps the record if it is not to be passed over.
#[inline]
fn pick<'c>(
    chunk: &Chunk<'c>,
    record: RawRecord,
    recovered: bool,
    selection: &Selection,
    spans: &mut Spans,
    scanner: &mut Scanner,
    picks: &mut Vec<Pick<'c>>,
) {
    let decision = scanner.decide(chunk.bytes, &record, selection, spans);
    if !matches!(decision, Decision::Pass) {
        picks.push(Pick { record, decision, recovered });
    }
}

fn full_record<'r>(pick: &Pick<'_>, record: &'r FullRecord) -> Record<'r> {
    Record {
        id: pick.record.id,
        provider: &record.provider,
        event_id: record.event_id,
        channel: record.channel.as_deref(),
        computer: record.computer.as_deref(),
        time: record.time,
        recovered: pick.recovered,
        head: Head::of_parts(&record.head),
        fields: &record.fields,
    }
}

fn undecoded(failures: &[Failure]) -> String {
    let count = u64::try_from(failures.len()).unwrap_or(u64::MAX);
    let named: Vec<String> =
        failures.iter().take(NAMED_FAILURES).map(|failure| format!("{} ({})", failure.place, failure.reason)).collect();
    let more = if failures.len() > NAMED_FAILURES { "..." } else { "" };
    format!("{} could not be decoded: {}{more}", of_records(count), named.join(", "))
}

/// `1 record`, `2 records`.
pub(crate) fn of_records(count: u64) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_failures_are_counted_and_the_first_named() {
        let failure = |id: u64| Failure { place: format!("record {id}"), reason: "cut".to_owned() };
        let one = undecoded(&[failure(4)]);
        assert_eq!(one, "1 record could not be decoded: record 4 (cut)");
        let five: Vec<Failure> = (1..=5).map(failure).collect();
        let expected = "5 records could not be decoded: record 1 (cut), record 2 (cut), record 3 (cut)...";
        assert_eq!(undecoded(&five), expected);
    }
}

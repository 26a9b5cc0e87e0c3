//! Reading one chunk: from its bytes to what the caller makes of the wanted records, and what is missing.

use std::sync::Arc;

use jiff::Timestamp;

use super::binary_xml::Unusual;
use super::binary_xml::elements;
use super::binary_xml::raw_fields::RawFields;
use super::binary_xml::value::Slot;
use super::catalogue::Catalogue;
use super::chunk::{Chunk, RECORDS_START};
use super::contents::{Decoded, push_text};
use super::coverage::ChannelSpans;
use super::extract::{Extract, Stamp};
use super::fields::RecordFields;
use super::full_decode::{self, DecodeError, FullRecord};
use super::head::Head;
use super::record::Record;
use super::records::{self, Found, RawRecord};
use super::scan::{Decision, Scanner, Shape};
use super::selection::Selection;
use super::system_parts::{ReadText, SystemValues};
use evidence::RecordIds;
use untrusted::Loss;
use untrusted::notation::filetime;

/// How many of the records that could not be decoded a loss lists.
const NAMED_FAILURES: usize = 3;

/// How many records before a record are looked at for one that was logged earlier: more than a start logs before it logs that
/// it began.
const LOOKED_BACK: usize = 64;

/// Records no farther apart than this were logged at once, in 100 ns: two seconds.
const AT_ONCE: u64 = 20_000_000;

/// Number of picked records for which memory is reserved at the beginning of a chunk.
const PICKS: usize = 16;

/// How the chunks of a log are read.
pub(crate) struct ChunkReader<'r, T, C> {
    /// Which records are wanted.
    pub(crate) selection: &'r Selection,
    /// What is made of them.
    pub(crate) extract: Extract<'r, T, C>,
    /// Whether the log was not closed, so that a chunk may have records behind those that its header counts.
    pub(crate) dirty: bool,
    /// The id that the first record of the chunk with this number must have, if that is known from the chunk before.
    pub(crate) first_id: &'r (dyn Fn(u64) -> Option<u64> + Sync),
}

/// What was read of chunks.
#[derive(Debug)]
pub(crate) struct ChunkReading<T> {
    /// What was made of the wanted records, in order.
    pub(crate) extracted: Vec<T>,
    /// Number of records found, without those that could not be decoded.
    pub(crate) records: u64,
    /// The least and the greatest record id.
    pub(crate) ids: Option<RecordIds>,
    /// Losses: records that could not be read, and records that no header counts.
    pub(crate) losses: Vec<Loss>,
    /// The time that the records cover, by channel and computer.
    pub(crate) spans: ChannelSpans,
}

impl<T> Default for ChunkReading<T> {
    fn default() -> Self {
        Self { extracted: Vec::new(), records: 0, ids: None, losses: Vec::new(), spans: ChannelSpans::default() }
    }
}

impl<T> ChunkReading<T> {
    /// Adds what was read of later chunks.
    pub(crate) fn append(&mut self, later: Self) {
        self.extracted.extend(later.extracted);
        self.losses.extend(later.losses);
        self.records = self.records.saturating_add(later.records);
        self.ids = RecordIds::joined(self.ids, later.ids);
        later.spans.list.iter().for_each(|span| self.spans.add_span(span));
    }

    /// Notes something that is missing of, or unexpected in, the chunk with this number.
    fn lose(&mut self, chunk: u64, reason: impl Into<String>) {
        self.losses.push(Loss::new(format!("chunk {chunk}"), reason));
    }
}

/// The memory that a thread keeps from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    scanner: Scanner,
    fields: RecordFields,
    elements: elements::FieldScratch,
    raw_fields: RawFields,
    /// Where the values of the record are.
    slots: Vec<Slot>,
    /// The bytes that the record's content is decoded from.
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

/// A record that is wanted, or of which only decoding shows whether it is.
struct Pick<'c> {
    record: RawRecord,
    decision: Decision<'c>,
    /// When the last of the records before it was logged that were logged earlier, and not at once with it.
    before: Option<Timestamp>,
    recovered: bool,
}

/// The search for records in a chunk. It is not generic over what is made of records, so that its inner loop is compiled in
/// this crate.
struct Walk<'w, 'c> {
    chunk: Chunk<'c>,
    selection: &'w Selection,
    spans: &'w mut ChannelSpans,
    scanner: &'w mut Scanner,
    walked: Walked<'c>,
}

/// The records that were found in a chunk.
#[derive(Default)]
struct Walked<'c> {
    picks: Vec<Pick<'c>>,
    /// Records that could not be decoded, with the reason.
    failures: Vec<String>,
    /// Number of the records that the chunk's header counts, without those that could not be decoded.
    known: u64,
    /// First id, last id and number of the other records.
    recovered: Option<(u64, u64, u64)>,
    /// The least and the greatest record id.
    ids: Option<RecordIds>,
    /// The FILETIMEs of the records so far.
    times: Vec<u64>,
}

/// The end of the records that a chunk's header counts, and what is damaged among them.
struct Live {
    /// Where the last record ends.
    end: usize,
    last_id: Option<u64>,
    /// Offsets of records with a damaged header.
    damaged: Vec<usize>,
}

impl Walk<'_, '_> {
    /// Picks records among those that the chunk's header counts.
    fn live(&mut self) -> Live {
        let mut live = Live { end: RECORDS_START, last_id: None, damaged: Vec::new() };
        for found in records::live(self.chunk) {
            match found {
                Found::Record(record) => {
                    live.end = record.end();
                    live.last_id = Some(record.id);
                    self.walked.known = self.walked.known.saturating_add(1);
                    self.pick(record, false);
                }
                Found::Damage(offset) => live.damaged.push(offset),
            }
        }
        live
    }

    /// Picks records that the chunk's header does not count; returns where the last one ends.
    fn recover(&mut self, found: impl Iterator<Item = RawRecord>) -> Option<usize> {
        let mut end = None;
        for record in found {
            end = Some(record.end());
            let (first, _, count) = self.walked.recovered.unwrap_or((record.id, record.id, 0));
            self.walked.recovered = Some((first, record.id, count.saturating_add(1)));
            self.pick(record, true);
        }
        end
    }

    /// Picks the records behind a damaged one, from `at` on, whose ids are behind those of all others, of which `known` is the
    /// last one that the header counts.
    fn recover_behind_damage(&mut self, mut at: usize, known: Option<u64>) {
        let last_id = |walk: &Self| walk.walked.recovered.map(|(_, last, _)| last).or(known);
        while let Some(next) = last_id(self).and_then(|last| records::later(self.chunk.bytes, at, last)) {
            self.walked.failures.push(damaged_at(at));
            let Some(end) = self.recover(records::consecutive(self.chunk.bytes, next, None)) else { return };
            at = end;
        }
    }

    /// Adds the record to the picked ones unless it is not wanted.
    #[inline]
    fn pick(&mut self, record: RawRecord, recovered: bool) {
        self.walked.ids = RecordIds::joined(self.walked.ids, Some(RecordIds::single(record.id)));
        let decision = self.scanner.decide(self.chunk.bytes, &record, self.selection, self.spans);
        let times = &mut self.walked.times;
        if !matches!(decision, Decision::Unwanted) {
            let mut looked_at = times.iter().rev().take(LOOKED_BACK).copied();
            let before = looked_at.find(|time| time.saturating_add(AT_ONCE) < record.filetime).and_then(filetime);
            self.walked.picks.push(Pick { record, decision, before, recovered });
        }
        times.push(record.filetime);
    }
}

impl<T, C> ChunkReader<'_, T, C> {
    /// Reads chunk `number`, whose bytes begin with a chunk's signature. `whole` is false where the file, and so `bytes`, ends
    /// within the chunk.
    pub(crate) fn read_chunk(
        &self,
        number: u64,
        bytes: &[u8],
        whole: bool,
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) {
        let Some(chunk) = Chunk::parse(bytes) else { return };
        let header_intact = chunk.header_is_intact();
        if !header_intact {
            reading.lose(number, "the checksum of its header is wrong; its records were read all the same");
        }
        if whole && !chunk.records_are_intact() {
            reading.lose(number, "the checksum of its records is wrong; they were read all the same");
        }

        scratch.begin_chunk(&self.selection.catalogue);
        let walked = Walked { picks: Vec::with_capacity(PICKS), ..Walked::default() };
        let scanner = &mut scratch.scanner;
        let mut walk = Walk { chunk, selection: self.selection, spans: &mut reading.spans, scanner, walked };
        let Live { end, last_id, mut damaged } = walk.live();
        if !whole && damaged.last().is_some_and(|last| *last >= end) {
            // The record in which the file ends.
            damaged.pop();
        }
        let damaged = damaged.into_iter();
        walk.walked.failures.extend(damaged.map(damaged_at));
        if !header_intact {
            let next = last_id.and_then(|last| last.checked_add(1));
            let end = walk.recover(records::consecutive(bytes, end, next)).unwrap_or(end);
            walk.recover_behind_damage(end, last_id);
        } else if self.dirty {
            // Behind what was not flushed there can be records of the chunk's earlier use, in whose ids no gap shows that.
            walk.recover(records::unflushed(&chunk, &|| (self.first_id)(number)));
        }

        let mut walked = walk.walked;
        let lost = self.read_picks(&chunk, &mut walked, scratch, reading);
        let (known, recovered) = (walked.known, walked.recovered.map_or(0, |(_, _, count)| count));
        let read = known.saturating_add(recovered).saturating_sub(lost);
        reading.records = reading.records.saturating_add(read);
        if !walked.failures.is_empty() {
            reading.lose(number, undecoded(&walked.failures));
        }
        let all = known.saturating_add(walked.failures.len() as u64);
        if whole
            && let Some(counted) = chunk.counted_records()
            && counted > all.saturating_add(recovered)
        {
            let counted = count_of_records(counted);
            reading.lose(number, format!("its header counts {counted}, but {known} could be read"));
        }
        if let Some((first, last, count)) = walked.recovered {
            let ids = if first == last { format!("id {first}") } else { format!("ids {first} to {last}") };
            let where_from =
                if header_intact { "past the end of its flushed part" } else { "that its header does not know" };
            reading.lose(number, format!("{} ({ids}) {where_from} recovered", count_of_records(count)));
        }
    }

    /// Reads the place of chunk `number`, whose bytes do not begin like a chunk: records that follow each other from where a
    /// chunk's records begin are those of a chunk with a damaged header. Returns whether there are any.
    pub(crate) fn salvage(
        &self,
        number: u64,
        bytes: &[u8],
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) -> bool {
        let Some(chunk) = Chunk::parse(bytes) else { return false };
        scratch.begin_chunk(&self.selection.catalogue);
        let scanner = &mut scratch.scanner;
        let (spans, walked) = (&mut reading.spans, Walked::default());
        let mut walk = Walk { chunk, selection: self.selection, spans, scanner, walked };
        walk.recover(records::consecutive(bytes, RECORDS_START, None));
        let mut walked = walk.walked;
        let Some((first, last, count)) = walked.recovered else { return false };
        let lost = self.read_picks(&chunk, &mut walked, scratch, reading);
        reading.records = reading.records.saturating_add(count.saturating_sub(lost));
        let found = format!("{} (ids {first} to {last}) behind it recovered", count_of_records(count));
        reading.lose(number, format!("it does not begin like a chunk; {found}"));
        if !walked.failures.is_empty() {
            reading.lose(number, undecoded(&walked.failures));
        }
        true
    }

    /// Reads the records that were picked; returns how many of the recovered ones could not be decoded.
    fn read_picks(
        &self,
        chunk: &Chunk<'_>,
        walked: &mut Walked<'_>,
        scratch: &mut Scratch,
        reading: &mut ChunkReading<T>,
    ) -> u64 {
        reading.ids = RecordIds::joined(reading.ids, walked.ids);
        // What is read behind a record of unusual shape waits until that record is decoded.
        let mut waiting: Vec<Result<Option<T>, &Pick<'_>>> = Vec::new();
        for pick in &walked.picks {
            let read = match &pick.decision {
                Decision::Wanted(shape) => self.read_pick(chunk.bytes, pick, shape, scratch).map_err(|Unusual(_)| pick),
                Decision::Unknown | Decision::Unwanted => Err(pick),
            };
            match read {
                Ok(extracted) if waiting.is_empty() => reading.extracted.extend(extracted),
                read => waiting.push(read),
            }
        }
        if waiting.is_empty() {
            return 0;
        }
        let unusual: Vec<RawRecord> = waiting.iter().filter_map(|read| Some(read.as_ref().err()?.record)).collect();
        let mut decoded = full_decode::decode(chunk, &unusual);
        let mut lost = 0_u64;
        for read in waiting {
            let pick = match read {
                Ok(extracted) => {
                    reading.extracted.extend(extracted);
                    continue;
                }
                Err(pick) => pick,
            };
            let outcome = match &mut decoded {
                Ok(decoded) => decoded.remove(&pick.record.offset).unwrap_or(Err(DecodeError::NotReached)),
                Err(reason) => Err(reason.clone()),
            };
            match outcome {
                Ok(record) => {
                    if let (Some(record), Decision::Unknown) = (&record, &pick.decision) {
                        let (channel, computer) = (record.channel.as_deref(), record.computer.as_deref());
                        reading.spans.add_decoded(channel, computer, pick.record.filetime);
                    }
                    let record = record.filter(|record| self.wants(pick, record));
                    let extracted = record.and_then(|record| self.extract.of_record(&full_record(pick, &record)));
                    reading.extracted.extend(extracted);
                }
                Err(reason) => {
                    if pick.recovered {
                        lost = lost.saturating_add(1);
                    } else {
                        walked.known = walked.known.saturating_sub(1);
                    }
                    walked.failures.push(format!("record {} ({reason})", pick.record.id));
                }
            }
        }
        lost
    }

    /// Whether a record that was decoded in full is wanted.
    fn wants(&self, pick: &Pick<'_>, record: &FullRecord) -> bool {
        self.selection.selects_by_channel(record.channel.as_deref(), record.event_id)
            || (self.selection.selects_record(pick.record.id)
                && self.selection.selects_event(&record.provider, record.event_id)
                && self.selection.selects_fields(&record.provider, record.event_id, &record.fields))
    }

    /// Reads a record by the shape that the scan found. `None` when its fields show that it is not wanted, or nothing is made
    /// of it.
    fn read_pick(
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
        let parts = SystemValues { bytes, values: slots };
        let event_id = parts.number(system.event_id)?;
        let computer = parts.text(system.computer, &mut scratch.computer)?;
        let time = parts.time(system.created, pick.record.filetime)?;
        let (id, recovered) = (pick.record.id, pick.recovered);
        let tokens = system.end..tokens_end;
        let raw = match (&self.extract, values.zip(end)) {
            // The tokens around the instance end with its last value.
            (Extract::Shared(shared), Some((values, end))) if values.end_tokens(end) => {
                raw.clear();
                raw.extend(event_id.to_le_bytes());
                push_text(raw, parts.utf16(system.provider)?);
                push_text(raw, parts.utf16(system.channel)?);
                let appended = scratch.raw_fields.append(bytes, tokens.clone(), slots, raw);
                appended.map(|()| (shared, shared.contents.raw_hash(raw)))
            }
            _ => None,
        };
        if let Some((shared, hash)) = raw
            && let Some(decoded) = shared.contents.decoded(hash)
            && scratch.elements.count(decoded.effort)
        {
            let stamp = Stamp { id, computer, time, before: pick.before, recovered };
            return Ok(decoded.content.map(|content| (shared.with)(&stamp, content)));
        }

        let provider = parts.text(system.provider, &mut scratch.provider)?.ok_or(Unusual("no provider"))?;
        let channel = parts.text(system.channel, &mut scratch.channel)?;
        let effort_before = scratch.elements.effort;
        elements::read_fields(bytes, tokens, values, &mut scratch.fields, &mut scratch.elements)?;
        let effort = scratch.elements.effort.since(effort_before);
        let fields = &scratch.fields;
        let head = Head::in_chunk(bytes, pick.record.content_start()..pick.record.content_end());
        let before = pick.before;
        let record = Record { id, provider, event_id, channel, computer, time, before, recovered, head, fields };
        let is_wanted = self.selection.selects_fields(provider, event_id, fields)
            || self.selection.selects_by_channel(channel, event_id);
        let Some((shared, hash)) = raw else {
            return Ok(if is_wanted { self.extract.of_record(&record) } else { None });
        };
        let content = if is_wanted { shared.content(&record) } else { None };
        shared.contents.remember(hash, Decoded { content: content.clone(), effort });
        Ok(content.map(|content| (shared.with)(&record.stamp(), content)))
    }
}

/// A record that was decoded in full, as the caller sees it.
fn full_record<'r>(pick: &Pick<'_>, record: &'r FullRecord) -> Record<'r> {
    Record {
        id: pick.record.id,
        provider: &record.provider,
        event_id: record.event_id,
        channel: record.channel.as_deref(),
        computer: record.computer.as_deref(),
        time: record.time,
        before: pick.before,
        recovered: pick.recovered,
        head: Head::from_parts(&record.head),
        fields: &record.fields,
    }
}

/// A record with a damaged header, by its offset.
fn damaged_at(offset: usize) -> String {
    format!("the record at offset {offset:#x} (its header is damaged)")
}

/// The loss of records that could not be decoded.
fn undecoded(failures: &[String]) -> String {
    let listed = failures.get(..NAMED_FAILURES).unwrap_or(failures).join(", ");
    let more = if failures.len() > NAMED_FAILURES { "..." } else { "" };
    format!("{} could not be decoded: {listed}{more}", count_of_records(failures.len() as u64))
}

/// `1 record`, `2 records`.
pub(crate) fn count_of_records(count: u64) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_failures_are_counted_and_the_first_named() {
        let failure = |id: u64| format!("record {id} (cut)");
        let one = undecoded(&[failure(4)]);
        assert_eq!(one, "1 record could not be decoded: record 4 (cut)");
        let five: Vec<String> = (1..=5).map(failure).collect();
        let expected = "5 records could not be decoded: record 1 (cut), record 2 (cut), record 3 (cut)...";
        assert_eq!(undecoded(&five), expected);
    }
}

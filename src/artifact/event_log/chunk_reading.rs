//! One chunk from bytes to evidence, with what was lost on the way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use evtx::EvtxChunkData;

use super::catalogue;
use super::chunks::{CHUNK_BYTES, MOST_RECORDS, RECORDS_START, whole_records};
use super::coverage::Coverage;
use super::decode::{self, Failure, Record};
use super::meaning;
use crate::artifact::{Loss, ReadContext};
use crate::evidence::{Event, Evidence, Names, Observation, Place};

/// How many records that could not be decoded a loss names one by one.
const NAMED_FAILURES: usize = 3;
/// The record number of an empty chunk's last record.
const NO_RECORD: u64 = u64::MAX;

/// What one chunk gave.
#[derive(Debug, Default)]
pub(super) struct ChunkReading {
    /// The wanted records' evidence, in order.
    pub(super) evidence: Vec<Evidence>,
    /// What is missing.
    pub(super) losses: Vec<Loss>,
    /// Records read.
    pub(super) records: u64,
    /// The greatest record id.
    pub(super) last_id: Option<u64>,
    /// What the records cover.
    pub(super) coverage: Coverage,
}

/// Reads chunk `number` of a log. `dirty` says that the log was not closed, so that records may stand behind those
/// that the chunk's header knows.
pub(super) fn read_chunk(number: u64, data: Vec<u8>, dirty: bool, context: &ReadContext) -> ChunkReading {
    let place = format!("chunk {number}");
    guarded(&place, || read_unguarded(&place, data, dirty, context))
}

/// What `read` gives; a panic of the decoder costs this chunk alone.
fn guarded(place: &str, read: impl FnOnce() -> ChunkReading) -> ChunkReading {
    // Nothing that `read` changes outlives a panic, but for the set of shared names, which is whole at any time.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| ChunkReading {
        losses: vec![Loss::new(place, "the decoder failed on it; none of its records were read")],
        ..ChunkReading::default()
    })
}

fn read_unguarded(place: &str, data: Vec<u8>, dirty: bool, context: &ReadContext) -> ChunkReading {
    let mut reading = ChunkReading::default();
    let mut lose = |reason: String| reading.losses.push(Loss::new(place, reason));
    let mut chunk = match EvtxChunkData::new(data, false) {
        Ok(chunk) => chunk,
        Err(error) => {
            lose(format!("its header can't be read ({error}); none of its records were read"));
            return reading;
        }
    };
    if !chunk.validate_header_checksum() {
        lose("the checksum of its header is wrong; its records were read all the same".to_owned());
    }
    if !chunk.validate_data_checksum() {
        lose("the checksum of its records is wrong; they were read all the same".to_owned());
    }
    let counted = counted_records(&chunk);
    if dirty && let Some(reason) = unflushed(&chunk) {
        lose(reason);
    }
    match decode::decode(&mut chunk, &|provider, id| catalogue::find(provider, id).is_some()) {
        Ok(decoding) => {
            let failed = u64::try_from(decoding.failures.len()).unwrap_or(u64::MAX);
            if failed > 0 {
                lose(undecoded(&decoding.failures));
            }
            if let Some(counted) = counted
                && counted > decoding.read.saturating_add(failed)
            {
                lose(format!("its header counts {}, but {} could be read", of_records(counted), decoding.read));
            }
            let evidence = decoding.wanted.into_iter().filter_map(|record| evidence(record, &context.names));
            reading.evidence.extend(evidence);
            reading.records = decoding.read;
            reading.last_id = decoding.last_id;
            reading.coverage = decoding.coverage;
        }
        Err(reason) => {
            let lost = whole_records(&chunk.data, RECORDS_START).count() as u64;
            lose(format!("its table of names is damaged ({reason}); {} in it can't be read", of_records(lost)));
        }
    }
    reading
}

/// How many records the chunk's header counts; `None` when the number is one that no chunk can hold.
fn counted_records(chunk: &EvtxChunkData) -> Option<u64> {
    if is_empty(chunk) {
        return Some(0);
    }
    let (first, last) = (chunk.header.first_event_record_number, chunk.header.last_event_record_number);
    last.checked_sub(first)?.checked_add(1).filter(|count| *count <= MOST_RECORDS)
}

/// Whether the chunk's header knows no records.
fn is_empty(chunk: &EvtxChunkData) -> bool {
    let starts_with_free_space = usize::try_from(chunk.header.free_space_offset) == Ok(RECORDS_START);
    chunk.header.last_event_record_number == NO_RECORD || starts_with_free_space
}

/// The loss of the records behind those that the header knows: whole, each with the id after its predecessor's.
/// Records with other ids are left over from earlier use of the chunk.
fn unflushed(chunk: &EvtxChunkData) -> Option<String> {
    let start = usize::try_from(chunk.header.free_space_offset).ok()?;
    if !(RECORDS_START..=CHUNK_BYTES).contains(&start) {
        return None;
    }
    let mut ids = whole_records(&chunk.data, start).peekable();
    let first = *ids.peek()?;
    let last_flushed = chunk.header.last_event_record_id;
    if !is_empty(chunk) && last_flushed.checked_add(1) != Some(first) {
        return None;
    }
    let mut count = 0_u64;
    let mut last = first;
    for id in ids {
        if count > 0 && last.checked_add(1) != Some(id) {
            break;
        }
        last = id;
        count = count.saturating_add(1);
    }
    let ids = if count == 1 { format!("id {first}") } else { format!("ids {first} to {last}") };
    Some(format!("{} ({ids}) past the end of its flushed part not read", of_records(count)))
}

fn undecoded(failures: &[Failure]) -> String {
    let count = u64::try_from(failures.len()).unwrap_or(u64::MAX);
    let named: Vec<String> =
        failures.iter().take(NAMED_FAILURES).map(|failure| format!("{} ({})", failure.place, failure.reason)).collect();
    let more = if failures.len() > NAMED_FAILURES { "..." } else { "" };
    format!("{} could not be decoded: {}{more}", of_records(count), named.join(", "))
}

/// `1 record`, `2 records`.
pub(super) fn of_records(count: u64) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}

/// The record as evidence; `None` for one that reports that all is well.
fn evidence(record: Record, names: &Names) -> Option<Evidence> {
    let entry = catalogue::find(&record.provider, record.event_id)?;
    let fields = record.fields.named(entry.layout, names);
    let body = meaning::read(entry.meaning, &record.provider, record.event_id, &fields)?;
    let share = |text: Option<String>| -> Option<Arc<str>> { text.map(|text| names.share(&text)) };
    Some(Evidence {
        place: Place::Record(record.id),
        observation: Observation::Event(Box::new(Event {
            provider: names.share(&record.provider),
            id: record.event_id,
            channel: share(record.channel),
            computer: share(record.computer),
            time: record.time,
            body,
            fields: fields.into_list(),
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_decoder_costs_one_chunk() {
        let reading = guarded("chunk 7", || panic!("as a decoder might"));
        let losses: Vec<String> = reading.losses.iter().map(ToString::to_string).collect();
        assert_eq!(losses, ["chunk 7: the decoder failed on it; none of its records were read"]);
        assert_eq!((reading.records, reading.evidence.len()), (0, 0));
    }

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

//! Windows event logs (`.evtx`): the records that tell of crashes, and of what the machine went through around them.
//!
//! Reading goes from the outside inwards, one file a level:
//!
//! - `chunks` walks the file: its header and the chunks of 64 KiB behind it;
//! - `chunk_reading` takes a chunk to evidence, and says what is missing in it;
//! - `decode` takes a chunk to records, and asks the [`catalogue`] which of them are wanted;
//! - `fields` takes a record's XML to a list of names and values;
//! - `meaning` takes the fields to an [`EventBody`](crate::evidence::EventBody).

#[cfg_attr(not(test), expect(dead_code, reason = "records are still decoded by the evtx crate alone"))]
mod binary_xml;
pub mod catalogue;
mod chunk_reading;
mod chunks;
mod coverage;
mod decode;
mod fields;
mod json;
mod meaning;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Seek, SeekFrom};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use self::chunk_reading::{ChunkReading, of_records, read_chunk};
use self::chunks::{
    CHUNK_BYTES, FILE_SIGNATURE, FileHeader, HEADER_BYTES, RECORDS_START, Slot, Slots, fill, has_chunk_signature,
    is_zero, whole_records,
};
use self::coverage::Coverage;
use super::{Loss, ReadContext, Reading, Unreadable};

/// How many chunks are held and decoded at a time: 2 MiB of them.
const BATCH: usize = 32;
/// Where losses that concern the file header are placed.
const FILE_HEADER: &str = "file header";

/// Whether a file with these first bytes is an event log: by its header or, where that is damaged, by the first chunk
/// behind it, if the bytes reach that far.
#[must_use]
pub fn is_event_log(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(FILE_SIGNATURE) || first_bytes.get(HEADER_BYTES..).is_some_and(has_chunk_signature)
}

/// Reads the event log in `file`, which has `bytes` bytes.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read(file: &mut File, bytes: u64, context: &ReadContext) -> Result<Reading, Unreadable> {
    let mut block = vec![0; HEADER_BYTES];
    let filled = file
        .seek(SeekFrom::Start(0))
        .and_then(|_| fill(file, &mut block))
        .map_err(|error| Unreadable::at(FILE_HEADER, error.to_string()))?;
    if filled < HEADER_BYTES {
        let reason = match filled {
            0 => "the file is empty".to_owned(),
            _ => format!("the file ends after {filled} of the header's {HEADER_BYTES} bytes"),
        };
        return Err(Unreadable::at(FILE_HEADER, reason));
    }
    let header = FileHeader::parse(&block);
    let behind_header = bytes.saturating_sub(HEADER_BYTES as u64);
    let log = Log::read(Slots::new(file, behind_header), header.as_ref(), context);
    if header.is_none() && log.chunks == 0 {
        return Err(Unreadable::whole("it is no event log: neither its header nor a chunk can be recognised"));
    }
    Ok(log.finish(header.as_ref()))
}

/// What was read of a log so far.
#[derive(Default)]
struct Log {
    reading: Reading,
    records: u64,
    /// Places that hold a chunk, damaged ones included.
    chunks: u64,
    last_id: Option<u64>,
    coverage: Coverage,
    /// First and last number of places that hold something else, in runs.
    foreign: Vec<(u64, u64)>,
    /// What is wrong with the end of the file.
    end: Option<Loss>,
}

impl Log {
    /// Reads all chunks. Those of a batch are decoded side by side; what they give is kept in the file's order.
    fn read(mut slots: Slots<'_>, header: Option<&FileHeader>, context: &ReadContext) -> Self {
        let dirty = header.is_none_or(FileHeader::is_dirty);
        let mut log = Self::default();
        loop {
            let batch = log.next_batch(&mut slots);
            if batch.is_empty() {
                return log;
            }
            let readings: Vec<ChunkReading> =
                batch.into_par_iter().map(|(number, data)| read_chunk(number, data, dirty, context)).collect();
            readings.into_iter().for_each(|reading| log.add(reading));
        }
    }

    /// The next chunks with their numbers; none at the end of the file.
    fn next_batch(&mut self, slots: &mut Slots<'_>) -> Vec<(u64, Vec<u8>)> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH && self.end.is_none() {
            match slots.read() {
                Ok(Some((number, Slot::Chunk(data)))) => {
                    self.chunks = self.chunks.saturating_add(1);
                    batch.push((number, data));
                }
                Ok(Some((_, Slot::Unused))) => {}
                Ok(Some((number, Slot::Foreign))) => self.add_foreign(number),
                Ok(Some((number, Slot::Cut(rest)))) => self.end_inside(number, &rest),
                Ok(None) => break,
                Err(error) => {
                    let place = format!("chunk {}", slots.next_number());
                    self.end = Some(Loss::new(place, format!("the file can't be read from here on: {error}")));
                }
            }
        }
        batch
    }

    fn add(&mut self, chunk: ChunkReading) {
        self.reading.evidence.extend(chunk.evidence);
        self.reading.losses.extend(chunk.losses);
        self.records = self.records.saturating_add(chunk.records);
        self.last_id = self.last_id.max(chunk.last_id);
        self.coverage.append(chunk.coverage);
    }

    fn add_foreign(&mut self, number: u64) {
        match self.foreign.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => self.foreign.push((number, number)),
        }
    }

    /// The file ends inside place `number`, of which `rest` is left.
    fn end_inside(&mut self, number: u64, rest: &[u8]) {
        let left = if has_chunk_signature(rest) {
            self.chunks = self.chunks.saturating_add(1);
            let lost = whole_records(rest, RECORDS_START).count() as u64;
            format!("{} in that part not read", of_records(lost))
        } else if is_zero(rest) {
            "they are all zero".to_owned()
        } else {
            "they do not begin like a chunk".to_owned()
        };
        let reason = format!("the file ends after {} of its {CHUNK_BYTES} bytes; {left}", rest.len());
        self.end = Some(Loss::new(format!("chunk {number}"), reason));
    }

    /// Compares the whole with what the file header says of it.
    fn finish(mut self, header: Option<&FileHeader>) -> Reading {
        let mut losses = Vec::new();
        let mut lose = |reason: String| losses.push(Loss::new(FILE_HEADER, reason));
        match header {
            None => lose("it can't be recognised; the chunks behind it were read".to_owned()),
            Some(header) => {
                if let Some((stored, computed)) = header.wrong_checksum() {
                    lose(format!("its checksum is {stored:#010x}, but that of its content is {computed:#010x}"));
                } else if !header.is_dirty() {
                    self.compare(header, &mut lose);
                }
            }
        }
        losses.append(&mut self.reading.losses);
        for (first, last) in self.foreign {
            let (place, reason) = if first == last {
                (format!("chunk {first}"), "it does not begin like a chunk and was not read")
            } else {
                (format!("chunks {first} to {last}"), "they do not begin like chunks and were not read")
            };
            losses.push(Loss::new(place, reason));
        }
        losses.extend(self.end);
        Reading {
            losses,
            records: Some(self.records),
            coverage: self.coverage.finish(),
            evidence: self.reading.evidence,
        }
    }

    /// A log that was closed holds what its header says.
    fn compare(&self, header: &FileHeader, lose: &mut impl FnMut(String)) {
        let places = self
            .foreign
            .iter()
            .fold(self.chunks, |sum, (first, last)| sum.saturating_add(last.saturating_sub(*first)).saturating_add(1));
        if header.chunk_count() > places {
            lose(format!("it counts {} chunks, but the file holds {places}", header.chunk_count()));
        }
        let next = self.last_id.map_or(1, |last| last.saturating_add(1));
        if header.next_record_id() > next {
            let last = self.last_id.map_or("none was found".to_owned(), |last| format!("the last one found is {last}"));
            lose(format!("the next record would have the id {}, but {last}", header.next_record_id()));
        }
    }
}

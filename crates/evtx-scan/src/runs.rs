//! Reading a log's chunks in runs, side by side.
//!
//! A run is a unit of work: threads work on runs of all logs, so that one huge log and many small ones keep all threads
//! busy. Chunks are read by positioned reads into one buffer a thread. A file is never mapped: a mapped file that shrinks
//! meanwhile would end the program, and reading is faster, since a block stays in the processor's cache.
//!
//! With a cache, a chunk that did not change since an earlier run is not read: what was kept of it is added in its
//! place.

use std::cell::RefCell;
use std::fs::File;
use std::ops::{ControlFlow, Range};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::cache::{Entry, KeptRecord, LogCache};
use super::chunk::{CHUNK_BYTES, Chunk, PlaceContent, RECORDS_START, has_chunk_signature};
use super::chunk_reading::{ChunkReader, ChunkReading, Scratch, count_of_records};
use super::coverage::LogParts;
use super::extract::Extract;
use super::log_file::{chunk_offset, fill_at, places};
use super::record::Record;
use evidence::RecordIds;
use untrusted::Loss;

/// Number of chunks in a run: 4 MiB.
const RUN: u64 = 64;
/// Number of chunks that are read at once: 256 KiB, which fit into a processor's second cache.
const BLOCK: u64 = 4;
/// Size of a block of chunks that is read at once, bytes.
const BLOCK_BYTES: usize = BLOCK as usize * CHUNK_BYTES;

/// What was read of a run of chunks, or of a whole log.
#[derive(Debug)]
pub(crate) struct RunReading<T> {
    pub(crate) chunks: ChunkReading<T>,
    pub(crate) coverage: LogParts,
    /// Number of places with a chunk, damaged ones included.
    pub(crate) places: u64,
    /// The numbers of places with anything else but zeros.
    pub(crate) foreign: Vec<u64>,
    /// What is missing at the end of the file.
    pub(crate) end: Option<Loss>,
}

impl<T> Default for RunReading<T> {
    fn default() -> Self {
        Self {
            chunks: ChunkReading::default(),
            coverage: LogParts::default(),
            places: 0,
            foreign: Vec::new(),
            end: None,
        }
    }
}

/// The memory that a thread keeps from run to run.
#[derive(Default)]
struct Desk {
    buffer: Vec<u8>,
    scratch: Scratch,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// A log to be read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'s> {
    /// The log's file. Its current position does not matter: it is read by positioned reads.
    pub file: &'s File,
    /// The file's size when it was opened, bytes.
    pub bytes: u64,
    /// What earlier runs kept of the log, with the same selection.
    pub cache: Option<&'s LogCache<'s>>,
}

/// The id behind the last one of the chunk in front of chunk `number`; `None` when there is no such id. A full log is
/// continued at its beginning, so the chunk in front of the first one is the last one.
pub(crate) fn id_after_place_before(source: Source<'_>, number: u64) -> Option<u64> {
    let before = number.checked_sub(1).or_else(|| places(source.bytes).checked_sub(1)).filter(|one| *one != number)?;
    let mut header = [0; RECORDS_START];
    let filled = fill_at(source.file, &mut header, chunk_offset(before)).ok()?;
    let chunk = Chunk::parse(header.get(..filled)?).filter(|chunk| has_chunk_signature(chunk.bytes))?;
    if chunk.is_empty() { None } else { chunk.last_id.checked_add(1) }
}

/// Reads all chunks of a log; the result is in the file's order.
pub(crate) fn read<T: Send, C: Send + Sync>(source: Source<'_>, reader: &ChunkReader<'_, T, C>) -> RunReading<T> {
    let places = places(source.bytes);
    if places <= RUN {
        return read_run(source, 0..places, reader);
    }
    let runs: Vec<RunReading<T>> = (0..places.div_ceil(RUN))
        .into_par_iter()
        .map(|run| {
            let first = run.saturating_mul(RUN);
            read_run(source, first..first.saturating_add(RUN).min(places), reader)
        })
        .collect();
    runs.into_iter().fold(RunReading::default(), RunReading::and)
}

/// Reads a run: the chunks with these numbers.
fn read_run<T, C: Send + Sync>(
    source: Source<'_>,
    chunks: Range<u64>,
    reader: &ChunkReader<'_, T, C>,
) -> RunReading<T> {
    DESK.with(|desk| match desk.try_borrow_mut() {
        Ok(mut desk) => read_run_at(&mut desk, source, chunks, reader),
        // The caller's function itself reads a log on this thread.
        Err(_) => read_run_at(&mut Desk::default(), source, chunks, reader),
    })
}

fn read_run_at<T, C: Send + Sync>(
    desk: &mut Desk,
    source: Source<'_>,
    chunks: Range<u64>,
    reader: &ChunkReader<'_, T, C>,
) -> RunReading<T> {
    let mut reading = RunReading::default();
    // The chunks before `number` that are still to be read.
    let mut block = chunks.start..chunks.start;
    for number in chunks.clone() {
        let next = number.saturating_add(1);
        let kept = source.cache.and_then(|cache| cache.unchanged(source.file, number, reader.dirty));
        if kept.is_none() {
            block.end = next;
        }
        let is_full = block.end.saturating_sub(block.start) >= BLOCK;
        if kept.is_some() || is_full || next == chunks.end {
            if reading.read_block(block, source, desk, reader).is_break() {
                break;
            }
            block = next..next;
        }
        if let Some(kept) = kept {
            reading.add_kept(&kept, reader);
        }
    }
    reading.coverage = std::mem::take(&mut reading.chunks.spans).finish();
    reading
}

impl<T> RunReading<T> {
    /// Reads the chunks with these numbers, at most a block. Breaks where the file ends.
    fn read_block<C: Send + Sync>(
        &mut self,
        mut chunks: Range<u64>,
        source: Source<'_>,
        desk: &mut Desk,
        reader: &ChunkReader<'_, T, C>,
    ) -> ControlFlow<()> {
        let Desk { buffer, scratch } = desk;
        let wanted = usize::try_from(chunks.end.saturating_sub(chunks.start)).unwrap_or_default();
        if wanted == 0 {
            return ControlFlow::Continue(());
        }
        buffer.resize(BLOCK_BYTES, 0);
        let Some(block) = buffer.get_mut(..wanted.saturating_mul(CHUNK_BYTES)) else { return ControlFlow::Break(()) };
        let filled = match fill_at(source.file, block, chunk_offset(chunks.start)) {
            Ok(filled) => filled,
            Err(error) => {
                let place = format!("chunk {}", chunks.start);
                self.end = Some(Loss::new(place, format!("the file can't be read from here on: {error}")));
                return ControlFlow::Break(());
            }
        };
        for bytes in block.get(..filled).unwrap_or_default().chunks(CHUNK_BYTES) {
            let Some(number) = chunks.next() else { break };
            self.add(number, bytes, source.cache, scratch, reader);
            if bytes.len() < CHUNK_BYTES {
                return ControlFlow::Break(());
            }
        }
        if filled < block.len() {
            let bytes = source.bytes;
            let reason = format!("the file ends here, although it had {bytes} bytes when it was opened");
            self.end = Some(Loss::new(format!("chunk {}", chunks.start), reason));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Adds the content of place `number`, which is shorter than a chunk where the file ends.
    fn add<C: Send + Sync>(
        &mut self,
        number: u64,
        bytes: &[u8],
        cache: Option<&LogCache<'_>>,
        scratch: &mut Scratch,
        reader: &ChunkReader<'_, T, C>,
    ) {
        let whole = bytes.len() == CHUNK_BYTES;
        let kind = PlaceContent::recognise(bytes);
        match cache {
            Some(cache) if kind == PlaceContent::Chunk && whole => {
                let kept = self.read_and_keep(number, bytes, scratch, reader);
                cache.learn(number, kept.map(|kept| (bytes, kept)));
                return;
            }
            Some(cache) => cache.learn(number, None),
            None => {}
        }
        match kind {
            PlaceContent::Chunk => {
                self.places = self.places.saturating_add(1);
                let before = self.chunks.records;
                reader.read_chunk(number, bytes, whole, scratch, &mut self.chunks);
                if !whole {
                    let read = self.chunks.records.saturating_sub(before);
                    self.end_inside(number, bytes.len(), &format!("{} in that part read", count_of_records(read)));
                }
            }
            PlaceContent::Unused if whole => {}
            PlaceContent::Unused => self.end_inside(number, bytes.len(), "they are all zero"),
            PlaceContent::Foreign => {
                let has_records = reader.salvage(number, bytes, scratch, &mut self.chunks);
                self.places = self.places.saturating_add(has_records.into());
                if !whole {
                    self.end_inside(number, bytes.len(), "they do not begin like a chunk");
                } else if !has_records {
                    self.foreign.push(number);
                }
            }
        }
    }

    /// Reads chunk `number`, all of which is in `bytes`. Returns the entry that is to be kept of it for later runs, if it has
    /// checksums and nothing of it is missing.
    fn read_and_keep<C: Send + Sync>(
        &mut self,
        number: u64,
        bytes: &[u8],
        scratch: &mut Scratch,
        reader: &ChunkReader<'_, T, C>,
    ) -> Option<Vec<u8>> {
        let both = |record: &Record<'_>| Some((KeptRecord::encode(record), reader.extract.of_record(record)));
        let extract: Extract<'_, _, ()> = Extract::Each(&both);
        let encoding =
            ChunkReader { selection: reader.selection, extract, dirty: reader.dirty, first_id: reader.first_id };
        let mut own = ChunkReading::default();
        encoding.read_chunk(number, bytes, true, scratch, &mut own);

        let is_whole = own.losses.is_empty() && Chunk::parse(bytes).is_some_and(|chunk| !chunk.has_no_checksums());
        let entry = is_whole.then(|| {
            let wanted = own.extracted.iter().map(|(encoded, _)| encoded.as_slice()).collect();
            Entry::encode(own.records, own.ids, &own.spans, wanted)
        });
        self.places = self.places.saturating_add(1);
        self.chunks.append(ChunkReading {
            extracted: own.extracted.into_iter().filter_map(|(_, extracted)| extracted).collect(),
            records: own.records,
            ids: own.ids,
            losses: own.losses,
            spans: own.spans,
        });
        entry.flatten()
    }

    /// Adds an unchanged chunk from what was kept of it.
    fn add_kept<C>(&mut self, kept: &Entry<'_>, reader: &ChunkReader<'_, T, C>) {
        kept.spans.iter().for_each(|span| self.chunks.spans.add_span(span));
        self.places = self.places.saturating_add(1);
        self.chunks.records = self.chunks.records.saturating_add(kept.records);
        self.chunks.ids = RecordIds::joined(self.chunks.ids, kept.ids);
        self.chunks
            .extracted
            .extend(kept.wanted.iter().filter_map(|wanted| reader.extract.of_record(&wanted.record())));
    }

    /// Notes that the file ends inside place `number`, after `bytes` of its bytes.
    fn end_inside(&mut self, number: u64, bytes: usize, left: &str) {
        let reason = format!("the file ends after {bytes} of its {CHUNK_BYTES} bytes; {left}");
        self.end = Some(Loss::new(format!("chunk {number}"), reason));
    }

    /// The results of this run and of a later one in one.
    fn and(mut self, later: Self) -> Self {
        self.chunks.append(later.chunks);
        self.coverage.append(later.coverage);
        self.places = self.places.saturating_add(later.places);
        self.foreign.extend(later.foreign);
        // A file that was cut while it was read has a loss in each run behind its end.
        self.end = self.end.or(later.end);
        self
    }
}

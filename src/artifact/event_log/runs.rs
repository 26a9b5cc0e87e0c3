//! Reading a log's chunks in runs, side by side.
//!
//! A run is a unit of work: threads take runs of all logs, so that one huge log and many small ones keep all of them
//! busy. Chunks are read by positioned reads into one buffer a thread. A file is never mapped: one that shrinks
//! meanwhile would end the program, and reading is faster, since a block stays in the processor's cache.

use std::cell::RefCell;
use std::fs::File;
use std::io;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::chunk::{CHUNK_BYTES, Slot};
use super::chunk_reading::{ChunkReading, Reader, Scratch, of_records};
use super::coverage::{Coverage, Spans};
use super::file_header::HEADER_BYTES;
use crate::artifact::Loss;

/// How many chunks are a run: 4 MiB.
const RUN: u64 = 64;
/// How many chunks are read at once: 256 KiB, of which a processor's second cache holds all.
const BLOCK: usize = 4;

/// What was read of a run of chunks, or of all.
#[derive(Debug)]
pub(super) struct RunReading<T> {
    pub(super) chunks: ChunkReading<T>,
    pub(super) coverage: Coverage,
    /// Places that hold a chunk, damaged ones included.
    pub(super) places: u64,
    /// First and last number of places that hold something else, in runs.
    pub(super) foreign: Vec<(u64, u64)>,
    /// What is wrong with the end of the file.
    pub(super) end: Option<Loss>,
}

impl<T> Default for RunReading<T> {
    fn default() -> Self {
        Self {
            chunks: ChunkReading::default(),
            coverage: Coverage::default(),
            places: 0,
            foreign: Vec::new(),
            end: None,
        }
    }
}

/// What a thread works with.
#[derive(Default)]
struct Desk {
    buffer: Vec<u8>,
    scratch: Scratch,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Reads all chunks of `file`, which has `bytes` bytes. What they give is in the file's order.
pub(super) fn read<T: Send>(file: &File, bytes: u64, reader: &Reader<'_, T>) -> RunReading<T> {
    let slots = bytes.saturating_sub(HEADER_BYTES as u64).div_ceil(CHUNK_BYTES as u64);
    if slots <= RUN {
        return read_run(file, 0, slots, bytes, reader);
    }
    let runs: Vec<RunReading<T>> = (0..slots.div_ceil(RUN))
        .into_par_iter()
        .map(|run| {
            let first = run.saturating_mul(RUN);
            read_run(file, first, first.saturating_add(RUN).min(slots), bytes, reader)
        })
        .collect();
    let mut all = RunReading::default();
    runs.into_iter().for_each(|run| all.append(run));
    all
}

/// Reads the chunks from number `first` up to `end`.
fn read_run<T>(file: &File, first: u64, end: u64, bytes: u64, reader: &Reader<'_, T>) -> RunReading<T> {
    DESK.with(|desk| match desk.try_borrow_mut() {
        Ok(mut desk) => read_run_at(&mut desk, file, first, end, bytes, reader),
        // A reader that itself reads a log needs a desk of its own.
        Err(_) => read_run_at(&mut Desk::default(), file, first, end, bytes, reader),
    })
}

fn read_run_at<T>(
    desk: &mut Desk,
    file: &File,
    first: u64,
    end: u64,
    bytes: u64,
    reader: &Reader<'_, T>,
) -> RunReading<T> {
    let Desk { buffer, scratch } = desk;
    buffer.resize(BLOCK.saturating_mul(CHUNK_BYTES), 0);
    let mut reading = RunReading::default();
    let mut spans = Spans::default();
    let mut next = first;
    'blocks: while next < end {
        let wanted = usize::try_from(end.saturating_sub(next)).unwrap_or(BLOCK).min(BLOCK);
        let Some(block) = buffer.get_mut(..wanted.saturating_mul(CHUNK_BYTES)) else { break };
        let offset = next.saturating_mul(CHUNK_BYTES as u64).saturating_add(HEADER_BYTES as u64);
        let filled = match fill_at(file, block, offset) {
            Ok(filled) => filled,
            Err(error) => {
                let place = format!("chunk {next}");
                reading.end = Some(Loss::new(place, format!("the file can't be read from here on: {error}")));
                break;
            }
        };
        for slot in block.get(..filled).unwrap_or_default().chunks(CHUNK_BYTES) {
            reading.add(next, slot, &mut spans, scratch, reader);
            next = next.saturating_add(1);
            if slot.len() < CHUNK_BYTES {
                break 'blocks;
            }
        }
        if filled < block.len() {
            let reason = format!("the file ends here, although it had {bytes} bytes when it was opened");
            reading.end = Some(Loss::new(format!("chunk {next}"), reason));
            break;
        }
    }
    reading.coverage = spans.finish();
    reading
}

impl<T> RunReading<T> {
    /// Adds what stands at place `number`; less than a chunk where the file ends.
    fn add(&mut self, number: u64, slot: &[u8], spans: &mut Spans, scratch: &mut Scratch, reader: &Reader<'_, T>) {
        let whole = slot.len() == CHUNK_BYTES;
        match Slot::of(slot) {
            Slot::Chunk => {
                self.places = self.places.saturating_add(1);
                let before = self.chunks.records;
                reader.read_chunk(number, slot, whole, spans, scratch, &mut self.chunks);
                if !whole {
                    let read = self.chunks.records.saturating_sub(before);
                    self.end_inside(number, slot.len(), &format!("{} in that part read", of_records(read)));
                }
            }
            Slot::Unused if whole => {}
            Slot::Unused => self.end_inside(number, slot.len(), "they are all zero"),
            Slot::Foreign => {
                if reader.salvage(number, slot, spans, scratch, &mut self.chunks) {
                    self.places = self.places.saturating_add(1);
                } else if whole {
                    self.foreign.push((number, number));
                } else {
                    self.end_inside(number, slot.len(), "they do not begin like a chunk");
                }
            }
        }
    }

    /// The file ends inside place `number`, after so many of its bytes.
    fn end_inside(&mut self, number: u64, bytes: usize, left: &str) {
        let reason = format!("the file ends after {bytes} of its {CHUNK_BYTES} bytes; {left}");
        self.end = Some(Loss::new(format!("chunk {number}"), reason));
    }

    /// Adds what a later run gave.
    fn append(&mut self, later: Self) {
        self.chunks.taken.extend(later.chunks.taken);
        self.chunks.losses.extend(later.chunks.losses);
        self.chunks.records = self.chunks.records.saturating_add(later.chunks.records);
        self.chunks.last_id = self.chunks.last_id.max(later.chunks.last_id);
        self.coverage.append(later.coverage);
        self.places = self.places.saturating_add(later.places);
        self.foreign.extend(later.foreign);
        // Of a file that was cut while it was read, the first place says it.
        self.end = self.end.take().or(later.end);
    }
}

/// Reads until `buffer` is full or the file ends; how many bytes were read.
pub(super) fn fill_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0_usize;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled = filled.saturating_add(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

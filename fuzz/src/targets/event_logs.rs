//! Event logs: whole files, chunks, and the binary XML of records.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use evidence::Names;
use evtx_scan::{Record, Selection, is_event_log, read_records};
use samplekit::event_log::patch::{chunk_header, put, seal_chunk, seal_file, u32_at};
use samplekit::event_log::{CHUNK_BYTES, EventLog, FILE_HEADER_BYTES};
use windows_events::{Contents, Context};

use crate::{Group, Shape, Target, scratch, seeds};

pub(super) const TARGETS: &[Target] = &[
    Target::new(
        "event-log",
        Group::EventLogs,
        "An event log, half of the mutants with right checksums",
        event_log,
        logs,
    )
    .repaired(seal),
    Target::new(
        "chunk",
        Group::EventLogs,
        "The used part of an event log's chunk, in a log with right checksums",
        chunk,
        chunks,
    )
    .at_most(CHUNK_BYTES),
    Target::new(
        "binary-xml",
        Group::EventLogs,
        "The binary XML of the first record of a chunk; every field is decoded",
        binary_xml,
        streams,
    )
    .at_most(CHUNK_BYTES / 2),
];

fn event_log(input: &[u8]) -> Shape {
    let (names, contents) = (Names::default(), Contents::default());
    let context = Context::new(&names, &contents);
    let outcome = scratch::with_file(input, |file, bytes| windows_events::read(file, bytes, &context));
    Shape::of_reading(outcome.as_ref())
}

fn logs() -> Vec<Vec<u8>> {
    seeds::samples(is_event_log)
}

/// Updates the checksums of a log.
fn seal(log: &mut [u8]) {
    if log.len() < FILE_HEADER_BYTES {
        return;
    }
    seal_file(log);
    for chunk in log[FILE_HEADER_BYTES..].chunks_exact_mut(CHUNK_BYTES) {
        seal_chunk(chunk);
    }
}

/// A closed log with this chunk and right checksums.
fn log_of(mut chunk: Vec<u8>) -> Vec<u8> {
    static HEADER: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut log = EventLog::new("Application", "PC-1").to_bytes();
        log.truncate(FILE_HEADER_BYTES);
        log
    });
    chunk.resize(CHUNK_BYTES, 0);
    seal_chunk(&mut chunk);
    [HEADER.as_slice(), &chunk].concat()
}

fn chunk(input: &[u8]) -> Shape {
    event_log(&log_of(input.to_vec()))
}

/// The used parts of all chunks of samples, the longest cut.
fn chunks() -> Vec<Vec<u8>> {
    let logs = logs();
    let chunks = logs.iter().flat_map(|log| log[FILE_HEADER_BYTES.min(log.len())..].chunks_exact(CHUNK_BYTES));
    let used =
        chunks.map(|chunk| chunk[..(u32_at(chunk, chunk_header::FREE_SPACE) as usize).min(chunk.len())].to_vec());
    used.filter(|used| used.len() > chunk_header::END).collect()
}

/// Size of a record's header: signature, size, id and time.
const RECORD_HEADER: usize = 24;

fn binary_xml(input: &[u8]) -> Shape {
    let size = (RECORD_HEADER + input.len() + 4).next_multiple_of(8);
    let mut chunk = vec![0; chunk_header::END + size];
    chunk[..8].copy_from_slice(b"ElfChnk\0");
    for (at, value) in [
        (chunk_header::FIRST_NUMBER, 1_u64),
        (chunk_header::LAST_NUMBER, 1),
        (chunk_header::FIRST_ID, 1),
        (chunk_header::LAST_ID, 1),
    ] {
        put(&mut chunk, at, &value.to_le_bytes());
    }
    let (start, end) = (chunk_header::END, chunk.len());
    for (at, value) in [
        (40, 128),
        (chunk_header::LAST_RECORD, start),
        (chunk_header::FREE_SPACE, end),
        (start, usize::from(b'*') * 0x101),
        (start + 4, size),
        (end - 4, size),
    ] {
        put(&mut chunk, at, &(value as u32).to_le_bytes());
    }
    put(&mut chunk, start + 8, &1_u64.to_le_bytes());
    put(&mut chunk, start + 16, &0x01DA_0000_0000_0000_u64.to_le_bytes());
    put(&mut chunk, start + RECORD_HEADER, input);
    let fields = |record: &Record<'_>| {
        let mut hasher = std::hash::DefaultHasher::new();
        for (name, value) in record.fields.iter() {
            name.hash(&mut hasher);
            value.len().checked_ilog2().hash(&mut hasher);
        }
        record.provider.is_empty().hash(&mut hasher);
        Some(hasher.finish())
    };
    let log =
        scratch::with_file(&log_of(chunk), |file, bytes| read_records(file, bytes, &Selection::everything(), &fields));
    let mut shape = Shape::default();
    match log {
        Ok(log) => {
            log.losses.iter().for_each(|loss| shape.loss(loss));
            shape.value(log.extracted);
        }
        Err(error) => shape.message(&error),
    }
    shape
}

/// The binary XML of the first records of samples' chunks: names and templates are where these records have them.
fn streams() -> Vec<Vec<u8>> {
    let first = |chunk: Vec<u8>| {
        let size = u32_at(&chunk, chunk_header::END + 4) as usize;
        let from = chunk_header::END + RECORD_HEADER;
        chunk.get(from..(chunk_header::END + size).saturating_sub(4)).map(<[u8]>::to_vec)
    };
    chunks().into_iter().filter_map(first).collect()
}

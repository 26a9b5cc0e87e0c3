//! Chunks that are missing between others: each chunk's header has the numbers of its first and last record in the file, and
//! these continue from chunk to chunk, also where ids do not, as in a log with the records of a filter.

use super::cache::records_may_follow;
use super::chunk::{CHUNK_BYTES, Chunk, RECORDS_START, has_chunk_signature};
use super::chunk_reading::count_of_records;
use super::log_file::{chunk_offset, fill_at, places};
use super::runs::Source;
use untrusted::Loss;

/// What the beginning of a place shows.
enum Place {
    /// A chunk with an intact header and records, by the numbers of the first and the last.
    Chunk { first: u64, last: u64 },
    /// Zeros where a header would be.
    Zeros,
    /// A chunk without records, whose header is damaged, or that may have more records than its header counts; or no chunk.
    Unknown,
}

/// The records that are missing between chunks of a log; `dirty` if it was not closed. In a log that was full, the chunk
/// behind the newest one is the oldest one, with lower numbers: nothing is missing there.
pub(crate) fn find(source: Source<'_>, dirty: bool) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut before = None;
    let mut zeros: Vec<u64> = Vec::new();
    // Whether all places so far are zeros.
    let mut is_beginning = true;
    for number in 0..places(source.bytes) {
        match look(source, number, dirty) {
            Place::Zeros => {
                zeros.push(number);
                continue;
            }
            Place::Unknown => before = None,
            Place::Chunk { first, last } => {
                let missing = before.and_then(|before: u64| first.checked_sub(before)?.checked_sub(1));
                let missing = missing.filter(|missing| *missing > 0);
                if (missing.is_some() || is_beginning) && zeros.iter().all(|number| is_zero(source, *number)) {
                    losses.extend(loss(number, first, missing, &zeros));
                }
                before = Some(last);
            }
        }
        zeros.clear();
        is_beginning = false;
    }
    losses
}

/// The loss in front of a chunk whose first record has the number `first`: so many records, or places that are zero.
fn loss(number: u64, first: u64, missing: Option<u64>, zeros: &[u64]) -> Option<Loss> {
    let records = missing.map(|missing| {
        let (from, to) = (first.saturating_sub(missing), first.saturating_sub(1));
        let numbers = if from == to { format!("number {from}") } else { format!("numbers {from} to {to}") };
        let are = if missing == 1 { "is" } else { "are" };
        format!("{} ({numbers}) in front of it {are} missing", count_of_records(missing))
    });
    let empty = match zeros {
        [] => None,
        [one] => Some(format!("chunk {one} in front of it is all zero")),
        [one, .., last] => Some(format!("chunks {one} to {last} in front of it are all zero")),
    };
    let reason: Vec<String> = [records, empty].into_iter().flatten().collect();
    (!reason.is_empty()).then(|| Loss::new(format!("chunk {number}"), reason.join("; ")))
}

fn look(source: Source<'_>, number: u64, dirty: bool) -> Place {
    let start = chunk_offset(number);
    let mut header = [0; RECORDS_START];
    // What can't be read is a loss of the chunk.
    if !fill_at(source.file, &mut header, start).is_ok_and(|filled| filled == header.len()) {
        return Place::Unknown;
    }
    if header.iter().all(|byte| *byte == 0) {
        return Place::Zeros;
    }
    let chunk = Chunk::parse(&header).filter(|chunk| has_chunk_signature(chunk.bytes) && chunk.header_is_intact());
    match chunk.and_then(|chunk| chunk.numbers()) {
        Some((first, last)) if !dirty || !records_may_follow(source.file, start, &header) => {
            Place::Chunk { first, last }
        }
        _ => Place::Unknown,
    }
}

/// Whether all of a place is zero: records without a header are read.
fn is_zero(source: Source<'_>, number: u64) -> bool {
    let mut bytes = vec![0; CHUNK_BYTES];
    let filled = fill_at(source.file, &mut bytes, chunk_offset(number));
    filled.is_ok_and(|filled| bytes.iter().take(filled).all(|byte| *byte == 0))
}

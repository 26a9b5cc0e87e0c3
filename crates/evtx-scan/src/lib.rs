//! Reads selected records of Windows event logs without decoding the others.
//!
//! An event log (`.evtx`) is a header of 4 KiB and behind it chunks of 64 KiB, each of which can be read by itself. A
//! chunk has a header of its own and holds records of binary XML. A record is mostly an instance of a template: the
//! template's definition, which holds the elements and their names, lies once in the chunk, and the record holds
//! only the values that are put into it.
//!
//! To decode a record costs some hundred times as much as to find the next one, and of a log's records less than one in
//! a hundred is of interest to those who look for something. So all records are walked over, a record is known by its
//! provider and event id where they lie in its values, and only what a [`Selection`] asks for is decoded. What it asks
//! for is the caller's: a [`Catalogue`] of providers and event ids, channels and event ids ([`ChannelIds`]), or a share
//! of all records.
//!
//! ```no_run
//! use std::fs::File;
//! use std::sync::Arc;
//!
//! use evtx_scan::{Catalogue, Ids, Provider, Row, Selection, read_records};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let crashes = Row {
//!     providers: &[Provider::Named("Application Error")],
//!     ids: Ids::These(&[1000..=1000]),
//!     quiet: None,
//! };
//! let selection = Selection::wanted(Arc::new(Catalogue::new([crashes])));
//! let file = File::open("Application.evtx")?;
//! let log = read_records(&file, file.metadata()?.len(), &selection, &|record| {
//!     Some((record.time, record.fields.iter().map(|(_, value)| value.to_owned()).collect::<Vec<_>>()))
//! })?;
//! for (time, values) in log.taken {
//!     println!("{time:?} {}", values.join("; "));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Logs are read as they are found: cut, not closed, overwritten. Whatever could be read is given, and
//! [`Log::losses`] says what is missing. No length or offset in a file is believed, and no memory is reserved by one.
//!
//! # How it is built
//!
//! Reading goes from the outside inwards, one file a level:
//!
//! - `file_header`: the header of the file;
//! - `runs` reads the chunks behind it, side by side on the current rayon thread pool;
//! - `chunk` and `records` know a chunk's header and find the records in it;
//! - `scan` decides, by the [`Selection`], which records are wanted: `definitions` and `instance_layout` know where a
//!   record holds what decides, and `quiet_records` sorts out those of which a field says that nobody wants them;
//! - `chunk_reading` reads those, by `binary_xml`, or `full_decode` where their shape is unusual, and says what is
//!   missing;
//! - `fields` makes a list of names and values of a record's elements, and `head` gives what else its system says;
//! - `take` makes of them what the caller wants; where many records hold the same, `contents` keeps one copy of that and
//!   knows most of the others by their bytes, without decoding them again;
//! - `coverage` counts what part of a machine's history the log covers, by channel and computer;
//! - `cache` spares later runs the chunks that did not change, and `identity` says whether a whole log did.

mod binary_xml;
mod cache;
mod catalogue;
mod channel_ids;
mod chunk;
mod chunk_reading;
mod contents;
mod coverage;
mod definitions;
mod error;
mod fields;
mod file_header;
mod full_decode;
mod head;
mod identity;
mod instance_layout;
mod json;
mod quiet_records;
mod record;
mod records;
mod runs;
mod scan;
mod selection;
mod system_parts;
mod take;

use std::fs::File;

pub use self::cache::{Cache, LEAST_LOG, LogCache};
pub use self::catalogue::{Catalogue, Ids, Provider, Quiet, QuietWhen, Row};
pub use self::channel_ids::ChannelIds;
use self::chunk::has_chunk_signature;
use self::chunk_reading::Reader;
pub use self::contents::Contents;
pub use self::error::{Error, ErrorKind};
pub use self::fields::WrittenFields;
use self::file_header::{FILE_SIGNATURE, FileHeader, HEADER_BYTES};
pub use self::head::{Head, Unread, parts as head_parts};
pub use self::identity::identity;
pub use self::json::Node;
pub use self::record::{Log, Record};
pub use self::runs::Source;
use self::runs::{RunReading, fill_at};
pub use self::selection::Selection;
pub use self::take::{Shared, Stamp, Take};
use untrusted::Loss;

/// Where losses that concern the file header are placed.
const FILE_HEADER: &str = "file header";

/// Whether a file with these first bytes is an event log: by its header or, where that is damaged, by the first chunk
/// behind it, if the bytes reach that far.
#[must_use]
pub fn is_event_log(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(FILE_SIGNATURE) || first_bytes.get(HEADER_BYTES..).is_some_and(has_chunk_signature)
}

/// Reads the records of the event log `file`, which has `bytes` bytes, that `selection` asks for; `take` makes of each
/// what is kept. Records are read side by side, on the current rayon thread pool, and kept in the file's order.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read_records<T: Send>(
    file: &File,
    bytes: u64,
    selection: &Selection,
    take: &(dyn Fn(&Record<'_>) -> Option<T> + Sync),
) -> Result<Log<T>, Error> {
    read(Source { file, bytes, cache: None }, selection, Take::<T>::Each(take))
}

/// The same for a log of which earlier runs may have kept chunks, and where what many records hold may be read once.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read<T: Send, C: Send + Sync>(
    source: Source<'_>,
    selection: &Selection,
    take: Take<'_, T, C>,
) -> Result<Log<T>, Error> {
    let mut block = [0; HEADER_BYTES];
    let filled = fill_at(source.file, &mut block, 0).map_err(Error::unreadable)?;
    if filled < HEADER_BYTES {
        return Err(Error::short(filled as u64));
    }
    let header = FileHeader::parse(&block);
    let dirty = header.as_ref().is_none_or(FileHeader::is_dirty);
    let follows = |number| runs::id_after_place_before(source, number);
    let reading = runs::read(source, &Reader { selection, take, dirty, follows: &follows });
    if header.is_none() && reading.places == 0 {
        return Err(Error::no_event_log(source.bytes));
    }
    Ok(finish(reading, header.as_ref()))
}
/// Compares the whole with what the file header says of it.
fn finish<T>(reading: RunReading<T>, header: Option<&FileHeader>) -> Log<T> {
    let mut losses = Vec::new();
    let mut lose = |reason: String| losses.push(Loss::new(FILE_HEADER, reason));
    match header {
        None => lose("it can't be recognised; the chunks behind it were read".to_owned()),
        Some(header) => {
            if let Some((stored, computed)) = header.wrong_checksum() {
                lose(format!("its checksum is {stored:#010x}, but that of its content is {computed:#010x}"));
            } else if !header.is_dirty() {
                compare(&reading, header, &mut lose);
            }
        }
    }
    losses.extend(reading.chunks.losses);
    for (first, last) in joined(reading.foreign) {
        let (place, reason) = if first == last {
            (format!("chunk {first}"), "it does not begin like a chunk and was not read")
        } else {
            (format!("chunks {first} to {last}"), "they do not begin like chunks and were not read")
        };
        losses.push(Loss::new(place, reason));
    }
    losses.extend(reading.end);
    Log {
        taken: reading.chunks.taken,
        records: reading.chunks.records,
        losses,
        coverage: reading.coverage.finish(reading.chunks.ids),
    }
}

/// A log that was closed holds what its header says.
fn compare<T>(reading: &RunReading<T>, header: &FileHeader, lose: &mut impl FnMut(String)) {
    let places = reading.places.saturating_add(reading.foreign.len() as u64);
    if header.chunk_count() > places {
        lose(format!("it counts {} chunks, but the file holds {places}", header.chunk_count()));
    }
    let last_id = reading.chunks.ids.map(|ids| ids.last);
    let next = last_id.map_or(1, |last| last.saturating_add(1));
    if header.next_record_id() > next {
        let last = last_id.map_or("none was found".to_owned(), |last| format!("the last one found is {last}"));
        lose(format!("the next record would have the id {}, but {last}", header.next_record_id()));
    }
}

/// Neighbouring numbers as ranges.
fn joined(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(first) => *end = last,
            _ => joined.push((first, last)),
        }
    }
    joined
}

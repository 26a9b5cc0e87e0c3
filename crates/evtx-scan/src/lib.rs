//! Reads selected records of Windows event logs (`.evtx`) without decoding the others.
//!
//! # What an event log is
//!
//! An event log is a file in which Windows records what happened. It is built of four levels:
//!
//! - The *file header*, 4 KiB, counts the chunks and records of the file, and has a flag for a log that was not closed.
//! - *Chunks* of 64 KiB follow, each of which can be read by itself: offsets within a chunk count from its first byte. A
//!   chunk's header has the ids of its first and last record, where its free space begins, and two checksums. A log that has
//!   reached its maximum size overwrites its oldest chunks.
//! - *Records* fill a chunk one after another. A record has a header with its size, its id and the time, and a content.
//! - The content is *binary XML*: an event with a `System` element (provider, event id, channel, computer...) and an
//!   `EventData` or `UserData` element with the fields. It is mostly the instance of a *template*: the template's definition,
//!   which is in the chunk once, has the elements and their names, and the record has only the values that are put into it.
//!
//! # What this crate does with it
//!
//! Decoding a record costs some hundred times as much as finding the next one, and whoever looks for something wants less
//! than one in a hundred records. So the crate finds all records, compares provider and event id where they are among the
//! record's values, and decodes only the records that a [`Selection`] wants: by a [`Catalogue`] of providers and event ids,
//! by channels and event ids ([`ChannelIds`]), or a share of all records.
//!
//! ```no_run
//! use std::fs::File;
//! use std::sync::Arc;
//!
//! use evtx_scan::{Catalogue, Ids, Provider, Row, Selection, read_records};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let crashes = Row {
//!     providers: vec![Provider::Named("Application Error".into())],
//!     ids: Ids::These(vec![1000..=1000]),
//!     quiet: None,
//! };
//! let selection = Selection::wanted(Arc::new(Catalogue::new([crashes])));
//! let file = File::open("Application.evtx")?;
//! let log = read_records(&file, file.metadata()?.len(), &selection, &|record| {
//!     Some((record.time, record.fields.iter().map(|(_, value)| value.to_owned()).collect::<Vec<_>>()))
//! })?;
//! for (time, values) in log.extracted {
//!     println!("{time:?} {}", values.join("; "));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `cargo run -p evtx-scan --example wanted -- FILE ID...` prints the records with some event ids of a log.
//!
//! A log may be cut, not closed, or partly overwritten. Whatever can be read is returned, and [`Log::losses`] lists what is
//! missing. Lengths and offsets in a file are checked before they are used, and no memory is reserved by one.
//!
//! # How it is built
//!
//! Reading goes from the outside inwards, one file a level:
//!
//! - `file_header`: the header of the file;
//! - `runs` reads the chunks behind it, side by side on the current rayon thread pool;
//! - `chunk` and `records`: the header of a chunk, and finding the records in it;
//! - `scan` decides by the [`Selection`] which records are wanted: `definitions` and `instance_layout` find where a record
//!   has provider, event id, channel and computer, `utf16_names` remembers what is wanted of each name, and `quiet_records`
//!   sorts out records that one field marks as uninteresting;
//! - `chunk_reading` decodes the wanted records, by `binary_xml` or, where their shape is unusual, by `full_decode`, and notes
//!   what is missing;
//! - `fields` is a record's list of names and values, and `head` reads the other parts of its `System` element;
//! - `extract` is what the caller makes of records; where many records have the same content, `contents` keeps one copy of it
//!   and recognises most of the others by their bytes, without decoding them again;
//! - `coverage` counts, by channel and computer, which time the log covers;
//! - `cache` keeps chunks for later runs, which need not read unchanged ones, and `log_hash` shows whether a whole log is
//!   unchanged.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

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
mod extract;
mod fields;
mod file_header;
mod full_decode;
mod gaps;
mod head;
mod instance_layout;
mod json;
mod log_file;
mod log_hash;
mod quiet_records;
mod record;
mod records;
mod runs;
mod scan;
mod selection;
mod system_parts;
mod utf16_names;

use std::fs::File;

pub use self::cache::{Cache, LEAST_LOG, LogCache};
pub use self::catalogue::{Catalogue, Ids, Provider, Quiet, QuietWhen, Row};
pub use self::channel_ids::ChannelIds;
use self::chunk::has_chunk_signature;
use self::chunk_reading::ChunkReader;
pub use self::contents::Contents;
pub use self::error::{Error, ErrorKind};
pub use self::extract::{Extract, SharedExtract, Stamp};
pub use self::fields::RecordFields;
use self::file_header::{FILE_HEADER, FILE_SIGNATURE, HEADER_BYTES};
pub use self::head::{Head, Unread, parts as head_parts};
pub use self::json::Node;
use self::log_file::fill_at;
pub use self::log_hash::log_hash;
pub use self::record::{Log, Record};
use self::runs::RunReading;
pub use self::runs::Source;
pub use self::selection::Selection;
use evtx::EvtxFileHeader;
use untrusted::Loss;

/// Whether a file with these first bytes is an event log: by its header or, where that is damaged, by the first chunk
/// behind it, if the bytes reach that far.
#[must_use]
pub fn is_event_log(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(FILE_SIGNATURE) || first_bytes.get(HEADER_BYTES..).is_some_and(has_chunk_signature)
}

/// Reads the records that `selection` wants of the event log `file`, which has `bytes` bytes. The log has what `extract`
/// returns for each record, in the file's order. Chunks are read side by side on the current rayon thread pool.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read_records<T: Send>(
    file: &File,
    bytes: u64,
    selection: &Selection,
    extract: &(dyn Fn(&Record<'_>) -> Option<T> + Sync),
) -> Result<Log<T>, Error> {
    read(Source { file, bytes, cache: None }, selection, Extract::<T>::Each(extract))
}

/// As [`read_records`], for a log of which earlier runs may have kept chunks, and where content that many records have can
/// be read once.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read<T: Send, C: Send + Sync>(
    source: Source<'_>,
    selection: &Selection,
    extract: Extract<'_, T, C>,
) -> Result<Log<T>, Error> {
    let mut block = [0; HEADER_BYTES];
    let filled = fill_at(source.file, &mut block, 0).map_err(|error| ErrorKind::Unreadable(error).of_header())?;
    if filled < HEADER_BYTES {
        return Err(ErrorKind::short(filled).of_header());
    }
    let header = file_header::parse(&block);
    let dirty = file_header::is_dirty(header.as_ref());
    let first_id = |number| runs::id_after_place_before(source, number);
    let reading = runs::read(source, &ChunkReader { selection, extract, dirty, first_id: &first_id });
    if header.is_none() && reading.places == 0 {
        return Err(ErrorKind::NoEventLog.of_whole());
    }
    Ok(finish(reading, header.as_ref(), gaps::find(source, dirty)))
}

/// The log that the chunks make, with what is missing by the file header and between chunks.
fn finish<T>(reading: RunReading<T>, header: Option<&EvtxFileHeader>, between: Vec<Loss>) -> Log<T> {
    let mut losses = Vec::new();
    let mut lose = |reason: String| losses.push(Loss::new(FILE_HEADER, reason));
    match header {
        None => lose("it can't be recognised; the chunks behind it were read".to_owned()),
        Some(header) if !header.validate_checksum() => {
            let (stored, computed) = (header.checksum, header.computed_checksum);
            lose(format!("its checksum is {stored:#010x}, but that of its content is {computed:#010x}"));
        }
        Some(header) => compare(&reading, header, &mut lose),
    }
    losses.extend(between);
    losses.extend(reading.chunks.losses);
    for run in reading.foreign.chunk_by(|number, next| number.checked_add(1) == Some(*next)) {
        let [first, ..] = run else { continue };
        let last = run.last().unwrap_or(first);
        let (place, reason) = if first == last {
            (format!("chunk {first}"), "it does not begin like a chunk and was not read")
        } else {
            (format!("chunks {first} to {last}"), "they do not begin like chunks and were not read")
        };
        losses.push(Loss::new(place, reason));
    }
    losses.extend(reading.end);
    Log {
        extracted: reading.chunks.extracted,
        records: reading.chunks.records,
        losses,
        coverage: reading.coverage.finish(reading.chunks.ids),
    }
}

/// Notes what is missing of a log by its header. The header of a log that was not closed may be older than its chunks: what it
/// counts is there at least. The count of chunks has 16 bits: that of a log of more than 4 GiB starts again at 0.
fn compare<T>(reading: &RunReading<T>, header: &EvtxFileHeader, lose: &mut impl FnMut(String)) {
    let places = reading.places.saturating_add(reading.foreign.len() as u64);
    if u64::from(header.chunk_count) > places {
        lose(format!("it counts {} chunks, but the file holds {places}", header.chunk_count));
    }
    let last_id = reading.chunks.ids.map(|ids| ids.last);
    // A log that was cleared and not closed has no records, and its ids go on.
    let is_cleared = last_id.is_none() && file_header::is_dirty(Some(header));
    if !is_cleared && header.next_record_id > last_id.map_or(1, |last| last.saturating_add(1)) {
        let last = last_id.map_or("none was found".to_owned(), |last| format!("the last one found is {last}"));
        lose(format!("the next record would have the id {}, but {last}", header.next_record_id));
    }
}

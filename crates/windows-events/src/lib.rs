//! Windows event logs (`.evtx`): the records that tell of crashes, and of what the machine went through around them.
//!
//! Of a log's records less than one in a hundred matters. All are walked over, and only those are decoded that are
//! wanted. Reading goes from the outside inwards, one file a level:
//!
//! - `file_header`: the header of the file;
//! - `runs` reads the chunks of 64 KiB behind it, side by side;
//! - `chunk` and `records` know a chunk's header and find the records in it;
//! - `scan` decides, by the [`Selection`], which records are wanted; the [`catalogue`] lists them, and `quiet_records`
//!   sorts out those of a few kinds that mostly tell of nothing, and `instance_layout` knows where a record holds what
//!   decides;
//! - `chunk_reading` reads those, by `binary_xml`, or `full_decode` where their shape is unusual, and says what is
//!   missing;
//! - `fields` takes a record's elements to a list of names and values, and `head` gives what else its system says;
//! - `meaning` takes the fields to an [`EventBody`](evidence::EventBody), once for all records with the same,
//!   of which `contents` keeps one copy; most of those are known by their bytes, and `take` makes evidence of them
//!   without decoding them again;
//! - `pasted` does the same for events that stand in a text as XML;
//! - `channel_ids` are records that somebody else wants, beside those of the catalogue: Sigma rules;
//! - `cache` spares later runs the chunks that did not change, and `identity` tells whether a whole log did.

mod binary_xml;
mod cache;
pub mod catalogue;
mod channel_ids;
mod chunk;
mod chunk_reading;
mod contents;
mod coverage;
mod definitions;
mod fields;
mod file_header;
mod full_decode;
mod head;
mod identity;
mod instance_layout;
mod json;
mod meaning;
mod pasted;
mod quiet_records;
mod record;
mod records;
mod runs;
mod scan;
mod selection;
mod system_parts;
mod take;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use self::cache::LogCache;
pub use self::cache::{Cache, LEAST_LOG};
pub use self::channel_ids::ChannelIds;
use self::chunk::has_chunk_signature;
use self::chunk_reading::Reader;
pub use self::contents::Contents;
use self::file_header::{FILE_SIGNATURE, FileHeader, HEADER_BYTES};
pub use self::head::{Head, Unread};
pub use self::identity::identity;
pub use self::pasted::{MOST_EVENTS, count_of_events, pasted_events};
pub use self::record::{Log, Record, WrittenFields};
use self::runs::{RunReading, Source, fill_at};
pub use self::selection::Selection;
use self::take::{Own, Said, Take};
use evidence::Reading;
use evidence::{Event, EventContent, Evidence, Names, Observation};
use untrusted::{Loss, Unreadable};

/// Where losses that concern the file header are placed.
const FILE_HEADER: &str = "file header";
/// What [`read`] selects.
static CATALOGUED: LazyLock<Selection> = LazyLock::new(Selection::catalogue);

/// Finds evidence in records beside what the catalogue lists: rules of another language.
pub trait RecordMatcher: Sync {
    /// The records that it looks at.
    fn records(&self) -> ChannelIds;
    /// What it finds in one of them.
    fn matches(&self, record: &Record<'_>, names: &Names) -> Vec<Observation>;
}

/// What the logs of a run share.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// Equal names.
    pub names: &'c Names,
    /// What records say.
    pub contents: &'c Contents,
    /// What earlier runs read, if that is kept.
    pub cache: Option<&'c Cache>,
    /// What else finds evidence in records.
    pub matcher: Option<&'c dyn RecordMatcher>,
}

impl<'c> Context<'c> {
    /// One without cache and matcher.
    #[must_use]
    pub fn new(names: &'c Names, contents: &'c Contents) -> Self {
        Self { names, contents, cache: None, matcher: None }
    }
}

/// Whether a file with these first bytes is an event log: by its header or, where that is damaged, by the first chunk
/// behind it, if the bytes reach that far.
#[must_use]
pub fn is_event_log(first_bytes: &[u8]) -> bool {
    first_bytes.starts_with(FILE_SIGNATURE) || first_bytes.get(HEADER_BYTES..).is_some_and(has_chunk_signature)
}

/// Reads the evidence in the event log `file`, which has `bytes` bytes.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read(file: &File, bytes: u64, context: &Context<'_>) -> Result<Reading, Unreadable> {
    read_evidence(file, bytes, None, context)
}

/// The same for the log at `path`, whose unchanged chunks are taken from the context's cache, if it has one.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read_at(path: &Path, file: &File, bytes: u64, context: &Context<'_>) -> Result<Reading, Unreadable> {
    // A cache holds what the catalogue asks for, and no more. What Sigma rules are about is too much to be kept.
    let cache = context.cache.filter(|_| context.matcher.is_none()).and_then(|cache| cache.log(path, bytes));
    let reading = read_evidence(file, bytes, cache.as_ref(), context)?;
    if let Some(cache) = cache {
        cache.save();
    }
    Ok(reading)
}

fn read_evidence(
    file: &File,
    bytes: u64,
    cache: Option<&LogCache<'_>>,
    context: &Context<'_>,
) -> Result<Reading, Unreadable> {
    if let Some(matcher) = context.matcher {
        return read_with_matcher(file, bytes, matcher, context);
    }
    let with = |own: &Own<'_>, content| of_content(own, content, context.names);
    let said = Said { contents: context.contents, names: context.names, with: &with };
    let log = read_source(Source { file, bytes, cache }, &CATALOGUED, Take::Said(said))?;
    Ok(Reading { evidence: log.taken, losses: log.losses, records: Some(log.records), coverage: log.coverage })
}

/// Reads the evidence of the catalogue's records, and of those that Sigma rules match, which stands behind it.
fn read_with_matcher(
    file: &File,
    bytes: u64,
    matcher: &dyn RecordMatcher,
    context: &Context<'_>,
) -> Result<Reading, Unreadable> {
    let selection = Selection::catalogue().and(matcher.records());
    let take = |record: &Record<'_>| {
        let own = CATALOGUED.takes(record.provider, record.event_id)
            && CATALOGUED.takes_data(record.provider, record.event_id, record.fields);
        let own = own.then(|| evidence(record, context)).flatten();
        let taken: Vec<Evidence> = own.into_iter().chain(matches(record, matcher, context.names)).collect();
        (!taken.is_empty()).then_some(taken)
    };
    let log = read_source(Source { file, bytes, cache: None }, &selection, Take::Each(&take))?;
    let evidence = log.taken.into_iter().flatten().collect();
    Ok(Reading { evidence, losses: log.losses, records: Some(log.records), coverage: log.coverage })
}

/// Reads the records of an event log that `selection` asks for; `take` makes of each what is kept. Records are read
/// side by side, on the current rayon thread pool, and kept in the file's order.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read_records<T: Send>(
    file: &File,
    bytes: u64,
    selection: &Selection,
    take: &(dyn Fn(&Record<'_>) -> Option<T> + Sync),
) -> Result<Log<T>, Unreadable> {
    read_source(Source { file, bytes, cache: None }, selection, Take::Each(take))
}

fn read_source<T: Send>(source: Source<'_>, selection: &Selection, take: Take<'_, T>) -> Result<Log<T>, Unreadable> {
    let mut block = [0; HEADER_BYTES];
    let filled = fill_at(source.file, &mut block, 0).map_err(|error| Unreadable::at(FILE_HEADER, error.to_string()))?;
    if filled < HEADER_BYTES {
        let reason = match filled {
            0 => "the file is empty".to_owned(),
            _ => format!("the file ends after {filled} of the header's {HEADER_BYTES} bytes"),
        };
        return Err(Unreadable::at(FILE_HEADER, reason));
    }
    let header = FileHeader::parse(&block);
    let dirty = header.as_ref().is_none_or(FileHeader::is_dirty);
    let follows = |number| runs::id_after_place_before(source, number);
    let reading = runs::read(source, &Reader { selection, take, dirty, follows: &follows });
    if header.is_none() && reading.places == 0 {
        return Err(Unreadable::whole("it is no event log: neither its header nor a chunk can be recognised"));
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

/// The record as evidence; `None` for one that reports that all is well.
fn evidence(record: &Record<'_>, context: &Context<'_>) -> Option<Evidence> {
    Some(of_content(&record.own(), context.contents.of(record, context.names)?, context.names))
}

/// A record that says `content` as evidence.
fn of_content(own: &Own<'_>, content: Arc<EventContent>, names: &Names) -> Evidence {
    let computer = own.computer.map(|computer| names.share(computer));
    Evidence { place: own.place(), observation: Observation::Event(Event { computer, time: own.time, content }) }
}

/// What `matcher` finds in the record, as evidence.
fn matches(record: &Record<'_>, matcher: &dyn RecordMatcher, names: &Names) -> impl Iterator<Item = Evidence> + use<> {
    let place = record.own().place();
    let found = matcher.matches(record, names).into_iter();
    found.map(move |observation| Evidence { place: place.clone(), observation })
}

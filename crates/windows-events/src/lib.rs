//! Evidence from Windows event logs: records of crashes, and of what happened on the machine around them.
//!
//! - [`catalogue`] has the events that are read, and `evtx_scan` finds their records in a log;
//! - `fields` gives the fields of a record their names and reads their values;
//! - `meaning` makes an [`EventBody`] of the fields, once for all records with the same content, of which
//!   [`Contents`] keeps one copy;
//! - `pasted` reads events in a text, as XML.

pub mod catalogue;
mod fields;
mod meaning;
mod pasted;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use evtx_scan::{Cache, ChannelIds, Extract, LogCache, Record, Selection, SharedExtract, Source, Stamp};

pub use self::pasted::{MOST_EVENTS, count_of_events, pasted_events};
use evidence::{Event, EventBody, EventContent, Evidence, Names, Observation, Place, Reading};
use untrusted::Unreadable;

/// The records that [`read`] selects without a matcher.
static CATALOGUED: LazyLock<Selection> = LazyLock::new(|| Selection::wanted(catalogue::wanted()));

/// A digest of all that decides what `--cache` keeps of a log: the table of events, the sources that read and decode records,
/// and the versions of crates.
const DIGEST: &str = concat!(env!("CARGO_PKG_VERSION"), "/", env!("CRASHSIFT_READER_DIGEST"));

/// The evidence in records, by their content, for all logs of a run.
pub type Contents = evtx_scan::Contents<EventContent>;

/// Finds evidence in records beside the catalogue's: rules of another language.
pub trait RecordMatcher: Sync {
    /// The records in which it may find evidence.
    fn records(&self) -> ChannelIds;
    /// The evidence that it finds in one of these records.
    fn matches(&self, record: &Record<'_>, names: &Names) -> Vec<Observation>;
}

/// What is shared by all logs of a run.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// One copy of each name.
    pub names: &'c Names,
    /// One copy of each content of records.
    pub contents: &'c Contents,
    /// The cache of earlier runs, if there is one.
    pub cache: Option<&'c Cache>,
    /// Finds more evidence in records.
    pub matcher: Option<&'c dyn RecordMatcher>,
}

impl<'c> Context<'c> {
    /// A context without cache and matcher.
    #[must_use]
    pub fn new(names: &'c Names, contents: &'c Contents) -> Self {
        Self { names, contents, cache: None, matcher: None }
    }
}

/// The cache in `folder` for what [`read_at`] reads; the folder is created when it is missing.
///
/// # Errors
/// When it can't be created.
pub fn cache_in(folder: &Path) -> Result<Cache, evtx_scan::Error> {
    Cache::in_folder(folder, DIGEST)
}

/// Reads the evidence in the event log `file`, which has `bytes` bytes.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read(file: &File, bytes: u64, context: &Context<'_>) -> Result<Reading, Unreadable> {
    read_evidence(file, bytes, None, context)
}

/// As [`read`], for the log at `path`, whose unchanged chunks are taken from the context's cache, if it has one.
///
/// # Errors
/// When the file is no event log: neither its header nor any of its chunks can be recognised.
pub fn read_at(path: &Path, file: &File, bytes: u64, context: &Context<'_>) -> Result<Reading, Unreadable> {
    // A cache has the records of the catalogue only. Those that Sigma rules look at are too many to be kept.
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
    let content = |record: &Record<'_>| meaning::content(record, context.names);
    let with = |stamp: &Stamp<'_>, content| with_content(stamp, content, context.names);
    let shared = SharedExtract { contents: context.contents, read: &content, with: &with };
    let log = evtx_scan::read(Source { file, bytes, cache }, &CATALOGUED, Extract::Shared(shared))?;
    Ok(Reading { evidence: log.extracted, losses: log.losses, records: Some(log.records), coverage: log.coverage })
}

/// Reads the evidence in the catalogue's records and what `matcher` finds; of one record, the latter comes last.
fn read_with_matcher(
    file: &File,
    bytes: u64,
    matcher: &dyn RecordMatcher,
    context: &Context<'_>,
) -> Result<Reading, Unreadable> {
    let catalogue = catalogue::wanted();
    let selection = Selection::wanted(Arc::clone(&catalogue)).and(matcher.records());
    let take = |record: &Record<'_>| {
        let own = catalogue.wants(record.provider, record.event_id, record.fields);
        let own = own.then(|| evidence(record, context)).flatten();
        let taken: Vec<Evidence> = own.into_iter().chain(matches(record, matcher, context.names)).collect();
        (!taken.is_empty()).then_some(taken)
    };
    let log = evtx_scan::read_records(file, bytes, &selection, &take)?;
    let evidence = log.extracted.into_iter().flatten().collect();
    Ok(Reading { evidence, losses: log.losses, records: Some(log.records), coverage: log.coverage })
}

/// The record as evidence; `None` for one that reports that all is well.
fn evidence(record: &Record<'_>, context: &Context<'_>) -> Option<Evidence> {
    let content = context.contents.get_or_read(record, || meaning::content(record, context.names))?;
    Some(with_content(&record.stamp(), content, context.names))
}

/// The evidence of a record with this content.
fn with_content(stamp: &Stamp<'_>, content: Arc<EventContent>, names: &Names) -> Evidence {
    let computer = stamp.computer.map(|computer| names.share(computer));
    let content = match (&content.body, stamp.before) {
        (EventBody::SystemStarted { build, .. }, Some(_)) => {
            let body = EventBody::SystemStarted { build: build.clone(), last_before: stamp.before };
            Arc::new(EventContent { body, ..(*content).clone() })
        }
        _ => content,
    };
    Evidence { place: place(stamp), observation: Observation::Event(Event { computer, time: stamp.time, content }) }
}

/// The evidence that `matcher` finds in the record.
fn matches(record: &Record<'_>, matcher: &dyn RecordMatcher, names: &Names) -> impl Iterator<Item = Evidence> + use<> {
    let place = place(&record.stamp());
    let found = matcher.matches(record, names).into_iter();
    found.map(move |observation| Evidence { place: place.clone(), observation })
}

/// The place of a record in its log.
fn place(stamp: &Stamp<'_>) -> Place {
    if stamp.recovered { Place::RecoveredRecord(stamp.id) } else { Place::Record(stamp.id) }
}

//! The events that are read: a row for each kind of event, by provider and event id.
//!
//! The rows are in this crate's `events.yaml`, which describes how to add one and has their sources. An event of which a
//! sentence says all needs nothing else. One with values that are compared or joined in a way of its own needs a
//! [`Meaning`], and the function in `meaning` that reads it.

mod quiet;
mod spelling;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use evtx_scan::{Catalogue, Ids, Provider, Row};
use knowledge_tables::embedded;
pub use knowledge_tables::events::{EventRow, Meaning};

pub(super) use self::quiet::DEFINITIONS;
pub use self::spelling::{provider_called, provider_names};
use evidence::{Event, EventBody};

embedded! {
    /// The rows of `events.yaml`.
    ROWS: Vec<EventRow> = "events"
}

/// The events that are read, as the scan of a log is asked for them: a row for each of [`ROWS`].
static WANTED: LazyLock<Arc<Catalogue>> = LazyLock::new(|| Arc::new(Catalogue::new(ROWS.iter().map(wanted_row))));

/// A row as the scan of a log is asked for it.
fn wanted_row(row: &'static EventRow) -> Row {
    let provider = |name: &&'static str| match name.strip_suffix('*') {
        Some(beginning) => Provider::Family(beginning.into()),
        None => Provider::Named((*name).into()),
    };
    Row {
        providers: row.providers.iter().map(provider).collect(),
        ids: if row.ids.is_empty() { Ids::Any } else { Ids::These(row.ids.clone()) },
        quiet: quiet::quiet(row.meaning),
    }
}

/// The events that are read, for an [`evtx_scan::Selection`].
#[must_use]
pub fn wanted() -> Arc<Catalogue> {
    Arc::clone(&WANTED)
}

/// The row of the event that `provider` logs as `id`; `None` for an event that is not read.
#[must_use]
pub fn find(provider: &str, id: u32) -> Option<&'static EventRow> {
    ROWS.get(WANTED.find(provider, id)?)
}

/// Whether the event that `provider` logs as `id` is written when a program crashed.
#[must_use]
pub fn is_of_a_crash(provider: &str, id: u32) -> bool {
    find(provider, id).is_some_and(|row| {
        matches!(row.meaning, Meaning::ApplicationError | Meaning::DotNet) && row.timeline == "crash"
    })
}

/// The kind of timeline entry that `event` makes, a word of `facts::schema::TIMELINE_KINDS`; `None` for an event that is
/// not read.
#[must_use]
pub fn timeline_kind(event: &Event) -> Option<&'static str> {
    let row = find(&event.content.provider, event.content.id)?;
    Some(match &event.content.body {
        EventBody::DisplayDriver { reset: true, .. } => "driver-reset",
        EventBody::Said { kind: Some(kind), .. } => kind,
        _ => row.timeline,
    })
}

/// The kinds of timeline entries that events of a provider make, sorted; none for a provider of which no event is read.
#[must_use]
pub fn timeline_kinds_of(provider: &str) -> Vec<&'static str> {
    let rows = ROWS.iter().zip(WANTED.rows()).filter(|(_, wanted)| wanted.is_of_provider(provider));
    rows.map(|(row, _)| row.timeline).collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;

//! What the caller makes of wanted records.

use std::sync::Arc;

use jiff::Timestamp;

use super::contents::Contents;
use super::record::Record;

/// What is made of each wanted record.
pub enum Extract<'r, T, C = ()> {
    /// What this function returns for the record; nothing is kept of a record for which it returns `None`.
    Each(&'r (dyn Fn(&Record<'_>) -> Option<T> + Sync)),
    /// Something of the record's content, which is read once for all records with the same content.
    Shared(SharedExtract<'r, T, C>),
}

/// How something is made of records whose contents repeat: most records of a log differ from others by their ids and times
/// only, and such records are not even decoded.
pub struct SharedExtract<'r, T, C> {
    /// The contents of the records read so far, of this log and of others.
    pub contents: &'r Contents<C>,
    /// Reads the content of a record: of its provider, event id, channel and fields, and of nothing else. `None` for a
    /// record of which nothing is to be kept.
    pub read: &'r (dyn Fn(&Record<'_>) -> Option<C> + Sync),
    /// Puts the content together with what belongs to the single record.
    pub with: &'r (dyn Fn(&Stamp<'_>, Arc<C>) -> T + Sync),
}

/// What belongs to a single record even where the content is that of other records, too.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'r> {
    /// The record's id.
    pub id: u64,
    /// The computer that logged the record.
    pub computer: Option<&'r str>,
    /// When the record was logged.
    pub time: Option<Timestamp>,
    /// When the last record before it was logged, as [`Record::before`] has it.
    pub before: Option<Timestamp>,
    /// Whether no header counts the record.
    pub recovered: bool,
}

impl<T, C> Extract<'_, T, C> {
    /// What is made of a record.
    pub(crate) fn of_record(&self, record: &Record<'_>) -> Option<T> {
        match self {
            Self::Each(extract) => extract(record),
            Self::Shared(shared) => Some((shared.with)(&record.stamp(), shared.content(record)?)),
        }
    }
}

impl<T, C> SharedExtract<'_, T, C> {
    /// The content of a record.
    pub(crate) fn content(&self, record: &Record<'_>) -> Option<Arc<C>> {
        self.contents.get_or_read(record, || (self.read)(record))
    }
}

impl<'r> Record<'r> {
    /// What belongs to this record alone.
    #[must_use]
    pub fn stamp(&self) -> Stamp<'r> {
        let Self { id, computer, time, before, recovered, .. } = *self;
        Stamp { id, computer, time, before, recovered }
    }
}

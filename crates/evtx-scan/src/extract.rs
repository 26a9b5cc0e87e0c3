//! What becomes of wanted records.

use std::sync::Arc;

use jiff::Timestamp;

use super::contents::Contents;
use super::record::Record;

/// What is made of wanted records.
pub enum Take<'r, T, C = ()> {
    /// Something of each, or nothing.
    Each(&'r (dyn Fn(&Record<'_>) -> Option<T> + Sync)),
    /// Something of what it holds, which is read once for all records that hold the same.
    Shared(Shared<'r, T, C>),
}

/// How something is made of what records hold, where many hold the same: most records of a log repeat others but for
/// their ids and times, and those are not even decoded.
pub struct Shared<'r, T, C> {
    /// What was read of the records before, of this log and of others.
    pub contents: &'r Contents<C>,
    /// Reads what a record holds: its provider, event id, channel and fields, and nothing else of it. `None` where
    /// that is of no interest.
    pub read: &'r (dyn Fn(&Record<'_>) -> Option<C> + Sync),
    /// Makes something of that, and of what is the record's own.
    pub with: &'r (dyn Fn(&Stamp<'_>, Arc<C>) -> T + Sync),
}

/// What even records that hold the same do not share.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'r> {
    /// The record's id.
    pub id: u64,
    /// The computer that logged it.
    pub computer: Option<&'r str>,
    /// When it was logged.
    pub time: Option<Timestamp>,
    /// Whether no header knows it.
    pub recovered: bool,
}

impl<T, C> Take<'_, T, C> {
    /// What is made of a record.
    pub(crate) fn take(&self, record: &Record<'_>) -> Option<T> {
        match self {
            Self::Each(take) => take(record),
            Self::Shared(shared) => Some((shared.with)(&record.stamp(), shared.content(record)?)),
        }
    }
}

impl<T, C> Shared<'_, T, C> {
    /// What the record holds.
    pub(crate) fn content(&self, record: &Record<'_>) -> Option<Arc<C>> {
        self.contents.of(record, || (self.read)(record))
    }
}

impl<'r> Record<'r> {
    /// What is its own.
    #[must_use]
    pub fn stamp(&self) -> Stamp<'r> {
        let Self { id, computer, time, recovered, .. } = *self;
        Stamp { id, computer, time, recovered }
    }
}

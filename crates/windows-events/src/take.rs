//! What becomes of wanted records.

use std::sync::Arc;

use jiff::Timestamp;

use super::contents::Contents;
use super::record::Record;
use evidence::{EventContent, Names, Place};

/// What is made of wanted records.
pub(super) enum Take<'r, T> {
    /// Something of each, or nothing.
    Each(&'r (dyn Fn(&Record<'_>) -> Option<T> + Sync)),
    /// Something of what it says, which equal records share.
    Said(Said<'r, T>),
}

/// How something is made of what records say.
pub(super) struct Said<'r, T> {
    /// What they say.
    pub(super) contents: &'r Contents,
    /// The names in it.
    pub(super) names: &'r Names,
    /// Makes something of it, and of what is the record's own.
    pub(super) with: &'r (dyn Fn(&Own<'_>, Arc<EventContent>) -> T + Sync),
}

/// What even records that say the same do not share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own<'r> {
    /// Its id.
    pub(super) id: u64,
    /// The computer that logged it.
    pub(super) computer: Option<&'r str>,
    /// When it was logged.
    pub(super) time: Option<Timestamp>,
    /// Whether no header knows it.
    pub(super) recovered: bool,
}

impl<T> Take<'_, T> {
    /// What is made of a record.
    pub(super) fn take(&self, record: &Record<'_>) -> Option<T> {
        match self {
            Self::Each(take) => take(record),
            Self::Said(Said { contents, names, with }) => Some(with(&record.own(), contents.of(record, names)?)),
        }
    }
}

impl<'r> Record<'r> {
    /// What is its own.
    pub(super) fn own(&self) -> Own<'r> {
        let Self { id, computer, time, recovered, .. } = *self;
        Own { id, computer, time, recovered }
    }
}

impl Own<'_> {
    /// Where in its log it is.
    pub(super) fn place(&self) -> Place {
        if self.recovered { Place::RecoveredRecord(self.id) } else { Place::Record(self.id) }
    }
}

#[cfg(test)]
mod tests;

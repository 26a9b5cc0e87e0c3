//! Rows of the table as sets: which an event may be of, and which a provider logs.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::Entry;
use super::Ids::{Any, These};
use super::Provider::{Family, Named};
use super::table::CATALOGUE;

/// Rows of the table, as bits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows(u128);

impl Rows {
    pub(super) fn entries(self) -> impl Iterator<Item = &'static Entry> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let row = (left != 0).then(|| left.trailing_zeros())?;
            left &= left.wrapping_sub(1);
            CATALOGUE.get(row as usize)
        })
    }
}

// A row is a bit of `Rows`.
const _: () = assert!(CATALOGUE.len() <= 128);

/// Which rows an event may be of, by its id: every wanted record is looked up several times.
pub(super) struct RowsById {
    /// Those that name the id, by the id.
    numbered: Vec<(u32, Rows)>,
    /// Those that take every id.
    any: Rows,
}

pub(super) static ROWS_BY_ID: LazyLock<RowsById> = LazyLock::new(|| {
    let mut numbered: BTreeMap<u32, Rows> = BTreeMap::new();
    let mut any = Rows::default();
    for (row, entry) in CATALOGUE.iter().enumerate() {
        match &entry.ids {
            Any => any.0 |= 1 << row,
            These(ranges) => {
                ranges.iter().cloned().flatten().for_each(|id| numbered.entry(id).or_default().0 |= 1 << row)
            }
        }
    }
    RowsById { numbered: numbered.into_iter().collect(), any }
});

impl RowsById {
    pub(super) fn of(&self, id: u32) -> Rows {
        let place = self.numbered.binary_search_by_key(&id, |(numbered, _)| *numbered);
        let numbered = place.ok().and_then(|place| self.numbered.get(place));
        Rows(self.any.0 | numbered.map_or(0, |(_, rows)| rows.0))
    }
}

/// The event ids that are wanted of one provider: the rows that name it, as bits.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedIds(Rows);

impl WantedIds {
    /// Whether nothing is wanted of the provider.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == Rows::default()
    }

    /// Whether every id is wanted.
    pub(crate) fn is_all(self) -> bool {
        self.0.entries().any(|entry| matches!(entry.ids, Any))
    }

    /// The entry of the event with this id, if it is wanted.
    pub(crate) fn entry(self, id: u32) -> Option<&'static Entry> {
        self.0.entries().find(|entry| entry.has_id(id))
    }

    /// Whether the event with this id is wanted.
    #[cfg(test)]
    pub(crate) fn has(self, id: u32) -> bool {
        self.entry(id).is_some()
    }
}

/// What is wanted of the provider with this name.
pub(crate) fn wanted_ids(provider: &str) -> WantedIds {
    let rows = CATALOGUE.iter().enumerate().filter(|(_, entry)| entry.is_logged_by(provider));
    WantedIds(Rows(rows.fold(0, |rows, (row, _)| rows | 1 << row)))
}

/// The ids that some row names, in ranges.
pub(crate) fn numbered_ids() -> impl Iterator<Item = RangeInclusive<u32>> {
    let ranges = |entry: &'static Entry| match &entry.ids {
        Any => [].iter(),
        These(ranges) => ranges.iter(),
    };
    CATALOGUE.iter().flat_map(ranges).cloned()
}

/// The names, or the beginnings of names, of the providers of which every id is wanted.
pub(crate) fn whole_providers() -> impl Iterator<Item = &'static str> {
    let rows = CATALOGUE.iter().filter(|entry| matches!(entry.ids, Any));
    rows.flat_map(|entry| entry.providers).map(|provider| match provider {
        Named(name) | Family(name) => *name,
    })
}

//! A list of a document whose items are made while they are written.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

/// A list that may have tens of thousands of items. While a report is written, each item is made just before it is written,
/// so that no more than one of them exists at a time.
pub(crate) enum List<'a, T> {
    /// Makes the items of a report that is written.
    Made(Box<dyn Fn() -> Items<'a, T> + Send + Sync + 'a>),
    /// The items of a report that was read.
    Read(Vec<T>),
}

impl<'a, T: 'a> List<'a, T> {
    /// A list of the items that `make` returns.
    pub(super) fn made<I: Iterator<Item = T> + 'a>(make: impl Fn() -> I + Send + Sync + 'a) -> Self {
        Self::Made(Box::new(move || Box::new(make())))
    }

    /// The items, in their order.
    pub(crate) fn into_items(self) -> Items<'a, T> {
        match self {
            Self::Made(make) => make(),
            Self::Read(items) => Box::new(items.into_iter()),
        }
    }
}

impl<T> List<'_, T> {
    /// Calls `take` with each item in its order, until it fails.
    pub(crate) fn try_for_each<E>(&self, mut take: impl FnMut(&T) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Made(make) => make().try_for_each(|item| take(&item)),
            Self::Read(items) => items.iter().try_for_each(take),
        }
    }

    /// Adds an item to a list that was read; a list that is made stays as it is.
    pub(super) fn push(&mut self, item: T) {
        if let Self::Read(items) = self {
            items.push(item);
        }
    }

    /// How many items there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Made(make) => make().count(),
            Self::Read(items) => items.len(),
        }
    }
}

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        Self::Read(Vec::new())
    }
}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List of {}", self.count())
    }
}

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Made(make) => serializer.collect_seq(make()),
            Self::Read(items) => items.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::Read)
    }
}

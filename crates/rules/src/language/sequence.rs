//! Entries of a list that follow one another: first this, then that, then the incident.

use crate::language::{EntryFilter, Field};
use facts::schema::ListDefinition;

/// How many steps a sequence can have: one step has no order, and a rule with more than eight can't be explained.
pub const STEPS: std::ops::RangeInclusive<usize> = 2..=8;

/// Steps: each fits an entry that follows the previous step's entry.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub steps: Vec<EntryFilter>,
    pub along: Along,
    /// The index of the field with the id of an entry's incident, if the list has such a field.
    pub incident: Option<usize>,
}

/// What gives entries their order. Fields go by their index in the list's definition.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Along {
    /// The time, up to the incident: the field with the distance, and how many seconds lie between the first and the
    /// last step at most.
    Time { before: Field, within: Option<u64> },
    /// The position, from 0 on: for frames from the innermost outwards. `adjacent`: each directly after the other.
    Position { field: Field, adjacent: bool },
}

/// The field that gives a list's entries their order, if one does.
#[must_use]
pub fn order_of(list: &ListDefinition) -> Option<&'static str> {
    ["seconds_before", "position"].into_iter().find(|name| list.fields.iter().any(|field| field.path == *name))
}

impl Sequence {
    /// The field that gives entries their order.
    pub fn field(&self) -> Field {
        let (Along::Time { before: field, .. } | Along::Position { field, .. }) = self.along;
        field
    }
}

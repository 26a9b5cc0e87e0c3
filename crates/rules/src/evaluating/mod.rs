//! Deciding what rules ask over the facts of an incident.

mod asked_others;
mod comparing;
mod counting;
mod entries;
mod evaluate;
mod following;
mod found;
mod list_entries;
pub(crate) mod log_coverage;
pub(crate) mod required;
mod view;

pub(crate) use entries::Lacking;
pub(crate) use evaluate::{Evaluation, is_whole};
pub(crate) use found::found;
pub use list_entries::{Entries, ListEntry, NamedEntries};
pub(crate) use view::{Compared, Row, Seen, TIMELINE, View};

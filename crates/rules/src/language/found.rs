//! Names for what an expression finds: the groups `(?<file>...)` of a rule's expressions, which its texts print as
//! `{{ found.file or "..." }}`.

use crate::language::{Compare, NamedList};
use expressions::Pattern;

/// What texts can print of that, by the names of groups.
pub(crate) const FOUND: [&str; 8] = [
    "found.drive",
    "found.driver",
    "found.file",
    "found.message",
    "found.module",
    "found.product",
    "found.program",
    "found.version",
];

/// What all of these paths begin with.
pub(crate) const FOUND_GROUP: &str = "found.";

/// The path by which texts print what a group of this name finds.
pub(crate) fn found_path(name: &str) -> Option<&'static str> {
    FOUND.into_iter().find(|path| path.strip_prefix(FOUND_GROUP) == Some(name))
}

impl Compare {
    /// The expressions that a value must match.
    pub fn expressions(&self) -> Box<dyn Iterator<Item = &Pattern> + '_> {
        match self {
            Self::Regex { patterns, .. } => Box::new(patterns.iter()),
            Self::Lines { lists, inside: true, .. } => {
                Box::new(lists.iter().filter_map(NamedList::get).flat_map(|list| &list.patterns))
            }
            _ => Box::new(std::iter::empty()),
        }
    }
}

//! What a rule can ask for by a name of its own: a fact, or a list.

use facts::schema::{LISTS, SCALARS};

/// A fact or a list, by its index in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Fact(usize),
    List(usize),
}

impl Subject {
    /// The fact or list of this name.
    pub fn find(name: &str) -> Option<Self> {
        // Facts are sorted by path.
        let fact = SCALARS.binary_search_by(|fact| fact.path.cmp(name)).ok().map(Self::Fact);
        fact.or_else(|| LISTS.iter().position(|list| list.name == name).map(Self::List))
    }

    /// The fact's path, or the list's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fact(index) => SCALARS.get(index).map_or("", |fact| fact.path),
            Self::List(index) => LISTS.get(index).map_or("", |list| list.name),
        }
    }
}

//! How many entries of a list have to fit.

use crate::language::Field;

/// How many entries of a list must fit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Quantifier {
    Any,
    None,
    /// A number of entries within these limits.
    Count(Count),
}

/// How many entries must fit: from `least` to `most`, both included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub least: u64,
    pub most: u64,
    /// The entries must be within a span of time: of all spans of this length, the one with the most entries counts.
    pub within: Option<Window>,
    /// The index of the field with the id of an entry's incident, if the list has such a field.
    pub incident: Option<usize>,
    /// If set, different values of this field are counted instead of entries.
    pub distinct: Option<Field>,
}

/// A span of time on a list whose entries have a distance from the incident.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub seconds: u64,
    /// The field with the distance of entries before the incident.
    pub before: Field,
    /// The field with the distance of entries after it, by its index, if the list has such entries.
    pub after: Option<usize>,
}

impl Quantifier {
    pub const WORDS: &[&str] = &["any", "none", "count", "sequence"];
}

impl Quantifier {
    /// Whether it can hold only where some entry fits.
    pub fn wants_entries(self) -> bool {
        match self {
            Self::Any => true,
            Self::None => false,
            Self::Count(count) => count.least > 0,
        }
    }
}

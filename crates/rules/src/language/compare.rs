//! What a rule wants a value to be.

use std::collections::BTreeSet;

use memchr::memmem::Finder;

use crate::language::{LineList, ModuleList, NamedList, Order, PartPosition};
use expressions::{Lines, Pattern};
use facts::Value;
use untrusted::glob::Glob;

/// A comparison of a value with what a rule wants it to be. Texts are kept folded (see `value::fold`).
#[derive(Debug, Clone)]
pub(crate) enum Compare {
    /// One of these values.
    Equal(Vec<Value>),
    /// A text with one (or every one) of these parts at this position.
    Part { place: PartPosition, parts: Vec<Part>, every: bool },
    /// A text that fits one (or every one) of these patterns.
    Like { patterns: Vec<Glob>, every: bool },
    /// A text that one (or every one) of these regular expressions matches.
    Regex { patterns: Vec<Pattern>, every: bool },
    /// A value on this side of a bound.
    Order { order: Order, bound: Value },
    /// A path in one (or in none) of these places.
    Place { places: Vec<&'static str>, inside: bool },
    /// A module in (or in none of) these lists.
    Listed { lists: Vec<NamedList<ModuleList>>, inside: bool },
    /// A text in which an expression of these lists (of each of them), or none of them, is found.
    Lines { lists: Vec<NamedList<LineList>>, inside: bool, every: bool },
    /// Anything but this.
    Not(Box<Compare>),
}

/// A part that is searched for in texts. The search is prepared once, because every line of a text is searched.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    text: String,
    finder: Finder<'static>,
}

impl Part {
    pub(crate) fn new(text: String) -> Self {
        Self { finder: Finder::new(&text).into_owned(), text }
    }

    /// The part, folded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a folded text has the part at this place.
    pub(crate) fn is_in(&self, folded: &str, place: PartPosition) -> bool {
        match place {
            PartPosition::Anywhere => self.finder.find(folded.as_bytes()).is_some(),
            PartPosition::Start => folded.starts_with(&self.text),
            PartPosition::End => folded.ends_with(&self.text),
        }
    }
}

impl Compare {
    /// How much time a comparison takes, as a rank from 0: cheap ones are tried first.
    pub fn cost(&self) -> u8 {
        match self {
            Self::Equal(_) | Self::Order { .. } => 0,
            Self::Part { .. } => 1,
            Self::Listed { .. } => 2,
            Self::Like { .. } | Self::Place { .. } => 3,
            Self::Regex { .. } => 4,
            Self::Lines { .. } => 5,
            Self::Not(compare) => compare.cost(),
        }
    }

    /// Of folded lines, those that may be what it wants; `None` where that is not known without looking at each.
    pub fn lines(&self, lines: &Lines) -> Option<BTreeSet<usize>> {
        match self {
            Self::Part { parts, every: false, .. } => {
                Some(parts.iter().flat_map(|part| lines.with(&part.finder)).collect())
            }
            Self::Regex { patterns, every: false } => lines.that_may_fit(patterns.iter()),
            Self::Lines { lists, inside: true, every: false } => {
                lines.that_may_fit(lists.iter().filter_map(NamedList::get).flat_map(|list| &list.patterns))
            }
            // One of those that all have to be found is enough to tell.
            Self::Part { parts, every: true, .. } => Some(lines.with(&parts.first()?.finder)),
            Self::Regex { patterns, every: true } => lines.that_may_fit(patterns.first().into_iter()),
            Self::Lines { lists, inside: true, every: true } => {
                lines.that_may_fit(lists.first()?.get()?.patterns.iter())
            }
            _ => None,
        }
    }

    /// The same comparison without the value at this index, which is below the number of its values.
    pub fn without(&self, place: usize) -> Self {
        let mut rest = self.clone();
        match &mut rest {
            Self::Equal(values) => drop(values.remove(place)),
            Self::Part { parts, .. } => drop(parts.remove(place)),
            Self::Like { patterns, .. } => drop(patterns.remove(place)),
            Self::Regex { patterns, .. } => drop(patterns.remove(place)),
            Self::Place { places, .. } => {
                places.remove(place);
            }
            Self::Listed { lists, .. } => drop(lists.remove(place)),
            Self::Lines { lists, .. } => drop(lists.remove(place)),
            Self::Order { .. } | Self::Not(_) => {}
        }
        rest
    }
}

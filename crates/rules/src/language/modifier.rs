//! Modifiers: the words behind a fact's name that say how it is compared (`os.build|gte`).

use std::fmt;

use facts::FactType;

/// Where in a text a part must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartPosition {
    /// At any place.
    Anywhere,
    /// At the beginning.
    Start,
    /// At the end.
    End,
}

/// A side of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Below the bound.
    Less,
    /// The bound, or below it.
    AtMost,
    /// Above the bound.
    Greater,
    /// The bound, or above it.
    AtLeast,
}

/// A word after `|` that decides how a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modifier {
    /// `contains`, `startswith`, `endswith`: a text has a part at this place.
    Part(PartPosition),
    /// `like`: a text fits a pattern with `*` and `?`.
    Like,
    /// `re`: a regular expression is found in a text.
    Regex,
    /// `lt`, `lte`, `gt`, `gte`: a value is on this side of a bound.
    Order(Order),
    /// `within`: a duration is at most so long.
    Within,
    /// `place` (true), `not_place`: a path is in one of these kinds of folders, or in none.
    Place(bool),
    /// `listed` (true), `not_listed`: a module or line is in one of these lists, or in none.
    Listed(bool),
    /// `exists`: a fact is known, or is not.
    Exists,
    /// `all`: not one of the values has to fit, but each.
    All,
    /// `neq`: the value is anything else.
    Not,
}

impl Modifier {
    /// Every modifier for single values, by the word that writes it.
    pub const WORDS: &[(&str, Self)] = &[
        ("contains", Self::Part(PartPosition::Anywhere)),
        ("startswith", Self::Part(PartPosition::Start)),
        ("endswith", Self::Part(PartPosition::End)),
        ("like", Self::Like),
        ("re", Self::Regex),
        ("lt", Self::Order(Order::Less)),
        ("lte", Self::Order(Order::AtMost)),
        ("gt", Self::Order(Order::Greater)),
        ("gte", Self::Order(Order::AtLeast)),
        ("within", Self::Within),
        ("place", Self::Place(true)),
        ("not_place", Self::Place(false)),
        ("listed", Self::Listed(true)),
        ("not_listed", Self::Listed(false)),
        ("exists", Self::Exists),
        ("all", Self::All),
        ("neq", Self::Not),
    ];

    /// The modifier that is written as this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, modifier)| *modifier)
    }

    /// Whether facts of this type can be compared so.
    #[must_use]
    pub fn fits(self, kind: FactType) -> bool {
        match self {
            Self::Part(_) | Self::Like | Self::Regex => {
                matches!(kind, FactType::Text | FactType::Path | FactType::Module)
            }
            Self::Order(_) => {
                let numbers =
                    matches!(kind, FactType::Number | FactType::Duration | FactType::Code | FactType::Address);
                numbers || kind == FactType::Version
            }
            Self::Within => kind == FactType::Duration,
            Self::Place(_) => kind == FactType::Path,
            Self::Listed(_) => matches!(kind, FactType::Module | FactType::Text),
            Self::Exists | Self::All | Self::Not => true,
        }
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::WORDS.iter().find(|(_, modifier)| modifier == self).map_or("", |(word, _)| word);
        f.write_str(word)
    }
}

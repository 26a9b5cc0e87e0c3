//! The outcome of a rule for an incident, in one word.

use std::fmt;

use strum::IntoStaticStr;

use crate::language::Truth;

/// What a rule made of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    /// Its condition holds.
    Match,
    /// Its condition does not hold.
    NoMatch,
    /// It can't be decided, or a fact is absent that it requires.
    Skipped,
    /// It matches, and so does a rule that supersedes it.
    Superseded,
    /// It matches, and a suppression leaves its finding out.
    Suppressed,
    /// It judges nothing: a later rule set disabled it.
    Disabled,
    /// It matches, and a text of it can't be written with the facts of this incident.
    Error,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 7] =
        [Self::Match, Self::NoMatch, Self::Skipped, Self::Superseded, Self::Suppressed, Self::Disabled, Self::Error];

    /// The outcomes that a rule's test can expect: no rule is meant to fail.
    pub const EXPECTED: [Self; 4] = [Self::Match, Self::NoMatch, Self::Skipped, Self::Superseded];

    /// The word for it in rules and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl From<Truth> for Outcome {
    /// The outcome of a rule alone.
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::True => Self::Match,
            Truth::False => Self::NoMatch,
            Truth::Undecided => Self::Skipped,
        }
    }
}

//! Skipping rules that can't match, without evaluating them.
//!
//! What has to hold for a rule to match is a list of [`Clue`]s. The build finds those of built-in rules in what they
//! write, so that only rules are read that can match; those of a user's rule are found in its compiled terms, which tell
//! more. Each rule is asked whether it has a [`Chance`]; with many rules, an [`Index`] says which to ask.

mod clues;
mod index;

pub(super) use index::Index;

use crate::evaluating::{Compared, Seen, View};
use crate::language::value::fold;
use crate::language::{Subject, value};
use facts::Value;
use facts::schema::SCALARS;
use rule_syntax::needed::Need;

/// The most clues of a need that are looked up; a rule whose needs all have more clues is always evaluated.
const MOST_LOOKED_UP: usize = 64;

/// The needs of a rule: what must be present for it to match.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Of each need, one clue must be present.
    all: Vec<Vec<Clue>>,
}

/// Something that must be present in an incident.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Clue {
    /// A fact or list that is known.
    Known(Place),
    Number(Place, u64),
    /// A text, folded.
    Text(Place, Box<str>),
    /// A part of a text, folded.
    Part(Place, Box<str>),
}

/// Where a clue must be. Facts, lists and fields are given by their index in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A fact.
    Fact(usize),
    /// A list.
    List(usize),
    /// A field of the entries of a list.
    Field { list: usize, field: usize },
}

/// Whether a rule can match, decided before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Chance {
    /// It can't match.
    No,
    /// It can't match, or is undecided.
    Undecided,
    /// It may match.
    Yes,
}

impl Needs {
    /// The needs of a built-in rule, as the build found them.
    pub fn prepared(needs: &[Need<'_>]) -> Self {
        let known = |need: &Need<'_>| {
            let clues: Option<Vec<_>> =
                need.iter().map(|(path, values)| Clue::of_fact(path, values.as_deref())).collect();
            clues.map(|clues| clues.into_iter().flatten().collect())
        };
        // A need that names something unknown can't be asked for.
        Self { all: needs.iter().filter_map(known).collect() }
    }

    /// Whether the rule can match.
    pub fn chance(&self, view: &View<'_>) -> Chance {
        let of_need = |need: &Vec<Clue>| need.iter().map(|clue| clue.chance(view)).max().unwrap_or(Chance::No);
        let mut chance = Chance::Yes;
        for need in &self.all {
            chance = chance.min(of_need(need));
            if chance == Chance::No {
                break;
            }
        }
        chance
    }

    /// The clues by which the rule is looked up: of its needs the one with clues that the fewest incidents have. `None`
    /// where no need can be looked up by values.
    fn looked_up(&self) -> Option<&[Clue]> {
        let of_values = self
            .all
            .iter()
            .filter(|need| need.len() <= MOST_LOOKED_UP && !need.iter().any(|clue| matches!(clue, Clue::Known(_))));
        of_values.min_by_key(|need| clues::cost(need)).map(Vec::as_slice)
    }
}

impl Clue {
    /// What has to be there for a fact or list to be known and, where values are given, to be one of them.
    fn of_fact(path: &str, values: Option<&[&str]>) -> Option<Vec<Self>> {
        let (fact, place) = match Subject::find(path)? {
            Subject::Fact(index) => (SCALARS.get(index)?, Place::Fact(index)),
            Subject::List(index) => return Some(vec![Self::Known(Place::List(index))]),
        };
        // Versions and flags are rarely asked to be equal.
        let read = |text: &&str| match value::read(fact, text).ok()? {
            Value::Number(number) => Some(Self::Number(place, number)),
            Value::Text(text) => Some(Self::Text(place, fold(fact.kind, &text).into())),
            Value::Version(_) | Value::Flag(_) => None,
        };
        let of_values = values.and_then(|values| values.iter().map(read).collect());
        Some(of_values.unwrap_or_else(|| vec![Self::Known(place)]))
    }

    fn place(&self) -> Place {
        match self {
            Self::Known(place) | Self::Number(place, _) | Self::Text(place, _) | Self::Part(place, _) => *place,
        }
    }

    /// What an incident makes of it. Entries of lists and parts of texts are left to the index and to the rule.
    fn chance(&self, view: &View<'_>) -> Chance {
        let known = match self.place() {
            Place::List(list) | Place::Field { list, .. } => view.may_know_list(list),
            Place::Fact(index) => match view.scalar(index) {
                Some(seen) if !self.may_be(seen) => return Chance::No,
                seen => seen.is_some(),
            },
        };
        if known { Chance::Yes } else { Chance::Undecided }
    }

    fn may_be(&self, seen: &Seen<'_>) -> bool {
        match (self, seen.compared()) {
            (Self::Number(_, number), Compared::Number(other)) => *number == other,
            (Self::Text(_, text), Compared::Text(other) | Compared::Path { text: other, .. }) => **text == *other,
            (Self::Known(_) | Self::Part(..), _) => true,
            _ => false,
        }
    }
}

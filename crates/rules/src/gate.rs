//! Skipping rules that can't match, without looking at them.

use super::value::{self, fold};
use super::view::{Compared, Seen, View};
use facts::schema::{LISTS, SCALARS};
use facts::{FactDefinition, Value};
use rule_syntax::needed::Need;

/// What has to hold for a rule to match.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Of each need, one has to hold.
    needs: Vec<Vec<Known>>,
}

/// A fact or list that has to be known. Both go by their index in the schema.
#[derive(Debug)]
enum Known {
    /// A fact, and the values of which it has to be one, if they are given.
    Fact(usize, Option<Vec<Key>>),
    List(usize),
}

/// A value to be equal to: numbers, and texts in folded form.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    Number(u64),
    Text(String),
}

/// What can be said of a rule before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Chance {
    /// It does not hold.
    No,
    /// It does not hold, or nobody knows.
    Undecided,
    /// It may hold.
    Yes,
}

impl Gate {
    /// The gate of a rule with these needs.
    pub fn new(needs: &[Need<'_>]) -> Self {
        let known = |need: &Need<'_>| need.iter().map(|(path, values)| Known::new(path, values.as_deref())).collect();
        // A need that names something unknown can't be asked for.
        Self { needs: needs.iter().filter_map(known).collect() }
    }

    /// Whether the rule can match.
    pub fn chance(&self, view: &View<'_>) -> Chance {
        let of_need = |need: &Vec<Known>| need.iter().map(|known| known.chance(view)).max().unwrap_or(Chance::No);
        let mut chance = Chance::Yes;
        for need in &self.needs {
            chance = chance.min(of_need(need));
            if chance == Chance::No {
                break;
            }
        }
        chance
    }
}

impl Known {
    fn new(path: &str, values: Option<&[&str]>) -> Option<Self> {
        let Ok(index) = SCALARS.binary_search_by(|fact| fact.path.cmp(path)) else {
            return LISTS.iter().position(|list| list.name == path).map(Self::List);
        };
        let fact = SCALARS.get(index)?;
        let keys = values.and_then(|values| values.iter().map(|text| Key::read(fact, text)).collect());
        Some(Self::Fact(index, keys))
    }

    fn chance(&self, view: &View<'_>) -> Chance {
        let known = match self {
            Self::List(index) => view.may_know_list(*index),
            Self::Fact(index, keys) => match (view.scalar(*index), keys) {
                (Some(seen), Some(keys)) if !keys.iter().any(|key| key.is(seen)) => return Chance::No,
                (seen, _) => seen.is_some(),
            },
        };
        if known { Chance::Yes } else { Chance::Undecided }
    }
}

impl Key {
    /// The key of a value as a rule writes it. None for values that are rarely asked to be equal.
    fn read(fact: &FactDefinition, text: &str) -> Option<Self> {
        match value::of(fact, text).ok()? {
            Value::Number(number) => Some(Self::Number(number)),
            Value::Text(text) => Some(Self::Text(fold(fact.kind, &text).into_owned())),
            Value::Version(_) | Value::Flag(_) => None,
        }
    }

    fn is(&self, seen: &Seen<'_>) -> bool {
        match (self, seen.compared()) {
            (Self::Number(number), Compared::Number(other)) => *number == other,
            (Self::Text(text), Compared::Text(other) | Compared::Path { text: other, .. }) => text == other,
            _ => false,
        }
    }
}

//! Skipping rules that a single fact rules out, without looking at them.
//!
//! Most rules can only match one exception code, one stop code or one kind of incident. Such a rule is filed under
//! that value; an incident with another value never meets it. In an incident that lacks the fact, such a rule can't
//! match either; it may be undecided, which matters only where that has to be said.

use std::collections::{BTreeMap, HashMap};

use super::rule::Rule;
use super::value::{self, fold};
use super::view::{Compared, Seen, View};
use crate::facts::schema::SCALARS;
use crate::facts::{FactType, Value};

/// A value under which rules are filed: numbers, and texts in folded form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Number(u64),
    Text(String),
}

impl Key {
    /// The key of a value as a rule writes it.
    fn read(kind: FactType, text: &str) -> Option<Self> {
        match value::parse(kind, text).ok()? {
            Value::Number(number) => Some(Self::Number(number)),
            Value::Text(text) => Some(Self::Text(fold(kind, &text).into_owned())),
            Value::Version(_) | Value::Flag(_) => None,
        }
    }

    fn of_seen(seen: &Seen<'_>) -> Option<Self> {
        match seen.compared() {
            Compared::Text(text) => Some(Self::Text(text.to_owned())),
            Compared::Number(number) => Some(Self::Number(number)),
            Compared::Version(_) | Compared::Flag(_) => None,
        }
    }
}

/// The one fact that rules a rule out when it has none of these values.
#[derive(Debug)]
pub(super) struct Gate {
    /// The fact's index in the schema.
    fact: usize,
    values: Vec<Key>,
}

impl Gate {
    /// A fact, and the values as a rule writes them.
    pub fn new(fact: &str, values: &[&str]) -> Option<Self> {
        let index = SCALARS.binary_search_by(|definition| definition.path.cmp(fact)).ok()?;
        let kind = SCALARS.get(index)?.kind;
        let values = values.iter().map(|text| Key::read(kind, text)).collect::<Option<_>>()?;
        Some(Self { fact: index, values })
    }
}

/// The rules under each value of a fact.
type ByValue = HashMap<Key, Vec<usize>>;

/// Rules by the facts that they need. Rules go by their index in the rule set.
#[derive(Debug, Default)]
pub(super) struct Gates {
    /// For each fact, by its index in the schema: the rules under each value.
    by_fact: BTreeMap<usize, ByValue>,
    /// Rules that no single fact rules out.
    open: Vec<usize>,
}

impl Gates {
    pub fn new(rules: &[Rule]) -> Self {
        let mut gates = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            match &rule.gate {
                Some(gate) => {
                    let values = gates.by_fact.entry(gate.fact).or_default();
                    for key in &gate.values {
                        values.entry(key.clone()).or_default().push(index);
                    }
                }
                None => gates.open.push(index),
            }
        }
        gates
    }

    /// The rules that can match, in ascending order.
    pub fn candidates(&self, view: &View<'_>) -> Vec<usize> {
        self.with(view, |_| None)
    }

    /// The rules that can match or be undecided, in ascending order.
    pub fn not_ruled_out(&self, view: &View<'_>) -> Vec<usize> {
        self.with(view, Some)
    }

    /// The rules that can match, with those that `unknown` takes of the rules whose fact is absent.
    fn with<'g>(&'g self, view: &View<'_>, unknown: impl Fn(&'g ByValue) -> Option<&'g ByValue>) -> Vec<usize> {
        let mut rules = self.open.clone();
        for (fact, values) in &self.by_fact {
            match view.scalar(*fact) {
                Some(seen) => rules.extend(Key::of_seen(seen).and_then(|key| values.get(&key)).into_iter().flatten()),
                None => rules.extend(unknown(values).into_iter().flat_map(HashMap::values).flatten()),
            }
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

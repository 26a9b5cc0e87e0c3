//! Skipping rules that a single fact rules out, without looking at them.
//!
//! Most rules can only match one exception code, one stop code or one kind of incident. Such a rule is filed under
//! that value; an incident with another value never meets it. An incident that lacks the fact meets all of them: each
//! may be undecided, and that has to be said.

use std::collections::{BTreeMap, HashMap};

use super::compare::Compare;
use super::condition::Condition;
use super::rule::Rule;
use super::selection::{Selection, Test};
use super::view::{Seen, View};
use crate::facts::Value;
use crate::facts::schema::SCALARS;

/// The facts that rules are filed under, the most telling first.
const FACTS: &[&str] = &["exception.code", "bugcheck.code", "fault_site.module", "incident.kind"];

/// A value under which rules are filed: numbers, and texts in folded form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Number(u64),
    Text(String),
}

impl Key {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Self::Number(*number)),
            Value::Text(text) => Some(Self::Text(text.to_string())),
            Value::Version(_) | Value::Flag(_) => None,
        }
    }

    fn of_seen(seen: &Seen<'_>) -> Option<Self> {
        match seen.value {
            Value::Text(_) => Some(Self::Text(seen.folded().to_owned())),
            other => Self::of(other),
        }
    }
}

/// Rules by the facts that they need. Rules go by their index in the rule set.
#[derive(Debug, Default)]
pub(super) struct Gates {
    /// For each fact, by its index in the schema: the rules under each value.
    by_fact: BTreeMap<usize, HashMap<Key, Vec<usize>>>,
    /// Rules that no single fact rules out.
    open: Vec<usize>,
}

impl Gates {
    pub fn new(rules: &[Rule]) -> Self {
        let mut gates = Self::default();
        for (index, rule) in rules.iter().enumerate() {
            let gate = FACTS.iter().find_map(|path| {
                let fact = SCALARS.iter().position(|definition| definition.path == *path)?;
                Some((fact, needed(&rule.condition, &rule.selections, fact)?))
            });
            match gate {
                Some((fact, keys)) => {
                    let values = gates.by_fact.entry(fact).or_default();
                    for key in keys {
                        values.entry(key).or_default().push(index);
                    }
                }
                None => gates.open.push(index),
            }
        }
        gates
    }

    /// The rules that are not ruled out, in ascending order.
    pub fn candidates(&self, view: &View<'_>) -> Vec<usize> {
        let mut rules = self.open.clone();
        for (fact, values) in &self.by_fact {
            match view.scalar(*fact) {
                Some(seen) => rules.extend(Key::of_seen(seen).and_then(|key| values.get(&key)).into_iter().flatten()),
                None => rules.extend(values.values().flatten()),
            }
        }
        rules.sort_unstable();
        rules.dedup();
        rules
    }
}

/// The values outside of which the condition is false for certain; `None` when the fact does not decide it.
fn needed(condition: &Condition, selections: &[Selection], fact: usize) -> Option<Vec<Key>> {
    match condition {
        Condition::Not(_) => None,
        Condition::All(parts) => parts.iter().find_map(|part| needed(part, selections, fact)),
        Condition::Any(parts) => every(parts.iter().map(|part| needed(part, selections, fact))),
        Condition::Selection(index) => {
            let alternatives = selections.get(*index)?.alternatives.iter();
            every(alternatives.map(|terms| terms.iter().find_map(|term| wanted(&term.test, fact))))
        }
    }
}

/// All values together, if each part has some.
fn every(parts: impl Iterator<Item = Option<Vec<Key>>>) -> Option<Vec<Key>> {
    let mut keys: Vec<Key> = parts.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    keys.sort_unstable();
    keys.dedup();
    Some(keys)
}

fn wanted(test: &Test, fact: usize) -> Option<Vec<Key>> {
    match test {
        Test::Fact { index, compare: Compare::Equal(values), .. } if *index == fact => {
            values.iter().map(Key::of).collect()
        }
        _ => None,
    }
}

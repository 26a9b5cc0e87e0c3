//! What part of the other incidents a test asks for, and whether the list has all of it.

use super::compare::{Compare, Order};
use super::condition::Condition;
use super::selection::{EntryFilter, FieldTerm, FieldTest, Selection};
use crate::facts::schema::{ListDefinition, OTHER_INCIDENTS, list};
use crate::facts::{OtherIncidents, Shared, Value};

/// Whether the list has every incident that would fit: those that share what the test asks to be the same, as near as it
/// asks them to be.
pub(super) fn is_whole(entries: &EntryFilter, others: &OtherIncidents) -> bool {
    let Some(list) = list(OTHER_INCIDENTS) else { return false };
    if entries.alternatives.is_empty() {
        return Shared::ALL.into_iter().all(|shared| others.has_all(shared, None, None));
    }
    entries.alternatives.iter().all(|terms| of_terms(terms, list, others))
}

/// The same condition with what asks for other incidents behind what decides without them.
pub(super) fn asked_last(condition: Condition, selections: &[Selection]) -> Condition {
    match condition {
        Condition::Selection(_) => condition,
        Condition::Not(inner) => Condition::Not(Box::new(asked_last(*inner, selections))),
        Condition::All(parts) => Condition::All(all_asked_last(parts, selections)),
        Condition::Any(parts) => Condition::Any(all_asked_last(parts, selections)),
    }
}

fn all_asked_last(parts: Vec<Condition>, selections: &[Selection]) -> Vec<Condition> {
    let mut parts: Vec<Condition> = parts.into_iter().map(|part| asked_last(part, selections)).collect();
    // Stable: all else stays in its order.
    parts.sort_by_key(|part| asks(part, selections));
    parts
}

fn asks(condition: &Condition, selections: &[Selection]) -> bool {
    let mut used = vec![false; selections.len()];
    condition.mark_used(&mut used);
    let used = selections.iter().zip(used).filter(|(_, used)| *used);
    used.flat_map(|(selection, _)| selection.alternatives.iter().flatten())
        .any(|term| term.test.path() == OTHER_INCIDENTS)
}

/// The same for entries that have to be all of this.
fn of_terms(terms: &[FieldTerm], list: &ListDefinition, others: &OtherIncidents) -> bool {
    let tests = |name: &str| {
        let index = list.fields.iter().position(|field| field.path == name);
        terms.iter().filter(move |term| Some(term.field) == index).map(|term| &term.test)
    };
    let flag = |name: &str| tests(name).find_map(asked_flag);
    let here = flag(Shared::Host.field());
    let distances = ["seconds_away", "seconds_before", "seconds_after"].into_iter().flat_map(tests);
    let within = distances.filter_map(at_most).min();
    let is_same = |shared: &Shared| flag(shared.field()) == Some(true);
    let mut same = Shared::ALL.into_iter().filter(is_same).peekable();
    if same.peek().is_none() {
        return Shared::ALL.into_iter().all(|shared| others.has_all(shared, here, within));
    }
    same.any(|shared| others.has_all(shared, here, within))
}

/// What a flag must be.
fn asked_flag(test: &FieldTest) -> Option<bool> {
    match test {
        FieldTest::Value(Compare::Equal(values)) => match values.as_slice() {
            [Value::Flag(flag)] => Some(*flag),
            _ => None,
        },
        _ => None,
    }
}

/// The most that a distance may be.
fn at_most(test: &FieldTest) -> Option<u64> {
    match test {
        FieldTest::Value(Compare::Order { order: Order::Less | Order::AtMost, bound: Value::Number(bound) }) => {
            Some(*bound)
        }
        _ => None,
    }
}

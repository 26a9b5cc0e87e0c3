//! The facts that have to be known for a rule to match, found in the rule's text.
//!
//! Most rules can only match one exception code, one stop code or one kind of incident, or need a fact that few
//! incidents have. The build finds this in the text of each rule inside the program, so that a run reads only rules that can
//! match. A user's rule is compiled when it is loaded, and more is known of it: its needs are made of its compiled terms, by
//! the same [`of_condition`] and [`either`].

use super::condition::Condition;
use spanned_yaml::{Entry, Node};

/// The most needs that are made of the parts of an "or".
const MOST: usize = 8;

/// A need: one of these has to be known.
pub type Need<'n> = Vec<Known<'n>>;

/// A fact or list has to be known, and where values are given, it has to be equal to one of them.
pub type Known<'n> = (&'n str, Option<Vec<&'n str>>);

/// The needs of a rule with this condition: it matches only if all of them hold.
pub fn needed<'n>(condition: &Condition, rule: &'n Node) -> Vec<Need<'n>> {
    let selections = rule.get("selections").and_then(Node::entries).unwrap_or_default();
    let required = rule.get("requires").and_then(Node::items).unwrap_or_default();
    let of_selection = |index: usize| {
        let Some(selection) = selections.get(index) else { return Vec::new() };
        either(selection.value.one_or_more().iter().map(of_terms), <[_]>::len)
    };
    let mut needs = of_condition(condition, &of_selection, <[_]>::len);
    needs.extend(required.iter().filter_map(|path| Some(vec![(path.text()?, None)])));
    needs
}

/// The needs of a condition, made of the needs of its selections: all of them hold when the condition holds. `cost` is lower
/// for a need that excludes more incidents.
pub fn of_condition<K: Clone>(
    condition: &Condition,
    of_selection: &impl Fn(usize) -> Vec<Vec<K>>,
    cost: fn(&[K]) -> usize,
) -> Vec<Vec<K>> {
    match condition {
        Condition::Not(_) => Vec::new(),
        Condition::All(parts) => parts.iter().flat_map(|part| of_condition(part, of_selection, cost)).collect(),
        Condition::Any(parts) => either(parts.iter().map(|part| of_condition(part, of_selection, cost)), cost),
        Condition::Selection(index) => of_selection(*index),
    }
}

/// The needs of an "or" of parts: for each way to choose a need of each part, that one of the chosen holds.
pub fn either<K: Clone>(parts: impl Iterator<Item = Vec<Vec<K>>>, cost: fn(&[K]) -> usize) -> Vec<Vec<K>> {
    let mut parts: Vec<Vec<Vec<K>>> = parts.collect();
    let choices = parts.iter().fold(1_usize, |choices, needs| choices.saturating_mul(needs.len()));
    if choices > MOST {
        for needs in &mut parts {
            needs.sort_by_key(|need| cost(need));
            needs.truncate(1);
        }
    }
    let joined = parts.into_iter().reduce(|joined, needs| {
        let pairs = joined.iter().flat_map(|a| needs.iter().map(move |b| [a.as_slice(), b].concat()));
        pairs.collect()
    });
    joined.unwrap_or_default()
}

/// The needs of the terms of one alternative.
fn of_terms(terms: &Node) -> Vec<Need<'_>> {
    terms.entries().unwrap_or_default().iter().filter_map(of_term).collect()
}

fn of_term(term: &Entry) -> Option<Need<'_>> {
    let known = match term.name().split_once('|') {
        None => (term.name(), values(&term.value)),
        Some((_, "exists")) if term.value.text() != Some("true") => return None,
        Some((fact, _)) => (fact, None),
    };
    Some(vec![known])
}

/// The values of a term without modifier.
fn values(value: &Node) -> Option<Vec<&str>> {
    value.one_or_more().iter().map(Node::text).collect()
}

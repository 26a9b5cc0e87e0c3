//! What has to be there for a rule to match, as far as it can be looked up: a value that a fact or a field of a list
//! must be equal to, or a text that must be in it. Found in the rule as it is compiled, with modifiers and lists read.

use std::sync::Arc;

use super::compare::{Compare, Part};
use super::line_list::LineList;
use super::pattern::Pattern;
use super::quantifier::{Count, Quantifier};
use super::rule::Logic;
use super::selection::{EntryFilter, FieldTerm, FieldTest, Selection, Term, Test};
use facts::schema::{FactDefinition, LISTS, OTHER_INCIDENTS};
use facts::{FactType, Value};
use rule_syntax::condition::Condition;
use untrusted::glob::Glob;

/// More clues than this are not looked up for a rule: it is asked instead.
const MOST: usize = 64;

/// Where a value stands. Facts, lists and fields go by their index in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// A fact.
    Fact(usize),
    /// A field of the entries of a list.
    Field { list: usize, field: usize },
}

/// What has to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Clue {
    Number(Place, u64),
    /// A text, folded.
    Text(Place, String),
    /// A part of a text, folded.
    Part(Place, String),
}

/// Clues of which one is there whenever a condition holds.
#[derive(Debug, Clone)]
struct Needed {
    clues: Vec<Clue>,
    /// How often one of them is there although the condition does not hold, roughly.
    cost: u32,
}

/// The clues of a rule: it can't match when none of them is there. `None` when it has no such clues.
pub(super) fn clues(logic: &Logic) -> Option<Vec<Clue>> {
    of_condition(&logic.condition, &logic.selections).map(|needed| needed.clues)
}

fn of_condition(condition: &Condition, selections: &[Selection]) -> Option<Needed> {
    match condition {
        Condition::Selection(index) => {
            let alternatives = selections.get(*index)?.alternatives.iter();
            any(alternatives.map(|terms| best(terms.iter().map(of_term))))
        }
        Condition::Not(_) => None,
        Condition::All(parts) => best(parts.iter().map(|part| of_condition(part, selections))),
        Condition::Any(parts) => any(parts.iter().map(|part| of_condition(part, selections))),
    }
}

/// Where all of several hold, the clues of the one that is rarest.
fn best(parts: impl Iterator<Item = Option<Needed>>) -> Option<Needed> {
    parts.flatten().min_by_key(|needed| needed.cost)
}

/// Where one of several holds, the clues of all.
fn any(parts: impl Iterator<Item = Option<Needed>>) -> Option<Needed> {
    let mut all: Option<Needed> = None;
    for part in parts {
        let Needed { clues, cost } = part?;
        let all = all.get_or_insert(Needed { clues: Vec::new(), cost: 0 });
        all.clues.extend(clues);
        all.cost = all.cost.saturating_add(cost);
    }
    all.filter(|all| all.clues.len() <= MOST)
}

fn of_term(term: &Term) -> Option<Needed> {
    match &term.test {
        // To look something up among them would take putting them together for each incident.
        _ if term.test.path() == OTHER_INCIDENTS => None,
        Test::Fact { index, fact, compare } => of_compare(Place::Fact(*index), fact, compare),
        Test::List {
            index,
            quantifier: Quantifier::Any | Quantifier::Count(Count { least: 1.., .. }),
            entries,
            ..
        } => of_entries(*index, entries),
        // Each step has to be there.
        Test::Sequence { index, sequence, .. } => best(sequence.steps.iter().map(|step| of_entries(*index, step))),
        _ => None,
    }
}

fn of_entries(list: usize, entries: &EntryFilter) -> Option<Needed> {
    any(entries.alternatives.iter().map(|terms| best(terms.iter().map(|term| of_field(list, term)))))
}

fn of_field(list: usize, term: &FieldTerm) -> Option<Needed> {
    let definition = LISTS.get(list)?.fields.get(term.field)?;
    match &term.test {
        FieldTest::Value(compare) => of_compare(Place::Field { list, field: term.field }, definition, compare),
        FieldTest::Known(_) => None,
    }
}

fn of_compare(place: Place, definition: &FactDefinition, compare: &Compare) -> Option<Needed> {
    match compare {
        Compare::Equal(values) => any(values.iter().map(|value| {
            Some(match value {
                Value::Number(number) => one(Clue::Number(place, *number), 30),
                Value::Text(text) => {
                    let few = matches!(definition.kind, FactType::Word(_));
                    one(Clue::Text(place, text.to_string()), if few { 60 } else { 1 })
                }
                Value::Version(_) | Value::Flag(_) => return None,
            })
        })),
        Compare::Part { parts, every, .. } => {
            found_in(place, parts, *every, |part: &Part| Some(vec![part.text().to_owned()]))
        }
        Compare::Like { patterns, every } => {
            found_in(place, patterns, *every, |one: &Glob| Some(vec![one.longest_literal()?.to_owned()]))
        }
        Compare::Regex { patterns, every } => found_in(place, patterns, *every, Pattern::needs_one_of),
        Compare::Lines { lists, inside: true, every } => {
            let of_list = |list: &Arc<LineList>| found_in(place, list.patterns(), false, Pattern::needs_one_of);
            if *every { best(lists.iter().map(of_list)) } else { any(lists.iter().map(of_list)) }
        }
        _ => None,
    }
}

/// The clues of texts in which something is found; `parts` says of each what is in the text then, one of several.
fn found_in<T>(place: Place, wanted: &[T], every: bool, parts: impl Fn(&T) -> Option<Vec<String>>) -> Option<Needed> {
    let needed = |wanted: &T| any(parts(wanted)?.into_iter().map(|part| of_part(place, part)));
    let all = wanted.iter().map(needed);
    if every { best(all) } else { any(all) }
}

fn of_part(place: Place, part: String) -> Option<Needed> {
    let cost = match part.chars().count() {
        0..=2 => return None,
        3..=4 => 40,
        5..=7 => 10,
        _ => 4,
    };
    Some(one(Clue::Part(place, part), cost))
}

fn one(clue: Clue, cost: u32) -> Needed {
    Needed { clues: vec![clue], cost }
}

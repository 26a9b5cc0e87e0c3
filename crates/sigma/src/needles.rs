//! What every record has that a rule can match: an event id of some, and a text of some.

use std::cmp::Reverse;

use super::condition::Condition;
use super::detection::{Asks, Field, Term};
use super::evaluate::Detection;
use super::logsource::has_other_values;
use super::test::Test;

/// The event ids of records that the rule can match, sorted; `None` when it can match any.
pub(super) fn event_ids(detection: &Detection) -> Option<Vec<u32>> {
    let common = |lists: Vec<Vec<u32>>| {
        lists.into_iter().reduce(|mut ids, others| {
            ids.retain(|id| others.contains(id));
            ids
        })
    };
    let mut ids = one_of(detection, ids_of_term, common)?;
    ids.sort_unstable();
    ids.dedup();
    Some(ids)
}

/// Folded texts of which every matching record contains at least one; `None` if no such list is certain.
pub(super) fn texts(detection: &Detection) -> Option<Vec<String>> {
    one_of(detection, texts_of_term, best)
}

/// A list of values of which every matching record has at least one. `of_term` gives the list of a term; `of_all`
/// chooses from the lists of terms that all must hold.
fn one_of<T>(
    detection: &Detection,
    of_term: fn(&Term) -> Option<Vec<T>>,
    of_all: fn(Vec<Vec<T>>) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let of_selection = |number: &usize| of_condition(detection.selections.get(*number)?, &of_term, of_all);
    of_condition(&detection.condition, &of_selection, of_all)
}

fn of_condition<P, T>(
    condition: &Condition<P>,
    of_part: &impl Fn(&P) -> Option<Vec<T>>,
    of_all: fn(Vec<Vec<T>>) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let of = |inner: &Condition<P>| of_condition(inner, of_part, of_all);
    match condition {
        Condition::Part(part) => of_part(part),
        Condition::Not(_) => None,
        Condition::All(parts) => of_all(parts.iter().filter_map(of).collect()),
        Condition::Any(parts) => {
            Some(parts.iter().map(of).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
        }
    }
}

fn ids_of_term(term: &Term) -> Option<Vec<u32>> {
    let Asks::Values { tests, all: false, .. } = &term.asks else { return None };
    let id = |test: &Test| match test {
        Test::Text(pattern) => pattern.glob.only_text()?.parse().ok(),
        _ => None,
    };
    if term.field == Field::EventId { tests.iter().map(id).collect() } else { None }
}

/// The most characters of a text that are looked for: the automaton that finds many texts at once grows with their length,
/// and takes longer to build.
const LONGEST: usize = 64;

/// The beginning of a text, which is in a record wherever the text is.
fn beginning(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

/// The list whose texts the fewest records contain: the one with longer texts, or else with fewer of them.
fn best(lists: Vec<Vec<String>>) -> Option<Vec<String>> {
    /// Texts from this length on, in bytes, are as rare as longer ones.
    const LONG: usize = 12;
    let shortest = |texts: &[String]| texts.iter().map(String::len).min().unwrap_or_default();
    lists.into_iter().max_by_key(|texts| (shortest(texts).min(LONG), Reverse(texts.len())))
}

fn texts_of_term(term: &Term) -> Option<Vec<String>> {
    let is_searched = match &term.field {
        Field::Provider | Field::Computer | Field::Anything => true,
        // A value for which rules have another word than records is in no record.
        Field::Data(name) => !has_other_values(name),
        // All records of a source have the same channel and id, and the rest of the head is not among the texts.
        Field::Channel | Field::EventId | Field::Head(_) => false,
    };
    let Asks::Values { tests, all, or_absent: false } = &term.asks else { return None };
    if !is_searched {
        return None;
    }
    let literals = tests.iter().map(|test| match test {
        Test::Text(pattern) => pattern.longest_literal().map(|text| beginning(&text)),
        _ => None,
    });
    if *all { best(literals.flatten().map(|text| vec![text]).collect()) } else { literals.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_only_the_beginning_is_looked_for() {
        assert_eq!(beginning("short"), "short");
        let long = "ä".repeat(100_000);
        let looked_for = beginning(&long);
        assert!(long.starts_with(&looked_for) && looked_for.chars().count() == LONGEST);
    }
}

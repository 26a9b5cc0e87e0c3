//! What must stand in a record that a rule can match: event ids, and texts of which it has at least one.

use super::condition::Condition;
use super::detection::{Asks, Field, Selection, Term};
use super::evaluate::Detection;
use super::logsource::has_other_values;
use super::test::Test;

/// The event ids, sorted; `None` when it can match any.
pub(super) fn event_ids(detection: &Detection) -> Option<Vec<u32>> {
    let ids: Ids = condition(&detection.condition, &detection.selections);
    ids.0
}

/// Texts, folded, of which every record that matches has at least one; `None` when there are none for certain.
pub(super) fn texts(detection: &Detection) -> Option<Vec<String>> {
    let texts: Texts = condition(&detection.condition, &detection.selections);
    texts.0
}

/// Something that is certain of whatever matches, or `None`.
trait Certain: Sized {
    fn unknown() -> Self;
    /// What is certain when all hold.
    fn all(parts: impl Iterator<Item = Self>) -> Self;
    /// What is certain when one holds.
    fn any(parts: impl Iterator<Item = Self>) -> Self;
    fn of_term(term: &Term) -> Self;
}

fn condition<C: Certain>(of: &Condition, selections: &[Selection]) -> C {
    match of {
        Condition::Selection(number) => selections.get(*number).map_or_else(C::unknown, selection),
        Condition::Not(_) => C::unknown(),
        Condition::All(parts) => C::all(parts.iter().map(|part| condition(part, selections))),
        Condition::Any(parts) => C::any(parts.iter().map(|part| condition(part, selections))),
    }
}

fn selection<C: Certain>(of: &Selection) -> C {
    match of {
        Selection::All(parts) => C::all(parts.iter().map(selection)),
        Selection::Any(parts) => C::any(parts.iter().map(selection)),
        Selection::Term(term) if term.not => C::unknown(),
        Selection::Term(term) => C::of_term(term),
    }
}

/// Everything that is in one of several lists; unknown when one of them is.
fn united<T>(lists: impl Iterator<Item = Option<Vec<T>>>) -> Option<Vec<T>> {
    let lists: Option<Vec<Vec<T>>> = lists.collect();
    Some(lists?.into_iter().flatten().collect())
}

struct Ids(Option<Vec<u32>>);

impl Certain for Ids {
    fn unknown() -> Self {
        Self(None)
    }

    fn all(parts: impl Iterator<Item = Self>) -> Self {
        Self(parts.filter_map(|part| part.0).reduce(|mut ids, others| {
            ids.retain(|id| others.contains(id));
            ids
        }))
    }

    fn any(parts: impl Iterator<Item = Self>) -> Self {
        let mut ids = united(parts.map(|part| part.0));
        if let Some(ids) = &mut ids {
            ids.sort_unstable();
            ids.dedup();
        }
        Self(ids)
    }

    fn of_term(term: &Term) -> Self {
        let Asks::Values { tests, all: false, .. } = &term.asks else { return Self(None) };
        if term.field != Field::EventId {
            return Self(None);
        }
        let id = |test: &Test| match test {
            Test::Text(pattern) => pattern.only_text()?.parse().ok(),
            _ => None,
        };
        Self::any(tests.iter().map(|test| Self(id(test).map(|id| vec![id]))))
    }
}

/// The most characters of a text that are looked for to tell whether it can be there: what finds many texts at once grows
/// with their length, and takes the longer to make.
const LONGEST: usize = 64;

/// What stands in a record wherever `text` does.
fn beginning(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}

struct Texts(Option<Vec<String>>);

impl Texts {
    /// How much is won by looking for these texts: short ones stand in every record.
    fn worth(&self) -> (usize, std::cmp::Reverse<usize>) {
        const LONG: usize = 12;
        let texts = self.0.as_deref().unwrap_or_default();
        let shortest = texts.iter().map(String::len).min().unwrap_or_default();
        (shortest.min(LONG), std::cmp::Reverse(texts.len()))
    }
}

impl Certain for Texts {
    fn unknown() -> Self {
        Self(None)
    }

    fn all(parts: impl Iterator<Item = Self>) -> Self {
        parts.filter(|part| part.0.is_some()).max_by_key(Self::worth).unwrap_or(Self(None))
    }

    fn any(parts: impl Iterator<Item = Self>) -> Self {
        Self(united(parts.map(|part| part.0)))
    }

    fn of_term(term: &Term) -> Self {
        let is_searched = match &term.field {
            Field::Provider | Field::Computer | Field::Anything => true,
            // A value that rules call otherwise than records do stands nowhere in them.
            Field::Data(name) => !has_other_values(name),
            // Each record of a source has the same, and the rest of the head is not among the texts.
            Field::Channel | Field::EventId | Field::Head(_) => false,
        };
        let Asks::Values { tests, all, or_absent: false } = &term.asks else { return Self(None) };
        if !is_searched {
            return Self(None);
        }
        let of = |test: &Test| match test {
            Test::Text(pattern) => Self(pattern.longest_literal().map(|text| vec![beginning(&text)])),
            _ => Self(None),
        };
        let tests = tests.iter().map(of);
        if *all { Self::all(tests) } else { Self::any(tests) }
    }
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

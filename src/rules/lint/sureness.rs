//! Confidences that their evidence does not carry.

use super::trivial::is_trivial;
use super::{Linted, Way};
use crate::rules::compare::{Compare, Part};
use crate::rules::selection::{FieldTest, Test};
use crate::yaml::Diagnostic;

/// Above this a rule needs more than words that may stand in many texts.
const MOST_OF_WORDS: f64 = 0.9;
/// A part of a text that is shorter than this, and holds no number, is no message: characters.
const SHORTEST_MESSAGE: usize = 16;

/// `R087`: a rule that is very sure because of some words alone.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let confidence = rule.rule.confidence();
    if confidence <= MOST_OF_WORDS {
        return;
    }
    let Some(term) = rule.ways.iter().find_map(only_words) else { return };
    let message = format!("{confidence:.2} is much for a rule that these few words alone can make match");
    let help = "ask for the whole message, or for a second fact; or be less sure";
    rule.warn("R087", term.span, message, help, found);
}

/// The one term of a way that is about few words of a text, and nothing else.
fn only_words<'r>(way: &Way<'r>) -> Option<&'r crate::rules::selection::Term> {
    let mut telling = way.iter().filter(|literal| {
        let test = &literal.term.test;
        literal.holds && !is_trivial(test) && test.path() != "incident.kind"
    });
    let (first, second) = (telling.next()?, telling.next());
    let Test::List { entries, list, .. } = &first.term.test else { return None };
    let short = |compare: &Compare| match compare {
        Compare::Part { parts, every, .. } => {
            let has_number = |part: &Part| part.text().contains(|c: char| c.is_ascii_digit());
            let length = |part: &Part| if has_number(part) { SHORTEST_MESSAGE } else { part.text().chars().count() };
            let sum: usize = parts.iter().map(length).sum();
            let least = parts.iter().map(length).min().unwrap_or_default();
            (if *every { sum } else { least }) < SHORTEST_MESSAGE
        }
        _ => false,
    };
    let is_short = |terms: &Vec<crate::rules::selection::FieldTerm>| matches!(terms.as_slice(), [only] if matches!(&only.test, FieldTest::Value(compare) if short(compare)));
    let few = list.name == "text" && entries.alternatives.iter().any(is_short);
    (few && second.is_none()).then_some(first.term)
}

//! R087: confidences that are too high for a few words.

use regex_syntax::Parser;

use super::linted::Linted;
use super::trivial::is_trivial;
use super::ways::Way;
use crate::language::{Compare, FieldTerm, FieldTest, Part, Term, Test};
use expressions::Pattern;
use spanned_yaml::{Code, Diagnostic};
use untrusted::glob::Glob;

/// The highest confidence for words that may be in many texts; a surer rule needs more than these.
const MOST_OF_WORDS: f64 = 0.9;
/// The fewest characters of a message: a shorter text without a number may be in any text.
pub(super) const SHORTEST_MESSAGE: usize = 16;

/// `R087`: a rule that is very sure because of some words alone.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let confidence = rule.rule.confidence();
    if confidence <= MOST_OF_WORDS {
        return;
    }
    let Some(term) = rule.ways.iter().find_map(only_words) else { return };
    let message = format!("{confidence:.2} is much for a rule that these few words alone can make match");
    let help = "ask for the whole message, or for a second fact; or be less sure";
    rule.warn(Code::R087, term.span, message, help, found);
}

/// The one term of a way that is about few words of a text, and nothing else.
fn only_words<'r>(way: &Way<'r>) -> Option<&'r Term> {
    let mut telling = way.iter().filter(|literal| {
        let test = &literal.term.test;
        literal.holds && !is_trivial(test) && test.path() != "incident.kind"
    });
    let (first, second) = (telling.next()?, telling.next());
    let Test::List { entries, list, .. } = &first.term.test else { return None };
    let is_short = |terms: &Vec<FieldTerm>| matches!(terms.as_slice(), [only] if matches!(&only.test, FieldTest::Value(compare) if fewest(compare) < SHORTEST_MESSAGE));
    let few = list.name == "text" && entries.alternatives.iter().any(is_short);
    (few && second.is_none()).then_some(first.term)
}

/// The fewest characters that a comparison requires of a text; comparisons with a number count as a whole message.
pub(super) fn fewest(compare: &Compare) -> usize {
    let of_all = |lengths: Vec<usize>, every: bool| {
        let least = lengths.iter().copied().min();
        if every { lengths.iter().sum() } else { least.unwrap_or(SHORTEST_MESSAGE) }
    };
    match compare {
        Compare::Part { parts, every, .. } => of_all(parts.iter().map(Part::text).map(length).collect(), *every),
        Compare::Like { patterns, every } => of_all(patterns.iter().map(of_pattern).collect(), *every),
        Compare::Regex { patterns, every } => of_all(patterns.iter().map(of_expression).collect(), *every),
        _ => SHORTEST_MESSAGE,
    }
}

/// How long a text is as a message, characters.
fn length(text: &str) -> usize {
    if text.contains(|c: char| c.is_ascii_digit()) { SHORTEST_MESSAGE } else { text.chars().count() }
}

/// The characters that a pattern itself has.
fn of_pattern(pattern: &Glob) -> usize {
    length(&pattern.to_string().replace(['*', '?'], ""))
}

/// The characters that an expression needs at least.
fn of_expression(pattern: &Pattern) -> usize {
    let written = pattern.written();
    // Digits that count repetitions are taken for a number, too: better no warning than a wrong one.
    let number = written.contains("\\d") || written.contains(|c: char| c.is_ascii_digit());
    match Parser::new().parse(written) {
        Ok(hir) if !number => hir.properties().minimum_len().unwrap_or(SHORTEST_MESSAGE),
        _ => SHORTEST_MESSAGE,
    }
}

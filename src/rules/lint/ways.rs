//! The ways in which a rule can match: its condition taken apart into lists of terms that hold together.

use crate::rules::compare::Compare;
use crate::rules::condition::Condition;
use crate::rules::rule::Logic;
use crate::rules::selection::{Selection, Term, Test};
use crate::yaml::Diagnostic;

use super::Linted;

/// Rules with more ways than this are not taken apart.
const MOST: usize = 128;

/// A term that holds, or that must not hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal<'r> {
    pub term: &'r Term,
    pub holds: bool,
}

/// Terms with which a rule matches.
pub(super) type Way<'r> = Vec<Literal<'r>>;

/// The ways of a rule; `None` where there are too many.
pub(super) fn of(logic: &Logic) -> Option<Vec<Way<'_>>> {
    ways(&logic.condition, true, &logic.selections)
}

fn ways<'r>(condition: &Condition, truth: bool, selections: &'r [Selection]) -> Option<Vec<Way<'r>>> {
    match condition {
        Condition::Not(inner) => ways(inner, !truth, selections),
        Condition::All(parts) => joined(truth, parts.iter().map(|part| ways(part, truth, selections))),
        Condition::Any(parts) => joined(!truth, parts.iter().map(|part| ways(part, truth, selections))),
        Condition::Selection(index) => {
            let alternatives = selections.get(*index)?.alternatives.iter();
            let literal = move |term: &'r Term| Some(vec![vec![Literal { term, holds: truth }]]);
            joined(!truth, alternatives.map(|terms| joined(truth, terms.iter().map(literal))))
        }
    }
}

/// Ways of parts of which all have to be so, or one.
fn joined<'r>(all: bool, parts: impl Iterator<Item = Option<Vec<Way<'r>>>>) -> Option<Vec<Way<'r>>> {
    let mut whole = if all { vec![Way::new()] } else { Vec::new() };
    for part in parts {
        let part = part?;
        whole = if all {
            whole.iter().flat_map(|way| part.iter().map(move |other| [way.as_slice(), other].concat())).collect()
        } else {
            [whole, part].concat()
        };
        if whole.len() > MOST {
            return None;
        }
    }
    Some(whole)
}

/// Two terms that can't hold together: the same fact, and no value in common.
fn contradict(one: &Term, other: &Term) -> bool {
    match (&one.test, &other.test) {
        (Test::Fact { index, compare, .. }, Test::Fact { index: second, compare: with, .. }) if index == second => {
            match (compare, with) {
                (Compare::Equal(values), Compare::Equal(others)) => !values.iter().any(|value| others.contains(value)),
                _ => false,
            }
        }
        (
            Test::Fact { index, .. } | Test::FactKnown { index, known: true, .. },
            Test::FactKnown { index: second, known: false, .. },
        ) => index == second,
        _ => false,
    }
}

/// `R083`: a way in which the rule can't match, because two of its terms exclude each other.
pub(super) fn contradictions(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for way in &rule.ways {
        let holding: Vec<&Term> = way.iter().filter(|literal| literal.holds).map(|literal| literal.term).collect();
        let pairs = holding.iter().flat_map(|one| holding.iter().map(move |other| (*one, *other)));
        let Some((one, other)) = pairs.into_iter().find(|(one, other)| contradict(one, other)) else { continue };
        let (first, second) = if one.span.start <= other.span.start { (one, other) } else { (other, one) };
        let message = format!("`{}` can't be both this and what line {} asks", first.test.path(), first.span.line);
        let wrong = Diagnostic::warning("R083", &rule.rule.file, second.span, message)
            .with_other(&rule.rule.file, first.span, "first here")
            .with_help("join them with `or`, or write the values as a list");
        // Each pair once, in however many ways it stands.
        if !found.contains(&wrong) {
            found.push(wrong);
        }
    }
}

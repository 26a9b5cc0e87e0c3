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

/// `R083`: a rule that can't match, because in every way two of its terms exclude each other.
pub(super) fn contradictions(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let excluding: Option<Vec<(&Term, &Term)>> = rule.ways.iter().map(|way| excluding(way)).collect();
    for (one, other) in excluding.unwrap_or_default() {
        let (first, second) = if one.span.start <= other.span.start { (one, other) } else { (other, one) };
        let message = if first.span == second.span {
            format!("`{}` can't be this and not be this", first.test.path())
        } else {
            format!("`{}` can't be both this and what line {} asks", first.test.path(), first.span.line)
        };
        let wrong = Diagnostic::warning("R083", &rule.rule.file, second.span, message);
        let wrong = if first.span == second.span {
            wrong.with_help("the condition asks for it both with and without `not`")
        } else {
            let help = "join them with `or`, or write the values as a list";
            wrong.with_other(&rule.rule.file, first.span, "first here").with_help(help)
        };
        // Each pair once, in however many ways it stands.
        if !found.contains(&wrong) {
            found.push(wrong);
        }
    }
}

/// Two terms of a way that exclude each other.
fn excluding<'r>(way: &Way<'r>) -> Option<(&'r Term, &'r Term)> {
    let pairs = way.iter().flat_map(|one| way.iter().map(move |other| (one, other)));
    let excluding = |(one, other): &(&Literal<'r>, &Literal<'r>)| match (one.holds, other.holds) {
        (true, true) => contradict(one.term, other.term),
        (true, false) => one.term.span == other.term.span,
        (false, _) => false,
    };
    pairs.into_iter().find(excluding).map(|(one, other)| (one.term, other.term))
}

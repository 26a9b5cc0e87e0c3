//! The ways in which a rule can match: its condition taken apart into lists of terms that hold together.

use crate::language::{Logic, Selection, Term};
use rule_syntax::condition::Condition;

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
pub(super) fn of_rule(logic: &Logic) -> Option<Vec<Way<'_>>> {
    of_condition(&logic.condition, &logic.selections)
}

/// The ways in which a condition over these selections holds; `None` where there are too many.
pub(super) fn of_condition<'r>(condition: &Condition, selections: &'r [Selection]) -> Option<Vec<Way<'r>>> {
    ways(condition, true, selections)
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

/// The ways of a condition whose parts must all hold (`all`), or of which one must; `None` where there are too many.
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

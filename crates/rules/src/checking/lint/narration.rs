//! R108: rules that are sure because of lines that people may have written.

use super::linted::Linted;
use super::sureness::{SHORTEST_MESSAGE, fewest};
use super::trivial::is_trivial;
use super::ways;
use super::ways::Way;
use crate::language::{Compare, Effect, EntryFilter, FieldTest, LineList, NamedList, Quantifier, Test};
use spanned_yaml::{Code, Diagnostic};

/// From this confidence on a verdict recommends to act on it, for which a person's account is not enough.
const SURE: f64 = 0.8;
/// Confidences are compared with this tolerance, as they are written with two decimals.
const ROUNDING: f64 = 0.001;

/// `R108`: a rule that can be sure without a fact or a line that a program printed.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let Some(way) = rule.ways.iter().find(|way| is_told(way)) else { return };
    let logic = rule.rule.logic();
    let raises = rule.rule.texts().adjustments.iter().filter_map(|adjustment| match adjustment.change {
        Effect::By(by) if by > 0.0 => {
            let ways = ways::of_condition(&adjustment.when, &logic.selections)?;
            ways.iter().any(|way| !way.iter().any(proves)).then_some(by)
        }
        Effect::By(_) | Effect::Most(_) => None,
    });
    let highest = raises.fold(rule.rule.confidence(), |sum, by| sum + by).min(0.99);
    if highest < SURE - ROUNDING {
        return;
    }
    let Some(told) = way.iter().find(|literal| literal.holds && literal.term.test.path() == "text") else { return };
    let message = format!("{highest:.2} is too much for lines that people may have written");
    let help = "ask for a fact, for a message word for word (`contains`), or for a list with `written_by: program`; or be \
                less sure";
    rule.warn(Code::R108, told.term.span, message, help, found);
}

/// Whether a rule that matches in this way rests only on lines of tickets that a person may have written.
fn is_told(way: &Way<'_>) -> bool {
    way.iter().any(|literal| literal.holds && literal.term.test.path() == "text") && !way.iter().any(proves)
}

/// Whether a term is more than a statement of a person: a fact, or a line that a program wrote.
fn proves(literal: &ways::Literal<'_>) -> bool {
    let test = &literal.term.test;
    if !literal.holds || is_trivial(test) || test.path() == "incident.kind" {
        return false;
    }
    match test {
        Test::FactKnown { .. } | Test::ListKnown { .. } => false,
        Test::List { quantifier: Quantifier::None, .. } => false,
        Test::List { list, entries, .. } if list.name == "text" => is_printed(entries),
        Test::Sequence { list, sequence, .. } if list.name == "text" => sequence.steps.iter().any(is_printed),
        Test::Fact { .. } | Test::List { .. } | Test::Sequence { .. } => true,
    }
}

/// Whether a program wrote the lines that fit.
fn is_printed(entries: &EntryFilter) -> bool {
    let printed = |compare: &Compare| match compare {
        Compare::Lines { lists, inside: true, every: false } => {
            lists.iter().filter_map(NamedList::get).all(LineList::is_printed)
        }
        Compare::Lines { lists, inside: true, every: true } => {
            lists.iter().filter_map(NamedList::get).any(LineList::is_printed)
        }
        Compare::Equal(_) | Compare::Part { .. } | Compare::Like { .. } => fewest(compare) >= SHORTEST_MESSAGE,
        _ => false,
    };
    entries
        .alternatives
        .iter()
        .all(|terms| terms.iter().any(|term| matches!(&term.test, FieldTest::Value(compare) if printed(compare))))
}

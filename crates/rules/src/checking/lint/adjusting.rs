//! R100: adjustments that count in every match of their rule, or in none.

use super::linted::Linted;
use crate::language::{Adjustment, Compare, Effect, Quantifier, Selection, Term, Test};
use crate::loading::Rule;
use rule_syntax::condition::Condition;
use spanned_yaml::{Code, Diagnostic};

/// Rules with more distinct terms than this are skipped: each term doubles the number of cases to try.
const MOST_ASKED: usize = 12;
/// Confidences are compared as they are written, with two decimals.
const ROUNDING: f64 = 0.001;

const IN_THE_CONDITION: &str =
    "name in `condition` only what the rule can't do without: where it is left out, all selections have to hold";

/// `R100`: an adjustment that counts in every match of its rule, or in none, and a cap above what the rule can reach.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let logic = rule.rule.logic();
    let adjustments = &rule.rule.texts().adjustments;
    for adjustment in adjustments {
        let asked = DistinctTerms::of_conditions(rule.rule, &[&logic.condition, &adjustment.when], &logic.selections);
        let outcome = asked.and_then(|asked| asked.outcome(&logic.condition, &adjustment.when));
        let highest = highest(rule.rule.confidence(), adjustments);
        let (message, help) = match (outcome, adjustment.change) {
            (Some(Effectiveness::Always), Effect::By(_)) => (
                "this holds wherever the rule matches, so it is part of the rule's own confidence".to_owned(),
                IN_THE_CONDITION,
            ),
            (Some(Effectiveness::Always), Effect::Most(most)) => {
                (format!("this holds wherever the rule matches, so it is never surer than {most:.2}"), IN_THE_CONDITION)
            }
            (Some(Effectiveness::Never), _) => (
                "this never holds where the rule matches".to_owned(),
                "the condition rules it out; ask for something that the condition leaves open",
            ),
            (_, Effect::Most(most)) if highest < most + ROUNDING => (
                format!("the rule is never surer than {:.2}, so this caps nothing", highest.min(0.99)),
                "write a lower `most`, or leave it out",
            ),
            _ => continue,
        };
        rule.warn(Code::R100, adjustment.span, message, help, found);
    }
}

/// The highest confidence that a rule can reach: its own, and all adjustments that raise it.
fn highest(confidence: f64, adjustments: &[Adjustment]) -> f64 {
    let raises = adjustments.iter().filter_map(|adjustment| match adjustment.change {
        Effect::By(by) if by > 0.0 => Some(by),
        Effect::By(_) | Effect::Most(_) => None,
    });
    raises.fold(confidence, |sum, by| sum + by)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effectiveness {
    Always,
    Never,
}

/// The distinct terms of conditions; each holds or does not hold in a case.
struct DistinctTerms<'r> {
    /// The indices in `terms` of each selection's alternatives' terms.
    places: Vec<Vec<Vec<usize>>>,
    terms: Vec<&'r Term>,
}

impl<'r> DistinctTerms<'r> {
    /// The terms of these conditions; `None` where they are more than [`MOST_ASKED`].
    fn of_conditions(rule: &Rule, conditions: &[&Condition], selections: &'r [Selection]) -> Option<Self> {
        let (mut terms, mut written): (Vec<&Term>, Vec<String>) = (Vec::new(), Vec::new());
        let mut place = |term: &'r Term| {
            let text = rule.file.slice(term.span).split_whitespace().collect::<Vec<_>>().join(" ");
            written.iter().position(|known| *known == text).unwrap_or_else(|| {
                written.push(text);
                terms.push(term);
                terms.len().saturating_sub(1)
            })
        };
        let places = selections.iter().enumerate().map(|(index, selection)| {
            let is_used = conditions.iter().any(|condition| condition.uses(index));
            let alternatives = selection.alternatives.iter().filter(|_| is_used);
            alternatives.map(|terms| terms.iter().map(&mut place).collect()).collect()
        });
        let places = places.collect();
        (terms.len() <= MOST_ASKED).then_some(Self { places, terms })
    }

    /// Whether the second condition holds in all cases in which the first one does, or in none of them. Nothing where
    /// the first one never holds.
    fn outcome(&self, condition: &Condition, when: &Condition) -> Option<Effectiveness> {
        let (mut holds, mut fails) = (false, false);
        for case in 0..1_u32.checked_shl(u32::try_from(self.terms.len()).ok()?)? {
            if self.is_possible(case) && self.truth(condition, case) {
                if self.truth(when, case) { holds = true } else { fails = true }
            }
        }
        match (holds, fails) {
            (true, false) => Some(Effectiveness::Always),
            (false, true) => Some(Effectiveness::Never),
            _ => None,
        }
    }

    fn truth(&self, condition: &Condition, case: u32) -> bool {
        match condition {
            Condition::Not(inner) => !self.truth(inner, case),
            Condition::All(parts) => parts.iter().all(|part| self.truth(part, case)),
            Condition::Any(parts) => parts.iter().any(|part| self.truth(part, case)),
            Condition::Selection(index) => self.places.get(*index).is_some_and(|alternatives| {
                alternatives.iter().any(|terms| terms.iter().all(|place| is_set(case, *place)))
            }),
        }
    }

    /// Whether a case contradicts no pair of terms that exclude or imply each other.
    fn is_possible(&self, case: u32) -> bool {
        let numbered = || self.terms.iter().enumerate();
        numbered().filter(|(place, _)| is_set(case, *place)).all(|(place, term)| {
            numbered().filter(|(other, _)| *other != place).all(|(other, second)| {
                if is_set(case, other) { !exclude(term, second) } else { !implies(term, second) }
            })
        })
    }
}

fn is_set(case: u32, place: usize) -> bool {
    u32::try_from(place).ok().and_then(|place| case.checked_shr(place)).is_some_and(|rest| rest & 1 == 1)
}

/// Whether two terms can't hold together.
fn exclude(one: &Term, other: &Term) -> bool {
    match (&one.test, &other.test) {
        (
            Test::Fact { index, compare: Compare::Equal(values), .. },
            Test::Fact { index: second, compare: Compare::Equal(others), .. },
        ) => index == second && !values.iter().any(|value| others.contains(value)),
        (
            Test::Fact { index, .. } | Test::FactKnown { index, known: true, .. },
            Test::FactKnown { index: second, known: false, .. },
        ) => index == second,
        _ => false,
    }
}

/// Whether the first term holds only where the second one does.
fn implies(one: &Term, other: &Term) -> bool {
    match (&one.test, &other.test) {
        (
            Test::Fact { index, compare: Compare::Equal(values), .. },
            Test::Fact { index: second, compare: Compare::Equal(others), .. },
        ) => index == second && values.iter().all(|value| others.contains(value)),
        (Test::Fact { index, .. }, Test::FactKnown { index: second, known: true, .. })
        | (Test::Sequence { index, .. }, Test::ListKnown { index: second, known: true, .. })
        | (Test::List { index, quantifier: Quantifier::Any, .. }, Test::ListKnown { index: second, known: true, .. }) => {
            index == second
        }
        _ => false,
    }
}

//! How sure a rule that matches is: its own confidence, moved by adjustments, and capped where its evidence is thin.

use super::condition::Condition;
use super::evaluate::{Evaluation, Truth};
use super::rule::{Adjustment, Rule};
use super::view::View;

/// A finding that rests on a mention alone is no surer than this: possible, and nothing to act on.
const MOST_OF_A_MENTION: f64 = 0.5;
const ONLY_MENTIONED: &str = "The text only mentions this: in passing, in advice, in a denial or in a list of codes.";
/// The fact that all evidence is a text that reads like a guide.
const DOCUMENT: &str = "incident.document";
const IN_A_DOCUMENT: &str =
    "The text reads like a guide and not like a report of a crash; give it with --ticket if it is one.";
/// Nothing is impossible, and nothing is certain.
const LEAST: f64 = 0.01;
const MOST: f64 = 0.99;

/// How a confidence came about.
pub(super) struct Weighed<'r> {
    /// The rule's own.
    pub first: f64,
    /// What the rule says can move it, in its order.
    pub steps: Vec<Step<'r>>,
    /// Why it was capped.
    pub caps: Vec<&'static str>,
    /// What came of it, two decimals.
    pub confidence: f64,
}

/// An adjustment and whether it counts.
pub(super) struct Step<'r> {
    pub adjustment: &'r Adjustment,
    /// Whether its condition holds.
    pub holds: Truth,
    /// Whether it moved the confidence: what only a mention supports raises none.
    pub counts: bool,
}

/// Weighs a rule that matches. `certain` is the incident without what is only mentioned, where anything is.
pub(super) fn weigh<'r>(
    rule: &'r Rule,
    evaluation: &mut Evaluation<'_, '_>,
    view: &View<'_>,
    certain: Option<&View<'_>>,
) -> Weighed<'r> {
    let texts = rule.texts();
    let mut certain = certain.map(|view| Evaluation::new(&rule.logic().selections, view));
    let mut is_certain =
        |condition: &Condition| certain.as_mut().is_none_or(|certain| certain.truth(condition) == Truth::True);
    let mut confidence = texts.confidence;
    let mut steps = Vec::with_capacity(texts.adjustments.len());
    for adjustment in &texts.adjustments {
        let holds = evaluation.truth(&adjustment.when);
        let counts = holds == Truth::True && (adjustment.by < 0.0 || is_certain(&adjustment.when));
        if counts {
            confidence += adjustment.by;
        }
        steps.push(Step { adjustment, holds, counts });
    }
    let document = view.facts().get(DOCUMENT).is_some();
    let doubts = [(!is_certain(&rule.logic().condition), ONLY_MENTIONED), (document, IN_A_DOCUMENT)];
    let caps: Vec<&'static str> = doubts.into_iter().filter(|(doubtful, _)| *doubtful).map(|(_, why)| why).collect();
    if !caps.is_empty() {
        confidence = confidence.min(MOST_OF_A_MENTION);
    }
    let confidence = (confidence.clamp(LEAST, MOST) * 100.0).round() / 100.0;
    Weighed { first: texts.confidence, steps, caps, confidence }
}

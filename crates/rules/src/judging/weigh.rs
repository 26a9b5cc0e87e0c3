//! Weighing a rule that matches: its own confidence, moved by adjustments, and capped where its evidence is uncertain.

use std::cell::OnceCell;

use crate::evaluating::{Evaluation, View};
use crate::judging::rounded;
use crate::language::{Adjustment, Effect, Selection, Truth};
use crate::loading::Rule;
use rule_syntax::condition::Condition;

/// The highest confidence of a finding that rests only on a mention: possible, and nothing to act on.
const MOST_OF_A_MENTION: f64 = 0.5;
const ONLY_MENTIONED: &str = "The text only mentions this: in passing, in advice, in a denial or in a list of codes.";
/// The highest confidence of a finding that rests on a quoted message, if no statement in the text confirms that the
/// message appeared and another crash is certain: probable.
const MOST_OF_A_QUOTATION: f64 = 0.79;
const ONLY_QUOTED: &str = "The message stands as a quotation in a sentence that does not say that it appeared, beside a crash that is told by \
     itself.";
/// The fact that all evidence is a text that reads like a guide.
const DOCUMENT: &str = "incident.document";
const IN_A_DOCUMENT: &str =
    "The text reads like a guide and not like a report of a crash; give it with --ticket if it is one.";
/// The bounds of every confidence: nothing is impossible, and nothing is certain.
const LEAST: f64 = 0.01;
const MOST: f64 = 0.99;

/// How a confidence came about.
pub(crate) struct Weighed<'r> {
    /// The rule's own confidence.
    pub first: f64,
    /// The rule's adjustments, in its order.
    pub steps: Vec<WeighedAdjustment<'r>>,
    /// Caps for evidence that is only mentioned or quoted: the highest confidence, and the sentence with the reason.
    pub caps: Vec<(f64, &'static str)>,
    /// Whether it rests on what is only mentioned or quoted.
    pub in_doubt: bool,
    /// The confidence after all adjustments and caps, two decimals.
    pub confidence: f64,
}

/// An adjustment and whether it counts.
pub(crate) struct WeighedAdjustment<'r> {
    pub adjustment: &'r Adjustment,
    /// Whether its condition holds.
    pub holds: Truth,
    /// Whether the adjustment was applied: its condition holds; and if it raises the confidence, the condition also holds
    /// without what texts only mention in passing.
    pub counts: bool,
}

/// Views of an incident without statements of texts that are uncertain, made when first needed.
#[derive(Default)]
pub(crate) struct LessSure<'a> {
    /// The facts without mere mentions; `None` if there are none.
    certain: OnceCell<Option<View<'a>>>,
    /// The facts without mere quotations; `None` if there are none.
    reported: OnceCell<Option<View<'a>>>,
}

/// The parts of a rule that decide its confidence.
#[derive(Clone)]
pub(crate) struct Scale<'r> {
    /// The rule's confidence before adjustments.
    pub first: f64,
    pub adjustments: Vec<&'r Adjustment>,
    pub condition: &'r Condition,
    pub selections: &'r [Selection],
}

impl<'r> Scale<'r> {
    pub fn of_rule(rule: &'r Rule) -> Self {
        let (texts, logic) = (rule.texts(), rule.logic());
        let adjustments = texts.adjustments.iter().collect();
        Self { first: texts.confidence, adjustments, condition: &logic.condition, selections: &logic.selections }
    }
}

/// Weighs a rule that matches.
pub(crate) fn weigh<'r, 'v>(
    scale: &Scale<'r>,
    evaluation: &mut Evaluation<'_, '_>,
    view: &View<'v>,
    less: &LessSure<'v>,
) -> Weighed<'r> {
    let of = |view| Evaluation::new(scale.selections, view);
    let mut certain = less.certain.get_or_init(|| view.without_mentions()).as_ref().map(of);
    let mut reported = less.reported.get_or_init(|| view.without_quotations()).as_ref().map(of);
    let mut is_certain =
        |condition: &Condition| certain.as_mut().is_none_or(|certain| certain.truth(condition) == Truth::True);
    let (mut confidence, mut most) = (scale.first, MOST);
    let mut steps = Vec::with_capacity(scale.adjustments.len());
    for adjustment in scale.adjustments.iter().copied() {
        let holds = evaluation.truth(&adjustment.when);
        let raises = matches!(adjustment.change, Effect::By(by) if by > 0.0);
        let counts = holds == Truth::True && (!raises || is_certain(&adjustment.when));
        match adjustment.change {
            Effect::By(by) if counts => confidence += by,
            // Caps come after everything that moves the confidence, whatever the order of the rule.
            Effect::Most(cap) if counts => most = most.min(cap),
            Effect::By(_) | Effect::Most(_) => {}
        }
        steps.push(WeighedAdjustment { adjustment, holds, counts });
    }
    confidence = confidence.min(most);
    let document = view.facts().get(DOCUMENT).is_some();
    let condition = scale.condition;
    let mentioned = !is_certain(condition);
    let quoted = !mentioned && reported.as_mut().is_some_and(|reported| reported.truth(condition) != Truth::True);
    let doubts = [
        (mentioned, MOST_OF_A_MENTION, ONLY_MENTIONED),
        (quoted, MOST_OF_A_QUOTATION, ONLY_QUOTED),
        (document, MOST_OF_A_MENTION, IN_A_DOCUMENT),
    ];
    let mut caps = Vec::new();
    for (_, most, why) in doubts.into_iter().filter(|(doubtful, _, _)| *doubtful) {
        confidence = confidence.min(most);
        caps.push((most, why));
    }
    let confidence = rounded(confidence.clamp(LEAST, MOST));
    Weighed { first: scale.first, steps, caps, in_doubt: mentioned || quoted, confidence }
}

//! R111, R112 and R114: steps in a dangerous order, steps that do not say what they risk, and steps without their undo.

use super::linted::Linted;
use crate::language::{Audience, LineList, Risk, WrittenStep};
use crate::reading::{Lists, without_templates};
use spanned_yaml::{Code, Diagnostic};

/// Words for an undo that is none.
const NO_UNDO: [&str; 5] = ["none", "no", "nothing", "not possible", "impossible"];

/// The lists of the built-in rules by which steps are judged.
pub(super) struct StepLists<'l> {
    high_risk: &'l LineList,
    backups: &'l LineList,
}

impl<'l> StepLists<'l> {
    pub fn new(lists: &'l Lists) -> Option<Self> {
        Some(Self { high_risk: lists.lines.get("high-risk-steps")?, backups: lists.lines.get("backup-steps")? })
    }
}

/// The lints of the steps of each audience.
pub(super) fn look(rule: &Linted<'_>, lists: &StepLists<'_>, found: &mut Vec<Diagnostic>) {
    for audience in Audience::ALL {
        let steps = || rule.own_steps().iter().filter(|written| written.step.audience == audience);
        let is_backup = |written: &WrittenStep| lists.backups.fits_text(&without_templates(&written.step.text));
        // A backup comes first, however long it takes.
        order(rule, steps().filter(|written| !is_backup(written)), found);
        let mut backed_up = false;
        for written in steps() {
            let is_dangerous = lists.high_risk.fits_text(&without_templates(&written.step.text));
            danger(rule, written, is_dangerous, backed_up, found);
            backed_up |= is_backup(written);
            undo(rule, written, found);
        }
    }
}

/// `R111`: a step behind one of higher risk, or behind one of equal risk that takes longer. What a rule does not say of a
/// step is not compared.
fn order<'r>(rule: &Linted<'_>, steps: impl Iterator<Item = &'r WrittenStep>, found: &mut Vec<Diagnostic>) {
    let mut before = (None, None);
    for written in steps {
        let (risk, cost) = (written.step.risk, written.step.cost);
        let message = match (before, (risk, cost)) {
            ((Some(high), _), (Some(low), _)) if low < high => {
                Some(format!("a step of risk `{}` stands behind one of risk `{}`", low.word(), high.word()))
            }
            ((high, Some(long)), (low, Some(short))) if low == high && short < long => {
                Some(format!("a step of `{}` stands behind one of `{}` with the same risk", short.word(), long.word()))
            }
            _ => None,
        };
        if let Some(message) = message {
            let help = "put the steps of an audience in order: the safest first and, of equal risk, the cheapest";
            rule.warn(Code::R111, written.span, message, help, found);
        }
        if risk.is_some() || cost.is_some() {
            before = (risk, cost);
        }
    }
}

/// `R112`: a step that can cost data and does not say `risk: high`, or one of high risk without a backup before it.
fn danger(rule: &Linted<'_>, written: &WrittenStep, is_dangerous: bool, backed_up: bool, found: &mut Vec<Diagnostic>) {
    if written.step.risk == Some(Risk::High) {
        if !backed_up {
            let message = "no backup stands before this step of high risk".to_owned();
            let help = "write a step before it for the same audience: \"Back up the data of the drive.\"";
            rule.warn(Code::R112, written.span, message, help, found);
        }
    } else if is_dangerous {
        let message = "data, or that the computer starts, may be lost by this step".to_owned();
        rule.warn(Code::R112, written.span, message, "say so: `risk: high`", found);
    }
}

/// `R114`: a step that changes something and does not say how it is taken back.
fn undo(rule: &Linted<'_>, written: &WrittenStep, found: &mut Vec<Diagnostic>) {
    let Some(risk @ (Risk::Low | Risk::High)) = written.step.risk else { return };
    let undo = written.step.undo.as_deref().map(|undo| undo.trim_end_matches('.').to_lowercase());
    match undo.as_deref() {
        None => {
            let message = format!("a step of risk `{}` does not say how it is taken back", risk.word());
            rule.warn(Code::R114, written.span, message, "write `undo`; of high risk, it can be `none`", found);
        }
        Some(undo) if risk == Risk::Low && NO_UNDO.contains(&undo) => {
            let message = "a step of risk `low` that cannot be taken back".to_owned();
            rule.warn(Code::R114, written.span, message, "write its undo, or `risk: high`", found);
        }
        Some(_) => {}
    }
}

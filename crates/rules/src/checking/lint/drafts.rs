//! R095: drafts that nobody finished.

use super::linted::Linted;
use crate::language::unfinished::{REFERENCE, STEP, WHY};
use crate::reading::UNDETERMINED;
use spanned_yaml::{Code, Diagnostic};

/// `R095`: a placeholder of `rules new` that the rule's author has not replaced. Reports would print it.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let unfinished = [
        ("`explanation`", WHY, usize::from(rule.rule.explanation().contains(WHY))),
        ("`references`", REFERENCE, rule.rule.references().iter().filter(|text| text.contains(REFERENCE)).count()),
    ];
    if rule.rule.cause() == UNDETERMINED {
        let span = rule.place(&format!("cause: {UNDETERMINED}"), rule.rule.span.start);
        let message = format!("the cause is `{UNDETERMINED}`, so no verdict is ever made of this rule");
        let help = "name what has to be changed so that it stops: `crashsift rules causes` prints all causes";
        rule.warn(Code::R095, span.unwrap_or(rule.rule.id_span), message, help, found);
    }
    let mut unwritten = |key: &str, span| {
        let message = format!("{key} still says what `rules new` wrote for its author to replace");
        let help = "write what people shall read in reports, or leave the rule out";
        rule.warn(Code::R095, span, message, help, found);
    };
    for written in rule.own_steps().iter().filter(|written| written.step.text.trim() == STEP) {
        unwritten("`remediation`", written.span);
    }
    for (key, phrase, count) in unfinished {
        let mut from = rule.rule.span.start;
        for _ in 0..count {
            let span = rule.place(phrase, from).unwrap_or(rule.rule.id_span);
            from = from.max(span.end);
            unwritten(key, span);
        }
    }
}

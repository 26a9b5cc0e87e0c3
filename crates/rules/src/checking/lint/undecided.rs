//! R089: selections of a condition that no test decides.

use super::linted::Linted;
use crate::evaluating::View;
use crate::language::Truth;
use spanned_yaml::{Code, Diagnostic};

/// `R089`: a selection that the condition needs and that is open in all tests of its rule. What only moves the
/// confidence no test can show.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let views: Vec<View<'_>> = rule.rule.tests().all.iter().map(|test| View::new(&test.facts, None)).collect();
    let logic = rule.rule.logic();
    for (_, selection) in logic.selections.iter().enumerate().filter(|(index, _)| logic.condition.uses(*index)) {
        let Some(first) = selection.terms().min_by_key(|term| term.span.start) else { continue };
        if views.iter().all(|view| selection.truth(view) == Truth::Undecided) {
            let message = format!("no test decides the selection `{}`", selection.name);
            let help = "add a test with its facts: one in which it holds, and one in which it does not";
            rule.warn(Code::R089, first.span, message, help, found);
        }
    }
}

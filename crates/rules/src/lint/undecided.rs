//! R089: selections of a condition that no test decides.

use super::Linted;
use crate::evaluate::Truth;
use crate::view::View;
use spanned_yaml::{Code, Diagnostic};

/// `R089`: a selection that the condition needs and that is open in all tests of its rule. What only moves the
/// confidence no test can show.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let views: Vec<View<'_>> = rule.rule.tests().iter().map(|test| View::new(&test.facts, None)).collect();
    let logic = rule.rule.logic();
    let mut used = vec![false; logic.selections.len()];
    logic.condition.mark_used(&mut used);
    for (selection, _) in logic.selections.iter().zip(used).filter(|(_, used)| *used) {
        let Some(first) = selection.terms().min_by_key(|term| term.span.start) else { continue };
        if views.iter().all(|view| selection.truth(view) == Truth::Undecided) {
            let message = format!("no test decides the selection `{}`", selection.name);
            let help = "add a test with its facts: one in which it holds, and one in which it does not";
            rule.warn(Code::R089, first.span, message, help, found);
        }
    }
}

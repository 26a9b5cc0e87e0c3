//! Facts that a rule requires (`requires`): without them it is skipped, even where its condition could be decided.

use std::collections::BTreeSet;

use crate::evaluating::evaluate::RestsOn;
use crate::evaluating::{Evaluation, Lacking, View};
use crate::language::{Logic, Subject, Truth};

impl Logic {
    /// Whether the rule matches.
    pub fn truth(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Truth {
        where_known(&self.requires, evaluation.truth(&self.condition), view)
    }

    /// The facts whose absence leaves open whether the rule matches, sorted, each once. Nothing where that is decided.
    pub fn missing(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> Vec<Lacking> {
        let mut lacking = BTreeSet::new();
        if self.truth(evaluation, view) == Truth::Undecided {
            evaluation.missing(&self.condition, &mut lacking);
            let absent = self.requires.iter().filter(|required| !view.knows(**required));
            lacking.extend(absent.map(|required| Lacking { path: required.name(), field: None }));
        }
        lacking.into_iter().collect()
    }

    /// The evidence behind a match, with that of the required facts. A required list adds none: requiring it does not
    /// choose any of its entries.
    pub fn rests_on(&self, evaluation: &mut Evaluation<'_, '_>, view: &View<'_>) -> RestsOn {
        let mut on = RestsOn::default();
        evaluation.rests_on(&self.condition, &mut on);
        on.evidence.extend(self.requires.iter().filter_map(|required| match required {
            Subject::Fact(index) => view.scalar(*index)?.from,
            Subject::List(_) => None,
        }));
        on
    }
}

/// The result of a condition when `required` facts and lists must be known: true becomes undecided if one is not known,
/// false stays false.
pub(crate) fn where_known(required: &[Subject], condition: Truth, view: &View<'_>) -> Truth {
    match condition {
        Truth::True if required.iter().any(|one| !view.knows(*one)) => Truth::Undecided,
        decided => decided,
    }
}

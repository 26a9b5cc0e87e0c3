//! The order in which the parts of a condition are tried.

use crate::language::Selection;
use facts::schema::OTHER_INCIDENTS;
use rule_syntax::condition::Condition;

/// The condition with its parts reordered: those that ask for other incidents come last, because they take longest.
pub(crate) fn asked_last(condition: Condition, selections: &[Selection]) -> Condition {
    match condition {
        Condition::Selection(_) => condition,
        Condition::Not(inner) => Condition::Not(Box::new(asked_last(*inner, selections))),
        Condition::All(parts) => Condition::All(all_asked_last(parts, selections)),
        Condition::Any(parts) => Condition::Any(all_asked_last(parts, selections)),
    }
}

fn all_asked_last(parts: Vec<Condition>, selections: &[Selection]) -> Vec<Condition> {
    let mut parts: Vec<Condition> = parts.into_iter().map(|part| asked_last(part, selections)).collect();
    // Stable: all else stays in its order.
    parts.sort_by_key(|part| asks(part, selections));
    parts
}

fn asks(condition: &Condition, selections: &[Selection]) -> bool {
    let mut numbered = selections.iter().enumerate();
    let asks = |selection: &Selection| selection.terms().any(|term| term.test.path() == OTHER_INCIDENTS);
    numbered.any(|(index, selection)| condition.uses(index) && asks(selection))
}

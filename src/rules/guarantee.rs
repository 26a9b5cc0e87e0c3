//! Which facts are certainly known when a condition holds: those that an explanation may print without a fallback.

use std::collections::BTreeSet;

use super::condition::Condition;
use super::selection::{Selection, Test};

type Paths = BTreeSet<&'static str>;

/// Facts that every incident has.
const ALWAYS_KNOWN: &str = "incident.kind";

/// The facts that are known whenever all of `conditions` hold.
pub(super) fn known_when(conditions: &[&Condition], selections: &[Selection]) -> Paths {
    let mut known: Paths = conditions.iter().flat_map(|condition| decided(condition, true, selections)).collect();
    known.insert(ALWAYS_KNOWN);
    known
}

/// The facts that are known whenever the condition is `truth`: a comparison needs its fact either way, only `exists`
/// is decided without.
fn decided(condition: &Condition, truth: bool, selections: &[Selection]) -> Paths {
    let part = |part: &Condition| decided(part, truth, selections);
    match condition {
        Condition::Not(inner) => decided(inner, !truth, selections),
        Condition::All(parts) if truth => union(parts.iter().map(part)),
        Condition::All(parts) => intersection(parts.iter().map(part)),
        Condition::Any(parts) if truth => intersection(parts.iter().map(part)),
        Condition::Any(parts) => union(parts.iter().map(part)),
        Condition::Selection(index) => {
            let alternatives = selections.get(*index).map(|selection| selection.alternatives.as_slice());
            let terms = alternatives.unwrap_or_default().iter().map(|terms| {
                let terms = terms.iter().map(|term| of_test(&term.test, truth));
                if truth { union(terms) } else { intersection(terms) }
            });
            if truth { intersection(terms) } else { union(terms) }
        }
    }
}

fn of_test(test: &Test, truth: bool) -> Paths {
    let known = match test {
        Test::Fact { .. } | Test::List { .. } => true,
        Test::FactKnown { known, .. } | Test::ListKnown { known, .. } => *known == truth,
    };
    known.then(|| test.path()).into_iter().collect()
}

fn union(sets: impl Iterator<Item = Paths>) -> Paths {
    sets.flatten().collect()
}

fn intersection(mut sets: impl Iterator<Item = Paths>) -> Paths {
    let first = sets.next().unwrap_or_default();
    sets.fold(first, |kept, set| kept.intersection(&set).copied().collect())
}

//! The values that a rule needs one fact to have, found in the rule as it is written.
//!
//! Most rules can only match one exception code, one stop code or one kind of incident. This is known from the rule's
//! text alone, so that the build can tell it of the rules inside the program.

use super::condition::Condition;
use crate::yaml::{Entry, Node};

/// The facts that rules are filed under, the most telling first.
const FACTS: &[&str] = &["exception.code", "bugcheck.code", "fault_site.module", "incident.kind"];

/// A fact, and the values of it outside of which a condition is false for certain. `None` when no fact decides it.
pub(crate) fn needed<'n>(condition: &Condition, selections: &'n [Entry]) -> Option<(&'static str, Vec<&'n str>)> {
    FACTS.iter().find_map(|fact| Some((*fact, values(condition, selections, fact)?)))
}

fn values<'n>(condition: &Condition, selections: &'n [Entry], fact: &str) -> Option<Vec<&'n str>> {
    match condition {
        Condition::Not(_) => None,
        Condition::All(parts) => parts.iter().find_map(|part| values(part, selections, fact)),
        Condition::Any(parts) => every(parts.iter().map(|part| values(part, selections, fact))),
        Condition::Selection(index) => {
            let selection = &selections.get(*index)?.value;
            let one = std::slice::from_ref(selection);
            every(selection.items().unwrap_or(one).iter().map(|terms| wanted(terms.get(fact)?)))
        }
    }
}

/// All values together, if each part has some.
fn every<'n>(parts: impl Iterator<Item = Option<Vec<&'n str>>>) -> Option<Vec<&'n str>> {
    Some(parts.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The values that are written after a fact's name without modifier: it must be equal to one of them.
fn wanted(value: &Node) -> Option<Vec<&str>> {
    let one = std::slice::from_ref(value);
    value.items().unwrap_or(one).iter().map(Node::text).collect()
}

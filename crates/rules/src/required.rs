//! Facts that a rule requires (`requires`): without them it is skipped, even where its condition could be decided.

use std::collections::BTreeSet;

use super::entries::Lacking;
use super::evaluate::{RestsOn, Truth};
use super::subject::Subject;
use super::unknown;
use super::view::View;
use facts::schema::{SCALARS, scalar};
use rule_syntax::mistakes::{Mistakes, closest};
use spanned_yaml::{Code, Node};

/// Reads the list `requires`.
pub(super) fn read(node: &Node, mistakes: &mut Mistakes) -> Vec<Subject> {
    let Some(items) = mistakes.texts(node, "`requires`") else { return Vec::new() };
    let mut all: Vec<Subject> = Vec::new();
    for item in items {
        let Some(path) = mistakes.text(item, "an entry of `requires`") else { continue };
        match Subject::find(path) {
            Some(required) if all.contains(&required) => {
                mistakes.error(Code::R034, item.span, format!("`{path}` is required twice"));
            }
            Some(required) => all.push(required),
            None => {
                let help = unknown::help_for_fact(path, [].into_iter());
                mistakes.error_with_help(Code::R020, item.span, format!("there is no fact `{path}`"), help);
            }
        }
    }
    all
}

/// The facts that entries of `requires` with mistakes seem to mean.
pub(super) fn seems_to_ask(node: &Node) -> impl Iterator<Item = &'static str> {
    let written = node.items().unwrap_or_default().iter().filter_map(Node::text);
    written.filter_map(|path| Some(scalar(closest(path, SCALARS.iter().map(|fact| fact.path))?)?.path))
}

/// The truth of a condition where these are required: what holds without one of them is left undecided. What does not
/// hold is ruled out all the same.
pub(super) fn with(required: &[Subject], condition: Truth, view: &View<'_>) -> Truth {
    match condition {
        Truth::True if required.iter().any(|one| !one.is_known(view)) => Truth::Undecided,
        decided => decided,
    }
}

/// Adds the evidence of the facts that are required: what a rule can't do without is a part of what it rests on. A list
/// that has to be known says nothing of which of its entries count.
pub(super) fn rests_on(required: &[Subject], view: &View<'_>, on: &mut RestsOn) {
    let facts = required.iter().filter_map(|one| match one {
        Subject::Fact(index) => view.scalar(*index)?.from,
        Subject::List(_) => None,
    });
    on.evidence.extend(facts);
}

/// Adds what is required and absent.
pub(super) fn missing(required: &[Subject], view: &View<'_>, lacking: &mut BTreeSet<Lacking>) {
    let absent = required.iter().filter(|one| !one.is_known(view));
    lacking.extend(absent.map(|one| Lacking { path: one.name(), field: None }));
}

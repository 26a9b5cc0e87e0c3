//! The facts that are certainly known when a condition holds: a text may print these without a fallback.
//!
//! A condition with alternatives can hold in several ways, and in each of them other facts are known. "Fault site or
//! suspect in this list" guarantees neither of the two, yet one of them is always there. So the answer is a list of
//! *worlds*: sets of facts of which at least one is known as a whole.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::{Logic, Selection, Test};
use facts::schema::scalar;
use rule_syntax::condition::Condition;

/// Facts that are known together.
pub(crate) type World = BTreeSet<&'static str>;

/// Facts that every incident has.
const ALWAYS_KNOWN: &str = "incident.kind";

/// The most ways of a rule to match that are kept; more are replaced by the one with the facts that all have in common.
const MAX_WORLDS: usize = 64;

/// The ways in which a rule can match.
pub(crate) fn worlds_when(logic: &Logic) -> Vec<World> {
    let required: Vec<&'static str> = logic.requires.iter().map(|required| required.name()).collect();
    let selections = Partly { selections: &logic.selections, unread: &BTreeMap::new() };
    worlds_as_far(&[&logic.condition], &selections, &required)
}

/// Selections, some of which may not have been readable.
#[derive(Clone, Copy)]
pub(crate) struct Partly<'s> {
    /// All of them; one that could not be read has no alternatives.
    pub selections: &'s [Selection],
    /// The selections that could not be read, by index, with the facts that they seem to compare.
    pub unread: &'s BTreeMap<usize, World>,
}

/// The ways in which all of `conditions` can hold where the facts `required` are known. The facts that selections which
/// could not be read seem to ask for count as known whenever those are decided, so that a mistake in a selection is not reported again for each text.
pub(crate) fn worlds_as_far(
    conditions: &[&Condition],
    selections: &Partly<'_>,
    required: &[&'static str],
) -> Vec<World> {
    let known = required.iter().copied().filter(|path| scalar(path).is_some());
    let always = std::iter::once(vec![known.chain([ALWAYS_KNOWN]).collect()]);
    together(always.chain(conditions.iter().map(|condition| decided(condition, true, selections))))
}

/// Every fact that selections ask for.
pub(crate) fn all_asked_for(selections: &Partly<'_>) -> World {
    let read = selections.selections.iter().flat_map(Selection::terms);
    let facts = read.map(|term| term.test.path()).filter(|path| scalar(path).is_some());
    facts.chain(selections.unread.values().flatten().copied()).chain([ALWAYS_KNOWN]).collect()
}

/// The ways in which a condition can be `truth`. A comparison needs its fact either way, only `exists` is decided
/// without.
fn decided(condition: &Condition, truth: bool, selections: &Partly<'_>) -> Vec<World> {
    match condition {
        Condition::Not(inner) => decided(inner, !truth, selections),
        Condition::All(parts) => joined(truth, parts.iter().map(|part| decided(part, truth, selections))),
        Condition::Any(parts) => joined(!truth, parts.iter().map(|part| decided(part, truth, selections))),
        Condition::Selection(index) => {
            if let Some(world) = selections.unread.get(index) {
                return vec![world.clone()];
            }
            let alternatives = selections.selections.get(*index).map(|selection| selection.alternatives.as_slice());
            let alternatives = alternatives.unwrap_or_default().iter();
            joined(!truth, alternatives.map(|terms| joined(truth, terms.iter().map(|term| of_test(&term.test, truth)))))
        }
    }
}

/// Facts with one value only: no text can print a list.
fn of_test(test: &Test, truth: bool) -> Vec<World> {
    let path = match test {
        Test::Fact { fact, .. } => Some(fact.path),
        Test::FactKnown { fact, known, .. } => (*known == truth).then_some(fact.path),
        Test::List { .. } | Test::Sequence { .. } | Test::ListKnown { .. } => None,
    };
    vec![path.into_iter().collect()]
}

fn joined(all: bool, parts: impl Iterator<Item = Vec<World>>) -> Vec<World> {
    if all { together(parts) } else { fewest(parts.flatten().collect()) }
}

/// Every way of the one with every way of the others.
fn together(parts: impl Iterator<Item = Vec<World>>) -> Vec<World> {
    parts.fold(vec![World::new()], |worlds, part| {
        let pairs = worlds.iter().flat_map(|world| part.iter().map(move |other| world.union(other).copied().collect()));
        fewest(pairs.collect())
    })
}

/// Drops worlds that contain all facts of a smaller world: a text that only needs the smaller world's facts can be
/// written with the larger one, too.
fn fewest(mut worlds: Vec<World>) -> Vec<World> {
    worlds.sort_by_key(World::len);
    let mut kept: Vec<World> = Vec::new();
    for world in worlds {
        if !kept.iter().any(|other| other.is_subset(&world)) {
            kept.push(world);
        }
    }
    if kept.len() <= MAX_WORLDS {
        return kept;
    }
    let common = kept.into_iter().reduce(|common, world| common.intersection(&world).copied().collect());
    common.into_iter().collect()
}

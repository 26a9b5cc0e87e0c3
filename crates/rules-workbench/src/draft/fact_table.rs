//! The facts that drafts are made of, as `facts.json` has them.

use std::sync::LazyLock;

use serde::Deserialize;

/// The tables of `facts.json`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct DraftFacts {
    /// Facts that a drafted rule may compare. Where several have the same `name`, the first that is known is used.
    pub candidates: Vec<FactCandidate>,
    /// The facts whose text values may be shown: names in programs and in Windows. Other texts may contain what a
    /// person wrote.
    pub shown_texts: Vec<String>,
}

/// A fact that a rule could ask for.
#[derive(Debug, Deserialize)]
pub(super) struct FactCandidate {
    pub fact: String,
    /// The name of the selection that compares the fact.
    pub name: String,
    pub strength: Strength,
    /// A description in a few words.
    pub what: String,
}

/// How much a term narrows the cause, in the order in which terms become selections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Strength {
    /// The kind of incident, where there is no code.
    Kind,
    /// The code with which it ended: many causes have the same.
    Code,
    /// A name that the evidence itself gives: what was missing, thrown, waited for.
    Named,
    /// Where it happened, or the module that the evidence points to.
    Site,
    /// Words of a message.
    Says,
    /// A detail of how it ended.
    Detail,
    /// Words of a text without a failure.
    LastResort,
    /// The program: the same cause can end others, too.
    Program,
    /// A fact that only the author can judge.
    Hint,
}

pub(super) static FACTS: LazyLock<DraftFacts> =
    LazyLock::new(|| serde_json::from_str(include_str!("facts.json")).unwrap_or_default());

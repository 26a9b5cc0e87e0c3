//! The input of a draft, its selections, and the finished draft.

use facts::FactSet;
use incident::Incident;
use report::Artifact;
use report::model::{ChangeBefore, OverRepresented};
use rules::Finding;

use super::term::DraftTerm;

/// An incident with its facts and findings.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'s> {
    /// The incident.
    pub incident: &'s Incident,
    /// Its facts.
    pub facts: &'s FactSet,
    /// The rules that match it.
    pub findings: &'s [Finding],
}

/// The incidents that a draft is made of, and what is known of them.
#[derive(Debug)]
pub struct Material<'m> {
    /// The incidents that the rule is to match, one or several; the tests are made of the first.
    pub of: &'m [Subject<'m>],
    /// The other incidents that were read: the rarer a fact is among them, the more it means.
    pub others: &'m [Subject<'m>],
    /// Modules and drivers that the incidents have more often than the others.
    pub over_represented: &'m [OverRepresented],
    /// Changes on their machines before the first of them.
    pub changes: &'m [ChangeBefore],
    /// All artifacts that were read.
    pub artifacts: &'m [Artifact],
}

/// The decisions of the author that are made already.
#[derive(Debug, Clone, Default)]
pub struct Decided {
    /// The area of the rule's id.
    pub area: String,
    /// The rest of the id; without it, one is made of the rule's selections.
    pub name: Option<String>,
    /// The cause.
    pub cause: Option<String>,
}

/// A drafted rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its id.
    pub id: String,
    /// The rule file.
    pub yaml: String,
    /// How many selections it has.
    pub selections: usize,
    /// How many tests it has.
    pub tests: usize,
    /// The keys that its author has to decide.
    pub to_decide: Vec<&'static str>,
}

/// A selection of the draft.
#[derive(Debug)]
pub(super) struct Chosen {
    pub name: &'static str,
    pub term: DraftTerm,
    /// A description, with the kind of file that shows it and how common it is.
    pub comment: String,
}

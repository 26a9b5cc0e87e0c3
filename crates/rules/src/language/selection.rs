//! Selections: what facts must be, as typed terms.

use crate::language::{Compare, EntryFilter, FieldTerm, Quantifier, Sequence};
use facts::schema::{FactDefinition, ListDefinition, OTHER_INCIDENTS};
use spanned_yaml::Span;

/// A named selection: it holds when all terms of one of its alternatives hold.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// Its name.
    pub name: String,
    /// Its alternatives; the terms of each in the order in which they are evaluated, the cheapest first.
    pub alternatives: Vec<Vec<Term>>,
}

impl Selection {
    /// The terms of all its alternatives.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        self.alternatives.iter().flatten()
    }
}

/// One line of a selection.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    /// Its place in the file.
    pub span: Span,
    /// What it asks of an incident, read when first needed.
    pub test: Test,
}

/// The question of a term. Facts and lists are given by their index in the schema.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// A fact must fit a comparison.
    Fact { index: usize, fact: &'static FactDefinition, compare: Compare },
    /// A fact must be known, or must not be.
    FactKnown { index: usize, fact: &'static FactDefinition, known: bool },
    /// A number of entries of a list must fit.
    List { index: usize, list: &'static ListDefinition, quantifier: Quantifier, entries: EntryFilter },
    /// Entries of a list must follow one another in the given order.
    Sequence { index: usize, list: &'static ListDefinition, sequence: Sequence },
    /// A list must be known, or must not be.
    ListKnown { index: usize, list: &'static ListDefinition, known: bool },
}

impl Test {
    /// How much time a test takes, as a rank: lists come after facts, whatever they compare.
    pub(crate) fn cost(&self) -> u8 {
        match self {
            Self::FactKnown { .. } | Self::ListKnown { .. } => 0,
            Self::Fact { compare, .. } => compare.cost(),
            // Which other incidents there are is found out when a rule asks, so that is asked last.
            Self::List { .. } | Self::Sequence { .. } => {
                let dearest = self.field_terms().map(|term| term.test.compare().map_or(0, Compare::cost));
                let list = if self.path() == OTHER_INCIDENTS { 100 } else { 10 };
                dearest.max().unwrap_or_default().saturating_add(list)
            }
        }
    }

    /// The path of the fact or list that it asks for.
    pub fn path(&self) -> &'static str {
        match self {
            Self::Fact { fact, .. } | Self::FactKnown { fact, .. } => fact.path,
            Self::List { list, .. } | Self::Sequence { list, .. } | Self::ListKnown { list, .. } => list.name,
        }
    }

    /// What it asks of the fields of a list's entries.
    pub fn field_terms(&self) -> impl Iterator<Item = &FieldTerm> {
        self.entries().flat_map(|entries| entries.alternatives.iter().flatten())
    }

    /// The filters for entries of its list: one, or one for each step of a sequence.
    pub fn entries(&self) -> impl Iterator<Item = &EntryFilter> {
        let (one, steps): (Option<&EntryFilter>, &[EntryFilter]) = match self {
            Self::List { entries, .. } => (Some(entries), &[]),
            Self::Sequence { sequence, .. } => (None, &sequence.steps),
            Self::Fact { .. } | Self::FactKnown { .. } | Self::ListKnown { .. } => (None, &[]),
        };
        one.into_iter().chain(steps)
    }
}

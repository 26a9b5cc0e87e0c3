//! The facts of one incident, prepared so that many rules can compare them.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::value::fold;
use crate::facts::schema::{FactDefinition, LISTS, SCALARS};
use crate::facts::{EvidenceRef, FactSet, FactType, Value};

/// A value in the form in which it compares.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// The value as it was read.
    pub value: &'a Value,
    kind: FactType,
    folded: OnceCell<Cow<'a, str>>,
    /// Where it is from.
    pub from: Option<EvidenceRef>,
}

impl<'a> Seen<'a> {
    fn new(definition: &FactDefinition, value: &'a Value, from: Option<EvidenceRef>) -> Self {
        Self { value, kind: definition.kind, folded: OnceCell::new(), from }
    }

    /// Texts: folded, when a rule first asks. Empty for all other values.
    pub fn folded(&self) -> &str {
        self.folded.get_or_init(|| match self.value {
            Value::Text(text) => fold(self.kind, text),
            _ => Cow::Borrowed(""),
        })
    }
}

/// An entry of a list: its fields in the order of the list's definition.
#[derive(Debug)]
pub(super) struct Row<'a> {
    fields: Vec<Option<Seen<'a>>>,
    /// Where it is from.
    pub from: Option<EvidenceRef>,
}

impl<'a> Row<'a> {
    /// The value of a field, by its index in the list's definition.
    pub fn field(&self, index: usize) -> Option<&Seen<'a>> {
        self.fields.get(index)?.as_ref()
    }
}

/// All facts of one incident. Facts and lists go by their index in the schema; a list is prepared when the first rule
/// asks for it, because most incidents are decided without.
#[derive(Debug)]
pub(super) struct View<'a> {
    facts: &'a FactSet,
    scalars: Vec<Option<Seen<'a>>>,
    lists: Vec<OnceCell<Option<Vec<Row<'a>>>>>,
}

impl<'a> View<'a> {
    /// Prepares the facts of an incident.
    pub fn new(facts: &'a FactSet) -> Self {
        let scalars = SCALARS.iter().map(|definition| {
            let known = facts.get(definition.path)?;
            Some(Seen::new(definition, &known.value, known.from))
        });
        Self { facts, scalars: scalars.collect(), lists: LISTS.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The facts.
    pub fn facts(&self) -> &'a FactSet {
        self.facts
    }

    /// A fact's value, if it is known.
    pub fn scalar(&self, index: usize) -> Option<&Seen<'a>> {
        self.scalars.get(index)?.as_ref()
    }

    /// A list's entries, if the list is known.
    pub fn list(&self, index: usize) -> Option<&[Row<'a>]> {
        let prepared = self.lists.get(index)?.get_or_init(|| {
            let definition = LISTS.get(index)?;
            let rows = self.facts.list(definition.name)?.iter().map(|record| Row {
                fields: definition
                    .fields
                    .iter()
                    .map(|field| record.get(field.path).map(|value| Seen::new(field, value, record.from)))
                    .collect(),
                from: record.from,
            });
            Some(rows.collect())
        });
        prepared.as_deref()
    }
}

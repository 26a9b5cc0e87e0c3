//! What entries of a list must be.

use crate::language::{Compare, Order};
use facts::Value;
use facts::schema::{FactDefinition, ListDefinition};

/// A filter for entries of a list: an entry fits that meets all terms of one alternative. Without alternatives every
/// entry fits.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryFilter {
    pub alternatives: Vec<Vec<FieldTerm>>,
}

/// What a field of an entry must be.
#[derive(Debug, Clone)]
pub(crate) struct FieldTerm {
    pub field: Field,
    /// What it must be.
    pub test: FieldTest,
}

/// A field of the entries of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub list: &'static ListDefinition,
    /// Its index in the list's definition.
    pub index: usize,
    pub definition: &'static FactDefinition,
}

impl Field {
    /// The field of this name, if the list has it.
    pub fn find(list: &'static ListDefinition, name: &str) -> Option<Self> {
        let (index, definition) = list.fields.iter().enumerate().find(|(_, field)| field.path == name)?;
        Some(Self { list, index, definition })
    }
}

/// What is asked of a field.
#[derive(Debug, Clone)]
pub(crate) enum FieldTest {
    Value(Compare),
    Known(bool),
}

/// What is asked of a field, by its name.
pub(crate) fn tests_of<'t>(terms: &'t [FieldTerm], name: &str) -> impl Iterator<Item = &'t FieldTest> {
    terms.iter().filter(move |term| term.field.definition.path == name).map(|term| &term.test)
}

impl FieldTest {
    /// The comparison with a value, if it is one.
    pub fn compare(&self) -> Option<&Compare> {
        match self {
            Self::Value(compare) => Some(compare),
            Self::Known(_) => None,
        }
    }

    /// The most that the field may be, by a bound.
    pub fn at_most(&self) -> Option<u64> {
        match self.compare()? {
            Compare::Order { order: Order::Less | Order::AtMost, bound: Value::Number(bound) } => Some(*bound),
            _ => None,
        }
    }

    /// The values that the field may have, if the test restricts it to some.
    pub fn one_of(&self) -> Option<&[Value]> {
        match self.compare()? {
            Compare::Equal(values) => Some(values),
            _ => None,
        }
    }

    /// Whether it can hold only for an entry that has the field.
    pub fn needs_field(&self) -> bool {
        !matches!(self, Self::Known(false))
    }
}

//! Fields of entries that are made when a rule asks for them.

use std::sync::{Arc, OnceLock};

use super::schema::FactType;
use super::value::{Value, text};

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub enum FieldValue<'a> {
    /// A word or another text without upper case.
    Word(&'a str),
    /// A number or code.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text {
        /// The text as it was read.
        written: &'a Arc<str>,
        /// The kind of text, which decides how it is compared.
        kind: FactType,
        /// The text as it is compared; set on its first comparison.
        folded: &'a OnceLock<Box<str>>,
    },
}

impl FieldValue<'_> {
    /// The value of a fact.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Word(word) => text(word),
            Self::Number(number) => Value::Number(number),
            Self::Flag(flag) => Value::Flag(flag),
            Self::Text { written, .. } => Value::Text(Arc::clone(written)),
        }
    }
}

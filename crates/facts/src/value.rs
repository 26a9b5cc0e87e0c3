//! The values of facts, and the records that lists are made of.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde_with::SerializeDisplay;

use super::schema::{self, FactType};
use evidence::Version;

/// The number of an evidence item of the incident: 1 is `e1` in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay)]
pub struct EvidenceRef(pub u16);

/// A fact's value. Which variant it is follows from the fact's [`FactType`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Words, texts, module names and paths.
    Text(Arc<str>),
    /// Numbers, codes and addresses.
    Number(u64),
    /// Versions.
    Version(Version),
    /// Yes or no.
    Flag(bool),
}

/// One entry of a list fact: values by field name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Field values, in the order of the list's definition; absent fields are absent.
    pub fields: Vec<(&'static str, Value)>,
    /// The evidence that the entry comes from.
    pub from: Option<EvidenceRef>,
}

impl Record {
    /// A record of the fields whose values are known.
    pub(crate) fn of_known<const N: usize>(
        fields: [(&'static str, Option<Value>); N],
        from: Option<EvidenceRef>,
    ) -> Self {
        Self { fields: fields.into_iter().filter_map(|(field, value)| Some((field, value?))).collect(), from }
    }

    /// A record of the one field `name`.
    pub(crate) fn of_name(name: &Arc<str>, from: Option<EvidenceRef>) -> Self {
        Self { fields: vec![("name", name.clone().into())], from }
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value)
    }
}

/// The number that reports give the evidence at this index; `None` beyond 65,535.
pub(crate) fn evidence(number: usize) -> Option<EvidenceRef> {
    u16::try_from(number.checked_add(1)?).ok().map(EvidenceRef)
}

/// A text.
pub(crate) fn text(text: &str) -> Value {
    Value::Text(Arc::from(text))
}

/// A word of the schema. An incident has hundreds of them (each module's location, each frame's trust), so each word
/// has one copy for all.
pub(crate) fn word(word: &'static str) -> Value {
    static WORDS: LazyLock<HashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
        let of_lists = schema::LISTS.iter().flat_map(|list| list.fields);
        let kinds = schema::SCALARS.iter().chain(of_lists).map(|definition| definition.kind);
        let words = kinds.flat_map(|kind| match kind {
            FactType::Word(words) => words,
            _ => &[],
        });
        words.map(|word| (*word, Arc::from(*word))).collect()
    });
    WORDS.get(word).map_or_else(|| text(word), |shared| shared.clone().into())
}

/// Implements `From` for the plain types that values are made of.
macro_rules! from_plain {
    ($($plain:ty => $variant:ident,)+) => {
        $(impl From<$plain> for Value {
            fn from(plain: $plain) -> Self {
                Self::$variant(plain.into())
            }
        })+
    };
}

from_plain! {
    Arc<str> => Text,
    u8 => Number,
    u16 => Number,
    u32 => Number,
    u64 => Number,
    Version => Version,
    bool => Flag,
}

impl Value {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a fact of this type can have the value: it is of the type's variant and, for a closed set of words, one
    /// of these.
    #[must_use]
    pub fn is_of(&self, kind: FactType) -> bool {
        match (self, kind) {
            (Self::Text(word), FactType::Word(words)) => words.contains(&&**word),
            (Self::Text(_), FactType::Module | FactType::Path | FactType::Text)
            | (Self::Number(_), FactType::Code | FactType::Number | FactType::Duration | FactType::Address)
            | (Self::Version(_), FactType::Version)
            | (Self::Flag(_), FactType::Flag) => true,
            _ => false,
        }
    }

    /// The value as reports and explanations write it, which depends on the fact's type: codes with eight digits,
    /// addresses in lower-case hexadecimal, numbers in decimal.
    #[must_use]
    pub fn display(&self, kind: FactType) -> String {
        match (self, kind) {
            (Self::Number(code), FactType::Code) => format!("0x{code:08X}"),
            (Self::Number(address), FactType::Address) => format!("{address:#x}"),
            (Self::Number(number), _) => number.to_string(),
            (Self::Text(text), _) => text.to_string(),
            (Self::Version(version), _) => version.to_string(),
            (Self::Flag(flag), _) => flag.to_string(),
        }
    }
}

impl fmt::Display for EvidenceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

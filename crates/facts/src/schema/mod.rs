//! Every fact that a rule can ask for: path, type, meaning, and which artifact brings it.
//!
//! The facts are data, `schema.yaml`, of which the build puts what it holds into the crate. Adding a fact is adding an
//! entry there and setting it where facts are made from an incident. Paths are stable.

mod sources;
mod words;

use std::sync::LazyLock;

use knowledge_tables::facts as rows;

pub use knowledge_tables::facts::Absent;
pub use sources::not_given;
pub use words::*;

/// The type of a fact: how it is written in a rule and how it compares.
///
/// The lower-case names of its variants are those of `schema.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FactType {
    /// One of a closed set of words.
    Word(&'static [&'static str]),
    /// A 32-bit code in any spelling: `0xC0000409`, `-1073740791`, `3221226505`.
    Code,
    /// A whole number.
    Number,
    /// A length of time in whole seconds: `300`, `5 min`, `2 h`, `3 d`.
    Duration,
    /// An address or offset, written in hexadecimal.
    Address,
    /// A version of one to four parts.
    Version,
    /// A module's file name; compared without regard to case, path ignored.
    Module,
    /// A path; compared without regard to case, `/` equals `\`.
    Path,
    /// Any text; compared without regard to case.
    Text,
    /// `true` or `false`.
    Flag,
}

impl FactType {
    /// What a rule author calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module name",
            Self::Flag => "true or false",
            _ => self.into(),
        }
    }
}

/// A fact with one value.
#[derive(Debug, Clone, Copy)]
pub struct FactDefinition {
    /// Its path (or, in a list, its field name).
    pub path: &'static str,
    /// Its type.
    pub kind: FactType,
    /// What it means.
    pub about: &'static str,
    /// The artifacts that contain it: `a minidump or Report.wer`. Reports name them under "what to collect".
    pub from: &'static str,
    /// For a field of a list: the meaning of an entry without it.
    pub absent: &'static Absent<'static>,
}

/// A fact with many entries.
#[derive(Debug, Clone, Copy)]
pub struct ListDefinition {
    /// Its name.
    pub name: &'static str,
    /// The fields of an entry.
    pub fields: &'static [FactDefinition],
    /// What it means, and when it is known.
    pub about: &'static str,
    /// The artifacts that contain it.
    pub from: &'static str,
}

/// The `from` text of facts that every artifact can contain. In a field of a list it means: the same artifacts as the
/// list.
pub const ANY: &str = "any artifact";
/// The list of the other incidents of a run that share something with one.
pub const OTHER_INCIDENTS: &str = "other_incidents";

/// The schema as the build encoded it.
static ENCODED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/schema.bin"));

/// Facts with one value, sorted by path.
pub static SCALARS: LazyLock<Vec<FactDefinition>> =
    LazyLock::new(|| decoded().facts.into_iter().map(FactDefinition::from_row).collect());

/// Facts with many entries, sorted by name.
pub static LISTS: LazyLock<Vec<ListDefinition>> = LazyLock::new(|| {
    let lists = decoded().lists.into_iter();
    lists
        .map(|rows::List { name, from, about, fields }| ListDefinition {
            name,
            fields: Box::leak(fields.into_iter().map(FactDefinition::from_row).collect()),
            about,
            from,
        })
        .collect()
});

/// Only a program that was put together wrongly can't decode it; a test finds that out.
fn decoded() -> rows::Schema<'static> {
    postcard::from_bytes(ENCODED).unwrap_or_default()
}

impl FactDefinition {
    fn from_row(row: rows::Fact<'static>) -> Self {
        let rows::Fact { path, kind, words, from, about, absent } = row;
        let kind = kind.parse().unwrap_or_else(|_| match kind.strip_prefix("words ") {
            Some(name) => FactType::Word(words::called(name)),
            None => FactType::Word(words.leak()),
        });
        Self { path, kind, about, from, absent: Box::leak(Box::new(absent)) }
    }
}

/// The definition of a fact with one value.
#[must_use]
pub fn scalar(path: &str) -> Option<&'static FactDefinition> {
    let index = SCALARS.binary_search_by(|definition| definition.path.cmp(path)).ok()?;
    SCALARS.get(index)
}

/// The definition of a list.
#[must_use]
pub fn list(name: &str) -> Option<&'static ListDefinition> {
    LISTS.iter().find(|definition| definition.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_whole_and_its_types_are_known() {
        assert!(SCALARS.len() > 150 && LISTS.len() > 20, "{} {}", SCALARS.len(), LISTS.len());
        for fact in SCALARS.iter().chain(LISTS.iter().flat_map(|list| list.fields)) {
            assert!(!matches!(fact.kind, FactType::Word([])), "the type of {}", fact.path);
        }
    }
}

//! What facts can be: in a comparison, and in the facts of a test.

use serde_json::{Map, Value, json};

use super::{recorded_name, reference, sentence};
use facts::FactType;
use facts::schema::{FactDefinition, LISTS, ListDefinition, SCALARS};
use rules::language::Modifier;

/// The facts of a test: single values, and lists of entries.
pub(super) fn facts_of_a_test() -> Map<String, Value> {
    let value = |fact: &FactDefinition| {
        let value = json!({"allOf": [single(fact.kind)], "description": sentence(fact.about)});
        (fact.path.to_owned(), value)
    };
    let entries = |list: &ListDefinition| {
        let entries = json!({
            "type": "array",
            "items": reference(&recorded_name(list)),
            "description": sentence(list.about),
        });
        (list.name.to_owned(), entries)
    };
    SCALARS.iter().map(value).chain(LISTS.iter().map(entries)).collect()
}

/// The fields of an entry of a list in a test.
pub(super) fn recorded(list: &ListDefinition) -> Map<String, Value> {
    list.fields.iter().map(|field| (field.path.to_owned(), single(field.kind))).collect()
}

/// A value that a fact is compared with for equality, where module names have no paths and nothing is a pattern.
pub(super) fn equal(kind: FactType) -> Value {
    match kind {
        FactType::Module => reference("module"),
        FactType::Path => reference("path"),
        _ => single(kind),
    }
}

/// A value of a fact.
fn single(kind: FactType) -> Value {
    match kind {
        FactType::Word(words) => json!({"enum": words}),
        FactType::Code => reference("code"),
        FactType::Number => reference("number"),
        FactType::Duration => reference("duration"),
        FactType::Address => reference("address"),
        FactType::Version => reference("version"),
        FactType::Flag => reference("flag"),
        FactType::Module | FactType::Path | FactType::Text => reference("text"),
    }
}

/// What a text is searched for.
pub(super) fn part(kind: FactType, modifier: Modifier) -> Value {
    match (kind, modifier) {
        // YAML makes numbers and truth values of some texts.
        (_, Modifier::Regex) => json!({"type": ["string", "number", "boolean"], "minLength": 1, "format": "regex"}),
        (FactType::Module, _) => reference("part of a module name"),
        _ => reference("part"),
    }
}

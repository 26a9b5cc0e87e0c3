//! The schema of facts, made from their definitions.

use serde_json::{Map, Value, json};

use super::simple;
use facts::FactType;
use facts::schema::{FactDefinition, LISTS, ListDefinition, SCALARS};

/// The schema of the facts of one incident: a key for each fact and each list.
pub(super) fn facts() -> Value {
    let scalars = SCALARS.iter().map(|fact| {
        let about = format!("{}: {}. From {}.", fact.kind.name(), fact.about, fact.from);
        (fact.path.to_owned(), described(fact.kind, &about))
    });
    let lists = LISTS.iter().map(|list| (list.name.to_owned(), entries(list)));
    object(scalars.chain(lists).collect())
}

fn entries(list: &ListDefinition) -> Value {
    let field = |field: &FactDefinition| {
        let about = format!("{}: {}.", field.kind.name(), field.about);
        (field.path.to_owned(), described(field.kind, &about))
    };
    json!({
        "type": "array",
        "items": object(list.fields.iter().map(field).collect()),
        "description": format!("list: {}. From {}.", list.about, list.from),
    })
}

fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "properties": properties})
}

fn described(kind: FactType, about: &str) -> Value {
    let schema = match kind {
        FactType::Word(words) => json!({"enum": words}),
        FactType::Code => simple("code"),
        FactType::Address => simple("hex"),
        FactType::Version => simple("version"),
        FactType::Number | FactType::Duration => simple("whole number"),
        FactType::Flag => simple("boolean"),
        FactType::Module | FactType::Path | FactType::Text => simple("string"),
    };
    super::with(schema, "description", Value::from(about))
}

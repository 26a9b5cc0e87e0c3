//! The JSON Schema of rule files and of the files with their tests, for editors: what they complete, explain and
//! underline while a rule is written.
//!
//! What is the same for every rule set is in `template.json`. Causes, ids, facts, lists and words are put into it from
//! the tables that the reader of rules uses, so that a new one is in the schema by being there. A schema knows less than
//! `rules check`: it can't look inside conditions, templates and regular expressions, and can't compare two keys. What
//! it refuses, `rules check` refuses, too.
//!
//! Draft 7, which is what editors' YAML support knows best.

mod terms;
mod values;

use serde_json::{Map, Value, json};

use self::terms::{fields, terms};
use self::values::{facts_of_a_test, recorded};
use facts::schema::{LISTS, ListDefinition, PLACES, SCALARS};
use rule_syntax::condition::RESERVED;
use rules::language::OVERRIDABLE;
use rules::{Audience, Cause, Cost, Outcome, Risk, Rule, RuleSet, Severity};

/// The schema without what depends on the rule set or is in other tables: those places are empty.
const TEMPLATE: &str = include_str!("template.json");

/// The schema of rule files, and of the files with their tests, that may name the causes and lists of `rules`.
#[must_use]
pub fn json_schema(rules: &RuleSet) -> Value {
    let mut schema: Value = serde_json::from_str(TEMPLATE).unwrap_or_default();
    let mut put = |place: &str, value: Value| {
        if let Some(empty) = schema.pointer_mut(&format!("/definitions/{place}")) {
            *empty = value;
        }
    };
    let cause = |cause: &Cause| json!({"const": cause.id, "description": cause.means});
    put("rule/properties/cause/oneOf", rules.causes().iter().map(cause).collect());
    put("rule/properties/severity/enum", json!(Severity::ALL.map(Severity::word)));
    put("rule/properties/selections/propertyNames/not/enum", json!(RESERVED));
    let facts = SCALARS.iter().map(|fact| fact.path).chain(LISTS.iter().map(|list| list.name));
    put("rule/properties/requires/items/enum", facts.collect());
    let mut of_steps =
        |key: &str, words: Value| put(&format!("rule/properties/remediation/items/properties/{key}/enum"), words);
    of_steps("audience", json!(Audience::ALL.map(Audience::word)));
    of_steps("cost", json!(Cost::ALL.map(Cost::word)));
    of_steps("risk", json!(Risk::ALL.map(Risk::word)));
    put("tests/items/properties/expect/enum", json!(Outcome::EXPECTED.map(Outcome::word)));
    let ids: Value = rules.rules().iter().map(Rule::id).collect();
    for change in ["override", "disable", "suppress"] {
        put(&format!("{change}/properties/rule/enum"), ids.clone());
    }
    let (modules, lines) = (module_lists(rules), rules.line_list_names().collect());
    for (definition, words) in [("place", json!(PLACES)), ("list name", json!(modules)), ("list of lines", lines)] {
        put(&format!("{definition}/anyOf/0/enum"), words.clone());
        put(&format!("{definition}/anyOf/1/items/enum"), words);
    }
    put("terms", mapping(terms()));
    put("facts", possibly_empty(facts_of_a_test()));
    let overridable = OVERRIDABLE
        .map(|key| (key, schema.pointer(&format!("/definitions/rule/properties/{key}")).cloned().unwrap_or_default()));
    add(&mut schema, "/definitions/override/properties", overridable.map(|(key, value)| (key.to_owned(), value)));
    let of_lists = LISTS.iter().flat_map(|list| {
        [(entry_name(list), mapping(fields(list))), (recorded_name(list), possibly_empty(recorded(list)))]
    });
    add(&mut schema, "/definitions", of_lists);
    schema
}

/// Adds keys to the mapping at a place of the schema.
fn add(schema: &mut Value, place: &str, entries: impl IntoIterator<Item = (String, Value)>) {
    if let Some(Value::Object(mapping)) = schema.pointer_mut(place) {
        mapping.extend(entries);
    }
}

/// The names of the lists of modules, sorted, each once.
fn module_lists(rules: &RuleSet) -> Vec<&str> {
    let mut names: Vec<&str> = rules.lists().map(|(_, list)| list.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// One value, or a list of values of which one must hold.
fn one_or_more(one: Value) -> Value {
    json!({"anyOf": [one.clone(), {"type": "array", "minItems": 1, "items": one}]})
}

/// A mapping with at least one of these keys, and no others.
fn mapping(properties: Map<String, Value>) -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "required": [],
        "additionalProperties": false,
        "properties": properties,
    })
}

/// A mapping with any of these keys, and no others.
fn possibly_empty(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "properties": properties, "required": [], "additionalProperties": false})
}

/// A reference to a definition of the schema.
fn reference(definition: &str) -> Value {
    json!({"$ref": format!("#/definitions/{}", definition.replace(' ', "%20"))})
}

/// The name of the schema definition for what a selection asks of a list's entry.
fn entry_name(list: &ListDefinition) -> String {
    format!("{}-entry", list.name)
}

/// The name of the schema definition for a list's entry in a test.
fn recorded_name(list: &ListDefinition) -> String {
    format!("{}-in-test", list.name)
}

/// The phrase of a definition as a sentence.
fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

//! The JSON Schema of rule files and of the files with their tests, for editors: what they complete, explain and underline while a rule is written.
//!
//! It is made of the same tables as the reader of rules, so that a new fact, cause or word is in it by being there. It
//! knows less than `rules check`: what lies inside conditions, templates and regular expressions, and what one key says
//! about another, a schema can't tell. What it refuses, `rules check` refuses, too.
//!
//! Draft 7, which is what editors' YAML support knows best.

mod rule;
mod terms;
mod values;

use serde_json::{Map, Value, json};

use self::rule::{ID, rule, tests};
use self::terms::{fields, terms};
use self::values::{code, facts_of_a_test, recorded};
use super::overlay::{OVERLAY_KEYS, OVERRIDABLE};
use super::rule::Rule;
use super::rule_set::RuleSet;
use facts::schema::{LISTS, ListDefinition, PLACES};

/// What an editor reads as a plain text: YAML makes numbers and truth values of some.
const TEXT_TYPES: [&str; 3] = ["string", "number", "boolean"];

/// The schema of rule files, and of the files with their tests, that may name the causes and lists of `rules`.
#[must_use]
pub fn json_schema(rules: &RuleSet) -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Rules of crashsift",
        "type": "object",
        "required": ["schema"],
        "anyOf": std::iter::once("rules").chain(["tests"]).chain(OVERLAY_KEYS).map(|key| json!({"required": [key]})).collect::<Vec<_>>(),
        "dependencies": {"tests": {"propertyNames": {"enum": ["schema", "tests"]}}},
        "additionalProperties": false,
        "properties": {
            "schema": {"enum": [1, "1"], "description": "Version of the language of rules."},
            "rules": {"type": "array", "minItems": 1, "items": reference("rule"), "description": "The rules of this file."},
            "tests": {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": ID},
                "additionalProperties": reference("tests"),
                "description": "In NAME.tests.yaml: the tests of the rules in NAME.yaml, by the rules' ids.",
            },
            "override": changes("override", "What is said anew of rules of earlier rule sets."),
            "disable": changes("disable", "Rules of earlier rule sets that judge nothing."),
            "suppress": changes("suppress", "Findings of earlier rule sets' rules that nobody wants to see."),
        },
        "definitions": definitions(rules),
    })
}

fn definitions(rules: &RuleSet) -> Value {
    let mut all = object([
        ("rule", rule(rules)),
        ("tests", tests()),
        ("override", overlay(rules, "override")),
        ("disable", overlay(rules, "disable")),
        ("suppress", overlay(rules, "suppress")),
        ("text", json!({"type": TEXT_TYPES, "pattern": r"\S"})),
        ("texts", json!({"type": "array", "minItems": 1, "items": reference("text")})),
        ("selection", one_or_more(reference("terms"))),
        ("terms", mapping(terms(), &[])),
        ("facts", possibly_empty(mapping(facts_of_a_test(), &[]))),
        ("exists", json!({"enum": [true, false, "true", "false"], "description": "Whether it is known."})),
        ("code", code()),
        (
            "number",
            json!({"anyOf": [{"type": "integer", "minimum": 0}, text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]+|(FAST_FAIL|ERROR|RPC|DNS|WSA)[A-Z0-9_]+)\s*$")]}),
        ),
        (
            "address",
            json!({"anyOf": [{"type": "integer", "minimum": 0}, text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]|[0-9A-Fa-f]*([0-9][A-Fa-f]|[A-Fa-f][0-9])[0-9A-Fa-f]*)\s*$")]}),
        ),
        (
            "duration",
            json!({
                "anyOf": [
                    {"type": "integer", "minimum": 0},
                    text_of(r"^\s*(0[xX][0-9A-Fa-f]+|[0-9]+\s*(s|min|h|d)?)\s*$"),
                ],
                "description": "Seconds, or a number with its unit: 90 s, 5 min, 2 h, 3 d.",
            }),
        ),
        ("place", one_or_more(json!({"enum": PLACES}))),
        ("version", json!({"anyOf": [{"type": "number", "minimum": 0}, text_of(r"^\s*[0-9]+(\.[0-9]+){0,3}\s*$")]})),
        ("module", any_scalar(r"^[^\\/*?]*[^\\/*?\s][^\\/*?]*$")),
        ("path", any_scalar(r"^[^*?]*[^*?\s][^*?]*$")),
        ("flag", json!({"enum": [true, false, "true", "false"]})),
        ("part", json!({"type": TEXT_TYPES, "minLength": 1})),
        ("part of a module name", any_scalar(r"^[^\\/]+$")),
        ("list name", one_or_more(json!({"enum": list_names(rules)}))),
        ("list of lines", one_or_more(json!({"enum": rules.known_lists().line_names().collect::<Vec<_>>()}))),
        ("bound", json!({"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"})),
    ]);
    for list in LISTS.iter() {
        all.insert(entry_name(list), mapping(fields(list), &[]));
        all.insert(recorded_name(list), recorded(list));
    }
    Value::Object(all)
}

/// A list of overlays of one kind.
fn changes(kind: &str, about: &str) -> Value {
    json!({"type": "array", "minItems": 1, "items": reference(kind), "description": about})
}

/// What stands in an entry of `override`, `disable` or `suppress`.
fn overlay(rules: &RuleSet, kind: &str) -> Value {
    let text = |about: &str| json!({"allOf": [reference("text")], "description": about});
    let ids: Vec<&str> = rules.rules().iter().map(Rule::id).collect();
    let mut properties = object([
        ("rule", json!({"enum": ids, "description": "The id of a rule of an earlier rule set."})),
        ("reason", text("Why. Reports show it.")),
    ]);
    match kind {
        "override" => {
            let of_rules = rule(rules);
            for key in OVERRIDABLE {
                properties.insert(
                    key.to_owned(),
                    of_rules.pointer(&format!("/properties/{key}")).cloned().unwrap_or_default(),
                );
            }
            mapping(properties, &["rule"])
        }
        "suppress" => {
            let until = "The last day, in UTC, whose incidents are suppressed.";
            properties.insert(
                "until".to_owned(),
                json!({"type": "string", "pattern": r"^\s*\d{4}-\d{2}-\d{2}\s*$", "description": until}),
            );
            properties.insert("hosts".to_owned(), json!({"allOf": [reference("texts")], "description": "Names of computers; `*` is any text, `?` any one character."}));
            properties.insert(
                "when".to_owned(),
                json!({"allOf": [reference("selection")], "description": "What the incident's facts must be."}),
            );
            mapping(properties, &["rule", "reason"])
        }
        _ => mapping(properties, &["rule", "reason"]),
    }
}

fn possibly_empty(mut mapping: Value) -> Value {
    if let Value::Object(mapping) = &mut mapping {
        mapping.remove("minProperties");
    }
    mapping
}

/// The names of the lists of modules.
fn list_names(rules: &RuleSet) -> Vec<&str> {
    let mut names: Vec<&str> = rules.lists().map(|(_, list)| list.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A text that YAML does not take for something else.
fn text_of(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

/// What is a text in a rule, whatever YAML takes it for.
fn any_scalar(pattern: &str) -> Value {
    json!({"type": TEXT_TYPES, "pattern": pattern})
}

/// One, or a list of which one must hold.
fn one_or_more(one: Value) -> Value {
    json!({"anyOf": [one.clone(), {"type": "array", "minItems": 1, "items": one}]})
}

fn mapping(properties: Map<String, Value>, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "minProperties": 1,
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    })
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn reference(definition: &str) -> Value {
    json!({"$ref": format!("#/definitions/{}", definition.replace(' ', "%20"))})
}

fn entry_name(list: &ListDefinition) -> String {
    format!("{}-entry", list.name)
}

fn recorded_name(list: &ListDefinition) -> String {
    format!("{}-in-test", list.name)
}

/// The words of a definition as a sentence.
fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

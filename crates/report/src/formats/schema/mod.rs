//! The JSON Schemas of what programs read: the report, its lines, a comparison, and the facts of an artifact.
//!
//! They are made of the table that describes every key; tests hold reports and the page for people against it. Within a
//! major version keys and words are added, so neither is closed: a report of a later version fits as well.
//!
//! Draft 2020-12.

mod facts;
mod keys;

use serde_json::{Map, Value, json};

use keys::{Key, Keys};

/// A code: `0x` and eight upper-case digits.
const CODE: &str = "^0x[0-9A-F]{8}$";
/// A number in hexadecimal: lower-case digits without leading zeros.
const HEX: &str = "^0x(0|[1-9a-f][0-9a-f]*)$";

/// The types of JSON Lines that hold an object or list entry of the document, and its path there. What else the document
/// has is in the line of type `run`.
const LINES: [(&str, &str); 7] = [
    ("artifact", "artifacts[]"),
    ("incident", "incidents[]"),
    ("machine", "machines[]"),
    ("group", "groups[]"),
    ("coverage", "coverage"),
    ("comparison", "comparison"),
    ("summary", "summary"),
];

/// The schema of the report in JSON.
#[must_use]
pub fn report() -> Value {
    document("Report of crashsift", object(&Keys::of("report"), "", |_| true))
}

/// The schema of one line of the report in JSON Lines.
#[must_use]
pub fn lines() -> Value {
    let keys = Keys::of("report");
    let in_other_lines = |key: &Key| LINES.iter().any(|(_, path)| path.trim_end_matches("[]") == key.name);
    let run = ("run", object(&keys, "", |key| !in_other_lines(key)));
    let others = LINES.iter().map(|(kind, path)| (*kind, object(&keys, path, |_| true)));
    let lines: Vec<Value> = std::iter::once(run).chain(others).map(|(kind, schema)| with_type(schema, kind)).collect();
    document("Line of a report of crashsift", json!({"type": "object", "required": ["type"], "oneOf": lines}))
}

/// The schema of what `crashsift compare -f json` writes.
#[must_use]
pub fn comparison() -> Value {
    let keys = Keys::of("report");
    let mut schema = object(&keys, "", |key| ["schema_version", "tool", "comparison"].contains(&key.name));
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("required".to_owned(), json!(["schema_version", "tool", "comparison"]));
    }
    document("Comparison of two reports of crashsift", schema)
}

/// The schema of what `crashsift inspect -f json` writes.
#[must_use]
pub fn facts() -> Value {
    let report = Keys::of("report");
    let keys = Keys::of("facts");
    let mut schema = object(&keys, "", |_| true);
    for (pointer, of_report) in [
        ("/properties/tool", object(&report, "tool", |_| true)),
        ("/properties/artifacts/items", object(&report, "artifacts[]", |_| true)),
        ("/properties/incidents/items/properties/evidence/items", object(&report, "incidents[].evidence[]", |_| true)),
        ("/properties/incidents/items/properties/facts", facts::facts()),
    ] {
        if let (Some(place), Value::Object(of_report)) = (schema.pointer_mut(pointer), of_report) {
            let description = place.get("description").cloned();
            *place = Value::Object(of_report);
            if let (Some(place), Some(description)) = (place.as_object_mut(), description) {
                place.insert("description".to_owned(), description);
            }
        }
    }
    document("Facts of an artifact by crashsift", schema)
}

fn document(title: &str, schema: Value) -> Value {
    let mut all = Map::new();
    all.insert("$schema".to_owned(), Value::from("https://json-schema.org/draft/2020-12/schema"));
    all.insert("title".to_owned(), Value::from(title));
    if let Value::Object(schema) = schema {
        all.extend(schema);
    }
    Value::Object(all)
}

/// The object at `path` with those of its keys that are wanted.
fn object(all: &Keys, path: &str, wanted: impl Fn(&Key) -> bool) -> Value {
    let of_object = || all.of_object(path).iter().filter(|key| wanted(key));
    let properties: Map<String, Value> =
        of_object().map(|key| (key.name.to_owned(), described(key, value(all, path, key)))).collect();
    let required: Vec<&str> = of_object().filter(|key| key.absent_when.is_none()).map(|key| key.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// What a key means, beside the schema of its value.
fn described(key: &Key, mut schema: Value) -> Value {
    let mut about = key.meaning.to_owned();
    if let Some(when) = key.absent_when {
        about.push_str(&format!(" (absent: {when})"));
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), Value::from(about));
    }
    schema
}

/// The schema of a key's value by its type. A type that is not known fits nothing.
fn value(all: &Keys, object_path: &str, key: &Key) -> Value {
    let path = match object_path {
        "" => key.name.to_owned(),
        object => format!("{object}.{}", key.name),
    };
    let list = |items: Value| json!({"type": "array", "items": items});
    match key.kind {
        "object" => object(all, &path, |_| true),
        "list" => list(object(all, &format!("{path}[]"), |_| true)),
        "object of strings" => {
            // What is known of a machine has the same keys as what is known of an incident, which are described once.
            let path = if all.has(&path) { path } else { format!("incidents[].{}", key.name) };
            let mut schema = object(all, &path, |_| true);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("additionalProperties".to_owned(), json!({"type": "string"}));
            }
            schema
        }
        "object of whole numbers" => json!({"type": "object", "additionalProperties": simple("whole number")}),
        "list of strings" => list(simple("string")),
        "list of hex" => list(simple("hex")),
        "list of two numbers" => {
            json!({"type": "array", "items": simple("number"), "minItems": 2, "maxItems": 2})
        }
        kind => simple(kind),
    }
}

fn simple(kind: &str) -> Value {
    match kind {
        "string" | "string or empty" => json!({"type": "string"}),
        "word" => json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}),
        "time" => json!({
            "type": "string",
            "format": "date-time",
            "pattern": r"^-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$",
        }),
        "date" => json!({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
        "code" => json!({"type": "string", "pattern": CODE}),
        "hex" => json!({"type": "string", "pattern": HEX}),
        "whole number" => json!({"type": "integer", "minimum": 0}),
        "number" => json!({"type": "number"}),
        "boolean" => json!({"type": "boolean"}),
        _ => json!({"not": {}}),
    }
}

/// An object of JSON Lines.
fn with_type(mut schema: Value, kind: &str) -> Value {
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.insert("type".to_owned(), json!({"const": kind}));
    }
    if let Some(required) = schema.pointer_mut("/required").and_then(Value::as_array_mut) {
        required.push(Value::from("type"));
    }
    schema
}

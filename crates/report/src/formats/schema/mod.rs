//! The JSON Schemas of the JSON outputs: the report, its lines, a comparison, the facts of an artifact, and mistakes in rules.
//!
//! They are made from the table that describes every key; tests compare reports and the pages in `docs` with it. Within a
//! major version keys and words are added, so the schemas allow others: a report of a later version fits as well.
//!
//! Draft 2020-12.

mod facts;
mod keys;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use keys::{Key, Keys};

/// The schemas of simple values, by the words for their types. Codes are `0x` and eight upper-case digits, numbers in
/// hexadecimal have lower-case digits without leading zeros.
static SIMPLE: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("simple.json")).unwrap_or_default());

/// The types of JSON Lines that contain an object or list entry of the document, and its path there. All other keys of the
/// document are in the line of type `run`.
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
    document("Report of crashsift", object(&Keys::of_document("report"), "", |_| true))
}

/// The schema of one line of the report in JSON Lines.
#[must_use]
pub fn lines() -> Value {
    let keys = Keys::of_document("report");
    let in_other_lines = |key: &Key| LINES.iter().any(|(_, path)| path.trim_end_matches("[]") == key.name);
    let run = ("run", object(&keys, "", |key| !in_other_lines(key)));
    let others = LINES.iter().map(|(kind, path)| (*kind, object(&keys, path, |_| true)));
    let lines: Vec<Value> = std::iter::once(run).chain(others).map(|(kind, schema)| with_type(schema, kind)).collect();
    document("Line of a report of crashsift", json!({"type": "object", "required": ["type"], "oneOf": lines}))
}

/// The schema of the output of `crashsift compare -f json`.
#[must_use]
pub fn comparison() -> Value {
    let keys = Keys::of_document("report");
    let schema = object(&keys, "", |key| ["schema_version", "tool", "comparison"].contains(&key.name));
    let schema = with(schema, "required", json!(["schema_version", "tool", "comparison"]));
    document("Comparison of two reports of crashsift", schema)
}

/// The schema of the output of `crashsift inspect -f json`.
#[must_use]
pub fn facts() -> Value {
    let report = Keys::of_document("report");
    let keys = Keys::of_document("facts");
    let mut schema = object(&keys, "", |_| true);
    for (pointer, of_report) in [
        ("/properties/tool", object(&report, "tool", |_| true)),
        ("/properties/artifacts/items", object(&report, "artifacts[]", |_| true)),
        ("/properties/incidents/items/properties/evidence/items", object(&report, "incidents[].evidence[]", |_| true)),
        ("/properties/incidents/items/properties/facts", facts::facts()),
    ] {
        replace(&mut schema, pointer, of_report);
    }
    document("Facts of an artifact by crashsift", schema)
}

/// The schema of the output of `crashsift rules check -f json`.
#[must_use]
pub fn check() -> Value {
    let mut schema = object(&Keys::of_document("check"), "", |_| true);
    replace(&mut schema, "/properties/tool", object(&Keys::of_document("report"), "tool", |_| true));
    document("Mistakes in rules by crashsift", schema)
}

/// Puts another schema in the place of a part; the description stays.
fn replace(schema: &mut Value, pointer: &str, other: Value) {
    let Some(place) = schema.pointer_mut(pointer) else { return };
    let description = place.get("description").cloned();
    *place = match description {
        Some(description) => with(other, "description", description),
        None => other,
    };
}

fn document(title: &str, schema: Value) -> Value {
    let mut all = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title});
    if let (Some(all), Value::Object(schema)) = (all.as_object_mut(), schema) {
        all.extend(schema);
    }
    all
}

/// The object at `path` with those of its keys that are wanted.
fn object(all: &Keys, path: &str, wanted: impl Fn(&Key) -> bool) -> Value {
    let of_object = || all.of_object(path).iter().filter(|key| wanted(key));
    let properties: Map<String, Value> =
        of_object().map(|key| (key.name.to_owned(), described(key, value(all, path, key)))).collect();
    let required: Vec<&str> = of_object().filter(|key| key.absent_when.is_none()).map(|key| key.name).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

/// The schema of a key's value with the key's meaning.
fn described(key: &Key, schema: Value) -> Value {
    let mut about = key.meaning.to_owned();
    if let Some(when) = key.absent_when {
        about.push_str(&format!(" (absent: {when})"));
    }
    with(schema, "description", Value::from(about))
}

/// The schema with a key set to a value.
fn with(mut schema: Value, key: &str, value: Value) -> Value {
    if let Value::Object(keys) = &mut schema {
        keys.insert(key.to_owned(), value);
    }
    schema
}

/// The schema of a key's value by its type; no value fits an unknown type.
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
            // The environment of a machine has the keys of that of an incident, which are described once.
            let path = if all.has(&path) { path } else { format!("incidents[].{}", key.name) };
            with(object(all, &path, |_| true), "additionalProperties", json!({"type": "string"}))
        }
        // Frames are described once.
        "list of frames" => list(object(all, "incidents[].stack[]", |_| true)),
        "list of strings" => list(simple("string")),
        "list of hex" => list(simple("hex")),
        kind => simple(kind),
    }
}

fn simple(kind: &str) -> Value {
    SIMPLE.get(kind).cloned().unwrap_or_else(|| json!({"not": {}}))
}

/// The schema of a line: that of its object, with the key `type`.
fn with_type(mut schema: Value, kind: &str) -> Value {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("type".to_owned(), json!({"const": kind}));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.push(Value::from("type"));
    }
    schema
}

//! The facts of artifacts as one JSON document, as `crashsift inspect` writes it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{json, shape};
use crate::Inspected;
use crate::facts::schema::{self, FactType};
use crate::facts::{self, FactSet};
use crate::incident::Incident;

/// Writes what was inspected.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(inspected: &Inspected, out: &mut dyn Write) -> io::Result<()> {
    json::write_indented(&Document::of(inspected), out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    tool: shape::Tool,
    artifacts: Vec<shape::Artifact<'a>>,
    incidents: Vec<Known<'a>>,
    reports: &'a [String],
}

#[derive(Serialize)]
struct Known<'a> {
    id: &'a str,
    kind: &'static str,
    evidence: Vec<shape::Evidence<'a>>,
    facts: Map<String, Value>,
}

impl<'a> Document<'a> {
    fn of(inspected: &'a Inspected) -> Self {
        let known = |(incident, facts): &'a (Incident, FactSet)| Known {
            id: &incident.id,
            kind: incident.kind.word(),
            evidence: shape::Evidence::all(&inspected.artifacts, incident),
            facts: all(facts),
        };
        Self {
            schema_version: shape::SCHEMA_VERSION,
            tool: shape::TOOL,
            artifacts: inspected.artifacts.iter().map(shape::Artifact::of).collect(),
            incidents: inspected.incidents.iter().map(known).collect(),
            reports: &inspected.reports,
        }
    }
}

/// Every fact and list that is known, by its path.
fn all(facts: &FactSet) -> Map<String, Value> {
    let scalars = facts.scalars().filter_map(|(path, known)| {
        let definition = schema::scalar(path)?;
        Some((path.to_owned(), value(&known.value, definition.kind)))
    });
    let lists = facts.lists().filter_map(|(name, records)| {
        let definition = schema::list(name)?;
        let entries = records.iter().map(|record| {
            let fields = definition
                .fields
                .iter()
                .filter_map(|field| Some((field.path.to_owned(), value(record.get(field.path)?, field.kind))));
            Value::Object(fields.collect())
        });
        Some((name.to_owned(), entries.collect()))
    });
    scalars.chain(lists).collect()
}

/// A value as JSON; what is not a plain number or `true` and `false` is a text as reports write it.
pub(crate) fn value(value: &facts::Value, kind: FactType) -> Value {
    match (value, kind) {
        (facts::Value::Number(number), FactType::Number | FactType::Duration) => Value::from(*number),
        (facts::Value::Flag(flag), _) => Value::from(*flag),
        _ => Value::from(value.display(kind)),
    }
}

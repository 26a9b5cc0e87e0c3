//! The facts of artifacts as one JSON document, as `crashsift inspect` writes it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use std::collections::BTreeSet;

use super::json;
use crate::model::{Artifact, Evidence, Made};
use facts::FactSet;
use facts::schema::{self, FactType};
use incident::{Incident, Machine};
use rules::RuleSet;

/// The result of `crashsift inspect`.
#[derive(Debug)]
pub struct Inspected {
    /// The artifacts, as a report lists them.
    pub artifacts: Vec<Artifact>,
    /// The machines that event logs name, also those without incident.
    pub machines: Vec<Machine>,
    /// The incidents with their facts.
    pub incidents: Vec<(Incident, FactSet)>,
    /// The ids of incidents that are made only from texts in which nothing was recognised. A report leaves them out unless a
    /// rule finds something in them.
    pub unrecognised: BTreeSet<String>,
    /// Sentences about WER reports that are of no incident: failed updates, suspected leaks, missing drivers.
    pub reports: Vec<String>,
}

impl Inspected {
    /// Whether a report by these rules on the same artifacts contains this incident with these facts; limits of time are not
    /// considered.
    #[must_use]
    pub fn is_reported(&self, incident: &Incident, facts: &FactSet, rules: &RuleSet) -> bool {
        !self.unrecognised.contains(&incident.id) || {
            let judgement = rules.judge(facts);
            !judgement.findings.is_empty() || !judgement.suppressed.is_empty()
        }
    }
}

/// Writes the artifacts and incidents with their facts.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(inspected: &Inspected, out: &mut dyn Write) -> io::Result<()> {
    json::write_indented(&Document::of(inspected), out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    made: Made,
    artifacts: &'a [Artifact],
    incidents: Vec<Known<'a>>,
    reports: &'a [String],
}

#[derive(Serialize)]
struct Known<'a> {
    id: &'a str,
    kind: &'static str,
    evidence: Vec<Evidence<'a>>,
    facts: Map<String, Value>,
}

impl<'a> Document<'a> {
    fn of(inspected: &'a Inspected) -> Self {
        let known = |(incident, facts): &'a (Incident, FactSet)| Known {
            id: &incident.id,
            kind: incident.kind.word(),
            evidence: Evidence::all(&inspected.artifacts, incident),
            facts: all(facts),
        };
        Self {
            made: Made::NOW,
            artifacts: &inspected.artifacts,
            incidents: inspected.incidents.iter().map(known).collect(),
            reports: &inspected.reports,
        }
    }
}

/// All known facts and lists, by their paths.
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

/// A value as JSON: numbers, durations and flags as such, all others as the text that reports show.
pub fn value(value: &facts::Value, kind: FactType) -> Value {
    match (value, kind) {
        (facts::Value::Number(number), FactType::Number | FactType::Duration) => Value::from(*number),
        (facts::Value::Flag(flag), _) => Value::from(*flag),
        _ => Value::from(value.display(kind)),
    }
}

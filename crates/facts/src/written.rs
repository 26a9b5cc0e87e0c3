//! Facts as the tests of rules write them.

use std::io::{self, Write};

use super::schema::{FactDefinition, ListDefinition};
use super::{FactSet, Record, Value, quoted, schema};

/// Writes facts as the entries of a test's `facts:`, each line `indent` spaces in.
///
/// # Errors
/// Only what writing gives.
pub fn write_facts(facts: &FactSet, indent: usize, out: &mut dyn Write) -> io::Result<()> {
    let margin = " ".repeat(indent);
    for (path, known) in facts.scalars() {
        let Some(definition) = schema::scalar(path) else { continue };
        writeln!(out, "{margin}{}", write_fact(definition, &known.value))?;
    }
    for (name, records) in facts.lists() {
        let Some(definition) = schema::list(name) else { continue };
        if records.is_empty() {
            writeln!(out, "{margin}{name}: []")?;
            continue;
        }
        writeln!(out, "{margin}{name}:")?;
        for record in records {
            writeln!(out, "{margin}  - {}", write_record(definition, record))?;
        }
    }
    Ok(())
}

/// `PATH: VALUE`.
#[must_use]
pub fn write_fact(definition: &FactDefinition, value: &Value) -> String {
    format!("{}: {}", definition.path, quoted(&value.display(definition.kind)))
}

/// An entry of a list: `{FIELD: VALUE, FIELD: VALUE}`.
fn write_record(definition: &ListDefinition, record: &Record) -> String {
    let fields = definition.fields.iter().filter_map(|field| Some(write_fact(field, record.get(field.path)?)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

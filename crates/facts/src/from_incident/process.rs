//! What happened to which process.

use std::sync::Arc;

use super::{evidence, word};
use crate::{FactSet, Value};
use incident::Built;

/// The kind of incident, and the process that it happened to.
pub(super) fn incident(built: &Built<'_>, facts: &mut FactSet) {
    let incident = &built.incident;
    let first = evidence(0);
    facts.set("incident.kind", word(incident.kind.word()), first);
    let Some(process) = &incident.process else { return };
    if let Some(name) = &process.name {
        facts.set("process.name", Value::Text(Arc::clone(name)), first);
    }
    if let Some(path) = &process.path {
        facts.set("process.path", Value::Text(Arc::clone(path)), first);
    }
    if let Some(version) = process.version {
        facts.set("process.version", Value::Version(version), first);
    }
    if let (Some(started), Some(ended)) = (process.started, incident.time)
        && let Ok(seconds) = u64::try_from(ended.duration_since(started).as_secs())
    {
        facts.set("process.uptime_seconds", Value::Number(seconds), first);
    }
    if let Some(seconds) = incident.crashed_later {
        facts.set("process.crashed_later_seconds", Value::Number(seconds), first);
    }
    let architecture = match built.gathered.dump() {
        Some((number, dump)) => Some((number, dump.system.cpu.word())),
        None => built.gathered.crash_records().into_iter().find_map(|(number, record)| {
            // The width of the offset in the event tells 32 from 64 bits; on Windows for PCs that is x86 or x64.
            Some((number, if record.wide? { "x64" } else { "x86" }))
        }),
    };
    if let Some((number, name)) = architecture {
        facts.set("process.architecture", word(name), evidence(number));
    }
}

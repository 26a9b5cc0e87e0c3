//! Facts of the kind of incident and of the process that it happened to.

use crate::FactSet;
use crate::value::{evidence, word};
use incident::JoinedIncident;

/// Sets the kind of incident, and what is known of its process.
pub(super) fn incident(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let incident = &joined.incident;
    let first = evidence(0);
    facts.set("incident.kind", word(incident.kind.word()), first);
    let Some(process) = &incident.process else { return };
    facts.set_known("process.name", process.name.clone(), first);
    facts.set_known("process.path", process.path.clone(), first);
    facts.set_known("process.version", process.version, first);
    if let (Some(started), Some(ended)) = (process.started, incident.time)
        && let Ok(seconds) = u64::try_from(ended.duration_since(started).as_secs())
    {
        facts.set("process.uptime_seconds", seconds, first);
    }
    facts.set_known("process.crashed_later_seconds", incident.crashed_later, first);
    let architecture = match joined.evidence.dump() {
        Some((number, dump)) => Some((number, dump.system.cpu.word())),
        None => joined.evidence.crash_records().into_iter().find_map(|(number, record)| {
            // The width of the offset in the event tells 32 from 64 bits; on Windows for PCs that is x86 or x64.
            Some((number, if record.wide? { "x64" } else { "x86" }))
        }),
    };
    if let Some((number, name)) = architecture {
        facts.set("process.architecture", word(name), evidence(number));
    }
}

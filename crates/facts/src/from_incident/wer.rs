//! Facts from reports of Windows Error Reporting, beyond the crash itself.

use super::dump_detail::process_memory;
use crate::value::{evidence, text, word};
use crate::{FactSet, Value};
use evidence::WerReport;
use incident::JoinedIncident;

/// Sets the report's type, hang and package, and what its file contains about the process and the system. Each fact is
/// taken from the first report that has it.
pub(super) fn wer(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let joined_evidence = &joined.evidence;
    let mut set = |path, pick: &dyn Fn(&WerReport) -> Option<Value>| {
        let found = joined_evidence.report(|report| pick(report).is_some());
        if let Some((number, value)) = found.and_then(|(number, report)| Some((number, pick(report)?))) {
            facts.set(path, value, evidence(number));
        }
    };
    set("wer.event_type", &|report| Some(report.event_type.clone().into()));
    set("wer.bucket", &|report| report.details.bucket.clone().map(Value::Text));
    set("wer.error", &|report| report.signature.error.map(|error| error.0.into()));
    set("wer.hang_signature", &|report| report.signature.hang_signature.clone().map(Value::Text));
    set("wer.hang_type", &|report| report.signature.hang_type.map(Value::from));
    set("wer.package", &|report| report.signature.package.clone().map(Value::Text));
    set("process.original_name", &|report| report.details.original_name.clone().map(Value::Text));
    set("process.parent", &|report| report.details.parent.clone().map(Value::Text));
    set("os.language", &|report| report.details.locale.map(Value::from));
    set("os.memory_mib", &|report| report.details.memory.map(Value::Number));
    set("os.revision", &|report| report.details.os_revision.map(Value::from));
    set("wer.machine_id", &|report| report.details.machine.clone().map(Value::Text));
    // The name of a service follows that of its process after a colon: svchost.exe:eventlog.
    set("hang.waiting_for", &|report| report.signature.waiting_for.as_deref()?.split(':').next().map(text));
    set("hang.waiting_for_service", &|report| {
        let (_, service) = report.signature.waiting_for.as_deref()?.split_once(':')?;
        (!service.is_empty()).then(|| text(service))
    });
    // What a dump or an event has of the same counts more.
    if facts.get("process.commit").is_none()
        && let Some((number, report)) = joined_evidence.report(|report| report.details.process_memory.is_some())
        && let Some(memory) = report.details.process_memory
    {
        process_memory(memory, evidence(number), facts);
    }
    let mut set_missing = |path, pick: &dyn Fn(&WerReport) -> Option<Value>| {
        if let Some((number, report)) = joined_evidence.report(|report| pick(report).is_some()) {
            facts.set_missing(path, pick(report), evidence(number));
        }
    };
    set_missing("process.architecture", &|report| Some(word(report.details.architecture?.word())));
    set_missing("process.uptime_seconds", &|report| report.details.uptime.map(Value::Number));
    set_missing("exception.managed_type", &|report| report.signature.managed_exception.clone().map(Value::Text));
}

//! What Windows Error Reporting says beyond the crash itself.

use std::sync::Arc;

use super::{evidence, text, word};
use crate::{FactSet, Value};
use evidence::WerReport;
use incident::Built;

/// Type of the report, hang, package, and what its file says of the process and the system.
pub(super) fn wer(built: &Built<'_>, facts: &mut FactSet) {
    let mut set = |path, pick: &dyn Fn(&WerReport) -> Option<Value>| {
        let gathered = &built.gathered;
        if let Some((number, value)) =
            gathered.report(|report| pick(report).is_some()).and_then(|(number, report)| Some((number, pick(report)?)))
        {
            facts.set(path, value, evidence(number));
        }
    };
    let shared = |value: &Option<Arc<str>>| value.as_ref().map(|value| Value::Text(Arc::clone(value)));
    set("wer.event_type", &|report| Some(Value::Text(Arc::clone(&report.event_type))));
    set("wer.bucket", &|report| shared(&report.details.bucket));
    set("wer.error", &|report| report.signature.error.map(|error| Value::Number(u64::from(error.0))));
    set("wer.hang_signature", &|report| shared(&report.signature.hang_signature));
    set("wer.hang_type", &|report| report.signature.hang_type.map(|kind| Value::Number(u64::from(kind))));
    set("wer.package", &|report| shared(&report.signature.package));
    set("process.original_name", &|report| shared(&report.details.original_name));
    set("process.parent", &|report| shared(&report.details.parent));
    set("os.language", &|report| report.details.locale.map(|number| Value::Number(u64::from(number))));
    set("os.memory_mib", &|report| report.details.memory.map(Value::Number));
    set("os.revision", &|report| report.details.os_revision.map(|number| Value::Number(u64::from(number))));
    set("wer.machine_id", &|report| shared(&report.details.machine));
    // A service behind the process is written after a colon: svchost.exe:eventlog.
    set("hang.waiting_for", &|report| {
        let process = report.signature.waiting_for.as_deref()?;
        Some(text(process.split(':').next().unwrap_or(process)))
    });
    set("hang.waiting_for_service", &|report| {
        let (_, service) = report.signature.waiting_for.as_deref()?.split_once(':')?;
        (!service.is_empty()).then(|| text(service))
    });
    if facts.get("process.architecture").is_none()
        && let Some((number, report)) = built.gathered.report(|report| report.details.architecture.is_some())
        && let Some(architecture) = report.details.architecture
    {
        facts.set("process.architecture", word(architecture.word()), evidence(number));
    }
    let metadata = |wanted: &dyn Fn(&WerReport) -> bool| built.gathered.report(wanted);
    if facts.get("process.uptime_seconds").is_none()
        && let Some((number, report)) = metadata(&|report| report.details.uptime.is_some())
        && let Some(seconds) = report.details.uptime
    {
        facts.set("process.uptime_seconds", Value::Number(seconds), evidence(number));
    }
    if facts.get("process.commit").is_none()
        && let Some((number, report)) = metadata(&|report| report.details.process_memory.is_some())
        && let Some(memory) = report.details.process_memory
    {
        facts.set("process.commit", Value::Number(memory.commit), evidence(number));
        facts.set("process.working_set", Value::Number(memory.working_set), evidence(number));
        if let Some(size) = memory.virtual_size {
            facts.set("process.virtual_size", Value::Number(size), evidence(number));
        }
    }
    if facts.get("exception.managed_type").is_none()
        && let Some((number, report)) = built.gathered.report(|report| report.signature.managed_exception.is_some())
        && let Some(kind) = &report.signature.managed_exception
    {
        facts.set("exception.managed_type", Value::Text(Arc::clone(kind)), evidence(number));
    }
}

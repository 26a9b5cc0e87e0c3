//! Facts of a minidump: the exception in detail, the crashing thread, and the state of process and system.

use std::sync::Arc;

use crate::value::{evidence, word};
use crate::{EvidenceRef, FactSet, Record};
use evidence::{Address, CrashDetail, ProcessDump, ProcessMemory, ProcessState};
use incident::JoinedIncident;

/// Sets the facts of the incident's minidump, without its lists of modules, frames and threads.
pub(super) fn dump_detail(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let Some((number, dump)) = joined.evidence.dump() else { return };
    let from = evidence(number);
    facts.set_known("dump.requested", dump.requested.as_ref().map(|_| true), from);
    facts.set_known("dump.reason", dump.reason().map(|reason| word(reason.word())), from);
    access(&dump.detail, from, facts);
    instruction(&dump.detail, from, facts);
    inner(dump, from, facts);
    thread(dump, from, facts);
    state(&dump.state, from, facts);
}

fn access(detail: &CrashDetail, from: Option<EvidenceRef>, facts: &mut FactSet) {
    facts.set_known("exception.code_place", detail.code_place.map(|place| word(place.word())), from);
    let Some(wanted) = &detail.wanted else { return };
    facts.set_known("exception.access_target", wanted.kind.map(|kind| word(kind.word())), from);
    facts.set_known("exception.access_computed", wanted.computed.map(|address| address.0), from);
    facts.set_known("exception.access_pattern", wanted.pattern, from);
    facts.set_known("exception.access_module", wanted.module.clone(), from);
    facts.set_known("exception.access_page", wanted.page.map(|page| word(page.word())), from);
}

fn instruction(detail: &CrashDetail, from: Option<EvidenceRef>, facts: &mut FactSet) {
    let Some(instruction) = &detail.instruction else { return };
    facts.set("instruction.text", instruction.text.clone(), from);
    facts.set("instruction.kind", word(instruction.kind.word()), from);
    facts.set_known("instruction.extension", instruction.extension.map(|extension| word(extension.word())), from);
    facts.set_known("instruction.supported", instruction.supported, from);
}

/// Sets what the exception carries: the thrown C++ object, a managed result, stowed exceptions.
fn inner(dump: &ProcessDump, from: Option<EvidenceRef>, facts: &mut FactSet) {
    let detail = &dump.detail;
    if let Some(cpp) = &detail.cpp {
        facts.set_known("cpp_exception.type", cpp.types.first().cloned(), from);
        facts.set_filled_list("cpp_types", cpp.types.iter().map(|name| Record::of_name(name, from)));
        facts.set_known("cpp_exception.what", cpp.what.clone(), from);
        facts.set_known("cpp_exception.module", cpp.image.and_then(|base| module_at(dump, base)), from);
    }
    let first = detail.managed_result.or_else(|| detail.stowed.first().map(|error| error.result));
    facts.set_known("exception.inner_code", first.map(|code| code.0), from);
    let stowed = detail.stowed.iter().map(|error| {
        let mut fields = vec![("code", error.result.0.into())];
        let module = error.address.and_then(|address| module_at(dump, address));
        fields.extend(module.map(|module| ("module", module.into())));
        fields.extend(error.text.clone().map(|text| ("text", text.into())));
        Record { fields, from }
    });
    facts.set_filled_list("stowed_exceptions", stowed);
}

fn thread(dump: &ProcessDump, from: Option<EvidenceRef>, facts: &mut FactSet) {
    let start = dump.detail.thread_start.and_then(|start| module_at(dump, start));
    facts.set_known("thread.start_module", start, from);
    let Some(stack) = dump.detail.stack else { return };
    facts.set("stack.size", stack.base.0.saturating_sub(stack.bottom.0), from);
    facts.set("stack.left", stack.pointer.0.saturating_sub(stack.bottom.0), from);
    facts.set_known("stack.exhausted", stack.exhausted, from);
}

fn state(state: &ProcessState, from: Option<EvidenceRef>, facts: &mut FactSet) {
    if let Some(memory) = state.system_memory {
        facts.set("memory.available", memory.available, from);
        facts.set("memory.commit_charge", memory.commit_charge, from);
        facts.set("memory.commit_limit", memory.commit_limit, from);
        let percent = memory.commit_charge.saturating_mul(100).checked_div(memory.commit_limit);
        facts.set_known("memory.commit_percent", percent, from);
    }
    if let Some(memory) = state.process_memory {
        process_memory(memory, from, facts);
    }
    facts.set_known("process.handles", state.handle_count, from);
    facts.set_known("process.integrity", state.integrity.map(word), from);
    let handles =
        state.handles.iter().map(|(kind, count)| vec![("type", kind.clone().into()), ("count", (*count).into())]);
    facts.set_filled_list("handles", handles.map(|fields| Record { fields, from }));
    let annotations = state
        .annotations
        .iter()
        .map(|note| vec![("key", note.key.clone().into()), ("value", note.value.clone().into())]);
    facts.set_filled_list("annotations", annotations.map(|fields| Record { fields, from }));
}

/// The memory of the process, bytes.
pub(super) fn process_memory(memory: ProcessMemory, from: Option<EvidenceRef>, facts: &mut FactSet) {
    facts.set("process.commit", memory.commit, from);
    facts.set("process.working_set", memory.working_set, from);
    facts.set_known("process.virtual_size", memory.virtual_size, from);
}

/// The name of the module that has an address.
fn module_at(dump: &ProcessDump, address: Address) -> Option<Arc<str>> {
    dump.module_at(address).map(|(_, module)| module.name.clone())
}

//! What a minidump says around its exception, and of its process and system.

use std::sync::Arc;

use super::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{CrashDetail, ProcessDump, ProcessState};
use incident::Built;

/// Facts of the incident's dump.
pub(super) fn dump_detail(built: &Built<'_>, facts: &mut FactSet) {
    let Some((number, dump)) = built.gathered.dump() else { return };
    let from = evidence(number);
    if dump.requested.is_some() {
        facts.set("dump.requested", Value::Flag(true), from);
    }
    access(&dump.detail, from, facts);
    instruction(&dump.detail, from, facts);
    inner(dump, from, facts);
    thread(dump, from, facts);
    state(&dump.state, from, facts);
}

fn access(detail: &CrashDetail, from: Option<EvidenceRef>, facts: &mut FactSet) {
    if let Some(place) = detail.code_place {
        facts.set("exception.code_place", word(place.word()), from);
    }
    let Some(wanted) = &detail.wanted else { return };
    if let Some(kind) = wanted.kind {
        facts.set("exception.access_target", word(kind.word()), from);
    }
    if let Some(address) = wanted.computed {
        facts.set("exception.access_computed", Value::Number(address.0), from);
    }
    if let Some(pattern) = wanted.pattern {
        facts.set("exception.access_pattern", Value::Number(u64::from(pattern)), from);
    }
    if let Some(module) = &wanted.module {
        facts.set("exception.access_module", Value::Text(Arc::clone(module)), from);
    }
    if let Some(page) = wanted.page {
        facts.set("exception.access_page", word(page.word()), from);
    }
}

fn instruction(detail: &CrashDetail, from: Option<EvidenceRef>, facts: &mut FactSet) {
    let Some(instruction) = &detail.instruction else { return };
    facts.set("instruction.text", Value::Text(Arc::clone(&instruction.text)), from);
    facts.set("instruction.kind", word(instruction.kind.word()), from);
    if let Some(extension) = instruction.extension {
        facts.set("instruction.extension", word(extension.word()), from);
    }
    if let Some(supported) = instruction.supported {
        facts.set("instruction.supported", Value::Flag(supported), from);
    }
}

/// What the exception carries inside.
fn inner(dump: &ProcessDump, from: Option<EvidenceRef>, facts: &mut FactSet) {
    let detail = &dump.detail;
    if let Some(cpp) = &detail.cpp {
        if let Some(thrown) = cpp.types.first() {
            facts.set("cpp_exception.type", Value::Text(Arc::clone(thrown)), from);
            let types =
                cpp.types.iter().map(|name| Record { fields: vec![("name", Value::Text(Arc::clone(name)))], from });
            facts.set_list("cpp_types", types.collect());
        }
        if let Some(what) = &cpp.what {
            facts.set("cpp_exception.what", Value::Text(Arc::clone(what)), from);
        }
        if let Some((_, module)) = cpp.image.and_then(|base| dump.module_at(base)) {
            facts.set("cpp_exception.module", Value::Text(Arc::clone(&module.name)), from);
        }
    }
    let first = detail.managed_result.or_else(|| detail.stowed.first().map(|error| error.result));
    if let Some(code) = first {
        facts.set("exception.inner_code", Value::Number(u64::from(code.0)), from);
    }
    if !detail.stowed.is_empty() {
        let records = detail.stowed.iter().map(|error| {
            let mut fields = vec![("code", Value::Number(u64::from(error.result.0)))];
            if let Some((_, module)) = error.address.and_then(|address| dump.module_at(address)) {
                fields.push(("module", Value::Text(Arc::clone(&module.name))));
            }
            fields.extend(error.text.as_ref().map(|text| ("text", Value::Text(Arc::clone(text)))));
            Record { fields, from }
        });
        facts.set_list("stowed_exceptions", records.collect());
    }
}

fn thread(dump: &ProcessDump, from: Option<EvidenceRef>, facts: &mut FactSet) {
    if let Some((_, module)) = dump.detail.thread_start.and_then(|start| dump.module_at(start)) {
        facts.set("thread.start_module", Value::Text(Arc::clone(&module.name)), from);
    }
    let Some(stack) = dump.detail.stack else { return };
    facts.set("stack.size", Value::Number(stack.base.0.saturating_sub(stack.bottom.0)), from);
    facts.set("stack.left", Value::Number(stack.pointer.0.saturating_sub(stack.bottom.0)), from);
    if let Some(exhausted) = stack.exhausted {
        facts.set("stack.exhausted", Value::Flag(exhausted), from);
    }
}

fn state(state: &ProcessState, from: Option<EvidenceRef>, facts: &mut FactSet) {
    if let Some(memory) = state.system_memory {
        facts.set("memory.available", Value::Number(memory.available), from);
        facts.set("memory.commit_charge", Value::Number(memory.commit_charge), from);
        facts.set("memory.commit_limit", Value::Number(memory.commit_limit), from);
        let percent = memory.commit_charge.saturating_mul(100).checked_div(memory.commit_limit);
        if let Some(percent) = percent {
            facts.set("memory.commit_percent", Value::Number(percent), from);
        }
    }
    if let Some(memory) = state.process_memory {
        facts.set("process.commit", Value::Number(memory.commit), from);
        facts.set("process.working_set", Value::Number(memory.working_set), from);
        if let Some(size) = memory.virtual_size {
            facts.set("process.virtual_size", Value::Number(size), from);
        }
    }
    if let Some(count) = state.handle_count {
        facts.set("process.handles", Value::Number(count), from);
    }
    if let Some(level) = state.integrity {
        facts.set("process.integrity", word(level), from);
    }
    if !state.handles.is_empty() {
        let records = state.handles.iter().map(|(kind, count)| Record {
            fields: vec![("type", Value::Text(Arc::clone(kind))), ("count", Value::Number(*count))],
            from,
        });
        facts.set_list("handles", records.collect());
    }
    if !state.annotations.is_empty() {
        let records = state.annotations.iter().map(|one| Record {
            fields: vec![("key", text(&one.key)), ("value", Value::Text(Arc::clone(&one.value)))],
            from,
        });
        facts.set_list("annotations", records.collect());
    }
}

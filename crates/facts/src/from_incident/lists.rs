//! Facts with many entries: modules, frames, events, lines of text.

use std::sync::Arc;

use super::{evidence, text, threads, ticket, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{Frame, ProcessDump, base_name};
use incident::{Built, values};
use windows_codes::location;

/// All lists but the timeline.
pub(super) fn lists(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let dump = gathered.dump();
    if let Some((number, dump)) = dump {
        let from = evidence(number);
        if let Some(thread) = &dump.thread {
            if let Some(name) = &thread.name {
                facts.set("thread.name", Value::Text(Arc::clone(name)), from);
            }
            if !thread.frames.is_empty() {
                facts.set_list("frames", frames(dump, from));
            }
        }
        if let Some(listed) = &dump.state.threads {
            facts.set_list("threads", threads::records(dump, listed, from));
        }
        // A list with gaps can show that a module was there, but rules also ask whether one was not.
        if let Some(modules) = dump.modules.as_deref().filter(|_| dump.modules_complete) {
            let records = modules.iter().enumerate().map(|(position, module)| {
                let mut record = module_record(position, Value::Text(Arc::clone(&module.name)), &module.path, from);
                if let Some(version) = module.version {
                    record.fields.push(("version", Value::Version(version)));
                }
                record
            });
            facts.set_list("modules", records.collect());
        }
        if !dump.unloaded.is_empty() {
            let records =
                dump.unloaded.iter().map(|module| Record { fields: vec![("name", text(module.name()))], from });
            facts.set_list("unloaded_modules", records.collect());
        }
    } else if let Some((number, report)) = gathered.report(|report| !report.modules.is_empty()) {
        let from = evidence(number);
        let records = report
            .modules
            .iter()
            .enumerate()
            .map(|(position, path)| module_record(position, text(base_name(path)), path, from));
        facts.set_list("modules", records.collect());
    }

    let events = gathered.events().map(|(number, event)| Record {
        fields: vec![
            ("provider", Value::Text(Arc::clone(&event.content.provider))),
            ("id", Value::Number(u64::from(event.content.id))),
            ("text", Value::Text(values(event))),
        ],
        from: evidence(number),
    });
    facts.set_list("events", events.chain(ticket::events(built)).collect());

    let mut lines = Vec::new();
    for (number, ticket) in gathered.tickets() {
        let from = evidence(number);
        lines.extend(ticket.lines.iter().enumerate().map(|(position, line)| {
            let mut record = line_record(Arc::clone(&line.text), from);
            let certain = ticket.doubted.get(&position).map(Arc::clone);
            record.fields.extend(certain.map(|certain| ("certain", Value::Text(certain))));
            let reported = ticket.unreported.get(&position).map(Arc::clone);
            record.fields.extend(reported.map(|reported| ("reported", Value::Text(reported))));
            record
        }));
    }
    ticket::lists(built, facts);
    if let Some((number, comment)) = dump.and_then(|(number, dump)| Some((number, dump.comment.as_ref()?))) {
        lines.extend(comment.lines().map(|line| line_record(Arc::from(line), evidence(number))));
    }
    if let Some((number, comment)) =
        gathered.kernel_dump().and_then(|(number, dump)| Some((number, dump.comment.as_ref()?)))
    {
        lines.push(line_record(Arc::clone(comment), evidence(number)));
    }
    if !lines.is_empty() {
        facts.set_list("text", lines);
    }
}

fn line_record(line: Arc<str>, from: Option<EvidenceRef>) -> Record {
    Record { fields: vec![("line", Value::Text(line))], from }
}

fn module_record(position: usize, name: Value, path: &Arc<str>, from: Option<EvidenceRef>) -> Record {
    // As many as the list has fields.
    let mut fields = Vec::with_capacity(5);
    fields.extend([("position", Value::Number(position as u64)), ("name", name)]);
    if path.contains(['\\', '/']) {
        fields.push(("path", Value::Text(Arc::clone(path))));
        fields.push(("location", word(location(path))));
    }
    Record { fields, from }
}

fn frames(dump: &ProcessDump, from: Option<EvidenceRef>) -> Vec<Record> {
    let Some(thread) = &dump.thread else { return Vec::new() };
    let of = |(position, frame): (usize, &Frame)| {
        let mut fields = vec![("position", Value::Number(position as u64)), ("trust", word(frame.trust.word()))];
        if let Some(module) = frame.module.and_then(|index| dump.modules.as_ref()?.get(index)) {
            fields.push(("module", Value::Text(Arc::clone(&module.name))));
            if let Some(version) = module.version {
                fields.push(("version", Value::Version(version)));
            }
            if let Some(offset) = module.offset_of(frame.address) {
                fields.push(("offset", Value::Number(offset.0)));
            }
        }
        if let Some(function) = &frame.function {
            fields.push(("function", Value::Text(Arc::clone(function))));
        }
        Record { fields, from }
    };
    thread.frames.iter().enumerate().map(of).collect()
}

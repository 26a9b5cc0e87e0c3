//! Facts with many entries: modules, frames, events, lines of text.

use std::sync::Arc;

use super::{threads, ticket};
use crate::value::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{base_name, has_folder};
use incident::{JoinedIncident, searched_text};
use windows_codes::location;

/// Sets all lists, without the timeline and the other incidents.
pub(super) fn lists(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let joined_evidence = &joined.evidence;
    let dump = joined_evidence.dump();
    if let Some((number, dump)) = dump {
        let from = evidence(number);
        if let Some(thread) = dump.exception.as_ref().and(dump.thread.as_ref()) {
            facts.set_known("thread.name", thread.name.clone(), from);
        }
        if let Some(listed) = &dump.state.threads {
            facts.set_list("threads", threads::records(dump, listed, from));
        }
        // A list with gaps can show that a module was there, but rules also ask whether one was not.
        if let Some(modules) = dump.modules.as_deref().filter(|_| dump.modules_complete) {
            let records = modules.iter().enumerate().map(|(position, module)| {
                let mut record = module_record(position, module.name.clone().into(), &module.path, from);
                record.fields.extend(module.version.map(|version| ("version", version.into())));
                record
            });
            facts.set_list("modules", records.collect());
            facts.set("process.modules_listed", true, from);
        }
        let unloaded = dump.unloaded.iter().map(|module| Record { fields: vec![("name", text(module.name()))], from });
        facts.set_filled_list("unloaded_modules", unloaded);
    } else if let Some((number, report)) = joined_evidence.report(|report| !report.modules.is_empty()) {
        let from = evidence(number);
        let modules = report.modules.iter().enumerate();
        let record = |(position, path): (usize, &Arc<str>)| module_record(position, text(base_name(path)), path, from);
        facts.set_list("modules", modules.map(record).collect());
        facts.set("process.modules_listed", true, from);
    }

    let events = joined_evidence.events().map(|(number, event)| Record {
        fields: vec![
            ("provider", event.content.provider.clone().into()),
            ("id", event.content.id.into()),
            ("text", searched_text(event).clone().into()),
        ],
        from: evidence(number),
    });
    facts.set_list("events", events.chain(ticket::events(joined)).collect());

    let mut lines = Vec::new();
    for (number, ticket) in joined_evidence.told() {
        let from = evidence(number);
        lines.extend(ticket.lines.iter().enumerate().map(|(position, line)| {
            let mut record = line_record(Arc::clone(&line.text), from);
            for (field, left) in [("certain", &ticket.doubted), ("reported", &ticket.unreported)] {
                record.fields.extend(left.get(&position).map(|left| (field, left.clone().into())));
            }
            record
        }));
    }
    ticket::lists(joined, facts);
    if let Some((number, comment)) = dump.and_then(|(number, dump)| Some((number, dump.comment.as_ref()?))) {
        lines.extend(comment.lines().map(|line| line_record(Arc::from(line), evidence(number))));
    }
    if let Some((number, comment)) =
        joined_evidence.kernel_dump().and_then(|(number, dump)| Some((number, dump.comment.as_ref()?)))
    {
        lines.push(line_record(Arc::clone(comment), evidence(number)));
    }
    facts.set_filled_list("text", lines.into_iter());
}

fn line_record(line: Arc<str>, from: Option<EvidenceRef>) -> Record {
    Record { fields: vec![("line", Value::Text(line))], from }
}

fn module_record(position: usize, name: Value, path: &Arc<str>, from: Option<EvidenceRef>) -> Record {
    // As many as the list has fields.
    let mut fields = Vec::with_capacity(5);
    fields.extend([("position", Value::Number(position as u64)), ("name", name)]);
    if has_folder(path) {
        fields.push(("path", path.clone().into()));
        fields.push(("location", word(location(path))));
    }
    Record { fields, from }
}

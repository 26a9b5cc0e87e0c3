//! The facts of an incident, as rules see them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::{EvidenceRef, FactSet, FactType, Record, Value, schema};
use crate::evidence::{EventBody, OperatingSystem, base_name};
use crate::incident::{Built, build_of, values};
use crate::knowledge::location;

/// Bugcheck and exception parameters that rules can ask for.
const PARAMETER_PATHS: [&str; 4] =
    ["bugcheck.parameter_1", "bugcheck.parameter_2", "bugcheck.parameter_3", "bugcheck.parameter_4"];

/// Makes the facts of `built`, but for the timeline around it.
#[must_use]
pub fn facts(built: &Built<'_>) -> FactSet {
    let mut facts = FactSet::default();
    incident(built, &mut facts);
    exception(built, &mut facts);
    modules_of_interest(built, &mut facts);
    from_events(built, &mut facts);
    environment(built, &mut facts);
    lists(built, &mut facts);
    facts
}

/// The number of the evidence at an index.
pub(super) fn evidence(number: usize) -> Option<EvidenceRef> {
    u16::try_from(number.checked_add(1)?).ok().map(EvidenceRef)
}

fn text(text: &str) -> Value {
    Value::Text(Arc::from(text))
}

/// A word of the schema. An incident has hundreds of them (each module's location, each frame's trust), so each word
/// has one copy for all.
pub(super) fn word(word: &'static str) -> Value {
    static WORDS: LazyLock<HashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
        let of_lists = schema::LISTS.iter().flat_map(|list| list.fields);
        let kinds = schema::SCALARS.iter().chain(of_lists).map(|definition| definition.kind);
        let words = kinds.flat_map(|kind| match kind {
            FactType::Word(words) => words,
            _ => &[],
        });
        words.map(|word| (*word, Arc::from(*word))).collect()
    });
    WORDS.get(word).map_or_else(|| text(word), |shared| Value::Text(Arc::clone(shared)))
}

fn incident(built: &Built<'_>, facts: &mut FactSet) {
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

fn exception(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let records = gathered.crash_records();
    let dump = gathered.dump().filter(|(_, dump)| dump.exception.is_some());
    if let Some(exception) = &built.incident.exception {
        let from = match dump {
            Some((number, _)) => evidence(number),
            None => records.iter().find(|(_, record)| record.code.is_some()).and_then(|(number, _)| evidence(*number)),
        };
        facts.set("exception.code", Value::Number(u64::from(exception.code.0)), from);
        if let Some(address) = exception.address {
            facts.set("exception.address", Value::Number(address.0), from);
        }
        if let Some((kind, address)) = exception.access {
            if let Some(kind) = kind {
                facts.set("exception.access", word(kind), from);
            }
            facts.set("exception.access_address", Value::Number(address.0), from);
        }
        if let Some((code, _)) = &exception.fast_fail {
            let of_record = || {
                records.iter().find(|(_, record)| record.fast_fail.is_some()).and_then(|(number, _)| evidence(*number))
            };
            let from = if dump.is_some() { from } else { of_record() };
            facts.set("exception.fast_fail", Value::Number(u64::from(code.0)), from);
        }
    }
    let status = dump.and_then(|(number, dump)| {
        let exception = dump.exception.as_ref()?;
        // EXCEPTION_RECORD: the third parameter of an in-page error is the NTSTATUS behind it.
        let status = (exception.code == crate::evidence::ExceptionCode::IN_PAGE_ERROR)
            .then(|| exception.parameters.get(2))
            .flatten()?;
        Some((number, *status & 0xFFFF_FFFF))
    });
    let status_of_event = || {
        gathered.event(|body| match body {
            EventBody::InPageError { status, .. } => status.map(|status| u64::from(status.0)),
            _ => None,
        })
    };
    if let Some((number, status)) = status.or_else(status_of_event) {
        facts.set("exception.in_page_status", Value::Number(status), evidence(number));
    }
    if let Some((number, delay_load)) = dump.and_then(|(number, dump)| Some((number, dump.delay_load.as_ref()?))) {
        let from = evidence(number);
        if let Some(module) = &delay_load.module {
            facts.set("delay_load.module", Value::Text(Arc::clone(module)), from);
        }
        if let Some(procedure) = &delay_load.procedure {
            facts.set("delay_load.procedure", Value::Text(Arc::clone(procedure)), from);
        }
        if let Some(error) = delay_load.error {
            facts.set("delay_load.error", Value::Number(u64::from(error)), from);
        }
    }
    if let Some((number, code, parameters)) = gathered.bugcheck() {
        let from = evidence(number);
        facts.set("bugcheck.code", Value::Number(u64::from(code.plain())), from);
        for (path, parameter) in PARAMETER_PATHS.into_iter().zip(parameters) {
            facts.set(path, Value::Number(parameter), from);
        }
    }
}

fn modules_of_interest(built: &Built<'_>, facts: &mut FactSet) {
    let incident = &built.incident;
    if let Some(site) = &incident.fault_site {
        let records = built.gathered.crash_records();
        let from = match built.gathered.dump().filter(|(_, dump)| dump.exception.is_some()) {
            Some((number, _)) => evidence(number),
            None => {
                records.iter().find(|(_, record)| record.module.is_some()).and_then(|(number, _)| evidence(*number))
            }
        };
        facts.set("fault_site.module", Value::Text(Arc::clone(&site.module)), from);
        facts.set("fault_site.carrier", Value::Flag(site.carrier), from);
        facts.set("fault_site.unloaded", Value::Flag(site.unloaded), from);
        if let Some(version) = site.version {
            facts.set("fault_site.version", Value::Version(version), from);
        }
        if let Some(offset) = site.offset {
            facts.set("fault_site.offset", Value::Number(offset.0), from);
        }
        if let Some(path) = &site.path {
            facts.set("fault_site.path", Value::Text(Arc::clone(path)), from);
        }
    }
    if let Some(suspect) = &incident.suspect {
        let from = evidence(0);
        facts.set("suspect.module", Value::Text(Arc::clone(&suspect.module)), from);
        facts.set("suspect.basis", word(suspect.basis), from);
        if let Some(version) = suspect.version {
            facts.set("suspect.version", Value::Version(version), from);
        }
        if let Some(path) = &suspect.path {
            facts.set("suspect.path", Value::Text(Arc::clone(path)), from);
        }
    }
}

fn from_events(built: &Built<'_>, facts: &mut FactSet) {
    for (number, event) in built.gathered.events() {
        let from = evidence(number);
        match &event.body {
            EventBody::DotNet { exception_type: Some(kind), .. } => {
                facts.set("exception.managed_type", Value::Text(Arc::clone(kind)), from);
            }
            EventBody::SideBySide { assembly: Some(assembly), .. } => {
                facts.set("start_failure.assembly", Value::Text(Arc::clone(assembly)), from);
            }
            EventBody::Popup { message, dlls, .. } => {
                facts.set("start_failure.message", Value::Text(Arc::clone(message)), from);
                if let Some(dll) = dlls.first() {
                    facts.set("start_failure.module", Value::Text(Arc::clone(dll)), from);
                }
            }
            EventBody::OpenGlDriver { code: Some(code), .. } => {
                facts.set("opengl.error_code", Value::Number(u64::from(*code)), from);
            }
            EventBody::UncleanRestart { power_button, long_press, sleeping, .. } => {
                let pressed = power_button.is_some() || *long_press == Some(true);
                facts.set("power.button_pressed", Value::Flag(pressed), from);
                if let Some(sleeping) = sleeping {
                    facts.set("power.sleeping", Value::Flag(*sleeping), from);
                }
            }
            EventBody::ServiceEnded(end) => {
                if let Some(name) = &end.name {
                    facts.set("service.name", Value::Text(Arc::clone(name)), from);
                }
            }
            _ => {}
        }
    }
    let gathered = &built.gathered;
    if let Some((number, report)) = gathered.report(|_| true) {
        facts.set("wer.event_type", Value::Text(Arc::clone(&report.event_type)), evidence(number));
    }
    if let Some((number, report)) = gathered.report(|report| report.signature.waiting_for.is_some())
        && let Some(process) = &report.signature.waiting_for
    {
        // A service behind the process is written after a colon: svchost.exe:eventlog.
        let process = process.split(':').next().unwrap_or(process);
        facts.set("hang.waiting_for", text(process), evidence(number));
    }
    if facts.get("exception.managed_type").is_none()
        && let Some((number, report)) = gathered.report(|report| report.signature.managed_exception.is_some())
        && let Some(kind) = &report.signature.managed_exception
    {
        facts.set("exception.managed_type", Value::Text(Arc::clone(kind)), evidence(number));
    }
}

fn environment(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let (family, build, number) = if let Some((number, dump)) = gathered.dump() {
        let windows = dump.system.os == OperatingSystem::Windows;
        (dump.system.os.word(), windows.then_some(dump.system.os_version.2), number)
    } else if let Some((number, dump)) = gathered.kernel_dump() {
        ("windows", Some(dump.build), number)
    } else if let Some((number, report)) = gathered.report(|report| report.os_version.is_some()) {
        ("windows", report.os_version.as_deref().and_then(build_of), number)
    } else if let Some((number, _)) = gathered.events().next() {
        ("windows", None, number)
    } else {
        // A text does not say on which system it was printed.
        return;
    };
    facts.set("os.family", word(family), evidence(number));
    if let Some(build) = build {
        facts.set("os.build", Value::Number(u64::from(build)), evidence(number));
    }
    let from = gathered.dump().and_then(|(number, _)| evidence(number));
    let versions = &built.versions;
    for (path, version) in [
        ("environment.nvidia_driver", versions.nvidia_driver),
        ("environment.cuda", versions.cuda),
        ("environment.cudnn", versions.cudnn),
        ("environment.python", versions.python),
    ] {
        if let Some(version) = version {
            facts.set(path, Value::Version(version), from);
        }
    }
}

fn lists(built: &Built<'_>, facts: &mut FactSet) {
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
            ("provider", Value::Text(Arc::clone(&event.provider))),
            ("id", Value::Number(u64::from(event.id))),
            ("text", Value::Text(values(event))),
        ],
        from: evidence(number),
    });
    facts.set_list("events", events.collect());

    let mut lines = Vec::new();
    if let Some((number, ticket)) = gathered.ticket() {
        let from = evidence(number);
        lines.extend(ticket.lines.iter().map(|line| line_record(Arc::clone(&line.text), from)));
        let errors = ticket
            .win_errors
            .iter()
            .map(|error| Record { fields: vec![("number", Value::Number(u64::from(*error)))], from });
        facts.set_list("win_errors", errors.collect());
    }
    if let Some((number, comment)) = dump.and_then(|(number, dump)| Some((number, dump.comment.as_ref()?))) {
        lines.extend(comment.lines().map(|line| line_record(Arc::from(line), evidence(number))));
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

fn frames(dump: &crate::evidence::ProcessDump, from: Option<EvidenceRef>) -> Vec<Record> {
    let Some(thread) = &dump.thread else { return Vec::new() };
    let of = |(position, frame): (usize, &crate::evidence::Frame)| {
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
        Record { fields, from }
    };
    thread.frames.iter().enumerate().map(of).collect()
}

//! What pasted texts say: lists that only they have, and what they tell of the machine where nothing better does.

use std::sync::Arc;

use super::{evidence, text, word};
use crate::{EvidenceRef, FactSet, Record, Value};
use evidence::{Observation, PythonFrame, TicketFrame, Version};
use incident::Built;

/// The events that texts name.
pub(super) fn events<'b>(built: &'b Built<'_>) -> impl Iterator<Item = Record> + 'b {
    built.gathered.tickets().flat_map(|(number, ticket)| {
        ticket.events.iter().map(move |event| Record {
            fields: vec![
                ("provider", Value::Text(Arc::clone(&event.provider))),
                ("id", Value::Number(u64::from(event.id))),
            ],
            from: evidence(number),
        })
    })
}

/// Lists that texts give.
pub(super) fn lists(built: &Built<'_>, facts: &mut FactSet) {
    let gathered = &built.gathered;
    let (mut errors, mut hresults, mut any) = (Vec::new(), Vec::new(), false);
    for (number, ticket) in gathered.tickets() {
        any = true;
        let from = evidence(number);
        let numbers = |field, numbers: &[u32]| -> Vec<Record> {
            let record = |number: &u32| {
                let mut fields = vec![(field, Value::Number(u64::from(*number)))];
                if ticket.errors_only_mentioned.contains(number) {
                    fields.push(("mentioned", Value::Flag(true)));
                }
                if ticket.errors_unreported.contains(number) {
                    fields.push(("unreported", Value::Flag(true)));
                }
                Record { fields, from }
            };
            numbers.iter().map(record).collect()
        };
        errors.extend(numbers("number", &ticket.win_errors));
        hresults.extend(numbers("code", &ticket.hresults));
        if !ticket.python_frames.is_empty() {
            facts.set_list("python_frames", python_frames(&ticket.python_frames, from));
        }
        if !ticket.frames.is_empty() && gathered.dump().is_none() {
            facts.set_list("frames", frames(&ticket.frames, from));
        }
        if let Some(suspects) = ticket.debugger_suspects {
            facts.set("debugger.suspects", word(suspects), from);
        }
        // A dump holds the exception itself.
        if let Some(thrown) = ticket.cpp_type.as_ref().filter(|_| facts.get("cpp_exception.type").is_none()) {
            let name = || Value::Text(Arc::clone(thrown));
            facts.set("cpp_exception.type", name(), from);
            facts.set_list("cpp_types", vec![Record { fields: vec![("name", name())], from }]);
            if let Some(what) = &ticket.cpp_what {
                facts.set("cpp_exception.what", Value::Text(Arc::clone(what)), from);
            }
        }
        // What a log recorded is no hearsay.
        if let Some(code) = ticket.exit_code.filter(|_| facts.get("process.exit_code").is_none()) {
            facts.set("process.exit_code", Value::Number(u64::from(code)), from);
        }
    }
    let guide = |observation: &Observation| matches!(observation, Observation::Ticket(ticket) if ticket.document);
    if any && gathered.items.iter().all(|item| guide(&item.observation)) {
        facts.set("incident.document", Value::Flag(true), evidence(0));
    }
    if any {
        facts.set_list("win_errors", errors);
        facts.set_list("hresults", hresults);
    }
}

fn python_frames(frames: &[PythonFrame], from: Option<EvidenceRef>) -> Vec<Record> {
    let record = |(position, frame): (usize, &PythonFrame)| {
        let mut fields =
            vec![("position", Value::Number(position as u64)), ("file", Value::Text(Arc::clone(&frame.file)))];
        fields.extend(frame.line.map(|line| ("line", Value::Number(u64::from(line)))));
        fields.push(("function", Value::Text(Arc::clone(&frame.function))));
        fields.extend(package(&frame.file).map(|package| ("package", text(package))));
        Record { fields, from }
    };
    frames.iter().enumerate().map(record).collect()
}

/// The folder of `site-packages` that a file lies in.
fn package(file: &str) -> Option<&str> {
    let (_, inside) = ["site-packages\\", "site-packages/"].iter().find_map(|folder| file.rsplit_once(folder))?;
    let name = inside.split(['\\', '/']).next()?;
    let name = name.strip_suffix(".py").unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

fn frames(frames: &[TicketFrame], from: Option<EvidenceRef>) -> Vec<Record> {
    let record = |(position, frame): (usize, &TicketFrame)| {
        // A debugger that prints a stack has unwound it.
        let trust = if position == 0 { "exact" } else { "unwound" };
        let mut fields = vec![
            ("position", Value::Number(position as u64)),
            ("trust", word(trust)),
            ("module", Value::Text(Arc::clone(&frame.module))),
        ];
        fields.extend(frame.offset.map(|offset| ("offset", Value::Number(offset.0))));
        Record { fields, from }
    };
    frames.iter().enumerate().map(record).collect()
}

/// What texts say of the machine, where no dump, report or log did.
pub(super) fn described(built: &Built<'_>, facts: &mut FactSet) {
    // The one that all texts agree on.
    if let Some(driver) = built.environment.stated.nvidia_driver
        && facts.get("environment.nvidia_driver").is_none()
    {
        facts.set("environment.nvidia_driver", Value::Version(driver.value), evidence(driver.from));
    }
    for (number, ticket) in built.gathered.described() {
        let inventory = &ticket.inventory;
        let version = |version: Option<Version>| version.map(Value::Version);
        let name = |name: Option<&Arc<str>>| name.map(|name| Value::Text(Arc::clone(name)));
        for (path, value) in [
            ("environment.cuda_driver", version(inventory.cuda_driver)),
            ("environment.gpu", name(inventory.gpus.first())),
            ("environment.memory", inventory.memory.map(Value::Number)),
            ("environment.bios", name(inventory.bios.as_ref())),
            ("environment.model", name(inventory.model.as_ref())),
            ("environment.python", version(inventory.python)),
            ("os.build", inventory.os_build.map(|build| Value::Number(u64::from(build)))),
        ] {
            if let Some(value) = value.filter(|_| facts.get(path).is_none()) {
                facts.set(path, value, evidence(number));
            }
        }
        if !inventory.packages.is_empty() && facts.list("packages").is_none() {
            let record = |(name, version): &(Arc<str>, Arc<str>)| Record {
                fields: vec![("name", Value::Text(Arc::clone(name))), ("version", Value::Text(Arc::clone(version)))],
                from: evidence(number),
            };
            facts.set_list("packages", inventory.packages.iter().map(record).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_the_folder_in_site_packages() {
        assert_eq!(package(r"C:\env\lib\site-packages\torch\nn\modules.py"), Some("torch"));
        assert_eq!(package("/env/site-packages/six.py"), Some("six"));
        assert_eq!(package(r"C:\work\main.py"), None);
    }
}

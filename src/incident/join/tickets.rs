//! Texts that people pasted join the incident that they tell of: the one whose events stand in the same text, or the
//! only one that agrees with them.

use std::collections::BTreeMap;

use super::{JoinKey, Sets};
use crate::evidence::{Observation, ProcessDump, Ticket, base_name};
use crate::incident::gathered::CrashRecord;
use crate::incident::sighting::{Item, Sighting};

/// More sightings than these are not compared with texts: with so many crashes, more than one agrees.
const MOST_COMPARED: usize = 100_000;
/// More texts than these are not compared.
const MOST_TICKETS: usize = 1_000;

/// Joins the texts among `sightings`.
pub(super) fn by_ticket(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let ticket_of = |sighting: &Sighting| match &items.get(sighting.item)?.observation {
        Observation::Ticket(ticket) => Some(&**ticket),
        _ => None,
    };
    let texts: Vec<(usize, &Ticket)> =
        sightings.iter().enumerate().filter_map(|(index, sighting)| Some((index, ticket_of(sighting)?))).collect();
    let others: Vec<(usize, &Sighting)> =
        sightings.iter().enumerate().filter(|(_, sighting)| ticket_of(sighting).is_none()).collect();
    if others.len() > MOST_COMPARED {
        return;
    }
    for (index, ticket) in texts.into_iter().take(MOST_TICKETS) {
        let Some(own) = sightings.get(index).and_then(|sighting| items.get(sighting.item)) else { continue };
        let same_text =
            |sighting: &Sighting| items.get(sighting.item).is_some_and(|item| item.artifact == own.artifact);
        let agrees = |sighting: &Sighting| {
            items.get(sighting.item).is_some_and(|item| !contradicts(ticket, sighting, &item.observation))
        };
        let pasted = roots(&others, sets, |sighting| same_text(sighting) && agrees(sighting));
        let mut told = roots(&others, sets, |sighting| {
            items.get(sighting.item).is_some_and(|item| agrees_with(ticket, sighting, &item.observation))
        });
        // A record that does not know its process must not stand for another one's, whose records do.
        if !told.is_empty() && (ticket.pid.is_some() || ticket.started.is_some()) {
            for (other, sighting) in &others {
                let record = items.get(sighting.item).and_then(|item| record(&item.observation)).unwrap_or_default();
                if is_another_process(ticket, sighting, &record) {
                    told.remove(&sets.root(*other));
                }
            }
        }
        // What fits two is joined to neither.
        let only = |found: &BTreeMap<usize, usize>| found.values().next().copied().filter(|_| found.len() == 1);
        if let Some(event) = only(&pasted) {
            sets.join(event, index, JoinKey::SameText);
        } else if let Some(other) = only(&told) {
            sets.join(other, index, JoinKey::Ticket);
        }
    }
}

/// The sets of the sightings that fit, each with the first of them.
fn roots(
    others: &[(usize, &Sighting)],
    sets: &mut Sets<'_>,
    fits: impl Fn(&Sighting) -> bool,
) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (index, _) in others.iter().filter(|(_, sighting)| fits(sighting)) {
        found.entry(sets.root(*index)).or_insert(*index);
    }
    found
}

/// Whether a text tells of the same crash or stop: the same stop with its parameters; or the same code and module with
/// something that few crashes share, since thousands end with one code in one module of Windows. And nothing against
/// it.
fn agrees_with(ticket: &Ticket, sighting: &Sighting, other: &Observation) -> bool {
    if contradicts(ticket, sighting, other) {
        return false;
    }
    if let Some((code, parameters)) = &ticket.bugcheck {
        // A parameter of 0 says little.
        let told = parameters.iter().any(|parameter| *parameter != 0);
        return told && sighting.bugcheck.is_some_and(|(other, _)| other.plain() == code.plain());
    }
    let Some(record) = record(other) else { return false };
    let code = ticket.code.is_some() && ticket.code == record.code;
    let module = matches!((&ticket.module, &record.module), (Some(a), Some(b)) if same_name(a, b));
    let same_process = agree(ticket.pid, record.pid.or(sighting.pid))
        || agree(ticket.started.map(|time| time.as_second()), record.started.map(|time| time.as_second()));
    let app = matches!((&ticket.app, &sighting.process), (Some(a), Some(b)) if same_name(a, b));
    let same_place =
        agree(ticket.offset, record.offset) || (app && agree(ticket.module_version, record.module_version));
    code && module && (same_process || same_place)
}

/// Whether a text and a sighting can't be of the same thing.
fn contradicts(ticket: &Ticket, sighting: &Sighting, other: &Observation) -> bool {
    if let Some((code, parameters)) = &ticket.bugcheck {
        return sighting.bugcheck.is_none_or(|(other, others)| {
            other.plain() != code.plain() || parameters.iter().zip(others).any(|(a, b)| *a != b)
        });
    }
    let record = record(other).unwrap_or_default();
    differ(ticket.code, record.code)
        || differ(ticket.offset, record.offset)
        || is_another_process(ticket, sighting, &record)
        || differ(ticket.module_version, record.module_version)
        || matches!((&ticket.module, &record.module), (Some(a), Some(b)) if !same_name(a, b))
        || matches!((&ticket.app, &sighting.process), (Some(a), Some(b)) if !same_name(a, b))
}

/// Whether a sighting names another process, by its id or start.
fn is_another_process(ticket: &Ticket, sighting: &Sighting, record: &CrashRecord) -> bool {
    differ(ticket.pid, record.pid.or(sighting.pid))
        || differ(ticket.started.map(|time| time.as_second()), record.started.map(|time| time.as_second()))
}

/// Whether two records say different things of a crash.
pub(super) fn facts_differ(a: &CrashRecord, b: &CrashRecord) -> bool {
    differ(a.code, b.code)
        || differ(a.app_version, b.app_version)
        || differ(a.module_version, b.module_version)
        || differ(a.offset, b.offset)
        || matches!((&a.module, &b.module), (Some(a), Some(b)) if !same_name(a, b))
}

pub(super) fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    a.is_some() && a == b
}

pub(super) fn differ<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

pub(super) fn same_name(a: &str, b: &str) -> bool {
    base_name(a).eq_ignore_ascii_case(base_name(b))
}

/// What an observation says as a crash record would.
pub(in crate::incident) fn record(observation: &Observation) -> Option<CrashRecord> {
    match observation {
        Observation::Process(dump) => of_dump(dump),
        other => CrashRecord::of(other),
    }
}

fn of_dump(dump: &ProcessDump) -> Option<CrashRecord> {
    let app_version = dump.executable().and_then(|module| module.version);
    let Some(exception) = &dump.exception else {
        return Some(CrashRecord { app_version, ..CrashRecord::default() });
    };
    let found = dump.fault_addresses().into_iter().find_map(|address| Some((address, dump.module_at(address)?.1)));
    Some(CrashRecord {
        app_version,
        pid: dump.pid,
        started: dump.started,
        code: Some(exception.code),
        module: found.map(|(_, module)| module.name().into()),
        module_version: found.and_then(|(_, module)| module.version),
        offset: found.and_then(|(address, module)| module.offset_of(address)),
        ..CrashRecord::default()
    })
}

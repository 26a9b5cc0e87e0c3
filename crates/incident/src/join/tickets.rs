//! Texts that people pasted join the incident that they tell of: the one whose events stand in the same text, or the
//! only one that agrees with them.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::dump_path::LOGGED_WITHIN;
use super::{JoinKey, Sets};
use crate::gathered::CrashRecord;
use crate::sighting::{Family, Item, Sighting};
use evidence::{Observation, ProcessDump, Ticket, base_name};

/// More sightings than these are not compared with texts: with so many crashes, more than one agrees.
const MOST_COMPARED: usize = 100_000;
/// More texts than these are not compared.
const MOST_TICKETS: usize = 1_000;
/// A day begins up to 14 hours before it does in UTC, and ends up to 12 hours later.
const AHEAD_SECONDS: i64 = 14 * 3600;
const DAY_AND_BEHIND_SECONDS: i64 = (24 + 12) * 3600;
/// Years that the clock of a computer with Windows shows. Calendars that count otherwise are not compared.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// Events that are logged when the system has started again, or when a report is sent.
const LOGGED_LATER: [u32; 3] = [41, 1001, 6008];

/// Joins the texts among `sightings`. Gives those that fit several incidents, each with one sighting of each of these.
pub(super) fn by_ticket(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) -> BTreeMap<usize, Vec<usize>> {
    let mut fit_several = BTreeMap::new();
    let ticket_of = |sighting: &Sighting| match &items.get(sighting.item)?.observation {
        Observation::Ticket(ticket) => Some(&**ticket),
        _ => None,
    };
    let texts: Vec<(usize, &Ticket)> =
        sightings.iter().enumerate().filter_map(|(index, sighting)| Some((index, ticket_of(sighting)?))).collect();
    let others: Vec<(usize, &Sighting)> =
        sightings.iter().enumerate().filter(|(_, sighting)| ticket_of(sighting).is_none()).collect();
    if others.len() > MOST_COMPARED {
        return fit_several;
    }
    for (index, ticket) in texts.into_iter().take(MOST_TICKETS) {
        let Some(own) = sightings.get(index).and_then(|sighting| items.get(sighting.item)) else { continue };
        let same_text =
            |sighting: &Sighting| items.get(sighting.item).is_some_and(|item| item.artifact == own.artifact);
        let days = Days::of(ticket);
        let agrees = |sighting: &Sighting| {
            days.may_be_of(sighting)
                && items.get(sighting.item).is_some_and(|item| !contradicts(ticket, sighting, &item.observation))
        };
        let pasted = roots(&others, sets, |sighting| same_text(sighting) && agrees(sighting));
        let mut told = roots(&others, sets, |sighting| {
            items.get(sighting.item).is_some_and(|item| agrees_with(ticket, sighting, &item.observation))
        });
        // A record that knows neither its process nor its day must not stand for another one's, whose records do.
        let tells_process = ticket.pid.is_some() || ticket.started.is_some();
        if !told.is_empty() && (tells_process || !days.0.is_empty()) {
            for (other, sighting) in &others {
                let record = || items.get(sighting.item).and_then(|item| record(&item.observation)).unwrap_or_default();
                let another_process = tells_process && is_another_process(ticket, sighting, &record());
                if another_process || !days.may_be_of(sighting) {
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
        } else if told.len() > 1 {
            fit_several.insert(index, told.into_values().collect());
        }
    }
    fit_several
}

/// When the records in a text can have been written: Unix seconds, of each reading of each date, for records that tell of
/// a moment before them and for others.
struct Days(Vec<(i64, i64)>);

impl Days {
    fn of(ticket: &Ticket) -> Self {
        let later = ticket.bugcheck.is_some() || ticket.events.iter().any(|event| LOGGED_LATER.contains(&event.id));
        let before = if later { LOGGED_WITHIN.as_secs() } else { 0 };
        let days = ticket.dates.iter().flat_map(|date| readings(*date)).map(|day| {
            let from = day.saturating_sub(AHEAD_SECONDS).saturating_sub(before);
            (from, day.saturating_add(DAY_AND_BEHIND_SECONDS))
        });
        Self(days.collect())
    }

    /// Whether the text has no date, or one that can be a sighting's. Some sightings only know when they were logged.
    fn may_be_of(&self, sighting: &Sighting) -> bool {
        let Some(time) = sighting.time.filter(|_| !self.0.is_empty()) else { return true };
        let later = sighting.logged_later || matches!(sighting.family, Family::Restart(_));
        let after = if later { LOGGED_WITHIN.as_secs() } else { 0 };
        let time = time.as_second();
        self.0.iter().any(|(from, to)| (*from..=to.saturating_add(after)).contains(&time))
    }
}

/// The beginnings of the days that a date can mean, in UTC, Unix seconds: year first, or last behind day and month in
/// either order.
fn readings([first, second, third]: [u32; 3]) -> impl Iterator<Item = i64> {
    let orders = [(first, second, third), (third, second, first), (third, first, second)];
    orders.into_iter().filter_map(|(year, month, day)| {
        let year = if year < 100 { year.saturating_add(2000) } else { year };
        let (year, month, day) = (i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let date = Date::new(year, month, day).ok().filter(|_| YEARS.contains(&year))?;
        Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
    })
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
pub(crate) fn record(observation: &Observation) -> Option<CrashRecord> {
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

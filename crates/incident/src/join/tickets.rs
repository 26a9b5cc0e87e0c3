//! Texts that people pasted join the incident that they are about: the one whose events are in the same text, or the only
//! one that agrees with them.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::compare::{agree, differ, names_differ, same_name};
use super::key::JoinKey;
use super::limits::LOGGED_WITHIN;
use super::sets::Sets;
use crate::crash_record::CrashRecord;
use crate::sighting::Sighting;
use evidence::{Observation, Ticket};

/// With more sightings than this, texts are not compared with them: more than one crash would agree with a text.
const MOST_COMPARED: usize = 100_000;
/// The most texts that are compared with sightings.
const MOST_TICKETS: usize = 1_000;
/// A day begins up to 14 hours before it does in UTC, and ends up to 12 hours later.
const AHEAD_SECONDS: i64 = 14 * 3600;
const DAY_AND_BEHIND_SECONDS: i64 = (24 + 12) * 3600;
/// Years that the clock of a computer with Windows shows. Calendars that count otherwise are not compared.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2100;
/// Events that are logged when the system has started again, or when a report is sent.
const LOGGED_LATER: [u32; 3] = [41, 1001, 6008];

/// Joins the texts among `sightings`. Gives, by the index of each text that fits several incidents, one sighting of each of
/// these.
pub(super) fn by_ticket<'s>(
    sightings: &'s [Sighting<'s>],
    sets: &mut Sets<'_>,
) -> BTreeMap<usize, Vec<&'s Sighting<'s>>> {
    let mut fit_several = BTreeMap::new();
    let (texts, others): (Vec<&Sighting<'_>>, Vec<&Sighting<'_>>) =
        sightings.iter().partition(|sighting| sighting.is_text());
    if others.len() > MOST_COMPARED {
        return fit_several;
    }
    for text in texts.into_iter().take(MOST_TICKETS) {
        let Observation::Ticket(ticket) = &text.evidence.observation else { continue };
        let days = Days::new(ticket);
        let pasted = roots(&others, sets, |sighting| {
            sighting.evidence.artifact == text.evidence.artifact
                && days.can_be_of(sighting)
                && !contradicts(ticket, sighting)
        });
        let mut agreeing = roots(&others, sets, |sighting| agrees_with(ticket, sighting));
        // A set with a record of another process or day is of another incident, even where its other records agree.
        let names_process = ticket.pid.is_some() || ticket.started.is_some();
        if !agreeing.is_empty() && (names_process || !days.0.is_empty()) {
            for other in &others {
                let another_process =
                    names_process && is_another_process(ticket, other, &other.record().unwrap_or_default());
                if another_process || !days.can_be_of(other) {
                    agreeing.remove(&sets.root(other));
                }
            }
        }
        // What fits two is joined to neither.
        let only =
            |found: &BTreeMap<usize, &'s Sighting<'s>>| found.values().next().copied().filter(|_| found.len() == 1);
        if let Some(event) = only(&pasted) {
            sets.join(event, text, JoinKey::SameText);
        } else if let Some(other) = only(&agreeing) {
            sets.join(other, text, JoinKey::Ticket);
        } else if agreeing.len() > 1 {
            fit_several.insert(text.index, agreeing.into_values().collect());
        }
    }
    fit_several
}

/// When the records in a text can have been written: first and last Unix second of each reading of each date. Records of
/// an earlier moment (a restart, a report) are given the days before.
struct Days(Vec<(i64, i64)>);

impl Days {
    fn new(ticket: &Ticket) -> Self {
        let later = ticket.bugcheck.is_some() || ticket.events.iter().any(|event| LOGGED_LATER.contains(&event.id));
        let before = if later { LOGGED_WITHIN.as_secs() } else { 0 };
        let days = ticket.dates.iter().flat_map(|date| readings(*date)).map(|day| {
            let from = day.saturating_sub(AHEAD_SECONDS).saturating_sub(before);
            (from, day.saturating_add(DAY_AND_BEHIND_SECONDS))
        });
        Self(days.collect())
    }

    /// Whether the text has no date, or one that can be a sighting's. Of some sightings only the time of logging is known.
    fn can_be_of(&self, sighting: &Sighting<'_>) -> bool {
        let Some(time) = sighting.time.filter(|_| !self.0.is_empty()) else { return true };
        let later = sighting.logged_later || sighting.is_of_restart();
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

/// The sets of the sightings that fit, each with the first of these sightings.
fn roots<'s>(
    others: &[&'s Sighting<'s>],
    sets: &mut Sets<'_>,
    fits: impl Fn(&Sighting<'_>) -> bool,
) -> BTreeMap<usize, &'s Sighting<'s>> {
    let mut found = BTreeMap::new();
    for sighting in others.iter().filter(|sighting| fits(sighting)) {
        found.entry(sets.root(sighting)).or_insert(*sighting);
    }
    found
}

/// Whether a text is about the same crash or blue screen: the same code with its parameters; or the same code and module
/// with something that few crashes share, since thousands end with one code in one module of Windows. And nothing may
/// contradict it.
fn agrees_with(ticket: &Ticket, sighting: &Sighting<'_>) -> bool {
    if contradicts(ticket, sighting) {
        return false;
    }
    if let Some((code, parameters)) = &ticket.bugcheck {
        // A parameter of 0 proves little.
        let has_parameters = parameters.iter().any(|parameter| *parameter != 0);
        return has_parameters && sighting.stop_code() == Some(code.plain());
    }
    let Some(record) = sighting.record() else { return false };
    let same = |a: Option<&str>, b: Option<&str>| matches!((a, b), (Some(a), Some(b)) if same_name(a, b));
    let same_process = agree(ticket.pid, record.pid.or(sighting.pid))
        || agree(ticket.started.map(|time| time.as_second()), record.started.map(|time| time.as_second()));
    let same_app = same(ticket.app.as_deref(), sighting.process.as_deref());
    let same_place =
        agree(ticket.offset, record.offset) || (same_app && agree(ticket.module_version, record.module_version));
    agree(ticket.code, record.code) && same(ticket.module.as_deref(), record.module) && (same_process || same_place)
}

/// Whether a text and a sighting cannot be of the same thing.
fn contradicts(ticket: &Ticket, sighting: &Sighting<'_>) -> bool {
    if let Some((code, parameters)) = &ticket.bugcheck {
        return sighting.bugcheck.is_none_or(|(other, others)| {
            other.plain() != code.plain() || parameters.iter().zip(others).any(|(a, b)| *a != b)
        });
    }
    let record = sighting.record().unwrap_or_default();
    differ(ticket.code, record.code)
        || differ(ticket.offset, record.offset)
        || is_another_process(ticket, sighting, &record)
        || differ(ticket.module_version, record.module_version)
        || names_differ(ticket.module.as_deref(), record.module)
        || names_differ(ticket.app.as_deref(), sighting.process.as_deref())
}

/// Whether a sighting names another process, by its id or start.
fn is_another_process(ticket: &Ticket, sighting: &Sighting<'_>, record: &CrashRecord<'_>) -> bool {
    differ(ticket.pid, record.pid.or(sighting.pid))
        || differ(ticket.started.map(|time| time.as_second()), record.started.map(|time| time.as_second()))
}

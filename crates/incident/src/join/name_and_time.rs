//! Evidence that holds no id: it joins what tells of the same program in the same version at the same time, if nothing
//! else on that computer could be meant.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Family, JoinKey, Sets, tickets};
use crate::IncidentKind;
use crate::sighting::{Item, Sighting};
use evidence::{EventBody, Observation};

/// How far apart two records of one crash may lie. Windows Error Reporting was measured to log its report 0.1 to 9
/// seconds after the crash's own record.
const WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// More sightings of one program than these within [`WINDOW`] are not compared: more than one would fit.
const MOST_NEAR: usize = 16;

/// What is compared: sightings of one kind of one program, on one computer or, where none is named, in one folder.
type Program = (Arc<str>, IncidentKind, String);
/// What sort of record a sighting was made of; two of one sort tell of two crashes.
type Sort = (Discriminant<Observation>, Option<Discriminant<EventBody>>, u8);

pub(super) fn by_name_and_time(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let mut programs: BTreeMap<Program, Vec<(Timestamp, usize)>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(item) = items.get(sighting.item) else { continue };
        let (Some(process), Some(time)) = (&sighting.process, sighting.time) else { continue };
        let takes_part = matches!(sighting.family, Family::Alone | Family::Crash)
            && matches!(sighting.kind, IncidentKind::Crash | IncidentKind::Hang)
            && !matches!(item.observation, Observation::Ticket(_));
        if !takes_part {
            continue;
        }
        // Behind a bar that no computer's name has: a folder is none.
        let host = sets.host(index).unwrap_or_else(|| format!("|{}", item.folder).into());
        programs.entry((host, sighting.kind, process.clone())).or_default().push((time, index));
    }
    for mut times in programs.into_values().filter(|times| times.len() > 1) {
        times.sort_unstable();
        by_nearness(&times, sightings, items, sets);
    }
}

/// Joins what has exactly one counterpart and is the only one for it.
fn by_nearness(times: &[(Timestamp, usize)], sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let alone: Vec<bool> = times.iter().map(|(_, index)| sets.is_alone(*index)).collect();
    if !alone.contains(&true) {
        return;
    }
    let roots: Vec<usize> = times.iter().map(|(_, index)| sets.root(*index)).collect();
    // For each place in `times` the places of what may be of the same crash.
    let counterparts = |place: usize| -> Option<Vec<usize>> {
        let (time, index) = times.get(place)?;
        let from = times.partition_point(|(other, _)| time.duration_since(*other) > WINDOW);
        let near = times.iter().enumerate().skip(from);
        let near: Vec<_> = near
            .take_while(|(_, (other, _))| other.duration_since(*time) <= WINDOW)
            .take(MOST_NEAR.saturating_add(1))
            .collect();
        if near.len() > MOST_NEAR {
            return None;
        }
        let fits =
            |other: usize| roots.get(place) != roots.get(other) && may_be_one(*index, times, other, sightings, items);
        Some(near.into_iter().map(|(other, _)| other).filter(|other| fits(*other)).collect())
    };
    let sets_of = |places: &[usize]| -> BTreeSet<usize> {
        places.iter().filter_map(|place| roots.get(*place)).copied().collect()
    };
    let sort = |place: usize| times.get(place).and_then(|(_, index)| sort_of(sightings.get(*index)?, items));
    let mut joins = Vec::new();
    for (place, (_, index)) in times.iter().enumerate() {
        if alone.get(place) != Some(&true) {
            continue;
        }
        let Some(found) = counterparts(place) else { continue };
        let ([first, ..], 1) = (found.as_slice(), sets_of(&found).len()) else { continue };
        // What it would join must have no second of its sort to choose from.
        let rivals = found.iter().filter_map(|other| counterparts(*other)).flatten();
        let own = sort(place);
        let rivals: Vec<usize> = rivals.filter(|other| sort(*other) == own).collect();
        if sets_of(&rivals).len() == 1
            && let Some((_, other)) = times.get(*first)
        {
            joins.push((*other, *index));
        }
    }
    for (other, index) in joins {
        sets.join(other, index, JoinKey::NameAndTime);
    }
}

fn sort_of(sighting: &Sighting, items: &[Item]) -> Option<Sort> {
    let observation = &items.get(sighting.item)?.observation;
    let body = match observation {
        Observation::Event(event) => Some(discriminant(&event.content.body)),
        _ => None,
    };
    Some((discriminant(observation), body, sighting.rank))
}

/// Whether two sightings of one program at one time are of different sorts, agree on the version, or on code and module,
/// and disagree on nothing.
fn may_be_one(
    index: usize,
    times: &[(Timestamp, usize)],
    other: usize,
    sightings: &[Sighting],
    items: &[Item],
) -> bool {
    let Some((_, other)) = times.get(other) else { return false };
    let (Some(a), Some(b)) = (sightings.get(index), sightings.get(*other)) else { return false };
    let seconds = |time: Option<Timestamp>| time.map(|time| time.as_second());
    let ids_differ = tickets::differ(a.report_id.as_deref(), b.report_id.as_deref())
        || tickets::differ(a.pid, b.pid)
        || tickets::differ(seconds(a.started), seconds(b.started));
    if ids_differ || sort_of(a, items) == sort_of(b, items) {
        return false;
    }
    let said = |sighting: &Sighting| items.get(sighting.item).and_then(|item| tickets::record(&item.observation));
    let (Some(a), Some(b)) = (said(a), said(b)) else { return false };
    let same_module = matches!((&a.module, &b.module), (Some(a), Some(b)) if tickets::same_name(a, b));
    let agree = tickets::agree(a.app_version, b.app_version) || (tickets::agree(a.code, b.code) && same_module);
    agree && !tickets::facts_differ(&a, &b)
}

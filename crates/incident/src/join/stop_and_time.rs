//! Stops whose parameters hold no address, and so repeat: by code, parameters and time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::alive::Alive;
use super::dump_path::{CLOCKS, LOGGED_WITHIN, original_name};
use super::{Family, JoinKey, MOST_CANDIDATES, Sets};
use crate::sighting::{Item, Sighting};
use crate::{IncidentKind, JoinStrength};
use evidence::{EventBody, Observation, base_name};

/// How long after a stop the record of the next start is looked for, where nothing says that both are of one computer:
/// most machines start again by themselves, within minutes.
const NEXT_START: SignedDuration = SignedDuration::from_hours(1);

/// A stop as dumps and records write it.
type Stop = (u32, [u64; 4]);

/// What tells of one stop.
#[derive(Default)]
struct Told {
    dumps: Vec<(Timestamp, usize)>,
    records: Vec<(Timestamp, usize)>,
}

/// Joins the dumps of one moment; and a dump to the record of the next start, if each fits nothing else.
pub(super) fn by_stop_and_time(sightings: &[Sighting], items: &[Item], alive: &Alive, sets: &mut Sets<'_>) {
    let mut stops: BTreeMap<Stop, Told> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let (Some((code, parameters)), Some(time)) = (sighting.bugcheck, sighting.time) else { continue };
        let Some(item) = items.get(sighting.item).filter(|_| sighting.kind == IncidentKind::Bugcheck) else { continue };
        let stop = || (code.plain(), parameters);
        match &item.observation {
            Observation::Kernel(_) => stops.entry(stop()).or_default().dumps.push((time, index)),
            Observation::Wer(_) => stops.entry(stop()).or_default().records.push((time, index)),
            Observation::Event(_) if matches!(sighting.family, Family::Restart(_)) => {
                stops.entry(stop()).or_default().records.push((time, index));
            }
            _ => {}
        }
    }
    for told in stops.values_mut().filter(|told| !told.dumps.is_empty()) {
        told.dumps.sort_unstable();
        told.records.sort_unstable();
        for pair in told.dumps.windows(2) {
            if let [(a, first), (b, second)] = pair
                && a == b
            {
                sets.join(*first, *second, JoinKey::StopAndTime);
            }
        }
        by_next_start(told, sightings, items, alive, sets);
    }
}

fn by_next_start(told: &Told, sightings: &[Sighting], items: &[Item], alive: &Alive, sets: &mut Sets<'_>) {
    let roots = |of: &[(Timestamp, usize)], sets: &mut Sets<'_>| -> BTreeSet<usize> {
        of.iter().map(|(_, index)| sets.root(*index)).collect()
    };
    let (with_record, with_dump) = (roots(&told.records, sets), roots(&told.dumps, sets));
    // By the dumps' sets, the records' sets that fit, each with a dump and a record to join; and the other way round.
    let mut fitting: BTreeMap<usize, BTreeMap<usize, (usize, usize)>> = BTreeMap::new();
    let mut claimed: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (time, dump) in &told.dumps {
        let own = sets.root(*dump);
        if with_record.contains(&own) {
            continue;
        }
        let from = told.records.partition_point(|(logged, _)| logged.duration_since(*time) < -CLOCKS);
        let in_time = told.records.iter().skip(from);
        let in_time = in_time.take_while(|(logged, _)| logged.duration_since(*time) <= LOGGED_WITHIN);
        let mut next_start = false;
        for (logged, record) in in_time.take(MOST_CANDIDATES) {
            // A start within the hour is the one after the stop, and no later one is.
            let is_soon = logged.duration_since(*time) <= NEXT_START;
            if next_start && !is_soon {
                break;
            }
            let root = sets.root(*record);
            let hosts = (sets.host(own), sets.host(root));
            let apart = match &hosts {
                (Some(a), Some(b)) => a != b,
                _ => !is_soon,
            };
            let apart = apart || alive.after(*time, hosts.1.as_deref(), *logged);
            if !with_dump.contains(&root) && !apart && !names_another(*record, *dump, sightings, items) {
                next_start |= is_soon;
                fitting.entry(own).or_default().entry(root).or_insert((*record, *dump));
                claimed.entry(root).or_default().insert(own);
            }
        }
    }
    for records in fitting.into_values() {
        if let (1, Some((root, (record, dump)))) = (records.len(), records.into_iter().next())
            && claimed.get(&root).is_some_and(|dumps| dumps.len() == 1)
        {
            sets.join_as(record, dump, JoinKey::StopAndTime, JoinStrength::Likely);
        }
    }
}

/// Whether a record names the dump of another stop, as Windows names small dumps: by day and number, so that no two of
/// a machine have one name.
fn names_another(record: usize, dump: usize, sightings: &[Sighting], items: &[Item]) -> bool {
    let item = |index: usize| items.get(sightings.get(index)?.item);
    let (Some(record), Some(dump)) = (item(record), item(dump)) else { return false };
    let Observation::Event(event) = &record.observation else { return false };
    let EventBody::BugCheck { dump_path: Some(path), .. } = &event.content.body else { return false };
    let (named, own) = (original_name(base_name(path.trim())), original_name(&dump.file));
    is_small_dump(&named) && is_small_dump(&own) && named != own
}

/// Whether a name has the form `MMDDYY-NUMBER-01.dmp`.
fn is_small_dump(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".dmp") else { return false };
    let mut parts = stem.split('-');
    let mut next = |length: Option<usize>| {
        parts.next().is_some_and(|part| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && length.is_none_or(|length| part.len() == length)
        })
    };
    next(Some(6)) && next(None) && next(Some(2)) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_small_dumps_are_told_from_those_that_people_give() {
        assert!(is_small_dump("050624-9531-01.dmp"));
        for name in ["memory.dmp", "050624-9531-01 (2).dmp", "050624-9531.dmp", "050624--01.dmp", "pc-7-050624.dmp"] {
            assert!(!is_small_dump(name), "{name}");
        }
    }
}

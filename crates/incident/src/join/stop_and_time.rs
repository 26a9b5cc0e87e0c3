//! Blue screens whose parameters hold no address, and so repeat: by code, parameters and time.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::dump_path::original_name;
use super::key::{JoinKey, JoinStrength};
use super::last_alive::LastAlive;
use super::limits::{DUMP_CLOCK, LOGGED_WITHIN, MOST_CANDIDATES};
use super::sets::Sets;
use crate::incident::IncidentKind;
use crate::sighting::Sighting;
use evidence::{EventBody, Observation, base_name};

/// How long after a blue screen the record of the next start is looked for, where nothing shows that both are of one
/// computer: most machines start again by themselves, within minutes.
const NEXT_START: SignedDuration = SignedDuration::from_hours(1);

/// The evidence of one code with one set of parameters.
#[derive(Default)]
struct StopEvidence<'s> {
    dumps: Vec<(Timestamp, &'s Sighting<'s>)>,
    records: Vec<(Timestamp, &'s Sighting<'s>)>,
}

/// Joins the dumps of one moment; and a dump to the record of the next start, if each fits nothing else.
pub(super) fn by_stop_and_time(sightings: &[Sighting<'_>], alive: &LastAlive<'_>, sets: &mut Sets<'_>) {
    let mut stops: BTreeMap<(u32, [u64; 4]), StopEvidence<'_>> = BTreeMap::new();
    for sighting in sightings.iter().filter(|sighting| sighting.kind == IncidentKind::Bugcheck) {
        let (Some((code, parameters)), Some(time)) = (sighting.bugcheck, sighting.time) else { continue };
        let is_dump = match &sighting.evidence.observation {
            Observation::Kernel(_) => true,
            Observation::Wer(_) => false,
            Observation::Event(_) if sighting.is_of_restart() => false,
            _ => continue,
        };
        let stop = stops.entry((code.plain(), parameters)).or_default();
        let same_sort = if is_dump { &mut stop.dumps } else { &mut stop.records };
        same_sort.push((time, sighting));
    }
    for stop in stops.values_mut().filter(|stop| !stop.dumps.is_empty()) {
        stop.dumps.sort_unstable();
        stop.records.sort_unstable();
        for ((a, first), (b, second)) in stop.dumps.iter().zip(stop.dumps.iter().skip(1)) {
            if a == b {
                sets.join(first, second, JoinKey::StopAndTime);
            }
        }
        by_next_start(stop, alive, sets);
    }
}

fn by_next_start(stop: &StopEvidence<'_>, alive: &LastAlive<'_>, sets: &mut Sets<'_>) {
    let with_record: BTreeSet<usize> = stop.records.iter().map(|(_, record)| sets.root(record)).collect();
    let with_dump: BTreeSet<usize> = stop.dumps.iter().map(|(_, dump)| sets.root(dump)).collect();
    // By the dumps' sets, the records' sets that fit, each with a record and a dump to join; and the other way round.
    let mut fitting: BTreeMap<usize, BTreeMap<usize, (&Sighting<'_>, &Sighting<'_>)>> = BTreeMap::new();
    let mut claimed: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (time, dump) in &stop.dumps {
        let own = sets.root(dump);
        if with_record.contains(&own) {
            continue;
        }
        let from = stop.records.partition_point(|(logged, _)| logged.duration_since(*time) < -DUMP_CLOCK);
        let in_time = stop.records.iter().skip(from);
        let in_time = in_time.take_while(|(logged, _)| logged.duration_since(*time) <= LOGGED_WITHIN);
        let mut next_start = false;
        for (logged, record) in in_time.take(MOST_CANDIDATES) {
            // A start within the hour is the one after the blue screen, and no later one is.
            let is_soon = logged.duration_since(*time) <= NEXT_START;
            if next_start && !is_soon {
                break;
            }
            let root = sets.root(record);
            let hosts = (sets.host(dump), sets.host(record));
            let apart = match &hosts {
                (Some(a), Some(b)) => a != b,
                _ => !is_soon,
            };
            let apart = apart || alive.is_after(*time, hosts.1.as_deref(), *logged);
            if !with_dump.contains(&root) && !apart && !names_another(record, dump) {
                next_start |= is_soon;
                fitting.entry(own).or_default().entry(root).or_insert((record, dump));
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

/// Whether a record names the dump of another blue screen, as Windows names small dumps: by day and number, so that no two
/// of a machine have one name.
fn names_another(record: &Sighting<'_>, dump: &Sighting<'_>) -> bool {
    let Some(EventBody::BugCheck { dump_path: Some(path), .. }) = record.event_body() else { return false };
    let (named, own) = (original_name(base_name(path.trim())), original_name(&dump.evidence.file));
    is_small_dump(&named) && is_small_dump(&own) && named != own
}

/// Whether a name has the form `MMDDYY-NUMBER-01.dmp`.
fn is_small_dump(name: &str) -> bool {
    let parts = name.strip_suffix(".dmp").map(|stem| stem.split('-').collect::<Vec<_>>());
    let Some([day, number, last]) = parts.as_deref() else { return false };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    day.len() == 6 && last.len() == 2 && [day, number, last].into_iter().all(|part| is_number(part))
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

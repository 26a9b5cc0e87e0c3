//! Stops with an address among their parameters: such parameters hardly repeat, but where drivers lie at the same place
//! after every start they do, and the same stop of another day is another stop.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::dump_path::{CLOCKS, LOGGED_WITHIN};
use super::{Family, JoinKey, RESTART_WINDOW, Sets, join_unambiguous};
use crate::evidence::Observation;
use crate::incident::sighting::{Item, Sighting};

/// Code and parameters of a stop.
type Stop = (u32, [u64; 4]);

/// Same bugcheck: code and all four parameters, where they hold an address, at one time.
pub(super) fn by_bugcheck(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let mut by_stop: HashMap<Stop, Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let Some((code, parameters)) = sighting.bugcheck
            && parameters.iter().any(|parameter| is_address(*parameter))
        {
            by_stop.entry((code.plain(), parameters)).or_default().push(index);
        }
    }
    let mut buckets: Vec<Vec<usize>> = by_stop.into_values().filter(|bucket| bucket.len() > 1).collect();
    buckets.sort_unstable();
    let buckets: Vec<Vec<usize>> =
        buckets.into_iter().flat_map(|bucket| by_time(&bucket, sightings, items, sets)).collect();
    join_unambiguous(buckets.into_iter(), JoinKey::BugcheckParameters, sets);
}

/// Whether a parameter has more than 32 bits. Sign-extended, as `0xffffffffc0000005`, it is a status and no address.
fn is_address(parameter: u64) -> bool {
    (u64::from(u32::MAX) + 1..0xFFFF_FFFF_8000_0000).contains(&parameter)
}

/// One stop as it is put together.
struct Occurrence {
    host: Option<Arc<str>>,
    dumped: Option<Timestamp>,
    started: Option<Timestamp>,
    /// When a report that nothing else tells of was made.
    reported: Option<Timestamp>,
    members: Vec<usize>,
}

/// The bucket's members by the stop that they tell of: a dump goes before the start that follows it, and a report after
/// both. What could be of several is left out, unless it has no time and there is only one.
fn by_time(bucket: &[usize], sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) -> Vec<Vec<usize>> {
    let (mut records, mut dumps, mut reports, mut timeless) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for index in bucket {
        let Some(sighting) = sightings.get(*index) else { continue };
        let Some(time) = sighting.time.filter(|_| !sighting.logged_later) else {
            timeless.push(*index);
            continue;
        };
        match items.get(sighting.item).map(|item| &item.observation) {
            Some(Observation::Kernel(_)) => dumps.push((sets.host(*index), time, *index)),
            _ if matches!(sighting.family, Family::Restart(_)) => records.push((sets.host(*index), time, *index)),
            _ => reports.push((time, *index)),
        }
    }
    let mut stops = starts(records, sets);
    add_dumps(dumps, &mut stops);
    reports.sort_unstable();
    for (time, index) in reports {
        let (own, host) = (sets.root(index), sets.host(index));
        let joined = stops.iter().position(|stop| stop.members.iter().any(|member| sets.root(*member) == own));
        match joined.or_else(|| only_before(time, host.as_ref(), &stops)) {
            Some(place) => stops.get_mut(place).into_iter().for_each(|stop| stop.members.push(index)),
            None => {
                stops.push(Occurrence { host, dumped: None, started: None, reported: Some(time), members: vec![index] })
            }
        }
    }
    if stops.len() <= 1 {
        let mut only: Vec<usize> = stops.into_iter().flat_map(|stop| stop.members).collect();
        only.extend(timeless);
        return vec![only];
    }
    stops.into_iter().map(|stop| stop.members).collect()
}

/// The starts that records tell of: those of one computer within [`RESTART_WINDOW`].
fn starts(mut records: Vec<(Option<Arc<str>>, Timestamp, usize)>, sets: &mut Sets<'_>) -> Vec<Occurrence> {
    records.sort_unstable();
    let mut stops: Vec<Occurrence> = Vec::new();
    for (host, time, index) in records {
        let root = sets.root(index);
        let same_start = stops.last().is_some_and(|stop| {
            let soon = stop.started.is_some_and(|started| time.duration_since(started) <= RESTART_WINDOW);
            stop.host == host && (soon || stop.members.iter().any(|member| sets.root(*member) == root))
        });
        match stops.last_mut().filter(|_| same_start) {
            Some(stop) => stop.members.push(index),
            None => {
                stops.push(Occurrence {
                    host,
                    dumped: None,
                    started: Some(time),
                    reported: None,
                    members: vec![index],
                });
            }
        }
    }
    stops
}

/// Puts each dump before the first start after it, if that has no later dump and is of the only computer.
fn add_dumps(mut dumps: Vec<(Option<Arc<str>>, Timestamp, usize)>, stops: &mut Vec<Occurrence>) {
    dumps.sort_unstable_by_key(|(_, time, index)| (*time, *index));
    let fits = |stop: &Occurrence, host: Option<&Arc<str>>| {
        host.is_none() || stop.host.is_none() || stop.host.as_ref() == host
    };
    // The latest first: of two dumps before a start, the later one is that of the stop before it.
    for (host, time, index) in dumps.into_iter().rev() {
        let twin = stops.iter().position(|stop| {
            let same_moment = stop.dumped.is_some_and(|dumped| dumped.duration_since(time).abs() <= CLOCKS);
            same_moment && fits(stop, host.as_ref())
        });
        let follows = |stop: &Occurrence| {
            let after = stop.started.map(|started| started.duration_since(time));
            fits(stop, host.as_ref()) && after.is_some_and(|after| after >= -CLOCKS && after <= LOGGED_WITHIN)
        };
        let computers: BTreeSet<&Option<Arc<str>>> =
            stops.iter().filter(|stop| follows(stop)).map(|stop| &stop.host).collect();
        let only = computers.len() == 1;
        let next = stops
            .iter()
            .enumerate()
            .filter(|(_, stop)| only && follows(stop))
            .min_by_key(|(_, stop)| stop.started)
            .filter(|(_, stop)| stop.dumped.is_none())
            .map(|(place, _)| place);
        match twin.or(next).and_then(|place| stops.get_mut(place)) {
            Some(stop) => {
                stop.dumped.get_or_insert(time);
                stop.host = stop.host.take().or(host);
                stop.members.push(index);
            }
            None => {
                stops.push(Occurrence {
                    host,
                    dumped: Some(time),
                    started: None,
                    reported: None,
                    members: vec![index],
                });
            }
        }
    }
}

/// The last stop before a report was made, if only one computer had such a stop in that time.
fn only_before(time: Timestamp, host: Option<&Arc<str>>, stops: &[Occurrence]) -> Option<usize> {
    let moment = |stop: &Occurrence| stop.started.or(stop.dumped).or(stop.reported);
    let fits = |stop: &Occurrence| {
        let apart = host.is_some() && stop.host.is_some() && stop.host.as_ref() != host;
        let after = moment(stop).map(|moment| time.duration_since(moment));
        !apart && after.is_some_and(|after| after >= -RESTART_WINDOW && after <= LOGGED_WITHIN)
    };
    let fitting = || stops.iter().enumerate().filter(|(_, stop)| fits(stop));
    let computers: BTreeSet<&Option<Arc<str>>> = fitting().map(|(_, stop)| &stop.host).collect();
    let last = fitting().max_by_key(|(_, stop)| moment(stop)).map(|(place, _)| place);
    last.filter(|_| computers.len() == 1)
}

//! Stops with an address among their parameters: such parameters hardly repeat, but where drivers lie at the same place
//! after every start they do, and the same stop of another day is another stop.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::alive::Alive;
use super::dump_path::{CLOCKS, LOGGED_WITHIN};
use super::{Family, JoinKey, MOST_CANDIDATES, RESTART_WINDOW, Sets, join_unambiguous};
use crate::sighting::{Item, Sighting};
use evidence::Observation;

/// Code and parameters of a stop.
type Stop = (u32, [u64; 4]);

/// Same bugcheck: code and all four parameters, where they hold an address, at one time.
pub(super) fn by_bugcheck(sightings: &[Sighting], items: &[Item], alive: &Alive, sets: &mut Sets<'_>) {
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
        buckets.into_iter().flat_map(|bucket| by_time(&bucket, sightings, items, alive, sets)).collect();
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

impl Occurrence {
    /// When it was, as far as that is known.
    fn moment(&self) -> Option<Timestamp> {
        self.started.or(self.dumped).or(self.reported)
    }
}

/// The bucket's members by the stop that they tell of: a dump goes before the start that follows it, and a report after
/// both. What could be of several is left out, unless it has no time and there is only one.
fn by_time(
    bucket: &[usize],
    sightings: &[Sighting],
    items: &[Item],
    alive: &Alive,
    sets: &mut Sets<'_>,
) -> Vec<Vec<usize>> {
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
    add_dumps(dumps, alive, &mut stops);
    reports.sort_unstable();
    let mut of_root: HashMap<usize, usize> = HashMap::new();
    let mut by_moment: BTreeSet<(Timestamp, usize)> = BTreeSet::new();
    for (place, stop) in stops.iter().enumerate() {
        by_moment.extend(stop.moment().map(|moment| (moment, place)));
        for member in &stop.members {
            of_root.entry(sets.root(*member)).or_insert(place);
        }
    }
    for (time, index) in reports {
        let (own, host) = (sets.root(index), sets.host(index));
        let joined = of_root.get(&own).copied();
        match joined.or_else(|| only_before(time, host.as_ref(), &stops, &by_moment)) {
            Some(place) => stops.get_mut(place).into_iter().for_each(|stop| stop.members.push(index)),
            None => {
                by_moment.insert((time, stops.len()));
                of_root.insert(own, stops.len());
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

/// Puts each dump before the first start after it, if that has no later dump, is of the only computer, and does not say
/// that the system still ran after the dump.
fn add_dumps(mut dumps: Vec<(Option<Arc<str>>, Timestamp, usize)>, alive: &Alive, stops: &mut Vec<Occurrence>) {
    dumps.sort_unstable_by_key(|(_, time, index)| (*time, *index));
    let fits = |stop: &Occurrence, host: Option<&Arc<str>>| {
        host.is_none() || stop.host.is_none() || stop.host.as_ref() == host
    };
    let mut by_start: Vec<(Timestamp, usize)> =
        stops.iter().enumerate().filter_map(|(place, stop)| Some((stop.started?, place))).collect();
    by_start.sort_unstable();
    let mut dumped: BTreeSet<(Timestamp, usize)> = BTreeSet::new();
    // The latest first: of two dumps before a start, the later one is that of the stop before it.
    for (host, time, index) in dumps.into_iter().rev() {
        // All that were looked at before are later.
        let twins = dumped.iter().take(MOST_CANDIDATES).take_while(|(other, _)| other.duration_since(time) <= CLOCKS);
        let twin = twins
            .map(|(_, place)| *place)
            .find(|place| stops.get(*place).is_some_and(|stop| fits(stop, host.as_ref())));
        let from = by_start.partition_point(|(started, _)| started.duration_since(time) < -CLOCKS);
        let following = by_start.iter().skip(from).take(MOST_CANDIDATES);
        let following: Vec<usize> = following
            .take_while(|(started, _)| started.duration_since(time) <= LOGGED_WITHIN)
            .map(|(_, place)| *place)
            .filter(|place| stops.get(*place).is_some_and(|stop| fits(stop, host.as_ref())))
            .collect();
        let stop = |place: &usize| stops.get(*place);
        let computers: BTreeSet<&Option<Arc<str>>> = following.iter().filter_map(stop).map(|stop| &stop.host).collect();
        let next = following.first().copied().filter(|_| computers.len() == 1);
        let next = next.filter(|place| {
            stop(place).is_some_and(|stop| {
                let ran_on = stop.started.is_some_and(|started| alive.after(time, stop.host.as_deref(), started));
                stop.dumped.is_none() && !ran_on
            })
        });
        match twin.or(next).and_then(|place| Some((place, stops.get_mut(place)?))) {
            Some((place, stop)) => {
                dumped.insert((*stop.dumped.get_or_insert(time), place));
                stop.host = stop.host.take().or(host);
                stop.members.push(index);
            }
            None => {
                dumped.insert((time, stops.len()));
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
fn only_before(
    time: Timestamp,
    host: Option<&Arc<str>>,
    stops: &[Occurrence],
    by_moment: &BTreeSet<(Timestamp, usize)>,
) -> Option<usize> {
    let latest = time.saturating_add(RESTART_WINDOW).unwrap_or(time);
    let before = by_moment.range(..=(latest, usize::MAX)).rev().take(MOST_CANDIDATES);
    let fitting: Vec<(usize, &Option<Arc<str>>)> = before
        .take_while(|(moment, _)| time.duration_since(*moment) <= LOGGED_WITHIN)
        .filter_map(|(_, place)| Some((*place, &stops.get(*place)?.host)))
        .filter(|(_, other)| host.is_none() || other.is_none() || other.as_ref() == host)
        .collect();
    let computers: BTreeSet<&Option<Arc<str>>> = fitting.iter().map(|(_, host)| *host).collect();
    let last = fitting.first().map(|(place, _)| *place);
    last.filter(|_| computers.len() == 1)
}

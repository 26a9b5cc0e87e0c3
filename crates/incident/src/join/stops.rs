//! Blue screens with an address among their parameters: such parameters hardly repeat, but where drivers are loaded at
//! the same addresses after every start they do, and the same parameters on another day are another blue screen.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use super::key::JoinKey;
use super::last_alive::LastAlive;
use super::limits::{DUMP_CLOCK, LOGGED_WITHIN, MOST_CANDIDATES, RESTART_WINDOW};
use super::sets::{Sets, join_unambiguous};
use crate::sighting::Sighting;
use evidence::Observation;

/// Joins what has the same code and the same four parameters, where one of these is an address, at one time.
pub(super) fn by_bugcheck(sightings: &[Sighting<'_>], alive: &LastAlive<'_>, sets: &mut Sets<'_>) {
    let mut by_stop: HashMap<(u32, [u64; 4]), Vec<&Sighting<'_>>> = HashMap::new();
    for sighting in sightings {
        if let Some((code, parameters)) = sighting.bugcheck
            && parameters.iter().any(|parameter| is_address(*parameter))
        {
            by_stop.entry((code.plain(), parameters)).or_default().push(sighting);
        }
    }
    let mut buckets: Vec<Vec<&Sighting<'_>>> = by_stop.into_values().filter(|bucket| bucket.len() > 1).collect();
    buckets.sort_unstable();
    let buckets: Vec<Vec<&Sighting<'_>>> =
        buckets.into_iter().flat_map(|bucket| split_by_time(&bucket, alive, sets)).collect();
    join_unambiguous(buckets.into_iter(), JoinKey::BugcheckParameters, sets);
}

/// Whether a parameter has more than 32 bits. Sign-extended, as `0xffffffffc0000005`, it is a status and no address.
fn is_address(parameter: u64) -> bool {
    (u64::from(u32::MAX) + 1..0xFFFF_FFFF_8000_0000).contains(&parameter)
}

/// One blue screen while its sightings are collected.
struct Occurrence<'s> {
    host: Option<Arc<str>>,
    dumped: Option<Timestamp>,
    /// The time of the restart after it.
    started: Option<Timestamp>,
    /// The time of its report, if no other sighting agrees with the report.
    reported: Option<Timestamp>,
    members: Vec<&'s Sighting<'s>>,
}

impl<'s> Occurrence<'s> {
    /// A blue screen with this sighting alone; its times are not set.
    fn new(host: Option<Arc<str>>, sighting: &'s Sighting<'s>) -> Self {
        Self { host, dumped: None, started: None, reported: None, members: vec![sighting] }
    }

    /// When it was, as far as that is known.
    fn moment(&self) -> Option<Timestamp> {
        self.started.or(self.dumped).or(self.reported)
    }

    /// Whether it can have been on this computer.
    fn can_be_on(&self, host: Option<&Arc<str>>) -> bool {
        host.is_none() || self.host.is_none() || self.host.as_ref() == host
    }
}

/// A sighting with the computer of its set and its time.
type Dated<'s> = (Option<Arc<str>>, Timestamp, &'s Sighting<'s>);

/// The bucket's members by blue screen: a dump goes before the start that follows it, and a report after both. What can be
/// of several is left out, unless it has no time and there is only one.
fn split_by_time<'s>(
    bucket: &[&'s Sighting<'s>],
    alive: &LastAlive<'_>,
    sets: &mut Sets<'_>,
) -> Vec<Vec<&'s Sighting<'s>>> {
    let (mut records, mut dumps, mut reports, mut timeless) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for sighting in bucket.iter().copied() {
        match sighting.time.filter(|_| !sighting.logged_later) {
            None => timeless.push(sighting),
            Some(time) if matches!(sighting.evidence.observation, Observation::Kernel(_)) => {
                dumps.push((sets.host(sighting), time, sighting));
            }
            Some(time) if sighting.is_of_restart() => records.push((sets.host(sighting), time, sighting)),
            Some(time) => reports.push((time, sighting)),
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
            of_root.entry(sets.root(member)).or_insert(place);
        }
    }
    for (time, report) in reports {
        let (root, host) = (sets.root(report), sets.host(report));
        let joined = of_root.get(&root).copied();
        let place = joined.or_else(|| only_before(time, host.as_ref(), &stops, &by_moment));
        match place.and_then(|place| stops.get_mut(place)) {
            Some(stop) => stop.members.push(report),
            None => {
                by_moment.insert((time, stops.len()));
                of_root.insert(root, stops.len());
                stops.push(Occurrence { reported: Some(time), ..Occurrence::new(host, report) });
            }
        }
    }
    if stops.len() <= 1 {
        return vec![stops.into_iter().flat_map(|stop| stop.members).chain(timeless).collect()];
    }
    stops.into_iter().map(|stop| stop.members).collect()
}

/// The restarts that the records show: records of one computer within [`RESTART_WINDOW`] are of one restart.
fn starts<'s>(mut records: Vec<Dated<'s>>, sets: &mut Sets<'_>) -> Vec<Occurrence<'s>> {
    records.sort_unstable();
    let mut stops: Vec<Occurrence<'_>> = Vec::new();
    for (host, time, record) in records {
        let root = sets.root(record);
        let mut is_same = |stop: &&mut Occurrence<'_>| {
            let soon = stop.started.is_some_and(|started| time.duration_since(started) <= RESTART_WINDOW);
            stop.host == host && (soon || stop.members.iter().any(|member| sets.root(member) == root))
        };
        match stops.last_mut().filter(|stop| is_same(stop)) {
            Some(stop) => stop.members.push(record),
            None => stops.push(Occurrence { started: Some(time), ..Occurrence::new(host, record) }),
        }
    }
    stops
}

/// Puts each dump before the first start after it, if that has no later dump, is of the only computer, and no record shows
/// that the system still ran after the dump.
fn add_dumps<'s>(mut dumps: Vec<Dated<'s>>, alive: &LastAlive<'_>, stops: &mut Vec<Occurrence<'s>>) {
    dumps.sort_unstable_by_key(|(_, time, dump)| (*time, *dump));
    let mut by_start: Vec<(Timestamp, usize)> =
        stops.iter().enumerate().filter_map(|(place, stop)| Some((stop.started?, place))).collect();
    by_start.sort_unstable();
    let mut dumped: BTreeSet<(Timestamp, usize)> = BTreeSet::new();
    // The latest first: of two dumps before a start, the later one is that of the blue screen before it.
    for (host, time, dump) in dumps.into_iter().rev() {
        let fits = |place: &usize| stops.get(*place).is_some_and(|stop| stop.can_be_on(host.as_ref()));
        // All that were looked at before are later.
        let twins =
            dumped.iter().take(MOST_CANDIDATES).take_while(|(other, _)| other.duration_since(time) <= DUMP_CLOCK);
        let twin = twins.map(|(_, place)| *place).find(fits);
        let from = by_start.partition_point(|(started, _)| started.duration_since(time) < -DUMP_CLOCK);
        let following = by_start.iter().skip(from).take(MOST_CANDIDATES);
        let following = following.take_while(|(started, _)| started.duration_since(time) <= LOGGED_WITHIN);
        let following = only_of_one_host(following.map(|(_, place)| *place).filter(fits), stops);
        let next = following.filter(|place| {
            stops.get(*place).is_some_and(|stop| {
                let ran_on = stop.started.is_some_and(|started| alive.is_after(time, stop.host.as_deref(), started));
                stop.dumped.is_none() && !ran_on
            })
        });
        match twin.or(next).and_then(|place| Some((place, stops.get_mut(place)?))) {
            Some((place, stop)) => {
                dumped.insert((*stop.dumped.get_or_insert(time), place));
                stop.host = stop.host.take().or(host);
                stop.members.push(dump);
            }
            None => {
                dumped.insert((time, stops.len()));
                stops.push(Occurrence { dumped: Some(time), ..Occurrence::new(host, dump) });
            }
        }
    }
}

/// The last blue screen before a report was made, if only one computer had such a blue screen in that time.
fn only_before(
    time: Timestamp,
    host: Option<&Arc<str>>,
    stops: &[Occurrence<'_>],
    by_moment: &BTreeSet<(Timestamp, usize)>,
) -> Option<usize> {
    let latest = time.saturating_add(RESTART_WINDOW).unwrap_or(time);
    let before = by_moment.range(..=(latest, usize::MAX)).rev().take(MOST_CANDIDATES);
    let before =
        before.take_while(|(moment, _)| time.duration_since(*moment) <= LOGGED_WITHIN).map(|(_, place)| *place);
    let fits = |place: &usize| stops.get(*place).is_some_and(|stop| stop.can_be_on(host));
    only_of_one_host(before.filter(fits), stops)
}

/// The first of these places in `stops`, if all are of one computer.
fn only_of_one_host(mut places: impl Iterator<Item = usize>, stops: &[Occurrence<'_>]) -> Option<usize> {
    let host = |place: usize| stops.get(place).map(|stop| &stop.host);
    let first = places.next()?;
    places.all(|place| host(place) == host(first)).then_some(first)
}

//! The part of a machine's timeline that rules see around one incident.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::nearby::Nearby;
use super::reach::{TIMELINE_AFTER, reach};
use super::{Logged, Recorded, Surroundings};
use crate::value::evidence;
use incident::JoinedIncident;

/// Most entries of one kind that rules see, the nearest to the incident. Each kind has its own number, so that a
/// setup with hundreds of steps, or a service that fails every minute, hides nothing of another kind.
pub const MOST_OF_A_KIND: usize = 64;
/// How many entries of a kind on each side of the incident are looked at for those: some are the incident's own, or
/// are in two copies of a log.
const LOOKED_AT: usize = 512;

/// The timeline around one incident, built when a rule first needs it.
#[derive(Debug)]
pub struct Around<'m> {
    joined: &'m JoinedIncident<'m>,
    surroundings: Option<&'m Surroundings<'m>>,
    entries: OnceCell<Option<Vec<Nearby<'m>>>>,
    kinds: OnceCell<BTreeSet<&'static str>>,
    recorded: OnceCell<Option<Recorded>>,
}

impl<'m> Around<'m> {
    /// The timeline around `joined`; `surroundings` are those of the machine it happened on, when its logs were given.
    #[must_use]
    pub fn new(joined: &'m JoinedIncident<'m>, surroundings: Option<&'m Surroundings<'m>>) -> Self {
        Self { joined, surroundings, entries: OnceCell::new(), kinds: OnceCell::new(), recorded: OnceCell::new() }
    }

    /// The entries, the nearest first. Their evidence numbers follow the incident's own. `None` unless an entry other
    /// than a Sigma match exists, or the machine's System log covers the time. Whether a missing entry proves that
    /// nothing happened, [`recorded`](Self::recorded) decides.
    pub fn entries(&self) -> Option<&[Nearby<'m>]> {
        self.entries.get_or_init(|| nearby(self.joined, self.surroundings?)).as_deref()
    }

    /// What the logs of the machine cover around the incident.
    pub fn recorded(&self) -> Option<&Recorded> {
        self.recorded.get_or_init(|| self.surroundings?.recorded(&self.joined.incident)).as_ref()
    }

    /// Whether one of the entries is of this kind; rules mostly ask for kinds that hardly any machine records.
    #[must_use]
    pub fn has_kind(&self, kind: &str) -> bool {
        let kinds = || self.entries().unwrap_or_default().iter().map(|entry| entry.entry().kind).collect();
        self.kinds.get_or_init(kinds).contains(kind)
    }

    /// The entries, if a rule has needed them; else empty.
    pub fn asked_for(&self) -> &[Nearby<'m>] {
        self.entries.get().and_then(Option::as_deref).unwrap_or_default()
    }
}

/// The entries around the incident that rules see.
fn nearby<'m>(joined: &'m JoinedIncident<'m>, surroundings: &'m Surroundings<'m>) -> Option<Vec<Nearby<'m>>> {
    let time = joined.incident.time?;
    if joined.evidence.sightings.iter().all(|sighting| sighting.logged_later) {
        // What happened around the time of a late report says nothing about what it reports.
        return None;
    }
    let own: BTreeSet<_> = joined.incident.evidence.iter().map(|item| (item.artifact, &item.place)).collect();
    // What a Sigma rule says of the incident's own record is not said by it.
    let is_own = |logged: &Logged<'_>| {
        logged.entry.sigma.is_none() && own.contains(&(logged.entry.artifact, &logged.entry.place))
    };
    let at = |index: usize| surroundings.logged.get(index);
    // The same record in a second copy of the log is no second thing that happened.
    let is_copy = |logged: &Logged<'_>| {
        let mut copies = std::iter::successors(logged.copy_of.and_then(at), |one| one.copy_of.and_then(at));
        copies.any(|copy| !is_own(copy))
    };
    let mut entries: Vec<(SignedDuration, usize, &Logged<'_>)> = Vec::new();
    for (kind, indices) in &surroundings.by_kind {
        let of_kind = nearest_first(indices, |index| Some(at(index)?.entry.time), time, reach(kind));
        let of_kind = of_kind.filter_map(|(distance, index)| Some((distance, index, at(index)?)));
        entries.extend(of_kind.filter(|(_, _, logged)| !is_own(logged) && !is_copy(logged)).take(MOST_OF_A_KIND));
    }
    // That a Sigma rule matches some record says nothing of what else would have been recorded.
    if entries.iter().all(|(_, _, logged)| logged.entry.sigma.is_some()) && !surroundings.covers(time) {
        return None;
    }
    // No two have one index.
    entries.sort_unstable_by_key(|(distance, index, _)| (distance.unsigned_abs(), *index));
    let first_like = surroundings.first_like(&joined.incident);
    let first = joined.incident.evidence.len();
    // Incidents by the order in which the entries name them.
    let mut incidents: BTreeMap<u32, u32> = BTreeMap::new();
    let numbered = (first..).zip(entries).map(|(number, (distance, _, logged))| {
        let next = u32::try_from(incidents.len()).unwrap_or(u32::MAX).saturating_add(1);
        let incident = surroundings.incident_of.get(&logged.entry.item).filter(|_| logged.entry.sigma.is_none());
        let incident = incident.map(|incident| *incidents.entry(*incident).or_insert(next));
        Nearby::new(joined, logged, distance, first_like, incident, evidence(number))
    });
    Some(numbered.collect())
}

/// Of entries in the order of their times, which `time_of` gives, those around a moment, the nearest first, each with
/// its distance. Those that are equally far stay in their order. Looking no further than needed keeps a machine that
/// crashes thousands of times a day from being looked through thousands of times.
pub(super) fn nearest_first<'l>(
    indices: &'l [usize],
    time_of: impl Fn(usize) -> Option<Timestamp> + Copy + 'l,
    time: Timestamp,
    reach: SignedDuration,
) -> impl Iterator<Item = (SignedDuration, usize)> + 'l {
    let distance = move |index: usize| time_of(index).map_or(SignedDuration::MAX, |at| at.duration_since(time));
    let moment = indices.partition_point(|index| time_of(*index).is_some_and(|at| at <= time));
    let (before, after) = indices.split_at_checked(moment).unwrap_or((indices, &[]));
    let before = before.get(before.len().saturating_sub(LOOKED_AT)..).unwrap_or_default();
    let at_once = before.chunk_by(move |a, b| time_of(*a) == time_of(*b)).rev();
    let with_distance = move |index: &usize| (distance(*index), *index);
    let before = at_once.flatten().map(with_distance).take_while(move |(distance, _)| distance.abs() <= reach);
    let after = after.iter().take(LOOKED_AT).map(with_distance).take_while(|(distance, _)| *distance <= TIMELINE_AFTER);
    let (mut before, mut after) = (before.peekable(), after.peekable());
    std::iter::from_fn(move || match (before.peek(), after.peek()) {
        (Some((earlier, _)), Some((later, _))) if later < &earlier.abs() => after.next(),
        (Some(_), _) => before.next(),
        (None, _) => after.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_distance_and_equally_distant_ones_in_their_own_order() {
        let seconds = [4, 7, 7, 10, 10, 11, 13, 13, 90];
        let at = |second: i64| Timestamp::from_second(second).expect("a time");
        let indices: Vec<usize> = (0..seconds.len()).collect();
        let time_of = |index: usize| seconds.get(index).map(|second| at(*second));
        let near = |reach| -> Vec<usize> {
            let near = nearest_first(&indices, time_of, at(10), SignedDuration::from_secs(reach));
            near.map(|(_, index)| index).collect()
        };
        assert_eq!(near(100), [3, 4, 5, 1, 2, 6, 7, 0, 8]);
        assert_eq!(near(3), [3, 4, 5, 1, 2, 6, 7, 8], "the reach is that before the moment");
    }
}

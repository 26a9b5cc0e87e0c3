//! Evidence of one process: by its id and start, or for dumps that don't hold those, by the moment of the exception.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::{Family, JoinKey, MOST_CANDIDATES, START_TOLERANCE_SECONDS, Sets, join_unambiguous};
use crate::IncidentKind;
use crate::sighting::{Item, Sighting};
use evidence::{ExceptionCode, Observation};

/// How far two reports of one process may lie apart and be about one failure. A process that stops answering, or that
/// swallows an exception, goes on and can be reported again.
const ONE_FAILURE: SignedDuration = SignedDuration::from_mins(10);

/// Same process: id and start time, or for dumps that don't hold those, the very same moment of the same exception.
pub(super) fn by_process(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let mut by_start: BTreeMap<(u32, i64), Vec<usize>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let (Some(pid), Some(started)) = (sighting.pid, sighting.started) {
            by_start.entry((pid, started.as_second())).or_default().push(index);
        }
    }
    // A start that was rounded the other way lies one second apart.
    let mut buckets: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<(u32, i64)> = None;
    for (key, members) in by_start {
        let follows =
            last.is_some_and(|(pid, second)| pid == key.0 && key.1.saturating_sub(second) <= START_TOLERANCE_SECONDS);
        match buckets.last_mut() {
            Some(bucket) if follows => bucket.extend(members),
            _ => buckets.push(members),
        }
        last = Some(key);
    }
    let buckets = buckets.into_iter().filter(|bucket| bucket.len() > 1);
    let buckets: Vec<Vec<usize>> = buckets
        .flat_map(|bucket| of_one_program(sightings, bucket))
        .flat_map(|bucket| of_one_failure(sightings, items, bucket, sets))
        .collect();
    join_unambiguous(buckets.into_iter(), JoinKey::ProcessAndStart, sets);

    let mut by_moment: HashMap<(Timestamp, u32, u64, u32, u32), Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(Observation::Process(dump)) = items.get(sighting.item).map(|item| &item.observation) else { continue };
        if let (Some(time), Some(exception), Some(thread)) = (dump.time, &dump.exception, &dump.thread) {
            let key = (time, exception.code.0, exception.address.0, thread.id, dump.thread_count);
            by_moment.entry(key).or_default().push(index);
        }
    }
    join_unambiguous(by_moment.into_values(), JoinKey::ExceptionAndTime, sets);
}

/// A bucket, or, where its members name several programs, those of each: evidence that names no computer may be of two.
fn of_one_program(sightings: &[Sighting], bucket: Vec<usize>) -> Vec<Vec<usize>> {
    let program = |index: &usize| {
        let name = sightings.get(*index)?.process.as_deref()?;
        // Packages and hosted services have names of another kind.
        name.ends_with(".exe").then_some(name)
    };
    let mut programs: Vec<&str> = bucket.iter().filter_map(program).collect();
    programs.sort_unstable();
    programs.dedup();
    if programs.len() <= 1 {
        return vec![bucket];
    }
    let of = |name: &str| bucket.iter().copied().filter(|index| program(index) == Some(name)).collect();
    programs.into_iter().map(of).collect()
}

/// A failure of a process that records and reports tell of.
struct Failure {
    kind: IncidentKind,
    first: Timestamp,
    last: Timestamp,
    members: Vec<usize>,
}

impl Failure {
    /// How far a moment lies from it.
    fn distance(&self, time: Timestamp) -> SignedDuration {
        self.first.duration_since(time).max(time.duration_since(self.last)).max(SignedDuration::ZERO)
    }
}

/// A bucket, or, where its records tell of several failures of the process, what belongs to each: hangs and crashes,
/// and what lies more than [`ONE_FAILURE`] apart without sharing a report's id.
fn of_one_failure(sightings: &[Sighting], items: &[Item], bucket: Vec<usize>, sets: &mut Sets<'_>) -> Vec<Vec<usize>> {
    let mut records: Vec<(Timestamp, usize, usize)> = Vec::new();
    for index in &bucket {
        let Some(sighting) = sightings.get(*index) else { continue };
        let is_dump = matches!(items.get(sighting.item).map(|item| &item.observation), Some(Observation::Process(_)));
        let own_time = sighting.time.filter(|_| !is_dump && sighting.family != Family::Exit && !sighting.logged_later);
        if let Some(time) = own_time.filter(|_| matches!(sighting.kind, IncidentKind::Crash | IncidentKind::Hang)) {
            records.push((time, sets.root(*index), *index));
        }
    }
    records.sort_unstable();
    let mut failures: Vec<Failure> = Vec::new();
    let mut of_root: HashMap<usize, usize> = HashMap::new();
    let mut last_of_kind: BTreeMap<IncidentKind, usize> = BTreeMap::new();
    for (time, root, index) in records {
        let Some(kind) = sightings.get(index).map(|sighting| sighting.kind) else { continue };
        let known = of_root.get(&root).copied();
        let near = || {
            let last = last_of_kind.get(&kind).copied();
            last.filter(|last| {
                failures.get(*last).is_some_and(|failure| time.duration_since(failure.first) <= ONE_FAILURE)
            })
        };
        let place = known.or_else(near).unwrap_or_else(|| {
            failures.push(Failure { kind, first: time, last: time, members: Vec::new() });
            failures.len().saturating_sub(1)
        });
        of_root.insert(root, place);
        last_of_kind.insert(kind, place);
        if let Some(failure) = failures.get_mut(place) {
            failure.last = failure.last.max(time);
            failure.members.push(index);
        }
    }
    if failures.is_empty() {
        return vec![bucket];
    }
    let mut rest = Vec::new();
    let taken: HashSet<usize> = failures.iter().flat_map(|failure| failure.members.iter().copied()).collect();
    for index in bucket.iter().copied().filter(|index| !taken.contains(index)) {
        let Some(sighting) = sightings.get(index) else { continue };
        let joined = of_root.get(&sets.root(index)).copied();
        match belongs_to(sighting, crashed(sighting, items), joined, &failures) {
            Some(place) => failures.get_mut(place).into_iter().for_each(|failure| failure.members.push(index)),
            None => rest.push(index),
        }
    }
    failures.into_iter().map(|failure| failure.members).chain([rest]).collect()
}

/// Whether a dump holds an exception that ended the process, and none with which a running process is written down.
fn crashed(sighting: &Sighting, items: &[Item]) -> bool {
    const OF_RUNNING: [ExceptionCode; 5] = [
        // Breakpoint and single step: a debugger stood by.
        ExceptionCode(0x8000_0003),
        ExceptionCode(0x8000_0004),
        ExceptionCode::APPLICATION_HANG,
        ExceptionCode::CRASHPAD_REQUEST,
        ExceptionCode::NONE,
    ];
    match items.get(sighting.item).map(|item| &item.observation) {
        Some(Observation::Process(dump)) => {
            dump.exception.as_ref().is_some_and(|exception| !OF_RUNNING.contains(&exception.code))
        }
        _ => false,
    }
}

/// The place of the failure that a dump, the process's end or a report without time of its own belongs to: the nearest
/// one of its kind, and one of the other kind only if it is near. What `crashed` is of no hang.
fn belongs_to(sighting: &Sighting, crashed: bool, joined: Option<usize>, failures: &[Failure]) -> Option<usize> {
    if joined.is_some() {
        return joined;
    }
    let Some(time) = sighting.time else { return (failures.len() == 1).then_some(0) };
    let distance = |failure: &Failure| {
        let of_kind = failure.kind == sighting.kind;
        let near = failure.distance(time) <= ONE_FAILURE && !(crashed && failure.kind == IncidentKind::Hang);
        (of_kind || near || failures.len() == 1 && sighting.kind != IncidentKind::Crash)
            .then(|| (!of_kind, failure.distance(time)))
    };
    // They stand in the order of their first records; the nearest are those around the time.
    let middle = failures.partition_point(|failure| failure.first <= time);
    let around = failures.iter().enumerate().skip(middle.saturating_sub(MOST_CANDIDATES));
    let around = around.take(MOST_CANDIDATES.saturating_mul(2));
    let measured = around.filter_map(|(place, failure)| Some((distance(failure)?, place)));
    measured.min().map(|(_, place)| place)
}

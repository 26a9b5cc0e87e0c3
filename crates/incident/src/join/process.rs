//! Evidence of one process: by its id and start, or for dumps that do not hold those, by the moment of the exception.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

use super::key::JoinKey;
use super::limits::{MOST_CANDIDATES, START_TOLERANCE_SECONDS};
use super::sets::{Sets, join_unambiguous};
use crate::incident::IncidentKind;
use crate::sighting::{Family, Sighting};
use evidence::{ExceptionCode, Observation};

/// How far apart two reports of one process can be and be about one failure. A process that stops answering, or that
/// swallows an exception, goes on and can be reported again.
const ONE_FAILURE: SignedDuration = SignedDuration::from_mins(10);

/// Joins evidence of one process: id and start time, or for dumps that do not hold those, the very same moment of the same
/// exception.
pub(super) fn by_process(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let mut starts: Vec<(u32, i64, &Sighting<'_>)> = sightings
        .iter()
        .filter_map(|sighting| Some((sighting.pid?, sighting.started?.as_second(), sighting)))
        .collect();
    starts.sort_unstable();
    // A start that was rounded the other way is one second apart.
    let is_same = |(pid, second, _): &(u32, i64, _), (other, later, _): &(u32, i64, _)| {
        pid == other && later.saturating_sub(*second) <= START_TOLERANCE_SECONDS
    };
    let buckets = starts.chunk_by(is_same).filter(|bucket| bucket.len() > 1);
    let buckets = buckets.map(|bucket| bucket.iter().map(|(_, _, sighting)| *sighting).collect());
    let buckets: Vec<Vec<&Sighting<'_>>> =
        buckets.flat_map(split_by_program).flat_map(|bucket| split_by_failure(bucket, sets)).collect();
    join_unambiguous(buckets.into_iter(), JoinKey::ProcessAndStart, sets);

    let mut by_moment: HashMap<(Timestamp, u32, u64, u32, u32), Vec<&Sighting<'_>>> = HashMap::new();
    for sighting in sightings {
        if let Observation::Process(dump) = &sighting.evidence.observation
            && let (Some(time), Some(exception), Some(thread)) = (dump.time, &dump.exception, &dump.thread)
        {
            let key = (time, exception.code.0, exception.address.0, thread.id, dump.thread_count);
            by_moment.entry(key).or_default().push(sighting);
        }
    }
    join_unambiguous(by_moment.into_values(), JoinKey::ExceptionAndTime, sets);
}

/// The bucket, or, where its members name several programs, a bucket for each: evidence that names no computer may be of
/// two.
fn split_by_program<'s>(bucket: Vec<&'s Sighting<'s>>) -> Vec<Vec<&'s Sighting<'s>>> {
    // Packages and hosted services have names of another kind.
    let program = |sighting: &&'s Sighting<'s>| sighting.process.as_deref().filter(|name| name.ends_with(".exe"));
    let programs: BTreeSet<&str> = bucket.iter().filter_map(program).collect();
    if programs.len() <= 1 {
        return vec![bucket];
    }
    let members = |name: &str| bucket.iter().copied().filter(|sighting| program(sighting) == Some(name)).collect();
    programs.into_iter().map(members).collect()
}

/// A failure of a process that records and reports are about.
struct Failure<'s> {
    kind: IncidentKind,
    first: Timestamp,
    last: Timestamp,
    members: Vec<&'s Sighting<'s>>,
}

impl Failure<'_> {
    /// How far a moment is from it.
    fn distance(&self, time: Timestamp) -> SignedDuration {
        self.first.duration_since(time).max(time.duration_since(self.last)).max(SignedDuration::ZERO)
    }
}

/// The bucket, or, where its records are about several failures of the process, a bucket for each and one for the rest.
/// Hangs and crashes are different failures, and so are records more than [`ONE_FAILURE`] apart without a common report id.
fn split_by_failure<'s>(bucket: Vec<&'s Sighting<'s>>, sets: &mut Sets<'_>) -> Vec<Vec<&'s Sighting<'s>>> {
    let mut records: Vec<(Timestamp, usize, &Sighting<'_>)> = Vec::new();
    for sighting in &bucket {
        let is_dump = matches!(sighting.evidence.observation, Observation::Process(_));
        let is_failure = matches!(sighting.kind, IncidentKind::Crash | IncidentKind::Hang)
            && !(is_dump || sighting.family == Family::Exit || sighting.logged_later);
        if let Some(time) = sighting.time.filter(|_| is_failure) {
            records.push((time, sets.root(sighting), sighting));
        }
    }
    records.sort_unstable();
    let mut failures: Vec<Failure<'_>> = Vec::new();
    let mut of_root: HashMap<usize, usize> = HashMap::new();
    let mut last_of_kind: BTreeMap<IncidentKind, usize> = BTreeMap::new();
    for (time, root, record) in records {
        let is_near =
            |last: &usize| failures.get(*last).is_some_and(|failure| time.duration_since(failure.first) <= ONE_FAILURE);
        let near = last_of_kind.get(&record.kind).copied().filter(is_near);
        let place = of_root.get(&root).copied().or(near).unwrap_or(failures.len());
        if place == failures.len() {
            failures.push(Failure { kind: record.kind, first: time, last: time, members: Vec::new() });
        }
        of_root.insert(root, place);
        last_of_kind.insert(record.kind, place);
        if let Some(failure) = failures.get_mut(place) {
            failure.last = failure.last.max(time);
            failure.members.push(record);
        }
    }
    if failures.is_empty() {
        return vec![bucket];
    }
    let mut rest = Vec::new();
    let taken: HashSet<usize> =
        failures.iter().flat_map(|failure| &failure.members).map(|member| member.index).collect();
    for sighting in bucket.into_iter().filter(|sighting| !taken.contains(&sighting.index)) {
        let joined = of_root.get(&sets.root(sighting)).copied();
        match joined.or_else(|| nearest(sighting, &failures)).and_then(|place| failures.get_mut(place)) {
            Some(failure) => failure.members.push(sighting),
            None => rest.push(sighting),
        }
    }
    failures.into_iter().map(|failure| failure.members).chain([rest]).collect()
}

/// Whether a dump holds an exception that ended the process, and none with which a running process is written down.
fn crashed(sighting: &Sighting<'_>) -> bool {
    const OF_RUNNING: [ExceptionCode; 5] = [
        // Breakpoint and single step: a debugger was attached.
        ExceptionCode(0x8000_0003),
        ExceptionCode(0x8000_0004),
        ExceptionCode::APPLICATION_HANG,
        ExceptionCode::CRASHPAD_REQUEST,
        ExceptionCode::NONE,
    ];
    let Observation::Process(dump) = &sighting.evidence.observation else { return false };
    dump.exception.as_ref().is_some_and(|exception| !OF_RUNNING.contains(&exception.code))
}

/// The place in `failures` of the failure that a dump, the process's end or a report without time of its own belongs to:
/// the nearest one of its kind, and one of the other kind only if it is near. A dump of a crash belongs to no hang.
fn nearest(sighting: &Sighting<'_>, failures: &[Failure<'_>]) -> Option<usize> {
    let Some(time) = sighting.time else { return (failures.len() == 1).then_some(0) };
    let crashed = crashed(sighting);
    let distance = |failure: &Failure<'_>| {
        let same_kind = failure.kind == sighting.kind;
        let near = failure.distance(time) <= ONE_FAILURE && !(crashed && failure.kind == IncidentKind::Hang);
        (same_kind || near || failures.len() == 1 && sighting.kind != IncidentKind::Crash)
            .then(|| (!same_kind, failure.distance(time)))
    };
    // They are in the order of their first records; the nearest are those around the time.
    let middle = failures.partition_point(|failure| failure.first <= time);
    let around = failures.iter().enumerate().skip(middle.saturating_sub(MOST_CANDIDATES));
    let around = around.take(MOST_CANDIDATES * 2);
    let measured = around.filter_map(|(place, failure)| Some((distance(failure)?, place)));
    measured.min().map(|(_, place)| place)
}

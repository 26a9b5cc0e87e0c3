//! Which sightings are of the same incident.
//!
//! Keys, strongest first: WER's report id; process id with start time; the parameters of a bugcheck; and, where the
//! evidence holds no id, computer and closeness in time within families whose records Windows writes together.
//! Sightings of different computers are never joined, and what fits two is joined to neither. Texts that people pasted
//! come last: they join the one incident that agrees with them.

mod reports;
mod tickets;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::IncidentKind;
use super::sighting::{Family, Item, RestartRecord, Sighting};
use crate::evidence::{EventBody, Observation};

/// A process's start is known to the second in dumps and to 100 ns in events; rounding may differ by one second.
const START_TOLERANCE_SECONDS: i64 = 1;
/// How far a record that accompanies a crash record may lie from it. The .NET runtime's was measured from 0.02 to 4.4
/// seconds before its Application Error.
const COMPANION_WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// How far the end of a service may lie behind the crash of its process. Measured: 0.5 seconds.
const SERVICE_WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// How long after a process's crash its end may be recorded: Windows Error Reporting holds the process while it writes
/// its report, and a message box while somebody reads it.
const EXIT_WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// How far the records of one end may lie apart, and its crash behind it.
const SAME_EXIT: SignedDuration = SignedDuration::from_secs(2);
/// How far a driver's record that names a process id may lie from that process's crash; ids are reused.
const PID_WINDOW: SignedDuration = SignedDuration::from_secs(120);
/// How far apart the records about one restart may lie: all are written while the system starts.
const RESTART_WINDOW: SignedDuration = SignedDuration::from_mins(5);
/// How far apart the resets of a burst may lie. Windows itself counts resets within 60 seconds before it stops with
/// 0x116 (`TdrLimitTime`, Windows driver documentation).
const RESET_BURST: SignedDuration = SignedDuration::from_secs(60);

/// How many records before and after a moment are looked at for the one that fits it. No machine crashes this often
/// within the windows above; a made-up log may say so of every record.
const MOST_CANDIDATES: usize = 256;

/// Groups the sightings: each group is one incident, its members by rank, then by item. Groups come in the order of
/// their first item.
#[must_use]
pub fn join(sightings: &[Sighting], items: &[Item]) -> Vec<Vec<usize>> {
    let mut sets = Sets::new(sightings);
    reports::by_report_id(sightings, &mut sets);
    reports::by_report_folder(sightings, items, &mut sets);
    by_process(sightings, items, &mut sets);
    by_bugcheck(sightings, &mut sets);
    by_companionship(sightings, &mut sets);
    by_pid(sightings, &mut sets);
    by_exit(sightings, items, &mut sets);
    by_service(sightings, items, &mut sets);
    by_restart(sightings, &mut sets);
    by_reset_burst(sightings, &mut sets);
    tickets::by_ticket(sightings, items, &mut sets);
    sets.groups()
}

/// Same process: id and start time, or for dumps that don't hold those, the very same moment of the same exception.
fn by_process(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
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
    join_unambiguous(buckets.into_iter(), sets);

    let mut by_moment: HashMap<(Timestamp, u32, u64, u32, u32), Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(Observation::Process(dump)) = items.get(sighting.item).map(|item| &item.observation) else { continue };
        if let (Some(time), Some(exception), Some(thread)) = (dump.time, &dump.exception, &dump.thread) {
            let key = (time, exception.code.0, exception.address.0, thread.id, dump.thread_count);
            by_moment.entry(key).or_default().push(index);
        }
    }
    join_unambiguous(by_moment.into_values(), sets);
}

/// Same bugcheck: code and all four parameters, where they hold an address and so hardly repeat.
fn by_bugcheck(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let mut by_stop: HashMap<(u32, [u64; 4]), Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let Some((code, parameters)) = sighting.bugcheck
            && parameters.iter().any(|parameter| is_address(*parameter))
        {
            by_stop.entry((code.plain(), parameters)).or_default().push(index);
        }
    }
    join_unambiguous(by_stop.into_values(), sets);
}

/// Whether a parameter has more than 32 bits. Sign-extended, as `0xffffffffc0000005`, it is a status and no address.
fn is_address(parameter: u64) -> bool {
    (u64::from(u32::MAX) + 1..0xFFFF_FFFF_8000_0000).contains(&parameter)
}

/// Joins the members of each bucket, unless they name several computers and some name none: then only those that
/// name the same are joined.
fn join_unambiguous(buckets: impl Iterator<Item = Vec<usize>>, sets: &mut Sets<'_>) {
    let mut buckets: Vec<Vec<usize>> = buckets.filter(|bucket| bucket.len() > 1).collect();
    buckets.sort();
    for bucket in buckets {
        let mut by_host: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        for index in bucket {
            by_host.entry(sets.host(index)).or_default().push(index);
        }
        let named = by_host.keys().filter(|host| host.is_some()).count();
        if named <= 1 {
            let all: Vec<usize> = by_host.into_values().flatten().collect();
            sets.join_all(&all);
        } else {
            for members in by_host.values() {
                sets.join_all(members);
            }
        }
    }
}

/// .NET Runtime and Application Error 1005 join the nearest crash record of the same program.
fn by_companionship(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let crashes = Timeline::of(sightings, |sighting| sighting.family == Family::Crash);
    let mut taken = std::collections::HashSet::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if sighting.family != Family::CrashCompanion {
            continue;
        }
        let nearest = crashes.near(sighting, COMPANION_WINDOW, |other| {
            let crash = sightings.get(other);
            crash.is_some_and(|crash| crash.process == sighting.process) && !taken.contains(&(other, kind_of(sighting)))
        });
        if let Some(crash) = nearest {
            taken.insert((crash, kind_of(sighting)));
            sets.join_all(&[crash, index]);
        }
    }
}

/// Companions of different kinds (told by rank) may share a crash; two of one kind belong to two.
fn kind_of(sighting: &Sighting) -> u8 {
    sighting.rank
}

/// A driver's record that names a process id joins that process's crash.
fn by_pid(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let crashes = Timeline::of(sightings, |sighting| sighting.family == Family::Crash);
    for (index, sighting) in sightings.iter().enumerate() {
        if sighting.family == Family::CrashByPid
            && let Some(crash) = crashes
                .near(sighting, PID_WINDOW, |other| sightings.get(other).is_some_and(|crash| crash.pid == sighting.pid))
        {
            sets.join_all(&[crash, index]);
        }
    }
}

/// The end of a process joins what tells of its crash, hang or failed start: the same program with the same process id,
/// shortly before. A message box names no id.
fn by_exit(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let failed = |kind| matches!(kind, IncidentKind::Crash | IncidentKind::Hang | IncidentKind::StartFailure);
    let failures = Timeline::of(sightings, |sighting| {
        sighting.family != Family::Exit && failed(sighting.kind) && sighting.process.is_some() && !sighting.logged_later
    });
    let exits = Timeline::of(sightings, |sighting| sighting.family == Family::Exit);
    for (index, exit) in sightings.iter().enumerate().filter(|(_, sighting)| sighting.family == Family::Exit) {
        let same_process = |other: &Sighting| {
            other.process == exit.process
                && (other.pid.is_none() || exit.pid.is_none() || other.pid == exit.pid)
                && !started_apart(other, exit)
        };
        let failure = failures.near(exit, EXIT_WINDOW, |other| {
            let other = sightings.get(other);
            other.is_some_and(|other| same_process(other) && follows(exit, other))
        });
        if let Some(failure) = failure {
            sets.join_all(&[failure, index]);
        }
        let record = exits.near(exit, SAME_EXIT, |other| {
            other != index && sightings.get(other).is_some_and(|other| same_process(other) && other.pid == exit.pid)
        });
        if let Some(record) = record {
            sets.join_all(&[record, index]);
        }
    }
    // Dumps don't name their computer.
    let mut by_pid: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, exit) in sightings.iter().enumerate().filter(|(_, sighting)| sighting.family == Family::Exit) {
        if let Some(pid) = exit.pid {
            by_pid.entry(pid).or_default().push(index);
        }
    }
    for (index, dump) in sightings.iter().enumerate() {
        let is_dump = matches!(items.get(dump.item).map(|item| &item.observation), Some(Observation::Process(_)));
        let Some(exits) = dump.pid.filter(|_| is_dump && dump.process.is_some()).and_then(|pid| by_pid.get(&pid))
        else {
            continue;
        };
        let fits = |exit: &&usize| {
            sightings.get(**exit).is_some_and(|exit| exit.process == dump.process && follows(exit, dump))
        };
        let fitting: Vec<usize> = exits.iter().take(MOST_CANDIDATES).filter(fits).copied().collect();
        let Some(first) = fitting.first() else { continue };
        // Several are one end when they were joined before.
        let root = sets.root(*first);
        if fitting.iter().all(|exit| sets.root(*exit) == root) {
            sets.join_all(&[*first, index]);
        }
    }
}

/// Whether two records tell of processes that started at different times.
fn started_apart(a: &Sighting, b: &Sighting) -> bool {
    let apart = |a: Timestamp, b: Timestamp| a.as_second().abs_diff(b.as_second());
    matches!((a.started, b.started), (Some(a), Some(b)) if apart(a, b) > START_TOLERANCE_SECONDS.unsigned_abs())
}

/// Whether the end of a process lies so far behind a failure that it can be its consequence.
fn follows(exit: &Sighting, failure: &Sighting) -> bool {
    let (Some(exit), Some(failure)) = (exit.time, failure.time) else { return false };
    let after = exit.duration_since(failure);
    after <= EXIT_WINDOW && after >= -SAME_EXIT
}

/// The end of a service joins the crash of its process just before: that of a shared host, whose record names the
/// service, or that of a program which has the service's name.
fn by_service(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let crashes = Timeline::of(sightings, |sighting| sighting.family == Family::Crash);
    for (index, sighting) in sightings.iter().enumerate() {
        if sighting.family != Family::Service {
            continue;
        }
        let Some(EventBody::ServiceEnded(end)) = event_body(items, sighting) else { continue };
        let Some(service) = end.name.as_deref() else { continue };
        let nearest = crashes.near(sighting, SERVICE_WINDOW, |other| {
            let crash = sightings.get(other);
            let before = crash.is_some_and(|crash| crash.time <= sighting.time);
            let Some(EventBody::ApplicationError { app, .. }) = crash.and_then(|crash| event_body(items, crash)) else {
                return false;
            };
            let hosted = app.split_once('_').map(|(_, hosted)| hosted);
            let own_program = app.rsplit_once('.').map(|(stem, _)| stem);
            let named = [hosted, own_program].into_iter().flatten().any(|name| name.eq_ignore_ascii_case(service));
            before && named
        });
        if let Some(crash) = nearest {
            sets.join_all(&[crash, index]);
        }
    }
}

fn event_body<'i>(items: &'i [Item], sighting: &Sighting) -> Option<&'i EventBody> {
    match &items.get(sighting.item)?.observation {
        Observation::Event(event) => Some(&event.body),
        _ => None,
    }
}

/// BugCheck 1001, Kernel-Power 41 and EventLog 6008 of one start: at most one of each, codes not contradicting.
fn by_restart(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let mut by_host: BTreeMap<String, Vec<(Timestamp, usize, RestartRecord)>> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let (Family::Restart(record), Some(host), Some(time)) = (sighting.family, &sighting.host, sighting.time) {
            by_host.entry(host.to_lowercase()).or_default().push((time, index, record));
        }
    }
    for mut records in by_host.into_values() {
        records.sort_by_key(|(time, index, _)| (*time, *index));
        let mut open: Vec<(Timestamp, usize, RestartRecord)> = Vec::new();
        for current in records {
            let begun = open.first().is_some_and(|first| current.0.duration_since(first.0) <= RESTART_WINDOW);
            // At the same 100 ns it is the same record, out of a second copy of the log.
            let known = open.iter().any(|other| other.2 == current.2 && other.0 != current.0);
            let contradicts = open.iter().any(|other| {
                codes_differ(sightings, other.1, current.1)
                    || heat_and_stop(sightings, (other.1, other.2), (current.1, current.2))
            });
            if !begun || known || contradicts {
                open.clear();
            }
            if let Some(first) = open.first() {
                sets.join_all(&[first.1, current.1]);
            }
            // A copy says nothing new, and there may be many.
            let code = code_of(sightings, current.1);
            let is_copy = open
                .iter()
                .any(|other| (other.0, other.2) == (current.0, current.2) && code_of(sightings, other.1) == code);
            if !is_copy {
                open.push(current);
            }
        }
    }
}

fn code_of(sightings: &[Sighting], index: usize) -> Option<u32> {
    sightings.get(index).and_then(|sighting| sighting.bugcheck).map(|(code, _)| code.plain())
}

/// Whether one tells of a shutdown by heat and the other of a stop: the former ends the system in order.
fn heat_and_stop(sightings: &[Sighting], a: (usize, RestartRecord), b: (usize, RestartRecord)) -> bool {
    let pairs = [(a, b), (b, a)];
    pairs.iter().any(|(heat, stop)| heat.1 == RestartRecord::Heat && code_of(sightings, stop.0).is_some())
}

fn codes_differ(sightings: &[Sighting], a: usize, b: usize) -> bool {
    matches!((code_of(sightings, a), code_of(sightings, b)), (Some(a), Some(b)) if a != b)
}

/// Resets of the GPU that follow each other within [`RESET_BURST`] are one incident.
fn by_reset_burst(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let resets = Timeline::of(sightings, |sighting| sighting.family == Family::GpuReset);
    for times in resets.by_host.values() {
        for pair in times.windows(2) {
            if let [(earlier, a), (later, b)] = pair
                && later.duration_since(*earlier) <= RESET_BURST
            {
                sets.join_all(&[*a, *b]);
            }
        }
    }
}

/// Sightings of a family by computer and time.
struct Timeline {
    by_host: BTreeMap<String, Vec<(Timestamp, usize)>>,
}

impl Timeline {
    fn of(sightings: &[Sighting], wanted: impl Fn(&Sighting) -> bool) -> Self {
        let mut by_host: BTreeMap<String, Vec<(Timestamp, usize)>> = BTreeMap::new();
        for (index, sighting) in sightings.iter().enumerate() {
            if let (true, Some(host), Some(time)) = (wanted(sighting), &sighting.host, sighting.time) {
                by_host.entry(host.to_lowercase()).or_default().push((time, index));
            }
        }
        for times in by_host.values_mut() {
            times.sort_unstable();
        }
        Self { by_host }
    }

    /// The member of `sighting`'s computer that fits and lies nearest in time, at most `window` away.
    fn near(&self, sighting: &Sighting, window: SignedDuration, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let time = sighting.time?;
        let times = self.by_host.get(&sighting.host.as_ref()?.to_lowercase())?;
        let middle = times.partition_point(|(other, _)| *other < time);
        let before = times.get(middle.saturating_sub(MOST_CANDIDATES)..middle)?;
        let after = times.get(middle..times.len().min(middle.saturating_add(MOST_CANDIDATES)))?;
        let is_near = |(other, _): &&(Timestamp, usize)| other.duration_since(time).abs() <= window;
        let nearest = before.iter().rev().take_while(is_near).chain(after.iter().take_while(is_near));
        nearest
            .filter(|(_, index)| fits(*index))
            .min_by_key(|(other, index)| (other.duration_since(time).abs(), *index))
            .map(|(_, index)| *index)
    }
}

/// Disjoint sets of sightings, each with the one computer that its members name.
struct Sets<'s> {
    sightings: &'s [Sighting],
    parent: Vec<usize>,
    host: Vec<Option<Arc<str>>>,
}

impl<'s> Sets<'s> {
    fn new(sightings: &'s [Sighting]) -> Self {
        Self {
            sightings,
            parent: (0..sightings.len()).collect(),
            host: sightings.iter().map(|sighting| sighting.host.clone()).collect(),
        }
    }

    fn root(&mut self, mut index: usize) -> usize {
        while let Some(parent) = self.parent.get(index).copied()
            && parent != index
        {
            // Halve the path, so that it stays short.
            let grandparent = self.parent.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parent.get_mut(index) {
                *slot = grandparent;
            }
            index = grandparent;
        }
        index
    }

    /// The computer that the set of `index` belongs to, lower case.
    fn host(&mut self, index: usize) -> Option<String> {
        let root = self.root(index);
        self.host.get(root)?.as_ref().map(|host| host.to_lowercase())
    }

    /// Joins all members into one set; those that would bring in a second computer are left out.
    fn join_all(&mut self, members: &[usize]) {
        let Some((first, rest)) = members.split_first() else { return };
        for other in rest {
            let (a, b) = (self.root(*first), self.root(*other));
            let (host_a, host_b) = (self.host(a), self.host(b));
            if a == b || matches!((&host_a, &host_b), (Some(a), Some(b)) if a != b) {
                continue;
            }
            let (low, high) = (a.min(b), a.max(b));
            let host = self.host.get(low).cloned().flatten().or_else(|| self.host.get(high).cloned().flatten());
            if let Some(slot) = self.parent.get_mut(high) {
                *slot = low;
            }
            if let Some(slot) = self.host.get_mut(low) {
                *slot = host;
            }
        }
    }

    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.sightings.len() {
            let root = self.root(index);
            groups.entry(root).or_default().push(index);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        for members in &mut groups {
            members.sort_by_key(|index| self.sightings.get(*index).map(|sighting| (sighting.rank, *index)));
        }
        groups
    }
}

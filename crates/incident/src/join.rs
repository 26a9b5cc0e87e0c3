//! Which sightings are of the same incident.
//!
//! Keys, strongest first: WER's report id; process id with start time; the parameters of a bugcheck; the name of the
//! dump's file; and, where the evidence holds no id, computer and closeness in time within families whose records Windows
//! writes together, or of the same program in the same version. Sightings of different computers are never joined, and
//! what fits two is joined to neither. Texts that people pasted come last: they join the one incident that agrees with
//! them. [`JoinKey`] is the list of the keys with their strength.

mod alive;
mod copies;
mod dump_path;
mod key;
mod name_and_time;
mod process;
mod reports;
mod resets;
mod sets;
mod stop_and_time;
mod stops;
mod tickets;
mod timeline;

pub(super) use alive::CLOCK_STEP;
pub use key::JoinKey;
pub(super) use tickets::record;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use self::alive::Alive;
use self::sets::Sets;
use self::timeline::Timeline;
use super::sighting::{Family, Item, RestartRecord, Sighting};
use super::{IncidentKind, JoinStrength, JoinedBy};
use evidence::{EventBody, ExceptionCode, Observation, ProcessExit};

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
/// How many records before and after a moment are looked at for the one that fits it. No machine crashes this often
/// within the windows above; a made-up log may say so of every record.
const MOST_CANDIDATES: usize = 256;

/// Sightings of one incident.
#[derive(Debug)]
pub struct Group {
    /// By rank, then by item.
    pub members: Vec<usize>,
    /// By what each of them was joined; nothing for the first.
    pub joined_by: Vec<Option<JoinedBy>>,
    /// Of texts that fit several other groups: a sighting of each of those.
    pub fits: Vec<usize>,
}

/// Groups the sightings: each group is one incident. Groups come in the order of their first item.
#[must_use]
pub fn join(sightings: &[Sighting], items: &[Item]) -> Vec<Group> {
    let mut sets = Sets::new(sightings);
    let alive = Alive::of(sightings, items);
    reports::by_report_id(sightings, &mut sets);
    let copies = copies::by_copy(sightings, items, &mut sets);
    process::by_process(sightings, items, &mut sets);
    stops::by_bugcheck(sightings, items, &alive, &mut sets);
    reports::by_report_folder(sightings, items, &mut sets);
    dump_path::by_dump_path(sightings, items, &alive, &mut sets);
    by_pid(sightings, items, &mut sets);
    by_exit(sightings, items, &mut sets);
    by_service(sightings, items, &mut sets);
    by_restart(sightings, &mut sets);
    stop_and_time::by_stop_and_time(sightings, items, &alive, &mut sets);
    resets::by_reset_burst(sightings, &mut sets);
    by_companionship(sightings, &mut sets);
    name_and_time::by_name_and_time(sightings, items, &mut sets);
    copies::across_folders(copies, &mut sets);
    let mut fit_several = tickets::by_ticket(sightings, items, &mut sets);
    let mut groups = sets.groups();
    let is_text = |index: &usize| {
        let item = sightings.get(*index).and_then(|sighting| items.get(sighting.item));
        item.is_some_and(|item| matches!(item.observation, Observation::Ticket(_)))
    };
    for group in groups.iter_mut().filter(|group| group.members.iter().all(is_text)) {
        group.fits = group.members.iter().find_map(|member| fit_several.remove(member)).unwrap_or_default();
    }
    groups
}

/// Joins the members of each bucket, unless they name several computers and some name none: then only those that
/// name the same are joined, and those whose folder stands for it are likely to belong to it.
fn join_unambiguous(buckets: impl Iterator<Item = Vec<usize>>, key: JoinKey, sets: &mut Sets<'_>) {
    let mut buckets: Vec<Vec<usize>> = buckets.filter(|bucket| bucket.len() > 1).collect();
    buckets.sort();
    for bucket in buckets {
        let mut by_host: BTreeMap<Option<Arc<str>>, Vec<usize>> = BTreeMap::new();
        for index in bucket {
            by_host.entry(sets.named_host(index)).or_default().push(index);
        }
        let nameless = by_host.remove(&None).unwrap_or_default();
        let only = by_host.len() <= 1;
        for members in by_host.values() {
            sets.join_all(members, key);
        }
        if only {
            let mut all: Vec<usize> = by_host.into_values().flatten().collect();
            all.extend(nameless);
            join_around(&all, key, sets);
            continue;
        }
        let mut rest = Vec::new();
        for index in nameless {
            let named = sets.host(index).and_then(|host| by_host.get(&Some(host))?.first());
            match named {
                Some(first) => sets.join_as(*first, index, key, JoinStrength::Likely),
                None => rest.push(index),
            }
        }
        join_around(&rest, key, sets);
    }
}

/// Joins what does not name different computers: to the first of each, in order.
fn join_around(members: &[usize], key: JoinKey, sets: &mut Sets<'_>) {
    let mut firsts: BTreeMap<Option<Arc<str>>, usize> = BTreeMap::new();
    for index in members {
        firsts.entry(sets.host(*index)).or_insert(*index);
    }
    // What no folder stands for either belongs to the only computer, or is joined to its like.
    if firsts.keys().flatten().count() <= 1 || key == JoinKey::ReportId {
        sets.join_all(members, key);
        return;
    }
    for index in members {
        if let Some(first) = firsts.get(&sets.host(*index)) {
            sets.join(*first, *index, key);
        }
    }
}

/// .NET Runtime and Application Error 1005 join the nearest crash record of the same program. Copies of a record count
/// once.
fn by_companionship(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let crashes = Timeline::of(sightings, |sighting| sighting.family == Family::Crash);
    let before: Vec<usize> = (0..sightings.len()).map(|index| sets.root(index)).collect();
    let root = |index: usize| before.get(index).copied().unwrap_or(index);
    let (mut taken, mut done) = (HashSet::new(), HashSet::new());
    for (index, sighting) in sightings.iter().enumerate() {
        if sighting.family != Family::CrashCompanion || !done.insert(root(index)) {
            continue;
        }
        let nearest = crashes.near(sighting, COMPANION_WINDOW, |other| {
            let crash = sightings.get(other);
            crash.is_some_and(|crash| crash.process == sighting.process)
                && !taken.contains(&(root(other), kind_of(sighting)))
        });
        if let Some(crash) = nearest {
            taken.insert((root(crash), kind_of(sighting)));
            sets.join(crash, index, JoinKey::Companion);
        }
    }
}

/// Companions of different kinds (told by rank) may share a crash; two of one kind belong to two.
fn kind_of(sighting: &Sighting) -> u8 {
    sighting.rank
}

/// A driver's record that names a process id joins that process's crash.
fn by_pid(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let crashes = Timeline::of(sightings, |sighting| sighting.family == Family::Crash);
    for (index, sighting) in sightings.iter().enumerate() {
        if sighting.family == Family::CrashByPid
            && let Some(crash) = crashes.near(sighting, PID_WINDOW, |other| {
                let crash = sightings.get(other);
                crash.is_some_and(|crash| crash.pid == sighting.pid && may_be_of(sighting, crash, items))
            })
        {
            sets.join(crash, index, JoinKey::ProcessAndTime);
        }
    }
}

/// Whether a driver's record can be about a process that crashed: it had started, and the text names no other program.
fn may_be_of(record: &Sighting, crash: &Sighting, items: &[Item]) -> bool {
    let had_started = match (crash.started, record.time) {
        (Some(started), Some(time)) => time.as_second() >= started.as_second().saturating_sub(START_TOLERANCE_SECONDS),
        _ => true,
    };
    let text = match items.get(record.item).map(|item| &item.observation) {
        Some(Observation::Event(event)) => match &event.content.body {
            EventBody::OpenGlDriver { text, .. } => text.to_lowercase(),
            _ => String::new(),
        },
        _ => String::new(),
    };
    let named = crash.process.as_ref().is_none_or(|process| !text.contains(".exe") || text.contains(process.as_str()));
    had_started && named
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
        // What ended by an exception was not closed because it hung.
        let crashed = matches!(event_body(items, exit), Some(EventBody::ProcessExit(end)) if is_exception(end));
        let same_process = |other: &Sighting| {
            other.process == exit.process
                && (other.pid.is_none() || exit.pid.is_none() || other.pid == exit.pid)
                && !started_apart(other, exit)
        };
        let failure = failures.near(exit, EXIT_WINDOW, |other| {
            let other = sightings.get(other);
            other.is_some_and(|other| {
                same_process(other) && follows(exit, other) && !(crashed && other.kind == IncidentKind::Hang)
            })
        });
        if let Some(failure) = failure {
            let both = exit.pid.is_some() && sightings.get(failure).is_some_and(|other| other.pid.is_some());
            sets.join(failure, index, if both { JoinKey::Exit } else { JoinKey::NameAndTime });
        }
        let record = exits.near(exit, SAME_EXIT, |other| {
            other != index && sightings.get(other).is_some_and(|other| same_process(other) && other.pid == exit.pid)
        });
        if let Some(record) = record {
            sets.join(record, index, JoinKey::Exit);
        }
    }
    // Dumps don't name their computer.
    let mut by_pid: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, exit) in sightings.iter().enumerate().filter(|(_, sighting)| sighting.family == Family::Exit) {
        if let Some(pid) = exit.pid {
            by_pid.entry(pid).or_default().push(index);
        }
    }
    let time_of = |index: usize| sightings.get(index).and_then(|exit| exit.time);
    for exits in by_pid.values_mut() {
        exits.sort_by_key(|exit| (time_of(*exit), *exit));
    }
    for (index, dump) in sightings.iter().enumerate() {
        let is_dump = matches!(items.get(dump.item).map(|item| &item.observation), Some(Observation::Process(_)));
        let Some(exits) = dump.pid.filter(|_| is_dump && dump.process.is_some()).and_then(|pid| by_pid.get(&pid))
        else {
            continue;
        };
        let fits = |exit: &&usize| {
            sightings
                .get(**exit)
                .is_some_and(|exit| exit.process == dump.process && follows(exit, dump) && !started_apart(exit, dump))
        };
        let begin = dump.time.and_then(|time| time.checked_sub(SAME_EXIT).ok());
        let from = exits.partition_point(|exit| time_of(*exit) < begin);
        let mut fitting: Vec<usize> = exits.iter().skip(from).take(MOST_CANDIDATES).filter(fits).copied().collect();
        if let Some(host) = sets.host(index) {
            fitting.retain(|exit| sets.host(*exit).is_none_or(|other| other == host));
        }
        let Some(first) = fitting.first() else { continue };
        // Several are one end when they were joined before.
        let root = sets.root(*first);
        if fitting.iter().all(|exit| sets.root(*exit) == root) {
            sets.join(*first, index, JoinKey::Exit);
        }
    }
}

/// Whether a process ended by an error's status, and not by one with which a hanging process is closed.
fn is_exception(end: &ProcessExit) -> bool {
    const CLOSED: [ExceptionCode; 2] = [ExceptionCode::APPLICATION_HANG, ExceptionCode::CONTROL_C_EXIT];
    // Statuses of errors begin with 0xC0 (NTSTATUS, severity "error").
    end.status().is_some_and(|status| status.0 >= 0xC000_0000 && !CLOSED.contains(&status))
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
            sets.join(crash, index, JoinKey::Service);
        }
    }
}

fn event_body<'i>(items: &'i [Item], sighting: &Sighting) -> Option<&'i EventBody> {
    match &items.get(sighting.item)?.observation {
        Observation::Event(event) => Some(&event.content.body),
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
                sets.join(first.1, current.1, JoinKey::Restart);
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

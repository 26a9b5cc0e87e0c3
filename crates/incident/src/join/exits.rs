//! Ends of processes, which crashes, hangs and failed starts explain.

use std::collections::HashMap;

use jiff::SignedDuration;

use super::by_time::SightingsByTime;
use super::compare::starts_differ;
use super::key::JoinKey;
use super::limits::MOST_CANDIDATES;
use super::sets::Sets;
use crate::incident::IncidentKind;
use crate::sighting::{Family, Sighting};
use evidence::{EventBody, ExceptionCode, Observation, ProcessExit};

/// How long after a process's crash its end can be recorded: Windows Error Reporting holds the process while it writes
/// its report, and a message box while somebody reads it.
const EXIT_WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// How far the records of one end can be apart, and its crash behind it.
const SAME_EXIT: SignedDuration = SignedDuration::from_secs(2);

/// Joins the end of a process to the evidence of its crash, hang or failed start: the same program with the same process
/// id, shortly before. A message box names no id.
pub(super) fn by_exit(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let is_exit = |sighting: &Sighting<'_>| sighting.family == Family::Exit;
    let failures = SightingsByTime::new(sightings, |sighting| {
        let failed = matches!(sighting.kind, IncidentKind::Crash | IncidentKind::Hang | IncidentKind::StartFailure);
        failed && !is_exit(sighting) && sighting.process.is_some() && !sighting.logged_later
    });
    let exits = SightingsByTime::new(sightings, is_exit);
    let mut by_pid: HashMap<u32, Vec<&Sighting<'_>>> = HashMap::new();
    for exit in sightings.iter().filter(|sighting| is_exit(sighting)) {
        // What ended by an exception was not closed because it hung.
        let crashed = matches!(exit.event_body(), Some(EventBody::ProcessExit(end)) if is_exception(end));
        let is_same_process = |other: &Sighting<'_>| {
            other.process == exit.process
                && (other.pid.is_none() || exit.pid.is_none() || other.pid == exit.pid)
                && !starts_differ(other, exit)
        };
        let failure = failures.nearest(exit, EXIT_WINDOW, |other| {
            is_same_process(other) && can_follow(exit, other) && !(crashed && other.kind == IncidentKind::Hang)
        });
        if let Some(failure) = failure {
            let have_pids = exit.pid.is_some() && failure.pid.is_some();
            sets.join(failure, exit, if have_pids { JoinKey::Exit } else { JoinKey::NameAndTime });
        }
        let same_exit = |other: &Sighting<'_>| other != exit && is_same_process(other) && other.pid == exit.pid;
        if let Some(record) = exits.nearest(exit, SAME_EXIT, same_exit) {
            sets.join(record, exit, JoinKey::Exit);
        }
        if let Some(pid) = exit.pid {
            by_pid.entry(pid).or_default().push(exit);
        }
    }
    by_pid.values_mut().for_each(|exits| exits.sort_by_key(|exit| (exit.time, *exit)));
    // Dumps do not name their computer.
    let is_dump = |sighting: &&Sighting<'_>| matches!(sighting.evidence.observation, Observation::Process(_));
    for dump in sightings.iter().filter(is_dump).filter(|dump| dump.process.is_some()) {
        let Some(exits) = dump.pid.and_then(|pid| by_pid.get(&pid)) else { continue };
        let fits = |exit: &&&Sighting<'_>| {
            exit.process == dump.process && can_follow(exit, dump) && !starts_differ(exit, dump)
        };
        let begin = dump.time.and_then(|time| time.checked_sub(SAME_EXIT).ok());
        let from = exits.partition_point(|exit| exit.time < begin);
        let mut fitting: Vec<&Sighting<'_>> =
            exits.iter().skip(from).take(MOST_CANDIDATES).filter(fits).copied().collect();
        if let Some(host) = sets.host(dump) {
            fitting.retain(|exit| sets.host(exit).is_none_or(|other| other == host));
        }
        let Some(first) = fitting.first() else { continue };
        // Several are one end when they were joined before.
        let root = sets.root(first);
        if fitting.iter().all(|exit| sets.root(exit) == root) {
            sets.join(first, dump, JoinKey::Exit);
        }
    }
}

/// Whether a process ended with an error's status other than those with which a hanging process is closed.
fn is_exception(end: &ProcessExit) -> bool {
    const CLOSED: [ExceptionCode; 2] = [ExceptionCode::APPLICATION_HANG, ExceptionCode::CONTROL_C_EXIT];
    // Statuses of errors begin with 0xC0 (NTSTATUS, severity "error").
    end.status().is_some_and(|status| status.0 >= 0xC000_0000 && !CLOSED.contains(&status))
}

/// Whether the end of a process is so soon after a failure that it can be its consequence.
fn can_follow(exit: &Sighting<'_>, failure: &Sighting<'_>) -> bool {
    let (Some(exit), Some(failure)) = (exit.time, failure.time) else { return false };
    let after = exit.duration_since(failure);
    after <= EXIT_WINDOW && after >= -SAME_EXIT
}

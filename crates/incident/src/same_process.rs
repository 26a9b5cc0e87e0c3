//! Several failures of one process: a process that hangs and crashes fails twice, and one failure explains the other. A hang
//! before a crash did not end the process.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::build::JoinedIncident;
use super::incident::{Incident, IncidentKind};
use super::kernel_card::in_two_units;
use evidence::Observation;

/// How far apart two failures of one process id can be when the process's start is not known: ids are used again.
const SAME_PROCESS: SignedDuration = SignedDuration::from_mins(10);

/// Computer and program, lower case, and process id.
type Process = (Option<String>, String, u32);

/// Adds to crashes and hangs of one process a remark about the one before and the one after.
pub(super) fn remark_on_failures(joined: &mut [JoinedIncident<'_>]) {
    let mut by_process: BTreeMap<Process, Vec<(Timestamp, usize)>> = BTreeMap::new();
    for (index, one) in joined.iter().enumerate().filter(|(_, one)| is_failure(one)) {
        let incident = &one.incident;
        let process = incident.process.as_ref().and_then(|process| Some((process.name.as_ref()?, process.pid?)));
        if let (Some((name, pid)), Some(time)) = (process, incident.time) {
            let host = incident.host.as_ref().map(|host| host.to_lowercase());
            by_process.entry((host, name.to_lowercase(), pid)).or_default().push((time, index));
        }
    }
    let mut remarks: Vec<(usize, String, Option<u64>)> = Vec::new();
    for failures in by_process.values_mut() {
        failures.sort_unstable();
        for pair in failures.windows(2) {
            let [(before, earlier), (after, later)] = pair else { continue };
            let incident = |index: usize| joined.get(index).map(|joined| &joined.incident);
            let (Some(first), Some(second)) = (incident(*earlier), incident(*later)) else { continue };
            let apart = after.duration_since(*before);
            if is_one_process(first, second, apart) {
                let hung_and_crashed = (first.kind, second.kind) == (IncidentKind::Hang, IncidentKind::Crash);
                let crashed_later = hung_and_crashed.then(|| apart.as_secs().unsigned_abs());
                remarks.push((*earlier, remark(second, apart, "later"), crashed_later));
                remarks.push((*later, remark(first, apart, "before"), None));
            }
        }
    }
    for (index, remark, crashed_later) in remarks {
        let Some(JoinedIncident { incident, .. }) = joined.get_mut(index) else { continue };
        incident.remarks.push(remark);
        incident.crashed_later = crashed_later.or(incident.crashed_later);
    }
}

/// Whether an incident is a crash or a hang, and not only a dump that somebody wrote of a running process.
fn is_failure(joined: &JoinedIncident<'_>) -> bool {
    match joined.incident.kind {
        IncidentKind::Crash => true,
        IncidentKind::Hang => {
            joined.evidence.items.iter().any(|item| !matches!(item.observation, Observation::Process(_)))
        }
        _ => false,
    }
}

fn is_one_process(a: &Incident, b: &Incident, apart: SignedDuration) -> bool {
    let started = |incident: &Incident| incident.process.as_ref().and_then(|process| process.started);
    match (started(a), started(b)) {
        // Dumps hold whole seconds, and rounding may differ by one.
        (Some(a), Some(b)) => a.as_second().abs_diff(b.as_second()) <= 1,
        _ => apart <= SAME_PROCESS,
    }
}

fn remark(other: &Incident, apart: SignedDuration, when: &str) -> String {
    let what = if other.kind == IncidentKind::Hang { "stopped answering" } else { "crashed" };
    format!("The same process {what} {} {when}: incident {}.", in_two_units(apart), other.id)
}

//! Records that Windows writes at one start about how the session before ended.

use jiff::Timestamp;

use super::by_time::SightingsByTime;
use super::compare::differ;
use super::key::JoinKey;
use super::limits::RESTART_WINDOW;
use super::sets::Sets;
use crate::sighting::{Family, RestartRecord, Sighting};

/// Joins BugCheck 1001, Kernel-Power 41 and 86, EventLog 6008 and volmgr 161 and 162 of one start: at most one of each, with codes that do not
/// contradict each other.
pub(super) fn by_restart(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    for records in SightingsByTime::new(sightings, |sighting| sighting.is_of_restart()).by_host.into_values() {
        let mut open: Vec<(Timestamp, &Sighting<'_>)> = Vec::new();
        for (time, record) in records {
            let soon = |first: &(Timestamp, _)| time.duration_since(first.0) <= RESTART_WINDOW;
            // At the same 100 ns it is the same record in a second copy of the log.
            let is_of_next = |(other_time, other): &(Timestamp, &Sighting<'_>)| {
                other.family == record.family && *other_time != time || contradict(other, record)
            };
            if !open.first().is_some_and(soon) || open.iter().any(is_of_next) {
                open.clear();
            }
            if let Some((_, first)) = open.first() {
                sets.join(first, record, JoinKey::Restart);
            }
            // A copy adds nothing, and there may be many.
            let is_copy = open.iter().any(|(other_time, other)| {
                (*other_time, other.family, other.stop_code()) == (time, record.family, record.stop_code())
            });
            if !is_copy {
                open.push((time, record));
            }
        }
    }
}

/// Whether two records are of two ends: different codes, or a shutdown by heat, which ends the system in order, and a blue
/// screen.
fn contradict(a: &Sighting<'_>, b: &Sighting<'_>) -> bool {
    let is_heat = |record: &Sighting<'_>| record.family == Family::Restart(RestartRecord::Heat);
    let pairs = [(a, b), (b, a)];
    differ(a.stop_code(), b.stop_code())
        || pairs.into_iter().any(|(heat, stop)| is_heat(heat) && stop.stop_code().is_some())
}

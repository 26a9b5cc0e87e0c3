//! Files that a policy of the machine refused: an incident of the program that wanted them, unless evidence of that program's
//! own failure explains what came of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::by_time::SightingsByTime;
use super::compare::agree;
use super::limits::MOST_CANDIDATES;
use super::resets::join_bursts;
use super::sets::{JoinedSightings, Sets};
use crate::incident::IncidentKind;
use crate::sighting::{Family, Sighting};

/// How long after a refusal a failure of the program is taken for its consequence: rules look for refusals that long before
/// a failure. A dump has whole seconds, so that it can seem earlier.
const CONSEQUENCE: std::ops::RangeInclusive<i64> = -2..=60;

/// Joins the refusals to one program that follow each other.
pub(super) fn by_refusal_burst(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    for times in SightingsByTime::new(sightings, is_refusal).by_host.into_values() {
        let mut by_program: BTreeMap<Option<&str>, Vec<(Timestamp, &Sighting<'_>)>> = BTreeMap::new();
        for (time, refusal) in times {
            by_program.entry(refusal.process.as_deref()).or_default().push((time, refusal));
        }
        by_program.values().for_each(|times| join_bursts(times, sets));
    }
}

/// The failures of programs by computer, in lower case.
pub(super) struct Failures<'s>(BTreeMap<Arc<str>, Vec<(Timestamp, &'s Sighting<'s>)>>);

impl<'s> Failures<'s> {
    /// The failures among the sightings, where refusals are among them.
    pub(super) fn new(sightings: &'s [Sighting<'s>], sets: &mut Sets<'_>) -> Self {
        let mut failures: BTreeMap<Arc<str>, Vec<(Timestamp, &Sighting<'_>)>> = BTreeMap::new();
        if sightings.iter().any(is_refusal) {
            for sighting in sightings.iter().filter(|sighting| !is_refusal(sighting) && is_failure(sighting)) {
                if let (Some(host), Some(time)) = (sets.host(sighting), sighting.time) {
                    failures.entry(host).or_default().push((time, sighting));
                }
            }
        }
        failures.values_mut().for_each(|failures| failures.sort_unstable());
        Self(failures)
    }

    /// Whether a group has nothing but refusals, and the program failed after one of them: its incident has the refusal in
    /// its timeline.
    pub(super) fn explain(&self, group: &JoinedSightings<'_>) -> bool {
        group.members.iter().all(|member| is_refusal(member)) && group.members.iter().any(|member| self.follow(member))
    }

    fn follow(&self, refusal: &Sighting<'_>) -> bool {
        let Some((host, time)) = refusal.host.as_deref().zip(refusal.time) else { return false };
        let Some(failures) = self.0.get(&*host.to_lowercase()) else { return false };
        let after = |failure: &Timestamp| failure.duration_since(time).as_secs();
        let from = failures.partition_point(|(failure, _)| after(failure) < *CONSEQUENCE.start());
        let soon = failures.iter().skip(from).take_while(|(failure, _)| after(failure) <= *CONSEQUENCE.end());
        soon.take(MOST_CANDIDATES).any(|(_, failure)| {
            agree(refusal.process.as_deref(), failure.process.as_deref()) || agree(refusal.pid, failure.pid)
        })
    }
}

fn is_refusal(sighting: &Sighting<'_>) -> bool {
    sighting.family == Family::Refusal
}

fn is_failure(sighting: &Sighting<'_>) -> bool {
    use IncidentKind::{Crash, Exit, Hang, StartFailure};
    matches!(sighting.kind, Crash | Hang | StartFailure | Exit) && !sighting.is_text() && !sighting.logged_later
}

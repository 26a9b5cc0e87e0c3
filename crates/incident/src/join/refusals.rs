//! Files that a policy of the machine refused: an incident of the program that wanted them, unless evidence of that program's
//! own failure explains what came of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::by_time::SightingsByTime;
use super::resets::join_bursts;
use super::sets::{Group, Sets};
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

/// The failures of programs by computer, in lower case, and program.
pub(super) struct Failures(BTreeMap<(Arc<str>, String), Vec<Timestamp>>);

impl Failures {
    /// The failures among the sightings, where refusals are among them.
    pub(super) fn new(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) -> Self {
        let mut failures: BTreeMap<(Arc<str>, String), Vec<Timestamp>> = BTreeMap::new();
        if sightings.iter().any(is_refusal) {
            for sighting in sightings.iter().filter(|sighting| !is_refusal(sighting) && is_failure(sighting)) {
                let key = sets.host(sighting).zip(sighting.process.clone());
                if let (Some(key), Some(time)) = (key, sighting.time) {
                    failures.entry(key).or_default().push(time);
                }
            }
        }
        failures.values_mut().for_each(|times| times.sort_unstable());
        Self(failures)
    }

    /// Whether a group has nothing but refusals, and the program failed after one of them: its incident has the refusal in
    /// its timeline.
    pub(super) fn explain(&self, group: &Group<'_>) -> bool {
        group.members.iter().all(|member| is_refusal(member)) && group.members.iter().any(|member| self.follow(member))
    }

    fn follow(&self, refusal: &Sighting<'_>) -> bool {
        let host = refusal.host.as_deref().map(|host| Arc::from(host.to_lowercase()));
        let Some((key, time)) = host.zip(refusal.process.clone()).zip(refusal.time) else { return false };
        let Some(failures) = self.0.get(&key) else { return false };
        let after = |failure: &Timestamp| failure.duration_since(time).as_secs();
        let from = failures.partition_point(|failure| after(failure) < *CONSEQUENCE.start());
        failures.get(from).is_some_and(|failure| after(failure) <= *CONSEQUENCE.end())
    }
}

fn is_refusal(sighting: &Sighting<'_>) -> bool {
    sighting.family == Family::Refusal
}

fn is_failure(sighting: &Sighting<'_>) -> bool {
    use IncidentKind::{Crash, Exit, Hang, StartFailure};
    matches!(sighting.kind, Crash | Hang | StartFailure | Exit) && !sighting.is_text() && !sighting.logged_later
}

//! Resets of the GPU that follow each other closely.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::timeline::Timeline;
use super::{Family, JoinKey, Sets};
use crate::sighting::Sighting;

/// How far apart the resets of a burst may lie. Windows itself counts resets within 60 seconds before it stops with
/// 0x116 (`TdrLimitTime`, Windows driver documentation).
const APART: SignedDuration = SignedDuration::from_secs(60);
/// How long a burst may take: what goes on for longer is a series of bursts, and their number says how bad it is.
const LONGEST: SignedDuration = SignedDuration::from_mins(10);

/// Joins the resets of each burst, and to them the reports that were logged about one: the first time only, since a
/// report is logged again whenever it is sent.
pub(super) fn by_reset_burst(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let is_reset = |sighting: &Sighting| sighting.family == Family::GpuReset;
    let resets = Timeline::of(sightings, |sighting| is_reset(sighting) && !sighting.logged_later);
    for times in resets.by_host.values() {
        let mut burst: Option<Timestamp> = None;
        for (earlier, later) in times.iter().zip(times.iter().skip(1)) {
            let began = *burst.get_or_insert(earlier.0);
            if later.0.duration_since(earlier.0) <= APART && later.0.duration_since(began) <= LONGEST {
                sets.join(earlier.1, later.1, JoinKey::Burst);
            } else {
                burst = None;
            }
        }
    }
    let mut first_logged: BTreeMap<usize, (Timestamp, usize)> = BTreeMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        if let (true, Some(time)) = (is_reset(sighting) && sighting.logged_later, sighting.time) {
            let first = first_logged.entry(sets.root(index)).or_insert((time, index));
            *first = (*first).min((time, index));
        }
    }
    for (time, index) in first_logged.into_values() {
        let Some(report) = sightings.get(index) else { continue };
        let before = |other: usize| {
            let reset = sightings.get(other).and_then(|reset| reset.time);
            reset.is_some_and(|reset| reset <= time)
        };
        if let Some(reset) = resets.near(report, APART, before) {
            sets.join(reset, index, JoinKey::Burst);
        }
    }
}

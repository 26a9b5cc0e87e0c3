//! GPU resets that follow each other closely.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::by_time::SightingsByTime;
use super::key::JoinKey;
use super::sets::Sets;
use crate::sighting::{Family, Sighting};

/// How far apart the resets of a burst can be. Windows itself counts resets within 60 seconds before it stops with
/// 0x116 (`TdrLimitTime`, Windows driver documentation).
const APART: SignedDuration = SignedDuration::from_secs(60);
/// How long a burst can last: what goes on for longer is a series of bursts, and their number shows how bad it is.
const LONGEST: SignedDuration = SignedDuration::from_mins(10);

/// Joins what happened within [`APART`] of each other, of sightings in the order of their times.
pub(super) fn join_bursts(times: &[(Timestamp, &Sighting<'_>)], sets: &mut Sets<'_>) {
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

/// Joins the resets of each burst, and to them the reports that were logged about one: the first time only, since a
/// report is logged again whenever it is sent.
pub(super) fn by_reset_burst(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let is_reset = |sighting: &Sighting<'_>| sighting.family == Family::GpuReset;
    let resets = SightingsByTime::new(sightings, |sighting| is_reset(sighting) && !sighting.logged_later);
    resets.by_host.values().for_each(|times| join_bursts(times, sets));
    let mut first_logged: BTreeMap<usize, (Timestamp, &Sighting<'_>)> = BTreeMap::new();
    for report in sightings.iter().filter(|sighting| is_reset(sighting) && sighting.logged_later) {
        if let Some(time) = report.time {
            let first = first_logged.entry(sets.root(report)).or_insert((time, report));
            *first = (*first).min((time, report));
        }
    }
    for (time, report) in first_logged.into_values() {
        let is_before = |reset: &Sighting<'_>| reset.time.is_some_and(|reset| reset <= time);
        if let Some(reset) = resets.nearest(report, APART, is_before) {
            sets.join(reset, report, JoinKey::Burst);
        }
    }
}

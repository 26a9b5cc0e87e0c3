//! Records that something else writes about a crash: the .NET runtime, a display driver.

use std::collections::HashSet;

use jiff::SignedDuration;

use super::by_time::SightingsByTime;
use super::key::JoinKey;
use super::limits::START_TOLERANCE_SECONDS;
use super::sets::Sets;
use crate::sighting::{Family, Sighting};
use evidence::EventBody;

/// How far a companion of a crash record can be from it. The .NET runtime's was measured from 0.02 to 4.4 seconds before
/// its Application Error.
const COMPANION_WINDOW: SignedDuration = SignedDuration::from_secs(10);
/// How far a driver's record that names a process id can be from that process's crash; ids are used again.
const PID_WINDOW: SignedDuration = SignedDuration::from_secs(120);

/// Joins .NET Runtime and Application Error 1005 to the nearest crash record of the same program. Copies of a record count
/// once.
pub(super) fn by_companionship(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let crashes = SightingsByTime::new(sightings, |sighting| sighting.family == Family::Crash);
    let roots: Vec<usize> = sightings.iter().map(|sighting| sets.root(sighting)).collect();
    let root = |sighting: &Sighting<'_>| roots.get(sighting.index).copied().unwrap_or(sighting.index);
    // Two kinds of companions, which differ in rank, can be of one crash; two of one kind are of two.
    let (mut taken, mut done) = (HashSet::new(), HashSet::new());
    for sighting in sightings.iter().filter(|sighting| sighting.family == Family::CrashCompanion) {
        if !done.insert(root(sighting)) {
            continue;
        }
        let nearest = crashes.nearest(sighting, COMPANION_WINDOW, |crash| {
            crash.process == sighting.process && !taken.contains(&(root(crash), sighting.rank))
        });
        if let Some(crash) = nearest {
            taken.insert((root(crash), sighting.rank));
            sets.join(crash, sighting, JoinKey::Companion);
        }
    }
}

/// Joins a driver's record that names a process id to that process's crash.
pub(super) fn by_pid(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let crashes = SightingsByTime::new(sightings, |sighting| sighting.family == Family::Crash);
    for record in sightings.iter().filter(|sighting| sighting.family == Family::CrashByPid) {
        let fits = |crash: &Sighting<'_>| crash.pid == record.pid && can_be_of(record, crash);
        if let Some(crash) = crashes.nearest(record, PID_WINDOW, fits) {
            sets.join(crash, record, JoinKey::ProcessAndTime);
        }
    }
}

/// Whether a driver's record can be about a process that crashed: the process had started, and the text names no other
/// program.
fn can_be_of(record: &Sighting<'_>, crash: &Sighting<'_>) -> bool {
    let had_started = match (crash.started, record.time) {
        (Some(started), Some(time)) => time.as_second() >= started.as_second().saturating_sub(START_TOLERANCE_SECONDS),
        _ => true,
    };
    let text = match record.event_body() {
        Some(EventBody::OpenGlDriver { text, .. }) => text.to_lowercase(),
        _ => String::new(),
    };
    let process = crash.process.as_ref();
    had_started && process.is_none_or(|process| !text.contains(".exe") || text.contains(process.as_str()))
}

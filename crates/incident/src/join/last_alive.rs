//! When a system is known to have run: a blue screen from before that moment is not the one that a later start records.

use jiff::{SignedDuration, Timestamp};

use super::by_time::SightingsByTime;
use super::limits::{MOST_CANDIDATES, RESTART_WINDOW};
use crate::sighting::Sighting;

/// How much older than the last sign of life a blue screen may seem: the clock can be set between the two.
pub(crate) const CLOCK_STEP: SignedDuration = SignedDuration::from_mins(5);

/// The records of sessions that ended without shutdown, EventLog 6008, each with the last sign of life of its session. They
/// are logged at the next start.
pub(super) struct LastAlive<'s>(SightingsByTime<'s>);

impl<'s> LastAlive<'s> {
    /// The records among `sightings`.
    pub(super) fn new(sightings: &'s [Sighting<'s>]) -> Self {
        Self(SightingsByTime::new(sightings, |sighting| sighting.last_alive().is_some()))
    }

    /// Whether the records of a computer's start at `started` show that the system still ran after `stopped`. `host` is
    /// in lower case.
    pub(super) fn is_after(&self, stopped: Timestamp, host: Option<&str>, started: Timestamp) -> bool {
        let Some(records) = host.and_then(|host| self.0.by_host.get(host)) else { return false };
        let from = records.partition_point(|(logged, _)| started.duration_since(*logged) > RESTART_WINDOW);
        let at_start = records.iter().skip(from).take(MOST_CANDIDATES);
        let mut at_start =
            at_start.take_while(|(logged, _)| logged.duration_since(started) <= RESTART_WINDOW).peekable();
        // Of two starts within minutes either may be meant.
        at_start.peek().is_some()
            && at_start
                .all(|(_, record)| record.last_alive().is_some_and(|alive| alive.duration_since(stopped) > CLOCK_STEP))
    }
}

//! When a system is known to have run: a blue screen from before that moment is not the one that a later start records.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::limits::{MOST_CANDIDATES, RESTART_WINDOW};
use crate::sighting::Sighting;
use evidence::EventBody;

/// How much older than the last sign of life a blue screen may seem: the clock can be set between the two.
pub(crate) const CLOCK_STEP: SignedDuration = SignedDuration::from_mins(5);

/// The last signs of life of sessions that ended without shutdown, which EventLog 6008 records at the next start.
pub(super) struct LastAlive {
    /// By computer, lower case: when each record was logged and the moment that it names, in order.
    by_host: HashMap<String, Vec<(Timestamp, Timestamp)>>,
}

impl LastAlive {
    /// The last signs of life in the records among `sightings`.
    pub(super) fn new(sightings: &[Sighting<'_>]) -> Self {
        let mut by_host: HashMap<String, Vec<(Timestamp, Timestamp)>> = HashMap::new();
        for sighting in sightings {
            if let (Some(host), Some(logged)) = (&sighting.host, sighting.time)
                && let Some(EventBody::UncleanShutdown { last_alive: Some(alive) }) = sighting.event_body()
            {
                by_host.entry(host.to_lowercase()).or_default().push((logged, *alive));
            }
        }
        by_host.values_mut().for_each(|records| records.sort_unstable());
        Self { by_host }
    }

    /// Whether the records of a computer's start at `started` show that the system still ran after `stopped`. `host` is
    /// in lower case.
    pub(super) fn is_after(&self, stopped: Timestamp, host: Option<&str>, started: Timestamp) -> bool {
        let Some(records) = host.and_then(|host| self.by_host.get(host)) else { return false };
        let from = records.partition_point(|(logged, _)| started.duration_since(*logged) > RESTART_WINDOW);
        let at_start = records.iter().skip(from).take(MOST_CANDIDATES);
        let mut at_start =
            at_start.take_while(|(logged, _)| logged.duration_since(started) <= RESTART_WINDOW).peekable();
        // Of two starts within minutes either may be meant.
        at_start.peek().is_some() && at_start.all(|(_, alive)| alive.duration_since(stopped) > CLOCK_STEP)
    }
}

//! When a system is known to have run: a stop from before that moment is not the one that a later start tells of.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use super::{MOST_CANDIDATES, RESTART_WINDOW};
use crate::sighting::{Item, Sighting};
use evidence::{EventBody, Observation};

/// How much older than the last sign of life a stop may seem: the clock can be set between the two.
pub(crate) const CLOCK_STEP: SignedDuration = SignedDuration::from_mins(5);

/// The last signs of life of sessions that were not shut down, which EventLog 6008 tells at the next start.
pub(super) struct Alive {
    /// By computer, lower case: when it was logged and what it says, in order.
    by_host: HashMap<String, Vec<(Timestamp, Timestamp)>>,
}

impl Alive {
    pub(super) fn of(sightings: &[Sighting], items: &[Item]) -> Self {
        let mut by_host: HashMap<String, Vec<(Timestamp, Timestamp)>> = HashMap::new();
        for sighting in sightings {
            if let (Some(host), Some(logged)) = (&sighting.host, sighting.time)
                && let Some(Observation::Event(event)) = items.get(sighting.item).map(|item| &item.observation)
                && let EventBody::UncleanShutdown { last_alive: Some(alive) } = event.content.body
            {
                by_host.entry(host.to_lowercase()).or_default().push((logged, alive));
            }
        }
        by_host.values_mut().for_each(|records| records.sort_unstable());
        Self { by_host }
    }

    /// Whether the records about a computer's start at `started` say that the system still ran after `stopped`. `host` is
    /// in lower case.
    pub(super) fn after(&self, stopped: Timestamp, host: Option<&str>, started: Timestamp) -> bool {
        let Some(records) = host.and_then(|host| self.by_host.get(host)) else { return false };
        let from = records.partition_point(|(logged, _)| started.duration_since(*logged) > RESTART_WINDOW);
        let of_start = records.iter().skip(from).take(MOST_CANDIDATES);
        let mut of_start =
            of_start.take_while(|(logged, _)| logged.duration_since(started) <= RESTART_WINDOW).peekable();
        // Of two starts within minutes either may be meant.
        of_start.peek().is_some() && of_start.all(|(_, alive)| alive.duration_since(stopped) > CLOCK_STEP)
    }
}

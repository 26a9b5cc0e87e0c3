//! Sightings of one kind by computer and time.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::limits::MOST_CANDIDATES;
use crate::sighting::Sighting;

/// Sightings by computer and time.
pub(super) struct SightingsByTime<'s> {
    /// By computer, lower case: the sightings with their times, earliest first.
    pub(super) by_host: BTreeMap<String, Vec<(Timestamp, &'s Sighting<'s>)>>,
}

impl<'s> SightingsByTime<'s> {
    /// The sightings that `is_wanted` accepts, as far as they have a computer and a time.
    pub(super) fn new(sightings: &'s [Sighting<'s>], is_wanted: impl Fn(&Sighting<'_>) -> bool) -> Self {
        let mut by_host: BTreeMap<String, Vec<(Timestamp, &Sighting<'_>)>> = BTreeMap::new();
        for sighting in sightings {
            if let (true, Some(host), Some(time)) = (is_wanted(sighting), &sighting.host, sighting.time) {
                by_host.entry(host.to_lowercase()).or_default().push((time, sighting));
            }
        }
        by_host.values_mut().for_each(|sightings| sightings.sort_unstable());
        Self { by_host }
    }

    /// The sighting on the computer of `sighting` that `fits` accepts and that is nearest in time, at most `window` away.
    pub(super) fn nearest(
        &self,
        sighting: &Sighting<'_>,
        window: SignedDuration,
        fits: impl Fn(&Sighting<'_>) -> bool,
    ) -> Option<&'s Sighting<'s>> {
        let time = sighting.time?;
        let times = self.by_host.get(&sighting.host.as_ref()?.to_lowercase())?;
        let middle = times.partition_point(|(other, _)| *other < time);
        let (before, after) = times.split_at_checked(middle)?;
        let distance = |other: &Timestamp| other.duration_since(time).abs();
        let is_near = |(other, _): &&(Timestamp, &Sighting<'_>)| distance(other) <= window;
        let before = before.iter().rev().take(MOST_CANDIDATES).take_while(is_near);
        before
            .chain(after.iter().take(MOST_CANDIDATES).take_while(is_near))
            .filter(|(_, other)| fits(other))
            .min_by_key(|(other, sighting)| (distance(other), *sighting))
            .map(|(_, sighting)| *sighting)
    }
}

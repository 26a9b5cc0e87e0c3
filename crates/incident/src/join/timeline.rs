//! Sightings of a family by computer and time.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::MOST_CANDIDATES;
use crate::sighting::Sighting;

pub(super) struct Timeline {
    pub(super) by_host: BTreeMap<Arc<str>, Vec<(Timestamp, usize)>>,
}

impl Timeline {
    pub(super) fn of(sightings: &[Sighting], wanted: impl Fn(&Sighting) -> bool) -> Self {
        let mut by_host: BTreeMap<Arc<str>, Vec<(Timestamp, usize)>> = BTreeMap::new();
        for (index, sighting) in sightings.iter().enumerate() {
            if let (true, Some(host), Some(time)) = (wanted(sighting), &sighting.host, sighting.time) {
                by_host.entry(host.to_lowercase().into()).or_default().push((time, index));
            }
        }
        for times in by_host.values_mut() {
            times.sort_unstable();
        }
        Self { by_host }
    }

    /// The member of `sighting`'s computer that fits and lies nearest in time, at most `window` away.
    pub(super) fn near(
        &self,
        sighting: &Sighting,
        window: SignedDuration,
        fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let time = sighting.time?;
        let times = self.by_host.get(&*sighting.host.as_ref()?.to_lowercase())?;
        let middle = times.partition_point(|(other, _)| *other < time);
        let before = times.get(middle.saturating_sub(MOST_CANDIDATES)..middle)?;
        let after = times.get(middle..times.len().min(middle.saturating_add(MOST_CANDIDATES)))?;
        let is_near = |(other, _): &&(Timestamp, usize)| other.duration_since(time).abs() <= window;
        let nearest = before.iter().rev().take_while(is_near).chain(after.iter().take_while(is_near));
        nearest
            .filter(|(_, index)| fits(*index))
            .min_by_key(|(other, index)| (other.duration_since(time).abs(), *index))
            .map(|(_, index)| *index)
    }
}

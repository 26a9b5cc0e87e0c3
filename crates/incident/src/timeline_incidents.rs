//! Incidents in the timelines of their machines, each once, in the place of its records.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::build::JoinedIncident;
use super::incident::IncidentKind;
use super::machine::{Machine, TimelineEntry, timeline_order};
use super::sourced_evidence::NumberMap;
use evidence::Place;

/// The kinds of entries that stay also where they are incidents: for other failures of the machine it matters that a file
/// was refused, and that a GPU failed and was not reset.
const KEPT: [&str; 2] = ["driver-error", "image-refused"];

/// An incident as timelines show it.
#[derive(Debug, Clone)]
pub struct TimelineIncident {
    id: String,
    kind: IncidentKind,
    time: Option<Timestamp>,
    host: Option<String>,
    /// Whether only the folder of the evidence names the machine.
    by_folder: bool,
    /// Its evidence: indices into the run's evidence, the best first.
    items: Vec<usize>,
    /// Sentence, artifact and place of the first of them.
    first: Option<(String, usize, Place)>,
}

/// What timelines show of these incidents.
#[must_use]
pub fn timeline_incidents(joined: &[JoinedIncident<'_>]) -> Vec<TimelineIncident> {
    let shown = |joined: &JoinedIncident<'_>| {
        let incident = &joined.incident;
        TimelineIncident {
            id: incident.id.clone(),
            kind: incident.kind,
            time: incident.time,
            host: incident.host.as_deref().map(str::to_lowercase),
            by_folder: incident.host_by_folder,
            items: joined.evidence.sightings.iter().map(|sighting| sighting.item).collect(),
            first: incident.evidence.first().map(|item| (item.sentence.clone(), item.artifact, item.place.clone())),
        }
    };
    joined.iter().map(shown).collect()
}

/// Puts the incidents into the timelines: the best of an incident's records stays and becomes the incident, and an incident
/// without a record gets an entry of its own. Incidents that the run does not report, by `is_reported` of their ids, are
/// entered without id.
pub fn enter_incidents(
    machines: &mut [Machine],
    incidents: &[TimelineIncident],
    is_reported: impl Fn(&str) -> bool + Sync,
) {
    let owners: NumberMap<usize, (usize, usize)> = incidents
        .iter()
        .enumerate()
        .flat_map(|(owner, incident)| incident.items.iter().enumerate().map(move |(rank, item)| (*item, (owner, rank))))
        .collect();
    let mut by_host: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, incident) in incidents.iter().enumerate() {
        if let Some(host) = &incident.host {
            by_host.entry(host).or_default().push(index);
        }
    }
    machines.par_iter_mut().for_each(|machine| {
        // The best record of each incident.
        let mut best: NumberMap<usize, (usize, usize)> = NumberMap::default();
        for entry in &machine.timeline {
            let Some((owner, rank)) = owners.get(&entry.item) else { continue };
            let best = best.entry(*owner).or_insert((*rank, entry.item));
            *best = (*best).min((*rank, entry.item));
        }
        machine.timeline.retain_mut(|entry| {
            let Some((owner, _)) = owners.get(&entry.item) else { return true };
            let stays = best.get(owner).is_some_and(|(_, item)| *item == entry.item);
            if let Some(incident) = incidents.get(*owner).filter(|_| stays) {
                if !KEPT.contains(&entry.kind) {
                    entry.kind = timeline_kind(incident.kind);
                }
                entry.time = incident.time.unwrap_or(entry.time);
                entry.incident = Some(&incident.id).filter(|id| is_reported(id)).cloned();
            }
            stays
        });
        let of_host = by_host.get(machine.host.to_lowercase().as_str()).into_iter().flatten();
        let without = of_host.filter(|index| !best.contains_key(index)).filter_map(|index| incidents.get(*index));
        machine.timeline.extend(without.filter_map(|incident| own_entry(incident, &is_reported)));
        machine.timeline.sort_by(timeline_order);
    });
}

/// The entry of an incident without a record in the log.
fn own_entry(incident: &TimelineIncident, is_reported: impl Fn(&str) -> bool) -> Option<TimelineEntry> {
    let (mut sentence, artifact, place) = incident.first.clone()?;
    if incident.by_folder {
        sentence.push_str(" (likely of this computer, by its folder)");
    }
    Some(TimelineEntry {
        time: incident.time?,
        kind: timeline_kind(incident.kind),
        provider: Arc::from(""),
        id: 0,
        sentence: sentence.into(),
        sigma: None,
        incident: Some(&incident.id).filter(|id| is_reported(id)).cloned(),
        item: *incident.items.first()?,
        artifact,
        place,
    })
}

/// The kind of an incident's timeline entry.
fn timeline_kind(kind: IncidentKind) -> &'static str {
    match kind {
        IncidentKind::GpuReset => "driver-reset",
        other => other.word(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::schema::TIMELINE_KINDS;

    #[test]
    fn incidents_make_entries_of_kinds_that_there_are() {
        use IncidentKind::{Bugcheck, Crash, Exit, GpuReset, Hang, PowerLoss, StartFailure};
        for kind in [Crash, Hang, Bugcheck, GpuReset, StartFailure, PowerLoss, Exit] {
            assert!(TIMELINE_KINDS.contains(&timeline_kind(kind)), "{kind:?}");
        }
        assert!(KEPT.iter().all(|kind| TIMELINE_KINDS.contains(kind)));
    }
}

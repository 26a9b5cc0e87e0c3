//! Incidents in the timelines of their machines, each once, in the place of the records that tell of it.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::machine::in_time;
use super::sighting::ByPlace;
use super::{Built, IncidentKind, Machine, Place, TimelineEntry};

/// What a timeline says of an incident.
#[derive(Debug, Clone)]
pub struct Standing {
    id: String,
    kind: IncidentKind,
    time: Option<Timestamp>,
    host: Option<String>,
    /// Whether only the folder tells that it is of this machine.
    by_folder: bool,
    /// The items that tell of it, the best first.
    items: Vec<usize>,
    /// What the first of them says, and where.
    first: Option<(String, usize, Place)>,
}

/// What timelines will say of these incidents.
#[must_use]
pub fn standing(built: &[Built<'_>]) -> Vec<Standing> {
    let of = |built: &Built<'_>| {
        let incident = &built.incident;
        Standing {
            id: incident.id.clone(),
            kind: incident.kind,
            time: incident.time,
            host: incident.host.as_deref().map(str::to_lowercase),
            by_folder: incident.host_by_folder,
            items: built.gathered.sightings.iter().map(|sighting| sighting.item).collect(),
            first: incident.evidence.first().map(|item| (item.says.clone(), item.artifact, item.place.clone())),
        }
    };
    built.iter().map(of).collect()
}

/// Puts the incidents into the timelines: of the records that tell of one, the best stays and is the incident, and where
/// there is none, the incident gets an entry of its own. Those that the run does not report, as `is_reported` says by
/// their ids, stand there without id.
pub fn stand(machines: &mut [Machine], incidents: &[Standing], is_reported: impl Fn(&str) -> bool + Sync) {
    let of_items = incidents.iter().enumerate();
    let owners: ByPlace<usize, (usize, usize)> = of_items
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
        let mut best: ByPlace<usize, (usize, usize)> = ByPlace::default();
        for entry in &machine.timeline {
            let Some((owner, rank)) = owners.get(&entry.item) else { continue };
            let best = best.entry(*owner).or_insert((*rank, entry.item));
            *best = (*best).min((*rank, entry.item));
        }
        machine.timeline.retain_mut(|entry| {
            let Some((owner, _)) = owners.get(&entry.item) else { return true };
            let stays = best.get(owner).is_some_and(|(_, item)| *item == entry.item);
            if let Some(incident) = incidents.get(*owner).filter(|_| stays) {
                entry.kind = timeline_kind(incident.kind);
                entry.time = incident.time.unwrap_or(entry.time);
                entry.incident = Some(&incident.id).filter(|id| is_reported(id)).cloned();
            }
            stays
        });
        let of_host = by_host.get(machine.host.to_lowercase().as_str()).into_iter().flatten();
        let without = of_host.filter(|index| !best.contains_key(index)).filter_map(|index| incidents.get(*index));
        machine.timeline.extend(without.filter_map(|incident| of_its_own(incident, &is_reported)));
        machine.timeline.sort_by(in_time);
    });
}

/// The entry of an incident that no record of the log tells.
fn of_its_own(incident: &Standing, is_reported: impl Fn(&str) -> bool) -> Option<TimelineEntry> {
    let (mut says, artifact, place) = incident.first.clone()?;
    if incident.by_folder {
        says.push_str(" (likely of this computer, by its folder)");
    }
    Some(TimelineEntry {
        time: incident.time?,
        kind: timeline_kind(incident.kind),
        provider: Arc::from(""),
        id: 0,
        says: says.into(),
        sigma: None,
        incident: Some(&incident.id).filter(|id| is_reported(id)).cloned(),
        item: *incident.items.first()?,
        artifact,
        place,
    })
}

/// The kind of entry that an incident makes.
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
    }
}

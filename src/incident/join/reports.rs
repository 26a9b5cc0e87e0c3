//! Reports of Windows Error Reporting: by their ids, and by the folder that a report's files share.

use std::collections::{BTreeMap, HashMap};

use super::{Sets, join_unambiguous};
use crate::evidence::Observation;
use crate::incident::sighting::{Item, Sighting};

/// Same report id: events 1000 and 1001, Report.wer and its metadata, BugCheck 1001.
pub(super) fn by_report_id(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        for id in [&sighting.report_id, &sighting.own_report_id].into_iter().flatten() {
            by_id.entry(id.to_lowercase()).or_default().push(index);
        }
    }
    join_unambiguous(by_id.into_values(), sets);
}

/// A `Report.wer` and the metadata that lies beside it: the only two of a folder, with the same signature.
pub(super) fn by_report_folder(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let mut by_folder: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    let report_of = |index: usize| match &items.get(sightings.get(index)?.item)?.observation {
        Observation::Wer(report) => Some(&**report),
        _ => None,
    };
    for (index, sighting) in sightings.iter().enumerate() {
        let (Some(item), Some(report)) = (items.get(sighting.item), report_of(index)) else { continue };
        if item.folder.is_empty() {
            continue;
        }
        let (reports, metadata) = by_folder.entry(&item.folder).or_default();
        if report.details.metadata { metadata.push(index) } else { reports.push(index) }
    }
    for (reports, metadata) in by_folder.values() {
        let ([report], [metadata]) = (reports.as_slice(), metadata.as_slice()) else { continue };
        let (Some(a), Some(b)) = (report_of(*report), report_of(*metadata)) else { continue };
        if a.event_type == b.event_type && a.signature.raw == b.signature.raw {
            sets.join_all(&[*report, *metadata]);
        }
    }
}

//! Reports of Windows Error Reporting: by their ids, and by the folder that a report's files share.

use std::collections::{BTreeMap, HashMap};

use jiff::SignedDuration;

use super::{JoinKey, Sets, join_unambiguous, tickets};
use crate::sighting::{Item, Sighting};
use evidence::Observation;

/// How far a report's dump may lie from its report: both are of the moment of the crash, the dump after that of the
/// process has been written.
const DUMP_WINDOW: SignedDuration = SignedDuration::from_mins(2);

/// Same report id: events 1000 and 1001, Report.wer and its metadata, BugCheck 1001.
pub(super) fn by_report_id(sightings: &[Sighting], sets: &mut Sets<'_>) {
    let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        for id in [&sighting.report_id, &sighting.own_report_id].into_iter().flatten() {
            by_id.entry(id.to_lowercase()).or_default().push(index);
        }
    }
    join_unambiguous(by_id.into_values(), JoinKey::ReportId, sets);
}

/// A `Report.wer` and what lies beside it: the only metadata of the folder, with the same signature, and the dumps of
/// its only process, if they are of the same program at the same time.
pub(super) fn by_report_folder(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    #[derive(Default)]
    struct Folder {
        reports: Vec<usize>,
        metadata: Vec<usize>,
        dumps: Vec<usize>,
    }
    let mut by_folder: BTreeMap<&str, Folder> = BTreeMap::new();
    let report_of = |index: usize| match &items.get(sightings.get(index)?.item)?.observation {
        Observation::Wer(report) => Some(&**report),
        _ => None,
    };
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(item) = items.get(sighting.item).filter(|item| !item.folder.is_empty()) else { continue };
        if !matches!(item.observation, Observation::Wer(_) | Observation::Process(_)) {
            continue;
        }
        let folder = by_folder.entry(&item.folder).or_default();
        match &item.observation {
            Observation::Wer(report) if report.details.metadata => folder.metadata.push(index),
            Observation::Wer(_) => folder.reports.push(index),
            _ => folder.dumps.push(index),
        }
    }
    for folder in by_folder.values() {
        let [report] = folder.reports.as_slice() else { continue };
        if let ([metadata], Some(a)) = (folder.metadata.as_slice(), report_of(*report))
            && let Some(b) = report_of(*metadata)
            && a.event_type == b.event_type
            && a.signature.raw == b.signature.raw
        {
            sets.join(*report, *metadata, JoinKey::ReportFolder);
        }
        let Some((first, rest)) = folder.dumps.split_first() else { continue };
        let root = sets.root(*first);
        let fits = |dump: &usize| has_dump(*report, *dump, sightings, items);
        if rest.iter().all(|dump| sets.root(*dump) == root) && folder.dumps.iter().all(fits) {
            sets.join(*report, *first, JoinKey::ReportFolder);
        }
    }
}

/// Whether a dump can be the one that was made for a report.
fn has_dump(report: usize, dump: usize, sightings: &[Sighting], items: &[Item]) -> bool {
    let (Some(report), Some(dump)) = (sightings.get(report), sightings.get(dump)) else { return false };
    let said = |sighting: &Sighting| items.get(sighting.item).and_then(|item| tickets::record(&item.observation));
    let in_time = matches!((report.time, dump.time), (Some(a), Some(b)) if a.duration_since(b).abs() <= DUMP_WINDOW);
    let disagree = match (said(report), said(dump)) {
        (Some(a), Some(b)) => tickets::facts_differ(&a, &b),
        _ => false,
    };
    let same_process = report.process.is_some()
        && report.process == dump.process
        && !tickets::differ(report.pid, dump.pid)
        && !super::started_apart(report, dump);
    in_time && same_process && !disagree
}

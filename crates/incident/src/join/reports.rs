//! Reports of Windows Error Reporting: by their ids, and by the folder that a report's files share.

use std::collections::{BTreeMap, HashMap};

use jiff::SignedDuration;

use super::compare::{differ, facts_differ, starts_differ};
use super::key::JoinKey;
use super::sets::{Sets, join_unambiguous};
use crate::sighting::Sighting;
use evidence::{Observation, WerReport};

/// How far a report's dump can be from its report: both are of the moment of the crash, the dump after that of the
/// process has been written.
const DUMP_WINDOW: SignedDuration = SignedDuration::from_mins(2);

/// Joins what has the same report id: events 1000 and 1001, Report.wer and its metadata, BugCheck 1001.
pub(super) fn by_report_id(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    let mut by_id: HashMap<String, Vec<&Sighting<'_>>> = HashMap::new();
    for sighting in sightings {
        for id in [&sighting.report_id, &sighting.own_report_id].into_iter().flatten() {
            by_id.entry(id.to_lowercase()).or_default().push(sighting);
        }
    }
    join_unambiguous(by_id.into_values(), JoinKey::ReportId, sets);
}

/// Joins a `Report.wer` and the files beside it: the only metadata of the folder, with the same signature, and the dumps
/// of its only process, if they are of the same program at the same time.
pub(super) fn by_report_folder(sightings: &[Sighting<'_>], sets: &mut Sets<'_>) {
    #[derive(Default)]
    struct Folder<'s> {
        reports: Vec<(&'s Sighting<'s>, &'s WerReport)>,
        metadata: Vec<(&'s Sighting<'s>, &'s WerReport)>,
        dumps: Vec<&'s Sighting<'s>>,
    }
    let mut by_folder: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
    for sighting in sightings.iter().filter(|sighting| !sighting.evidence.folder.is_empty()) {
        let observation = &sighting.evidence.observation;
        if !matches!(observation, Observation::Wer(_) | Observation::Process(_)) {
            continue;
        }
        let folder = by_folder.entry(&sighting.evidence.folder).or_default();
        match observation {
            Observation::Wer(report) if report.details.metadata => folder.metadata.push((sighting, report)),
            Observation::Wer(report) => folder.reports.push((sighting, report)),
            _ => folder.dumps.push(sighting),
        }
    }
    for folder in by_folder.values() {
        let [(report, a)] = folder.reports.as_slice() else { continue };
        if let [(metadata, b)] = folder.metadata.as_slice()
            && a.event_type == b.event_type
            && a.signature.raw == b.signature.raw
        {
            sets.join(report, metadata, JoinKey::ReportFolder);
        }
        let Some((first, rest)) = folder.dumps.split_first() else { continue };
        let root = sets.root(first);
        if rest.iter().all(|dump| sets.root(dump) == root) && folder.dumps.iter().all(|dump| is_dump_of(report, dump)) {
            sets.join(report, first, JoinKey::ReportFolder);
        }
    }
}

/// Whether a dump can be the one that was made for a report.
fn is_dump_of(report: &Sighting<'_>, dump: &Sighting<'_>) -> bool {
    let in_time = matches!((report.time, dump.time), (Some(a), Some(b)) if a.duration_since(b).abs() <= DUMP_WINDOW);
    let disagree = matches!((report.record(), dump.record()), (Some(a), Some(b)) if facts_differ(&a, &b));
    let same_process = report.process.is_some()
        && report.process == dump.process
        && !differ(report.pid, dump.pid)
        && !starts_differ(report, dump);
    in_time && same_process && !disagree
}

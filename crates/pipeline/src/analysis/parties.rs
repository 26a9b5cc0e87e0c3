//! Folders as customers: each customer's artifacts are joined, grouped, counted and judged by themselves, as if they had been
//! analyzed alone, and the reports are put together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::read::ReadArtifact;
use incident::short_host;
use jiff::Timestamp;
use report::Report;
use report::coverage::{LAST, SAME_NAME};
use report::inspected::Inspected;
use report::model::Gap;
use untrusted::display_path;
use windows_codes::Knowledge;

/// The customers in the order of their names, each with its artifacts; those of no customer first.
pub(super) fn by_party(read: Vec<ReadArtifact>) -> BTreeMap<Option<Arc<str>>, Vec<ReadArtifact>> {
    let mut parties: BTreeMap<Option<Arc<str>>, Vec<ReadArtifact>> = BTreeMap::new();
    for read in read {
        parties.entry(read.artifact.party.clone()).or_default().push(read);
    }
    parties
}

/// Makes the first folder below the given paths the customer of each artifact. An archive there is a folder, too; a file there
/// is of no customer.
pub(super) fn set_parties(read: &mut [ReadArtifact], paths: &[PathBuf]) {
    let mut roots: Vec<String> = paths.iter().map(|path| display_path(path)).collect();
    roots.iter_mut().for_each(|root| root.truncate(root.trim_end_matches('/').len()));
    // Of two paths of which one is in the other, the outer one.
    roots.sort_by_key(String::len);
    let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
    for read in read.iter_mut().filter(|read| !read.pasted) {
        let path = read.artifact.path.as_str();
        let below = roots.iter().find_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'));
        let Some((first, _)) = below.and_then(|below| below.split_once('/')) else { continue };
        let name = names.get(first).cloned().unwrap_or_else(|| Arc::from(first));
        names.insert(Arc::clone(&name));
        read.artifact.party = Some(name);
    }
}

/// Names the customer of everything in a report.
pub(super) fn name_party(report: &mut Report, party: &Arc<str>) {
    let party = || Some(Arc::clone(party));
    report.incidents.iter_mut().for_each(|judged| judged.party = party());
    report.groups.iter_mut().for_each(|group| group.party = party());
    report.machines.iter_mut().for_each(|machine| machine.party = party());
    report.coverage.gaps.iter_mut().for_each(|gap| gap.party = party());
    report.coverage.collect_next.iter_mut().for_each(|request| request.party = party());
}

/// The reports of several customers as one. Everything keeps the order that it has in a report, ties by customer. The summary
/// is that of the first report: it must be made again.
pub(super) fn put_together(reports: Vec<Report>) -> Option<Report> {
    let mut paths: Vec<&str> =
        reports.iter().flat_map(|report| &report.artifacts).map(|artifact| artifact.path.as_str()).collect();
    paths.sort_unstable();
    let index: HashMap<&str, usize> = paths.into_iter().enumerate().map(|(index, path)| (path, index)).collect();
    let indices: Vec<Vec<usize>> = reports
        .iter()
        .map(|report| {
            report.artifacts.iter().filter_map(|artifact| index.get(artifact.path.as_str()).copied()).collect()
        })
        .collect();
    let mut ids = HashSet::new();
    let mut all: Option<Report> = None;
    for (mut report, indices) in reports.into_iter().zip(indices) {
        renumber(&mut report, &indices);
        rename(&mut report, &mut ids);
        match &mut all {
            None => all = Some(report),
            Some(all) => {
                all.artifacts.extend(report.artifacts);
                all.incidents.extend(report.incidents);
                all.machines.extend(report.machines);
                all.groups.extend(report.groups);
                all.coverage.gaps.extend(report.coverage.gaps);
                all.coverage.collect_next.extend(report.coverage.collect_next);
            }
        }
    }
    let mut all = all?;
    all.artifacts.sort_by(|a, b| a.path.cmp(&b.path));
    all.incidents.sort_by(|a, b| {
        let place = |judged: &report::Judged| (judged.incident.time.is_none(), judged.incident.time);
        place(a).cmp(&place(b)).then_with(|| a.incident.id.cmp(&b.incident.id))
    });
    // The sorts are stable, and customers come in the order of their names.
    all.machines.sort_by_cached_key(|machine| machine.host.to_lowercase());
    all.groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    all.coverage.gaps.sort_by_key(|gap| std::cmp::Reverse(gap.undetermined));
    all.coverage.collect_next.sort_by_key(|request| {
        (request.id == LAST, std::cmp::Reverse(request.undetermined), std::cmp::Reverse(request.incidents))
    });
    Some(all)
}

/// Gives the artifacts of a report the numbers that they have among those of all reports.
fn renumber(report: &mut Report, indices: &[usize]) {
    let renumber = |artifact: &mut usize| *artifact = indices.get(*artifact).copied().unwrap_or(*artifact);
    for judged in &mut report.incidents {
        judged.incident.evidence.iter_mut().for_each(|item| renumber(&mut item.artifact));
        judged.sigma.iter_mut().for_each(|nearby| renumber(&mut nearby.artifact));
    }
    for machine in &mut report.machines {
        machine.timeline.iter_mut().for_each(|entry| renumber(&mut entry.artifact));
    }
}

/// Gives incidents another id where one before, of another customer with the same evidence, has it.
fn rename(report: &mut Report, taken: &mut HashSet<String>) {
    let mut renamed: HashMap<String, String> = HashMap::new();
    for judged in &report.incidents {
        let id = &judged.incident.id;
        let mut free = id.clone();
        let mut number = 2_u32;
        while taken.contains(&free) {
            free = format!("{id}-{number}");
            number = number.saturating_add(1);
        }
        if free != *id {
            renamed.insert(id.clone(), free.clone());
        }
        taken.insert(free);
    }
    if renamed.is_empty() {
        return;
    }
    let rename = |id: &mut String| {
        if let Some(new) = renamed.get(id.as_str()) {
            id.clone_from(new);
        }
    };
    for judged in &mut report.incidents {
        rename(&mut judged.incident.id);
        judged.incident.may_be_of.iter_mut().for_each(rename);
        let named = judged.findings.iter_mut().flat_map(|finding| &mut finding.incidents);
        for id in named.flat_map(|named| &mut named.ids) {
            if let Some(new) = renamed.get(&**id) {
                *id = Arc::from(new.as_str());
            }
        }
    }
    for group in &mut report.groups {
        group.incidents.iter_mut().for_each(rename);
        rename(&mut group.representative);
    }
    for entry in report.machines.iter_mut().flat_map(|machine| &mut machine.timeline) {
        if let Some(new) = entry.incident.as_deref().and_then(|id| renamed.get(id)) {
            entry.incident = Some(new.clone());
        }
    }
}

/// The facts of several customers as one. Of incidents with the same evidence, only the first can be named by its id.
pub(super) fn inspected_together(all: Vec<Inspected>) -> Inspected {
    let mut together = Inspected {
        artifacts: Vec::new(),
        machines: Vec::new(),
        incidents: Vec::new(),
        unrecognised: BTreeSet::new(),
        reports: Vec::new(),
    };
    for mut one in all {
        let before = together.artifacts.len();
        for item in one.incidents.iter_mut().flat_map(|(incident, _)| &mut incident.evidence) {
            item.artifact = item.artifact.saturating_add(before);
        }
        for entry in one.machines.iter_mut().flat_map(|machine| &mut machine.timeline) {
            entry.artifact = entry.artifact.saturating_add(before);
        }
        together.artifacts.extend(one.artifacts);
        together.machines.extend(one.machines);
        together.incidents.extend(one.incidents);
        together.unrecognised.extend(one.unrecognised);
        together.reports.extend(one.reports);
    }
    together
}

/// A warning for each computer whose name the event logs of several top folders have: where these folders are of several
/// customers, evidence of two computers was joined. The top folders are those below the folder that holds all artifacts;
/// folders that every copy of a system has (`Windows`, `Logs`) are of one computer.
pub(super) fn shared_names(read: &[ReadArtifact]) -> Vec<Gap> {
    let paths = || read.iter().filter(|read| !read.pasted).map(|read| read.artifact.path.as_str());
    let top = common_folder(paths());
    let mut hosts: BTreeMap<String, (&str, BTreeMap<&str, BTreeSet<Log<'_>>>)> = BTreeMap::new();
    for read in read.iter().filter(|read| !read.pasted) {
        let Some((folder, _)) = read.artifact.path.get(top..).and_then(|below| below.split_once('/')) else { continue };
        if Knowledge.is_part_of_copy(folder) {
            continue;
        }
        for log in &read.coverage {
            let (_, folders) = hosts.entry(short_host(&log.computer)).or_insert((&*log.computer, BTreeMap::new()));
            folders.entry(folder).or_default().insert((&*log.channel, log.first, log.last, log.records));
        }
    }
    let shared = hosts.into_values().map(|(host, folders)| (host, of_their_own(&folders)));
    let shared = shared.filter(|(_, folders)| folders.len() > 1);
    shared
        .map(|(host, folders)| {
            let named: Vec<&str> = folders.iter().copied().take(3).collect();
            let more = folders.len().saturating_sub(named.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Gap {
                kind: SAME_NAME.into(),
                host: Some(Arc::from(host)),
                count: folders.len(),
                says: format!(
                    "event logs in the folders {}{more} name the computer {host}, and all are taken for one computer: if \
                     the folders are of different customers, use --by-folder",
                    named.join(", ")
                ),
                ..Gap::default()
            }
        })
        .collect()
}

/// A log by what copies of it share: its channel, the times of its first and last record, and how many it has.
type Log<'l> = (&'l str, Timestamp, Timestamp, u64);

/// The folders but those whose logs are all copies of logs of another one, which were collected twice.
fn of_their_own<'f>(folders: &BTreeMap<&'f str, BTreeSet<Log<'_>>>) -> Vec<&'f str> {
    let is_copy = |(folder, logs): (&str, &BTreeSet<Log<'_>>)| {
        // Of two with the same logs, the first stays.
        folders.iter().any(|(other, more)| {
            *other != folder && logs.is_subset(more) && (logs.len() < more.len() || *other < folder)
        })
    };
    folders.iter().filter(|(folder, logs)| !is_copy((folder, logs))).map(|(folder, _)| *folder).collect()
}

/// The length of the path of the folder that holds all files, with its slash.
fn common_folder<'p>(mut paths: impl Iterator<Item = &'p str>) -> usize {
    let folder = |path: &str| path.rfind('/').map_or(0, |slash| slash.saturating_add(1));
    let Some(first) = paths.next() else { return 0 };
    let mut common = first.get(..folder(first)).unwrap_or_default();
    for path in paths {
        while !path.starts_with(common) {
            let shorter = folder(common.trim_end_matches('/'));
            common = common.get(..shorter).unwrap_or_default();
        }
    }
    common.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_all_files_is_found() {
        let common = |paths: &[&'static str]| common_folder(paths.iter().copied());
        assert_eq!(common(&[]), 0);
        assert_eq!(common(&["a/b/c.evtx"]), 4);
        assert_eq!(common(&["a/b/c.evtx", "a/bb/c.evtx"]), 2);
        assert_eq!(common(&["/x/a.dmp", "y"]), 0);
        assert_eq!(common(&["/x/a.dmp", "/y/a.dmp"]), 1);
    }
}

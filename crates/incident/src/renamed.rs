//! Machines that got a new name, as after every installation of Windows: their logs go on under the new name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::host_names::short_host;
use evidence::{LogCoverage, RecordIds};

/// The fewest records under a name that make it a former name of the machine; a rarer name can have any reason.
const LEAST_RECORDS: u64 = 10;
/// The most names that one machine gets; a log with more names was collected from several machines.
const MOST_NAMES: usize = 8;
/// How long logs of a machine may have its old name and its new one at once: while Windows is installed, clocks and time
/// zones are set.
const SETTLING: SignedDuration = SignedDuration::from_hours(24);

/// An event log with the computers that it names.
#[derive(Debug, Clone, Copy)]
pub struct NamedLog<'l> {
    /// Its path.
    pub path: &'l str,
    /// Its folder.
    pub folder: &'l str,
    /// Its records by computer.
    pub coverage: &'l [LogCoverage],
}

/// For each former name of a machine, lower case, its last name.
pub type LastNames = BTreeMap<String, Arc<str>>;

/// The former names that each log shows. What one log proves holds for the logs beside it, if they name no other machine.
///
/// Former names are kept where machines with different names had them before, since they are the name of the disk image
/// from which the machines were installed, and nobody knows on which of them a record was written. They are kept as well
/// where other logs have both names at one time: these are two machines, and the log in which one name follows the other
/// was merged.
#[must_use]
pub fn last_names(logs: &[NamedLog<'_>]) -> Vec<LastNames> {
    let spans = spans(logs);
    let proven: Vec<LastNames> = logs.iter().map(|log| former_names(log, &spans)).collect();
    let mut leads_to: BTreeMap<String, BTreeMap<String, Arc<str>>> = BTreeMap::new();
    for (former, to) in proven.iter().flatten() {
        leads_to.entry(short_host(former)).or_default().entry(short_host(to)).or_insert_with(|| Arc::clone(to));
    }
    let last = |names: &LastNames| -> LastNames {
        let last: Option<LastNames> = names
            .iter()
            .map(|(former, to)| Some((former.clone(), last_name(&short_host(former), Arc::clone(to), &leads_to)?)))
            .collect();
        last.unwrap_or_default()
    };
    let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, log) in logs.iter().enumerate().filter(|(_, log)| !log.coverage.is_empty()) {
        by_folder.entry(log.folder).or_default().push(index);
    }
    let mut all: Vec<LastNames> = proven.iter().map(last).collect();
    for of_folder in by_folder.values() {
        let mut names = LastNames::new();
        for (former, to) in of_folder.iter().filter_map(|index| proven.get(*index)).flatten() {
            names.entry(former.clone()).or_insert_with(|| Arc::clone(to));
        }
        let of_folder_last = last(&names);
        let covered = of_folder.iter().filter_map(|index| logs.get(*index)).flat_map(|log| log.coverage);
        if !of_folder_last.is_empty() && covered.clone().all(|part| is_of_machine(part, &of_folder_last)) {
            for index in of_folder {
                if let Some(slot) = all.get_mut(*index) {
                    *slot = of_folder_last.clone();
                }
            }
        }
    }
    all
}

/// The first and the last record under each short name, in all logs together.
type Spans = BTreeMap<String, (Timestamp, Timestamp)>;

fn spans(logs: &[NamedLog<'_>]) -> Spans {
    let mut spans = Spans::new();
    for part in logs.iter().flat_map(|log| log.coverage) {
        let known = spans.entry(short_host(&part.computer)).or_insert((part.first, part.last));
        *known = (known.0.min(part.first), known.1.max(part.last));
    }
    spans
}

/// The former names of a log's machine, with its last name: where the records under one name end before those under the next
/// begin, in this log and in all others, it is one machine. A log of forwarded events is of several machines, and so is a
/// log with more records than numbers for them: a file that was merged from several logs keeps the numbers of each.
fn former_names(log: &NamedLog<'_>, spans: &Spans) -> LastNames {
    /// First and last record under a name, how many there are, and the name.
    type Part<'l> = (Timestamp, Timestamp, u64, &'l Arc<str>);
    let mut by_name: BTreeMap<&str, Part<'_>> = BTreeMap::new();
    for part in log.coverage {
        let known = by_name.entry(&part.computer).or_insert((part.first, part.last, 0, &part.computer));
        *known = (known.0.min(part.first), known.1.max(part.last), known.2.saturating_add(part.records), known.3);
    }
    let of_several =
        log.path.to_lowercase().contains("forwarded") || by_name.len() > MOST_NAMES || repeats_numbers(log.coverage);
    let mut parts: Vec<Part<'_>> = by_name.into_values().collect();
    parts.sort_unstable();
    let follow = parts.windows(2).all(|pair| matches!(pair, [earlier, later] if earlier.1 <= later.0));
    let enough = parts.iter().all(|part| part.2 >= LEAST_RECORDS);
    let at_once = || {
        let mut latest: Vec<(String, Timestamp)> = Vec::new();
        parts.iter().any(|part| {
            let name = short_host(part.3);
            let Some((first, last)) = spans.get(&name).copied() else { return false };
            let too_long =
                |(before, last): &(String, Timestamp)| *before != name && last.duration_since(first) > SETTLING;
            let at_once = latest.iter().any(too_long);
            latest.push((name, last));
            at_once
        })
    };
    let Some((last, former)) = parts.split_last().filter(|_| !of_several && follow && enough && !at_once()) else {
        return LastNames::new();
    };
    former.iter().map(|part| (part.3.to_lowercase(), Arc::clone(last.3))).collect()
}

/// Whether a file has more records than its lowest and highest record number leave room for.
fn repeats_numbers(coverage: &[LogCoverage]) -> bool {
    let ids = coverage.iter().fold(None, |ids, part| RecordIds::joined(ids, part.ids));
    let records = coverage.iter().fold(0_u64, |records, part| records.saturating_add(part.records));
    ids.is_some_and(|ids| ids.last.saturating_sub(ids.first) < records.saturating_sub(1))
}

/// The last name of the machine that was renamed from `former` to `next`; `None` where several names follow.
fn last_name(
    former: &str,
    next: Arc<str>,
    leads_to: &BTreeMap<String, BTreeMap<String, Arc<str>>>,
) -> Option<Arc<str>> {
    let (mut seen, mut last) = (BTreeSet::new(), BTreeMap::new());
    let mut open: Vec<(String, Arc<str>)> = vec![(former.to_owned(), next)];
    while let Some((name, spelling)) = open.pop() {
        match leads_to.get(&name) {
            Some(later) if seen.insert(name.clone()) => {
                open.extend(later.iter().map(|(name, spelling)| (name.clone(), Arc::clone(spelling))));
            }
            // Renamed back and forth.
            Some(_) if name == former => return None,
            Some(_) => {}
            None => drop(last.insert(name, spelling)),
        }
    }
    let only = last.pop_first().filter(|_| last.is_empty());
    only.map(|(_, spelling)| spelling)
}

/// Whether a part of a log is of the machine with these names.
fn is_of_machine(part: &LogCoverage, last: &LastNames) -> bool {
    last.contains_key(&part.computer.to_lowercase())
        || last.values().all(|last| short_host(last) == short_host(&part.computer))
}

/// A log's coverage by computer, with all names of a machine replaced by the last one.
#[must_use]
pub fn under_last_name(coverage: Vec<LogCoverage>, last: &LastNames) -> Vec<LogCoverage> {
    let mut whole: Vec<LogCoverage> = Vec::new();
    for mut part in coverage {
        if let Some(last) = last.get(&part.computer.to_lowercase()) {
            part.computer = Arc::clone(last);
        }
        let same = |other: &&mut LogCoverage| {
            other.channel == part.channel && short_host(&other.computer) == short_host(&part.computer)
        };
        match whole.iter_mut().find(same) {
            Some(known) => {
                known.first = known.first.min(part.first);
                known.last = known.last.max(part.last);
                known.records = known.records.saturating_add(part.records);
                known.days.add_all(&part.days);
            }
            None => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Days;

    fn part(computer: &str, first: i64, last: i64, records: u64) -> LogCoverage {
        let at = |hours: i64| jiff::Timestamp::from_second(hours.saturating_mul(3600)).expect("a time");
        LogCoverage {
            channel: "System".into(),
            computer: computer.into(),
            first: at(first),
            last: at(last),
            records,
            days: Days::default(),
            ids: None,
        }
    }

    fn former(path: &str, parts: &[LogCoverage]) -> Vec<(String, String)> {
        pairs_of(&last_names(&[NamedLog { path, folder: "", coverage: parts }])[0])
    }

    fn pairs_of(names: &LastNames) -> Vec<(String, String)> {
        names.iter().map(|(name, last)| (name.clone(), last.to_string())).collect()
    }

    /// The former names that the logs of these folders show.
    fn of_folders(logs: &[(&str, &[LogCoverage])]) -> Vec<Vec<(String, String)>> {
        let logs: Vec<NamedLog<'_>> =
            logs.iter().map(|(folder, coverage)| NamedLog { path: "System.evtx", folder, coverage }).collect();
        last_names(&logs).iter().map(pairs_of).collect()
    }

    fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
        names.iter().map(|(former, last)| ((*former).to_owned(), (*last).to_owned())).collect()
    }

    #[test]
    fn names_that_follow_each_other_in_one_log_are_of_one_machine() {
        let parts = [part("PC-7", 50, 90, 400), part("WIN-ABC", 1, 20, 300), part("DESKTOP-1", 21, 49, 12)];
        let names = [("desktop-1".to_owned(), "PC-7".to_owned()), ("win-abc".to_owned(), "PC-7".to_owned())];
        assert_eq!(former("System.evtx", &parts), names);
        let names = [NamedLog { path: "System.evtx", folder: "", coverage: &parts }];
        let whole = under_last_name(parts.to_vec(), &last_names(&names)[0]);
        assert_eq!(whole.len(), 1);
        assert_eq!((&*whole[0].computer, whole[0].records, whole[0].first), ("PC-7", 712, part("", 1, 2, 0).first));
    }

    #[test]
    fn a_name_before_several_others_is_that_of_an_image() {
        let gold = part("GOLD", 1, 20, 300);
        let a = [gold.clone(), part("PC-A", 21, 49, 300)];
        let same = [gold.clone(), part("pc-a.corp.example", 21, 49, 300)];
        assert!(of_folders(&[("1", &a), ("2", &same)]).iter().all(|names| names.len() == 1));
        let b = [gold, part("PC-B", 21, 49, 300)];
        let other = [part("WIN-1", 1, 20, 300), part("PC-C", 21, 49, 300)];
        let told = of_folders(&[("1", &a), ("2", &b), ("3", &other)]);
        assert_eq!(told, [pairs(&[]), pairs(&[]), pairs(&[("win-1", "PC-C")])]);
    }

    #[test]
    fn what_one_log_proves_holds_for_those_beside_it() {
        let proof = [part("GOLD", 1, 20, 300), part("PC-A", 21, 49, 300)];
        let short = [part("GOLD", 2, 19, 3)];
        let renamed = pairs(&[("gold", "PC-A")]);
        assert_eq!(of_folders(&[("1", &proof), ("1", &short)]), [renamed.clone(), renamed.clone()]);
        assert_eq!(of_folders(&[("1", &proof), ("2", &short)]), [renamed.clone(), pairs(&[])]);
        // Another machine.
        assert_eq!(of_folders(&[("1", &proof), ("1", &[part("PC-B", 2, 19, 3)])]), [renamed, pairs(&[])]);
        // An export of before the machine was renamed once more.
        let early = [part("WIN-1", 1, 20, 300), part("GOLD", 21, 49, 300)];
        let late = [part("GOLD", 21, 49, 300), part("PC-A", 50, 90, 300)];
        let both = pairs(&[("gold", "PC-A"), ("win-1", "PC-A")]);
        assert_eq!(of_folders(&[("1", &early), ("1", &late)]), [both.clone(), both]);
        // Renamed, and named as before again.
        let back = [part("PC-A", 1, 20, 300), part("GOLD", 21, 49, 300)];
        assert_eq!(of_folders(&[("1", &proof), ("2", &back)]), [pairs(&[]), pairs(&[])]);
    }

    #[test]
    fn names_that_other_logs_have_at_one_time_are_of_two_machines() {
        let merged = [part("PC-21", 100, 200, 300), part("PC-22", 210, 400, 300)];
        let none = [pairs(&[]), pairs(&[])];
        // A log of the later name from before the earlier one ended, and one of the earlier name from after it.
        for other in [part("PC-22", 50, 120, 3), part("pc-22.corp.example", 175, 180, 3), part("PC-21", 220, 300, 3)] {
            for folder in ["merged", "its own"] {
                assert_eq!(
                    of_folders(&[("merged", &merged), (folder, std::slice::from_ref(&other))]),
                    none,
                    "{other:?}"
                );
            }
        }
        let renamed = pairs(&[("pc-21", "PC-22")]);
        // A log with hardly any records tells the new name late; the clock was set in between.
        for other in [part("PC-22", 201, 205, 3), part("PC-22", 190, 220, 3), part("PC-21", 90, 215, 3)] {
            assert_eq!(of_folders(&[("1", &merged), ("2", &[other])]), [renamed.clone(), pairs(&[])]);
        }
        // With a third name between them.
        let chain = [part("A", 1, 20, 300), part("B", 21, 40, 300), part("C", 41, 60, 300)];
        assert_eq!(of_folders(&[("1", &chain), ("2", &[part("A", 50, 80, 3)])]), none);
    }

    #[test]
    fn a_file_that_has_more_records_than_numbers_was_merged_of_several_logs() {
        let numbered = |last| {
            let ids = Some(RecordIds { first: 1, last });
            [LogCoverage { ids, ..part("A", 1, 20, 300) }, LogCoverage { ids, ..part("B", 21, 49, 200) }]
        };
        assert!(former("System.evtx", &numbered(300)).is_empty());
        assert!(former("System.evtx", &numbered(499)).is_empty());
        assert_eq!(former("System.evtx", &numbered(500)), pairs(&[("a", "B")]));
    }

    #[test]
    fn names_at_one_time_few_records_and_forwarded_events_are_of_several() {
        let (a, b) = (part("A", 1, 20, 300), part("B", 21, 49, 300));
        assert!(former("ForwardedEvents.evtx", &[a.clone(), b.clone()]).is_empty());
        assert!(former("System.evtx", &[a.clone(), part("B", 19, 49, 300)]).is_empty());
        assert!(former("System.evtx", &[a.clone(), part("B", 21, 49, 3)]).is_empty());
        assert!(former("System.evtx", &[a]).is_empty());
        assert!(former("System.evtx", &[]).is_empty());
    }
}

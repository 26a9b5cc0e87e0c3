//! Machines that got a new name: a log goes on under it, as after every installation of Windows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::context::short;
use crate::artifact::LogCoverage;

/// A name under which a log has fewer records may be anything.
const LEAST_RECORDS: u64 = 10;
/// A log that names more computers than a machine gets names was collected from several.
const MOST_NAMES: usize = 8;
/// How long after a machine was renamed another log of it may still have the old name: while Windows is installed, clocks
/// and time zones are set.
const SETTLING: SignedDuration = SignedDuration::from_hours(24);

/// An event log, as far as its names go.
#[derive(Debug, Clone, Copy)]
pub struct NamedLog<'l> {
    /// Its path.
    pub path: &'l str,
    /// The folder that it lies in.
    pub folder: &'l str,
    /// What it holds of each computer.
    pub coverage: &'l [LogCoverage],
}

/// For each name, lower case, that a machine had before, the last one.
pub type LastNames = BTreeMap<String, Arc<str>>;

/// What each log says of former names. What one log proves holds for the logs beside it, if they name no other machine.
///
/// A name that machines with different names had before is that of the image that they were made of: of what was recorded
/// under it nobody knows on which machine it was, and it stays what it is.
#[must_use]
pub fn last_names(logs: &[NamedLog<'_>]) -> Vec<LastNames> {
    let proven: Vec<BTreeMap<String, Former>> = logs.iter().map(former_names).collect();
    let mut leads_to: BTreeMap<String, BTreeMap<String, Arc<str>>> = BTreeMap::new();
    for (former, to) in proven.iter().flatten() {
        leads_to.entry(short(former)).or_default().entry(short(&to.last)).or_insert_with(|| Arc::clone(&to.last));
    }
    let last = |names: &BTreeMap<String, Former>| -> LastNames {
        let last: Option<LastNames> = names
            .iter()
            .map(|(former, to)| Some((former.clone(), last_name(&short(former), Arc::clone(&to.last), &leads_to)?)))
            .collect();
        last.unwrap_or_default()
    };
    let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, log) in logs.iter().enumerate().filter(|(_, log)| !log.coverage.is_empty()) {
        by_folder.entry(log.folder).or_default().push(index);
    }
    let mut all: Vec<LastNames> = proven.iter().map(last).collect();
    for of_folder in by_folder.values() {
        let mut names: BTreeMap<String, Former> = BTreeMap::new();
        for (former, to) in of_folder.iter().filter_map(|index| proven.get(*index)).flatten() {
            let known = names.entry(former.clone()).or_insert_with(|| to.clone());
            known.until = known.until.max(to.until);
        }
        let of_folder_last = last(&names);
        let covered = of_folder.iter().filter_map(|index| logs.get(*index)).flat_map(|log| log.coverage);
        if !of_folder_last.is_empty() && covered.clone().all(|part| is_of_machine(part, &names, &of_folder_last)) {
            for index in of_folder {
                if let Some(slot) = all.get_mut(*index) {
                    *slot = of_folder_last.clone();
                }
            }
        }
    }
    all
}

/// A name that a machine had before.
#[derive(Debug, Clone)]
struct Former {
    /// The name that its log ends with.
    last: Arc<str>,
    /// When its log goes on under another.
    until: Timestamp,
}

/// For each name, lower case, that a log's machine had before its last one, what became of it: where the records of one
/// end before those of the next begin, it is one machine. A log of forwarded events is of several machines.
fn former_names(log: &NamedLog<'_>) -> BTreeMap<String, Former> {
    /// First and last record under a name, how many there are, and the name.
    type Part<'l> = (Timestamp, Timestamp, u64, &'l Arc<str>);
    let mut by_name: BTreeMap<&str, Part<'_>> = BTreeMap::new();
    for part in log.coverage {
        let known = by_name.entry(&part.computer).or_insert((part.first, part.last, 0, &part.computer));
        *known = (known.0.min(part.first), known.1.max(part.last), known.2.saturating_add(part.records), known.3);
    }
    let of_several = log.path.to_lowercase().contains("forwarded") || by_name.len() > MOST_NAMES;
    let mut parts: Vec<Part<'_>> = by_name.into_values().collect();
    parts.sort_unstable();
    let follow = parts.windows(2).all(|pair| matches!(pair, [earlier, later] if earlier.1 <= later.0));
    let enough = parts.iter().all(|part| part.2 >= LEAST_RECORDS);
    let Some(last) = parts.last().filter(|_| !of_several && follow && enough) else { return BTreeMap::new() };
    let former = |pair: &[Part<'_>]| match pair {
        [(_, _, _, name), (until, ..)] => {
            Some((name.to_lowercase(), Former { last: Arc::clone(last.3), until: *until }))
        }
        _ => None,
    };
    parts.windows(2).filter_map(former).collect()
}

/// The name that a machine has in the end which went on as `next`, if there is one only.
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
            // Renamed to and fro.
            Some(_) if name == former => return None,
            Some(_) => {}
            None => drop(last.insert(name, spelling)),
        }
    }
    let only = last.pop_first().filter(|_| last.is_empty());
    only.map(|(_, spelling)| spelling)
}

/// Whether a part of a log is of the machine that has these names: it names no other computer, and none that it had before
/// long after it got the next.
fn is_of_machine(part: &LogCoverage, names: &BTreeMap<String, Former>, last: &LastNames) -> bool {
    match names.get(&part.computer.to_lowercase()) {
        Some(former) => part.last.duration_since(former.until) <= SETTLING,
        None => last.values().all(|last| short(last) == short(&part.computer)),
    }
}

/// The coverage of a log whose machine had several names, under the last of them.
#[must_use]
pub fn under_last_name(coverage: Vec<LogCoverage>, last: &LastNames) -> Vec<LogCoverage> {
    let mut whole: Vec<LogCoverage> = Vec::new();
    for mut part in coverage {
        if let Some(last) = last.get(&part.computer.to_lowercase()) {
            part.computer = Arc::clone(last);
        }
        let same =
            |other: &&mut LogCoverage| other.channel == part.channel && short(&other.computer) == short(&part.computer);
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
    use crate::evidence::Days;

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
        told(&last_names(&[NamedLog { path, folder: "", coverage: parts }])[0])
    }

    fn told(names: &LastNames) -> Vec<(String, String)> {
        names.iter().map(|(name, last)| (name.clone(), last.to_string())).collect()
    }

    /// What the logs of these folders say, each by its own names.
    fn of_folders(logs: &[(&str, &[LogCoverage])]) -> Vec<Vec<(String, String)>> {
        let logs: Vec<NamedLog<'_>> =
            logs.iter().map(|(folder, coverage)| NamedLog { path: "System.evtx", folder, coverage }).collect();
        last_names(&logs).iter().map(told).collect()
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
        // A clone that still had the name, and another machine.
        for other in [part("GOLD", 2, 60, 3), part("PC-B", 2, 19, 3)] {
            assert_eq!(of_folders(&[("1", &proof), ("1", &[other])]), [renamed.clone(), pairs(&[])]);
        }
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
    fn names_at_one_time_few_records_and_forwarded_events_are_of_several() {
        let (a, b) = (part("A", 1, 20, 300), part("B", 21, 49, 300));
        assert!(former("ForwardedEvents.evtx", &[a.clone(), b.clone()]).is_empty());
        assert!(former("System.evtx", &[a.clone(), part("B", 19, 49, 300)]).is_empty());
        assert!(former("System.evtx", &[a.clone(), part("B", 21, 49, 3)]).is_empty());
        assert!(former("System.evtx", &[a]).is_empty());
        assert!(former("System.evtx", &[]).is_empty());
    }
}

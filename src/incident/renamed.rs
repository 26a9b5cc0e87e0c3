//! Machines that got a new name: a log goes on under it, as after every installation of Windows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::context::short;
use crate::artifact::LogCoverage;

/// A name under which a log has fewer records may be anything.
const LEAST_RECORDS: u64 = 10;
/// A log that names more computers than a machine gets names was collected from several.
const MOST_NAMES: usize = 8;

/// For each name, lower case, that a log's machine had before its last one, that last name. `path` is the log's, and
/// `coverage` what it holds of each computer: where the records of one end before those of the next begin, it is one
/// machine. A log of forwarded events is of several machines.
#[must_use]
pub fn former_names(path: &str, coverage: &[LogCoverage]) -> BTreeMap<String, Arc<str>> {
    let of_several = path.to_lowercase().contains("forwarded") || coverage.len() > MOST_NAMES;
    let mut parts: Vec<&LogCoverage> = coverage.iter().collect();
    parts.sort_by_key(|part| (part.first, part.last));
    let follow = parts.windows(2).all(|pair| matches!(pair, [earlier, later] if earlier.last <= later.first));
    let enough = parts.iter().all(|part| part.records >= LEAST_RECORDS);
    let Some((last, former)) = parts.split_last().filter(|_| !of_several && follow && enough) else {
        return BTreeMap::new();
    };
    former.iter().map(|part| (part.computer.to_lowercase(), Arc::clone(&last.computer))).collect()
}

/// What each log says of former names, as far as all of them agree. A name that machines with different names had before
/// is that of the image that they were made of, and of what was recorded under it nobody knows on which machine it was.
#[must_use]
pub fn agreed(mut renamed: Vec<BTreeMap<String, Arc<str>>>) -> Vec<BTreeMap<String, Arc<str>>> {
    let mut last_names: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (former, last) in renamed.iter().flatten() {
        last_names.entry(former).or_default().insert(short(last));
    }
    let of_several = last_names.into_iter().filter(|(_, last)| last.len() > 1);
    let of_several: BTreeSet<String> = of_several.map(|(former, _)| former.to_owned()).collect();
    for renamed in renamed.iter_mut().filter(|names| names.keys().any(|former| of_several.contains(former))) {
        renamed.clear();
    }
    renamed
}

/// One coverage of a log whose machine had several names.
#[must_use]
pub fn under_last_name(mut coverage: Vec<LogCoverage>) -> Vec<LogCoverage> {
    coverage.sort_by_key(|part| (part.first, part.last));
    let whole = coverage.into_iter().reduce(|mut whole, later| {
        whole.computer = later.computer;
        whole.last = whole.last.max(later.last);
        whole.records = whole.records.saturating_add(later.records);
        whole.days.add_all(&later.days);
        whole
    });
    whole.into_iter().collect()
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
        }
    }

    fn former(path: &str, parts: &[LogCoverage]) -> Vec<(String, String)> {
        former_names(path, parts).into_iter().map(|(name, last)| (name, last.to_string())).collect()
    }

    #[test]
    fn names_that_follow_each_other_in_one_log_are_of_one_machine() {
        let parts = [part("PC-7", 50, 90, 400), part("WIN-ABC", 1, 20, 300), part("DESKTOP-1", 21, 49, 12)];
        let names = [("desktop-1".to_owned(), "PC-7".to_owned()), ("win-abc".to_owned(), "PC-7".to_owned())];
        assert_eq!(former("System.evtx", &parts), names);
        let whole = under_last_name(parts.to_vec());
        assert_eq!(whole.len(), 1);
        assert_eq!((&*whole[0].computer, whole[0].records, whole[0].first), ("PC-7", 712, part("", 1, 2, 0).first));
    }

    #[test]
    fn a_name_before_several_others_is_that_of_an_image() {
        let names = |pairs: &[(&str, &str)]| -> BTreeMap<String, Arc<str>> {
            pairs.iter().map(|(former, last)| ((*former).to_owned(), Arc::from(*last))).collect()
        };
        let one = names(&[("gold", "PC-A")]);
        let same = agreed(vec![one.clone(), names(&[("gold", "pc-a.corp.example")])]);
        assert!(same.iter().all(|names| names.len() == 1));
        let other = names(&[("win-1", "PC-C")]);
        let several = agreed(vec![one, names(&[("gold", "PC-B")]), other.clone()]);
        assert_eq!(several, [names(&[]), names(&[]), other]);
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

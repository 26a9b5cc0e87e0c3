//! Matches incidents that two reports have in common, also where one report has more evidence of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::side::Happening;

/// How far apart two reports may place one incident, nanoseconds: a dump's header and many other artifacts have whole
/// seconds.
const WITHIN: u128 = 1_000_000_000;

/// The most incidents in time order before and after an incident that are compared with it: no computer has more of one
/// program within a second, and comparing all pairs would take too much memory.
const MOST_NEAR: usize = 64;

/// The program or stop code with its computer or process id: what both reports must have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Identity<'a> {
    Computer(&'a str, &'a str),
    Process(&'a str, u32),
}

impl Happening {
    fn identities(&self) -> impl Iterator<Item = Identity<'_>> {
        let what = self.what.as_deref();
        let computer = what.zip(self.host.as_deref()).map(|(what, host)| Identity::Computer(what, host));
        computer.into_iter().chain(what.zip(self.pid).map(|(what, pid)| Identity::Process(what, pid)))
    }

    /// How far apart in time two records of the same incident are, nanoseconds; `None` when they are of different
    /// incidents. Where one has no computer, as a dump alone, the process must have the same id.
    fn apart(&self, other: &Self) -> Option<u128> {
        let pids = self.pid.zip(other.pid).map(|(a, b)| a == b);
        let hosts = self.host.as_ref().zip(other.host.as_ref()).map(|(a, b)| a == b);
        let same = match hosts {
            Some(same) => same && pids != Some(false),
            None => pids == Some(true),
        };
        let apart = self.time?.duration_since(other.time?).unsigned_abs().as_nanos();
        (same && self.what.is_some() && self.what == other.what && apart <= WITHIN).then_some(apart)
    }
}

/// The incidents that both reports have: the id in the later report by the id in the earlier one. The id is the same where
/// the evidence is; of the other incidents, those closest in time are matched, each with one.
pub fn in_both<'a>(
    before: &'a BTreeMap<String, Happening>,
    now: &'a BTreeMap<String, Happening>,
) -> BTreeMap<&'a str, &'a str> {
    let mut same: BTreeMap<&str, &str> =
        before.keys().filter_map(|id| Some((id.as_str(), now.get_key_value(id)?.0.as_str()))).collect();
    // By identity, in the order of time.
    let mut others: HashMap<Identity<'_>, Vec<(Timestamp, &str, &Happening)>> = HashMap::new();
    for (id, happening) in now.iter().filter(|(id, _)| !before.contains_key(*id)) {
        for identity in happening.identities() {
            others.entry(identity).or_default().extend(happening.time.map(|time| (time, id.as_str(), happening)));
        }
    }
    others.values_mut().for_each(|others| others.sort_unstable_by_key(|(time, id, _)| (*time, *id)));
    let mut pairs: Vec<(u128, &str, &str)> = Vec::new();
    for (id, happening) in before.iter().filter(|(id, _)| !now.contains_key(*id)) {
        let Some(time) = happening.time else { continue };
        for others in happening.identities().filter_map(|identity| others.get(&identity)) {
            let middle = others.partition_point(|(other, _, _)| *other < time);
            let near = others.iter().skip(middle.saturating_sub(MOST_NEAR)).take(2 * MOST_NEAR);
            pairs.extend(near.filter_map(|(_, other, now)| Some((happening.apart(now)?, id.as_str(), *other))));
        }
    }
    pairs.sort_unstable();
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    for (_, id, other) in pairs {
        if !same.contains_key(id) && taken.insert(other) {
            same.insert(id, other);
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use incident::short_host;

    fn happening(host: Option<&str>, what: &str, pid: Option<u32>, milliseconds: i64) -> Happening {
        let time = Timestamp::from_millisecond(milliseconds).expect("a time");
        Happening { time: Some(time), host: host.map(short_host), what: Some(what.to_lowercase()), pid }
    }

    fn same(before: &[(&str, Happening)], now: &[(&str, Happening)]) -> Vec<(String, String)> {
        let side = |list: &[(&str, Happening)]| -> BTreeMap<String, Happening> {
            list.iter().map(|(id, happening)| ((*id).to_owned(), happening.clone())).collect()
        };
        let (before, now) = (side(before), side(now));
        in_both(&before, &now).into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    #[test]
    fn the_same_program_on_the_same_computer_within_a_second_is_the_same_incident() {
        let old = happening(Some("PC"), "App.exe", None, 10_400);
        let is_same = |now| !same(&[("a", old.clone())], &[("b", now)]).is_empty();
        assert!(is_same(happening(Some("pc"), "app.exe", Some(7), 10_000)));
        assert!(is_same(happening(Some("pc"), "app.exe", None, 11_400)));
        assert!(!is_same(happening(Some("pc"), "app.exe", None, 11_401)));
        assert!(!is_same(happening(Some("pc"), "other.exe", None, 10_400)));
        assert!(!is_same(happening(Some("pc-2"), "app.exe", None, 10_400)));
        assert!(!is_same(happening(None, "app.exe", None, 10_400)), "which computer is not known");
    }

    #[test]
    fn process_ids_tell_apart_and_stand_for_a_computer_that_is_not_known() {
        let old = happening(None, "app.exe", Some(7), 10_000);
        assert_eq!(same(&[("a", old.clone())], &[("b", happening(Some("PC"), "app.exe", Some(7), 10_900))]).len(), 1);
        assert_eq!(same(&[("a", old)], &[("b", happening(Some("PC"), "app.exe", Some(8), 10_000))]).len(), 0);
        let known = happening(Some("PC"), "app.exe", Some(7), 10_000);
        assert_eq!(same(&[("a", known)], &[("b", happening(Some("PC"), "app.exe", Some(8), 10_000))]).len(), 0);
    }

    #[test]
    fn many_at_one_moment_are_known_again_on_each_computer() {
        let side = |prefix: &str| -> BTreeMap<String, Happening> {
            let one = |number: i64| {
                let host = format!("PC-{}", number % 1000);
                (format!("{prefix}{number}"), happening(Some(&host), "app.exe", None, 10_000))
            };
            (0..3_000).map(one).collect()
        };
        let (before, now) = (side("a"), side("b"));
        assert_eq!(in_both(&before, &now).len(), 3_000);
    }

    #[test]
    fn one_incident_is_the_same_as_one_other_the_closest() {
        let at = |milliseconds| happening(Some("PC"), "app.exe", None, milliseconds);
        let pairs = same(&[("a", at(10_000))], &[("b", at(10_600)), ("c", at(9_800))]);
        assert_eq!(pairs, [("a".to_owned(), "c".to_owned())]);
        let pairs = same(&[("a", at(10_000)), ("c", at(10_000))], &[("c", at(9_000)), ("d", at(10_500))]);
        assert_eq!(pairs, [("a".to_owned(), "d".to_owned()), ("c".to_owned(), "c".to_owned())]);
    }
}

//! Folds a machine's timeline, so that an error that repeats for days takes one line, and chooses the runs that are shown.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};

use crate::wording::short_time;
use incident::TimelineEntry;

/// Equal entries: consecutive ones, or changes that follow each other within a minute.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// The first entry.
    pub(crate) first: &'a TimelineEntry,
    /// The time of the last entry.
    pub(crate) last: Timestamp,
    /// How many entries there are.
    pub(crate) count: usize,
    /// How many of the entries are of the same event within a second with another text, such as one for each processor.
    pub(crate) others: usize,
    /// The ids of the incidents among the entries.
    pub(crate) incidents: Vec<&'a str>,
}

/// The part of a folded timeline that is shown.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The most important runs, in time.
    pub(crate) runs: Vec<Run<'a>>,
    /// How many entries (not runs) of each kind are not shown, the most frequent kind first.
    pub(crate) left_out: Vec<(&'static str, usize)>,
}

/// The kinds of entries that a setup writes for each of its steps; equal ones within a minute are one run, whatever entries
/// are between them.
const INSTALLS: [&str; 3] = ["driver-install", "update", "software-install"];
const ONE_INSTALLATION: SignedDuration = SignedDuration::from_secs(60);

/// Records of one event within this time are of one moment.
const ONE_MOMENT: SignedDuration = SignedDuration::from_secs(1);

/// Kinds in groups by how much they explain incidents, and how many tenths of the lines each group has for itself. Lines
/// that one group leaves are for the others, in this order. The last group is for all kinds that no other group names.
/// Crashes are in the second group because the report describes each of them above.
static GROUPS: LazyLock<Vec<(usize, Vec<&str>)>> = LazyLock::new(|| {
    let group =
        |(tenths, kinds): (&'static str, &'static str)| Some((tenths.parse().ok()?, kinds.split(' ').collect()));
    include_str!("timeline.tsv").lines().filter_map(|line| line.split_once('\t').and_then(group)).collect()
});

/// Folds a timeline and chooses at most `most` runs: of each group its share, and in it of each kind the latest.
pub(crate) fn choose(timeline: &[TimelineEntry], most: usize) -> Shown<'_> {
    let runs = fold(timeline);
    if runs.len() <= most {
        return Shown { runs, left_out: Vec::new() };
    }
    // Of each group the latest of each kind, then the second latest of each, and so on.
    let mut later: HashMap<&str, usize> = HashMap::new();
    let rank = |(index, run): (usize, &Run<'_>)| {
        let later = later.entry(run.first.kind).or_default();
        *later += 1;
        (group_of(run.first.kind), *later, Reverse(index))
    };
    let mut ranked: Vec<(usize, usize, Reverse<usize>)> = runs.iter().enumerate().rev().map(rank).collect();
    ranked.sort_unstable();
    // The share of each group comes before what is beyond the shares.
    let mut order: Vec<(bool, usize)> = Vec::with_capacity(runs.len());
    for of_group in ranked.chunk_by(|(group, ..), (next, ..)| group == next) {
        let tenths = of_group.first().and_then(|(group, ..)| GROUPS.get(*group)).map_or(0, |(tenths, _)| *tenths);
        let share = most.saturating_mul(tenths).div_ceil(10);
        order.extend(of_group.iter().enumerate().map(|(place, (_, _, Reverse(index)))| (place >= share, *index)));
    }
    order.sort_by_key(|(is_beyond, _)| *is_beyond);
    let chosen: HashSet<usize> = order.into_iter().take(most).map(|(_, index)| index).collect();
    let mut hidden: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut shown = Vec::with_capacity(most);
    for (index, run) in runs.into_iter().enumerate() {
        if chosen.contains(&index) {
            shown.push(run);
        } else {
            *hidden.entry(run.first.kind).or_default() += run.count;
        }
    }
    let mut left_out: Vec<(&'static str, usize)> = hidden.into_iter().collect();
    left_out.sort_by_key(|(_, count)| Reverse(*count));
    Shown { runs: shown, left_out }
}

/// The group of a kind.
fn group_of(kind: &str) -> usize {
    GROUPS.iter().position(|(_, kinds)| kinds.contains(&kind)).unwrap_or(GROUPS.len().saturating_sub(1))
}

fn fold(timeline: &[TimelineEntry]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut installed: HashMap<(&str, u32, &str), usize> = HashMap::new();
    for entry in timeline {
        let is_install = INSTALLS.contains(&entry.kind);
        let key = (&*entry.provider, entry.id, &*entry.sentence);
        let earlier = installed.get(&key).copied().filter(|_| is_install).and_then(|index| runs.get_mut(index));
        if let Some(run) = earlier.filter(|run| entry.time.duration_since(run.last) < ONE_INSTALLATION) {
            run.add(entry);
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.others == 0 && alike(run.first, entry) => run.add(entry),
            Some(run) if !is_install && at_one_moment(run, entry) => {
                run.add(entry);
                run.others += 1;
            }
            _ => runs.push(Run {
                first: entry,
                last: entry.time,
                count: 1,
                others: 0,
                incidents: entry.incident.as_deref().into_iter().collect(),
            }),
        }
        if is_install {
            installed.insert(key, runs.len() - 1);
        }
    }
    runs
}

impl<'a> Run<'a> {
    /// Until when it was repeated, or how often it was recorded, where that was more than once.
    pub(crate) fn repeats(&self) -> Option<String> {
        match (self.others, self.count) {
            (0, 0 | 1) => None,
            (0, count) => Some(format!("{count} times, until {}", short_time(self.last))),
            (_, count) => Some(format!("{} more of this event at the same time", count - 1)),
        }
    }

    fn add(&mut self, entry: &'a TimelineEntry) {
        self.last = entry.time;
        self.incidents.extend(entry.incident.as_deref());
        self.count += 1;
    }
}

fn alike(a: &TimelineEntry, b: &TimelineEntry) -> bool {
    (a.kind, a.id, &a.provider, &a.sentence) == (b.kind, b.id, &b.provider, &b.sentence)
}

fn at_one_moment(run: &Run<'_>, entry: &TimelineEntry) -> bool {
    let same_event = (run.first.kind, run.first.id, &run.first.provider) == (entry.kind, entry.id, &entry.provider);
    // Two Sigma rules that match one record say different things.
    same_event && entry.sigma.is_none() && entry.time.duration_since(run.first.time) < ONE_MOMENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample::timeline_entry;
    use facts::schema::TIMELINE_KINDS;

    fn seconds(kind: &'static str, says: &[(i64, &str)]) -> Vec<TimelineEntry> {
        says.iter().map(|(second, says)| timeline_entry(*second, kind, says)).collect()
    }

    fn said(shown: &Shown<'_>) -> Vec<String> {
        shown.runs.iter().map(|run| run.first.sentence.to_string()).collect()
    }

    #[test]
    fn consecutive_entries_that_say_the_same_are_one_run() {
        let timeline = seconds("storage-error", &[(1, "a"), (2, "a"), (3, "b"), (4, "a")]);
        let shown = choose(&timeline, 10);
        let runs: Vec<_> = shown.runs.iter().map(|run| (&*run.first.sentence, run.count)).collect();
        assert_eq!(runs, [("a", 2), ("b", 1), ("a", 1)]);
        assert_eq!(shown.runs[0].last, timeline[1].time);
        assert_eq!(shown.left_out, []);
    }

    #[test]
    fn records_of_one_event_within_a_second_are_one_run() {
        let timeline =
            seconds("thermal", &[(1, "processor 0"), (1, "processor 1"), (1, "processor 2"), (9, "processor 0")]);
        let shown = choose(&timeline, 10);
        let runs: Vec<_> = shown.runs.iter().map(|run| (&*run.first.sentence, run.count, run.others)).collect();
        assert_eq!(runs, [("processor 0", 3, 2), ("processor 0", 1, 0)]);
    }

    #[test]
    fn the_steps_of_one_installation_are_one_run_also_among_others() {
        let timeline = seconds("update", &[(1, "a"), (2, "b"), (30, "a"), (31, "b"), (89, "a"), (149, "a")]);
        let shown = choose(&timeline, 10);
        let runs: Vec<_> = shown.runs.iter().map(|run| (&*run.first.sentence, run.count)).collect();
        assert_eq!(runs, [("a", 3), ("b", 2), ("a", 1)], "a minute later it is another one");
    }

    #[test]
    fn a_failure_of_the_machine_is_shown_however_much_was_installed() {
        let mut timeline = seconds("driver-reset", &[(500, "the reset")]);
        timeline.extend(seconds("storage-error", &[(501, "the disk")]));
        let says: Vec<String> = (0..1000).map(|number| format!("package {number}")).collect();
        timeline.extend((0..).zip(&says).map(|(second, says)| timeline_entry(second, "software-install", says)));
        timeline.sort_by_key(|entry| entry.time);
        let shown = choose(&timeline, 10);
        assert_eq!(shown.runs.len(), 10);
        let said = said(&shown);
        assert!(said.contains(&"the reset".to_owned()) && said.contains(&"the disk".to_owned()), "{said:?}");
        assert!(said.contains(&"package 999".to_owned()), "{said:?}");
        assert_eq!(shown.left_out, [("software-install", 992)]);
        assert!(shown.runs.is_sorted_by_key(|run| run.first.time));
    }

    #[test]
    fn one_kind_does_not_hide_another_of_its_group() {
        let says: Vec<String> = (0..100).map(|number| format!("block {number}")).collect();
        let mut timeline = seconds("memory-test", &[(1, "the test")]);
        timeline.extend((2..).zip(&says).map(|(second, says)| timeline_entry(second, "storage-error", says)));
        let shown = choose(&timeline, 4);
        assert_eq!(said(&shown), ["the test", "block 97", "block 98", "block 99"]);
        assert_eq!(shown.left_out, [("storage-error", 97)]);
    }

    #[test]
    fn of_few_entries_each_group_has_one() {
        let says: Vec<String> = (0..20).map(|number| format!("entry {number}")).collect();
        let kinds = ["update", "storage-error", "device-problem", "storage-error"];
        let timeline: Vec<TimelineEntry> = (0..)
            .zip(says.iter().zip(kinds.into_iter().cycle()))
            .map(|(second, (says, kind))| timeline_entry(second * 60, kind, says))
            .collect();
        let shown = choose(&timeline, 4);
        let mut kinds: Vec<&str> = shown.runs.iter().map(|run| run.first.kind).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["device-problem", "storage-error", "storage-error", "update"]);
    }

    #[test]
    fn what_is_left_out_is_counted_in_entries() {
        let timeline = seconds("storage-error", &[(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "d")]);
        let shown = choose(&timeline, 2);
        assert_eq!(said(&shown), ["c", "d"]);
        assert_eq!(shown.left_out, [("storage-error", 3)]);
        assert_eq!(choose(&timeline, usize::MAX).runs.len(), 4);
    }

    #[test]
    fn the_groups_name_kinds_that_there_are() {
        assert_eq!(GROUPS.len(), 4);
        for kind in GROUPS.iter().flat_map(|(_, kinds)| kinds).filter(|kind| **kind != "others") {
            assert!(TIMELINE_KINDS.contains(kind), "{kind}");
        }
        assert_eq!(GROUPS[2].1, INSTALLS);
    }
}

//! Folding a machine's timeline, so that an error that repeats for days takes one line.

use jiff::Timestamp;

use crate::incident::TimelineEntry;

/// Consecutive entries that say the same.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The first of them.
    pub(super) first: &'a TimelineEntry,
    /// When the last of them was.
    pub(super) last: Timestamp,
    /// How many they are.
    pub(super) count: usize,
}

/// The part of a folded timeline that is shown.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    /// The earliest.
    pub(super) head: Vec<Run<'a>>,
    /// Entries (not runs) between head and tail that are not shown.
    pub(super) left_out: usize,
    /// The latest.
    pub(super) tail: Vec<Run<'a>>,
}

/// Folds a timeline and shows at most `head` runs from its beginning and `tail` from its end.
pub(super) fn fold(timeline: &[TimelineEntry], head: usize, tail: usize) -> Shown<'_> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for entry in timeline {
        match runs.last_mut() {
            Some(run) if alike(run.first, entry) => {
                run.last = entry.time;
                run.count = run.count.saturating_add(1);
            }
            _ => runs.push(Run { first: entry, last: entry.time, count: 1 }),
        }
    }
    let after = if runs.len() > head.saturating_add(tail) { runs.split_off(head) } else { Vec::new() };
    let middle = after.len().saturating_sub(tail);
    let mut after = after.into_iter();
    let left_out = after.by_ref().take(middle).map(|run| run.count).sum();
    Shown { head: runs, left_out, tail: after.collect() }
}

fn alike(a: &TimelineEntry, b: &TimelineEntry) -> bool {
    (a.kind, a.id, &a.provider, &a.says) == (b.kind, b.id, &b.provider, &b.says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::timeline_entry;

    fn seconds(says: &[(i64, &str)]) -> Vec<TimelineEntry> {
        says.iter().map(|(second, says)| timeline_entry(*second, "storage-error", says)).collect()
    }

    #[test]
    fn consecutive_entries_that_say_the_same_are_one_run() {
        let timeline = seconds(&[(1, "a"), (2, "a"), (3, "b"), (4, "a")]);
        let shown = fold(&timeline, 10, 10);
        let runs: Vec<_> = shown.head.iter().map(|run| (run.first.says.as_str(), run.count)).collect();
        assert_eq!(runs, [("a", 2), ("b", 1), ("a", 1)]);
        assert_eq!(shown.head[0].last, timeline[1].time);
        assert_eq!(shown.left_out, 0);
    }

    #[test]
    fn what_is_left_out_is_counted_in_entries() {
        let timeline = seconds(&[(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "d")]);
        let shown = fold(&timeline, 1, 1);
        assert_eq!(shown.head.len(), 1);
        assert_eq!(shown.left_out, 3);
        assert_eq!(shown.tail[0].first.says, "d");
    }

    #[test]
    fn nothing_is_cut_that_fits() {
        let timeline = seconds(&[(1, "a"), (2, "b")]);
        let shown = fold(&timeline, 1, 1);
        assert_eq!((shown.head.len(), shown.left_out, shown.tail.len()), (2, 0, 0));
        let everything = fold(&timeline, usize::MAX, usize::MAX);
        assert_eq!(everything.head.len(), 2);
    }
}

//! Counts the values in a moving window.

use std::collections::{BTreeSet, HashMap};

/// The number of occurrences of each value.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: HashMap<u64, usize>,
    /// The values by their number of occurrences.
    values: BTreeSet<(usize, u64)>,
}

impl Tally {
    pub(super) fn add(&mut self, value: u64) {
        self.count(value, |before| before.saturating_add(1));
    }

    /// Removes a value that was added before.
    pub(super) fn remove(&mut self, value: u64) {
        self.count(value, |before| before.saturating_sub(1));
    }

    fn count(&mut self, value: u64, change: impl Fn(usize) -> usize) {
        let before = self.counts.remove(&value).unwrap_or_default();
        self.values.remove(&(before, value));
        let count = change(before);
        if count > 0 {
            self.counts.insert(value, count);
            self.values.insert((count, value));
        }
    }

    /// The number of different values.
    pub(super) fn different(&self) -> usize {
        self.counts.len()
    }

    /// The number of occurrences of the most frequent value.
    pub(super) fn most(&self) -> usize {
        self.values.last().map_or(0, |(count, _)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_and_not_taken_away_counts() {
        let mut tally = Tally::default();
        [1, 2, 2, 3, 3, 3].into_iter().for_each(|value| tally.add(value));
        assert_eq!((tally.different(), tally.most()), (3, 3));
        [3, 3, 1].into_iter().for_each(|value| tally.remove(value));
        assert_eq!((tally.different(), tally.most()), (2, 2));
        [2, 2, 3, 9].into_iter().for_each(|value| tally.remove(value));
        assert_eq!((tally.different(), tally.most()), (0, 0));
    }
}

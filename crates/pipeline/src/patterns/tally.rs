//! Counts the values in a moving window.

use std::collections::{BTreeMap, HashMap};

/// The number of occurrences of each value.
#[derive(Debug, Default)]
pub(super) struct Tally {
    counts: HashMap<u64, usize>,
    /// The number of values by their number of occurrences.
    values: BTreeMap<usize, usize>,
}

impl Tally {
    pub(super) fn add(&mut self, value: u64) {
        let count = self.counts.entry(value).or_default();
        let before = *count;
        *count = count.saturating_add(1);
        self.moved(before, before.saturating_add(1));
    }

    /// Removes a value that was added before.
    pub(super) fn remove(&mut self, value: u64) {
        let Some(count) = self.counts.get_mut(&value) else { return };
        let before = *count;
        *count = count.saturating_sub(1);
        if *count == 0 {
            self.counts.remove(&value);
        }
        self.moved(before, before.saturating_sub(1));
    }

    /// The number of different values.
    pub(super) fn different(&self) -> usize {
        self.counts.len()
    }

    /// The number of occurrences of the most frequent value.
    pub(super) fn most(&self) -> usize {
        self.values.last_key_value().map_or(0, |(count, _)| *count)
    }

    fn moved(&mut self, from: usize, to: usize) {
        if let Some(values) = self.values.get_mut(&from) {
            *values = values.saturating_sub(1);
            if *values == 0 {
                self.values.remove(&from);
            }
        }
        if to > 0 {
            let values = self.values.entry(to).or_default();
            *values = values.saturating_add(1);
        }
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

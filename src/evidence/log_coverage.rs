//! What part of a machine's history an event log holds.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The part of a machine's history that an event log holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogCoverage {
    /// The channel most of the records belong to.
    pub channel: Arc<str>,
    /// The computer.
    pub computer: Arc<str>,
    /// Its earliest record.
    pub first: Timestamp,
    /// Its latest record.
    pub last: Timestamp,
    /// Its records that have a time.
    pub records: u64,
    /// The days on which there are records.
    pub days: Days,
}

/// Days of UTC, counted from 1601-01-01, the first day of FILETIME.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    /// First and last day of each unbroken run, in order.
    runs: Vec<(u32, u32)>,
}

impl Days {
    /// The most runs that are kept, a bound for damaged logs: with every second day, more than twenty years.
    pub const MOST_RUNS: usize = 1 << 12;
    /// 1970-01-01.
    const OF_UNIX: i64 = 134_774;
    const SECONDS: i64 = 86_400;

    /// Adds a day; a further run is left out where there are too many.
    pub fn add(&mut self, day: u32) {
        self.add_run(day, day);
    }

    /// Adds all days of `other`.
    pub fn add_all(&mut self, other: &Self) {
        other.runs.iter().for_each(|(first, last)| self.add_run(*first, *last));
    }

    fn add_run(&mut self, first: u32, last: u32) {
        // The runs that the new one touches or overlaps become one with it.
        let start = self.runs.partition_point(|run| run.1.saturating_add(1) < first);
        let end = self.runs.partition_point(|run| run.0 <= last.saturating_add(1));
        let touched = self.runs.get(start..end).unwrap_or_default();
        let joined = touched.iter().fold((first, last), |joined, run| (joined.0.min(run.0), joined.1.max(run.1)));
        if start < end {
            self.runs.splice(start..end, [joined]);
        } else if !self.is_full() {
            self.runs.insert(start, joined);
        }
    }

    /// Whether days may have been left out.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.runs.len() >= Self::MOST_RUNS
    }

    /// First and last day of each unbroken run, in order.
    #[must_use]
    pub fn runs(&self) -> &[(u32, u32)] {
        &self.runs
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.runs.iter().map(|(first, last)| u64::from(last.saturating_sub(*first)).saturating_add(1)).sum()
    }

    /// Those of them between two days, both included.
    #[must_use]
    pub fn between(&self, first: u32, last: u32) -> Self {
        let within = self.runs.iter().map(|run| (run.0.max(first), run.1.min(last)));
        Self { runs: within.filter(|(first, last)| first <= last).collect() }
    }

    /// First and last day of each gap between runs, in order.
    pub fn gaps(&self) -> impl Iterator<Item = (u32, u32)> {
        self.runs
            .iter()
            .zip(self.runs.iter().skip(1))
            .map(|(before, after)| (before.1.saturating_add(1), after.0.saturating_sub(1)))
    }

    /// The day of a time.
    #[must_use]
    pub fn of(time: Timestamp) -> u32 {
        let day = time.as_second().div_euclid(Self::SECONDS).saturating_add(Self::OF_UNIX);
        u32::try_from(day).unwrap_or_default()
    }

    /// When a day begins; `None` beyond what a time can be.
    #[must_use]
    pub fn begin(day: u32) -> Option<Timestamp> {
        let day = i64::from(day).checked_sub(Self::OF_UNIX)?;
        Timestamp::from_second(day.checked_mul(Self::SECONDS)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(list: &[u32]) -> Days {
        let mut days = Days::default();
        list.iter().for_each(|day| days.add(*day));
        days
    }

    #[test]
    fn neighbouring_days_are_one_run_in_whatever_order_they_come() {
        for (added, runs) in [
            (&[][..], &[][..]),
            (&[5, 5], &[(5, 5)]),
            (&[5, 7, 6], &[(5, 7)]),
            (&[9, 1, 5, 2, 8], &[(1, 2), (5, 5), (8, 9)]),
            (&[3, 1, 0, 2], &[(0, 3)]),
            (&[u32::MAX, u32::MAX - 1], &[(u32::MAX - 1, u32::MAX)]),
        ] {
            assert_eq!(days(added).runs(), runs, "{added:?}");
        }
        let mut all = days(&[1, 2, 9, 10]);
        all.add_all(&days(&[3, 4, 8, 12]));
        assert_eq!(all.runs(), [(1, 4), (8, 10), (12, 12)]);
        assert_eq!((all.count(), all.gaps().collect::<Vec<_>>()), (8, vec![(5, 7), (11, 11)]));
        assert_eq!(all.between(4, 9).runs(), [(4, 4), (8, 9)]);
    }

    #[test]
    fn a_day_is_that_of_utc() {
        for (time, day, begin) in [
            ("2024-05-06T00:00:00Z", 154_623, "2024-05-06T00:00:00Z"),
            ("2024-05-06T23:59:59.9Z", 154_623, "2024-05-06T00:00:00Z"),
            ("1601-01-01T00:00:00Z", 0, "1601-01-01T00:00:00Z"),
        ] {
            assert_eq!(Days::of(time.parse().expect("a time")), day, "{time}");
            assert_eq!(Days::begin(day).expect("a time").to_string(), begin);
        }
        assert_eq!(Days::begin(u32::MAX), None);
    }

    #[test]
    fn the_number_of_runs_is_bounded() {
        let mut many = Days::default();
        (0..20_000).for_each(|day| many.add(day * 2));
        assert!(many.is_full() && many.runs().len() == Days::MOST_RUNS);
    }
}

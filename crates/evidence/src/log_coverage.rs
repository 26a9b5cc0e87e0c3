//! What part of a machine's history an event log holds.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
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
    /// The numbers of the records of the whole file, those of other channels and computers among them.
    pub ids: Option<RecordIds>,
}

/// The first and the last number of a log's records.
///
/// A log numbers its records without gaps, and its archives and copies keep the numbers. A file that Windows exported
/// counts its own records from 1, whatever of the log is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordIds {
    /// The lowest.
    pub first: u64,
    /// The highest.
    pub last: u64,
}

impl RecordIds {
    /// The numbers of a log of one record.
    #[must_use]
    pub fn single(id: u64) -> Self {
        Self { first: id, last: id }
    }

    /// The numbers of two logs together.
    #[must_use]
    pub fn joined(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(Self { first: a.first.min(b.first), last: a.last.max(b.last) }),
            (one, other) => one.or(other),
        }
    }

    /// How many records of the log lie between these and the later ones `next`; `None` where the numbers don't show it.
    #[must_use]
    pub fn between(self, next: Self) -> Option<u64> {
        let counted_anew = |ids: Self| ids.first <= 1;
        match next.first.checked_sub(self.last)?.checked_sub(1)? {
            // A log that was never full begins with 1, and so does its first archive.
            0 if !counted_anew(next) => Some(0),
            more if !counted_anew(self) && !counted_anew(next) => Some(more),
            _ => None,
        }
    }
}

/// The times that the files of one log cover together, in order, with holes between them.
///
/// An old export beside the current one leaves out what was between them, so the first record of all and the last one
/// prove nothing about a time between. The numbers of the records prove a hole, or that there is none, where they are not
/// counted anew; else a long silence counts as a hole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CoveredTimes(Vec<(Timestamp, Timestamp)>);

impl CoveredTimes {
    /// How long a log may be silent without a hole. Files of one log that adjoin, as archives do, have no record between
    /// them, and a computer that runs writes into its Application and System log every day.
    pub const LONGEST_SILENCE: SignedDuration = SignedDuration::from_hours(24);

    /// What these files cover.
    #[must_use]
    pub fn from_logs<'l>(logs: impl Iterator<Item = &'l LogCoverage>) -> Self {
        let mut files: Vec<&LogCoverage> = logs.collect();
        files.sort_unstable_by_key(|log| (log.first, log.last, log.ids.map(|ids| (ids.first, ids.last))));
        let mut stretches: Vec<(Timestamp, Timestamp)> = Vec::with_capacity(files.len());
        // The file with the last record of the stretch.
        let mut latest: Option<&LogCoverage> = None;
        for file in files {
            match stretches.last_mut().zip(latest) {
                Some((stretch, before)) if adjoin(before, file) => {
                    if file.last > before.last {
                        stretch.1 = file.last;
                        latest = Some(file);
                    }
                }
                _ => {
                    stretches.push((file.first, file.last));
                    latest = Some(file);
                }
            }
        }
        Self(stretches)
    }

    /// First and last record of each, in order.
    #[must_use]
    pub fn list(&self) -> &[(Timestamp, Timestamp)] {
        &self.0
    }

    /// The first and the last record of all.
    #[must_use]
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// The last record before each hole and the first after it, in order.
    pub fn holes(&self) -> impl Iterator<Item = (Timestamp, Timestamp)> {
        self.0.iter().zip(self.0.iter().skip(1)).map(|(before, after)| (before.1, after.0))
    }

    /// What is known of a time, and of the time before it.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> CoverageAt {
        let begun = self.0.partition_point(|(first, _)| *first <= time);
        let next = self.0.get(begun).map(|(first, _)| *first);
        match (begun.checked_sub(1).and_then(|index| self.0.get(index)), next) {
            (None, None) => CoverageAt::Never,
            (None, Some(next)) => CoverageAt::Later(next),
            (Some((first, last)), _) if time.duration_since(*last) <= Self::LONGEST_SILENCE => {
                CoverageAt::Since(*first)
            }
            (Some((_, last)), Some(next)) => CoverageAt::Hole(*last, next),
            (Some((_, last)), None) => CoverageAt::Until(*last),
        }
    }
}

/// Whether two files of one log follow each other without a gap; `after` begins no earlier than `before`.
fn adjoin(before: &LogCoverage, after: &LogCoverage) -> bool {
    let between = before.ids.zip(after.ids).and_then(|(before, after)| before.between(after));
    match between.filter(|_| after.first >= before.last) {
        Some(missing) => missing == 0,
        None => after.first.duration_since(before.last) <= CoveredTimes::LONGEST_SILENCE,
    }
}

/// Whether the files of a log cover a given time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageAt {
    /// The log has no files.
    Never,
    /// All files begin after the time; the earliest begins at this time.
    Later(Timestamp),
    /// The time is covered, without a gap since this earlier time.
    Since(Timestamp),
    /// The time is in a gap between these two times.
    Hole(Timestamp, Timestamp),
    /// All files end long before the time; the last ends at this time.
    Until(Timestamp),
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
    /// The number of 1970-01-01, counted from 1601-01-01.
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

    /// The days between two days, both included.
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
    pub fn day_of(time: Timestamp) -> u32 {
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
    fn files_with_a_hole_between_them_are_not_one_log() {
        let at = |text: &str| -> Timestamp { format!("2025-{text}:00Z").parse().expect("a time") };
        let log = |first, last| LogCoverage {
            channel: "System".into(),
            computer: "PC".into(),
            first: at(first),
            last: at(last),
            records: 2,
            days: Days::default(),
            ids: None,
        };
        // March is exported twice, and its archive adjoins; the current log begins a week later.
        let files = [
            log("03-22T11:20", "04-10T08:00"),
            log("03-10T00:00", "03-15T17:45"),
            log("03-01T00:00", "03-09T20:00"),
            log("03-01T00:00", "03-09T20:00"),
        ];
        let stretches = CoveredTimes::from_logs(files.iter());
        let (begin, hole) = (at("03-01T00:00"), (at("03-15T17:45"), at("03-22T11:20")));
        assert_eq!(stretches.list(), [(begin, hole.0), (hole.1, at("04-10T08:00"))]);
        assert_eq!(stretches.span(), Some((begin, at("04-10T08:00"))));
        assert_eq!(stretches.holes().collect::<Vec<_>>(), [hole]);
        for (time, known) in [
            ("02-28T00:00", CoverageAt::Later(begin)),
            ("03-01T00:00", CoverageAt::Since(begin)),
            ("03-16T17:45", CoverageAt::Since(begin)),
            ("03-16T17:46", CoverageAt::Hole(hole.0, hole.1)),
            ("03-22T11:20", CoverageAt::Since(hole.1)),
            ("04-11T08:01", CoverageAt::Until(at("04-10T08:00"))),
        ] {
            assert_eq!(stretches.at(at(time)), known, "{time}");
        }
        assert_eq!(CoveredTimes::default().at(begin), CoverageAt::Never);
    }

    #[test]
    fn numbers_of_records_prove_a_hole_or_that_there_is_none() {
        let at = |text: &str| -> Timestamp { format!("2025-{text}:00Z").parse().expect("a time") };
        let holes = |before: (u64, u64), after: (u64, u64), begins: &str| {
            let log = |first, last, ids: (u64, u64)| LogCoverage {
                channel: "System".into(),
                computer: "PC".into(),
                first: at(first),
                last: at(last),
                records: 2,
                days: Days::default(),
                ids: Some(RecordIds { first: ids.0, last: ids.1 }),
            };
            let files = [log("03-01T08:00", "03-07T18:00", before), log(begins, "03-20T18:00", after)];
            CoveredTimes::from_logs(files.iter()).holes().count()
        };
        // Over a weekend, and within a day.
        let (monday, soon) = ("03-10T08:00", "03-07T20:00");
        for (before, after, weekend, within_a_day) in [
            ((1, 4000), (4001, 9000), 0, 0),
            ((2000, 4000), (4001, 9000), 0, 0),
            ((2000, 4000), (4002, 9000), 1, 1),
            // Counted anew in an export: nothing is known of either.
            ((1, 4000), (4002, 9000), 1, 0),
            ((2000, 4000), (1, 9000), 1, 0),
            // Of a log that was cleared.
            ((2000, 4000), (5, 300), 1, 0),
        ] {
            let found = (holes(before, after, monday), holes(before, after, soon));
            assert_eq!(found, (weekend, within_a_day), "{before:?} {after:?}");
        }
        // Exports that overlap in time say nothing by their numbers.
        assert_eq!(holes((2000, 4000), (4500, 9000), "03-06T08:00"), 0);
    }

    #[test]
    fn a_day_is_that_of_utc() {
        for (time, day, begin) in [
            ("2024-05-06T00:00:00Z", 154_623, "2024-05-06T00:00:00Z"),
            ("2024-05-06T23:59:59.9Z", 154_623, "2024-05-06T00:00:00Z"),
            ("1601-01-01T00:00:00Z", 0, "1601-01-01T00:00:00Z"),
        ] {
            assert_eq!(Days::day_of(time.parse().expect("a time")), day, "{time}");
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

//! What part of a machine's history a log covers.

use std::sync::Arc;

use jiff::Timestamp;

use crate::artifact::LogCoverage;

/// When FILETIME begins (1601-01-01), seconds from the Unix epoch: what a record without time shows.
const NO_TIME: i64 = -11_644_473_600;

/// The time, unless it is the one that stands for "none".
pub(super) fn real_time(time: Timestamp) -> Option<Timestamp> {
    (time.as_second() != NO_TIME).then_some(time)
}

/// Channels, computers and times of the records seen so far.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    channels: Tally,
    computers: Tally,
    span: Option<(Timestamp, Timestamp)>,
}

impl Coverage {
    /// Adds one record.
    pub(super) fn add(&mut self, channel: Option<&str>, computer: Option<&str>, time: Timestamp) {
        if let Some(channel) = channel {
            self.channels.add(channel);
        }
        if let Some(computer) = computer {
            self.computers.add(computer);
        }
        if let Some(time) = real_time(time) {
            self.extend(time, time);
        }
    }

    /// Adds the records of a later part of the log.
    pub(super) fn append(&mut self, later: Self) {
        self.channels.append(later.channels);
        self.computers.append(later.computers);
        if let Some((first, last)) = later.span {
            self.extend(first, last);
        }
    }

    fn extend(&mut self, first: Timestamp, last: Timestamp) {
        self.span = Some(match self.span {
            Some((earliest, latest)) => (earliest.min(first), latest.max(last)),
            None => (first, last),
        });
    }

    /// The most frequent channel and computer with the first and last time; `None` when the records say too little.
    pub(super) fn finish(self) -> Option<LogCoverage> {
        let (first, last) = self.span?;
        Some(LogCoverage { channel: self.channels.winner()?, computer: self.computers.winner()?, first, last })
    }
}

/// How often each of a few texts was seen.
#[derive(Debug, Default)]
struct Tally {
    counts: Vec<(Arc<str>, u64)>,
}

impl Tally {
    fn add(&mut self, text: &str) {
        match self.counts.iter_mut().find(|(known, _)| **known == *text) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.counts.push((Arc::from(text), 1)),
        }
    }

    fn append(&mut self, later: Self) {
        for (text, count) in later.counts {
            match self.counts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, total)) => *total = total.saturating_add(count),
                None => self.counts.push((text, count)),
            }
        }
    }

    /// The most frequent text; of equally frequent ones the first seen.
    fn winner(self) -> Option<Arc<str>> {
        let most = self.counts.iter().map(|(_, count)| *count).max()?;
        self.counts.into_iter().find(|(_, count)| *count == most).map(|(text, _)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn the_most_frequent_names_and_the_outermost_times_count() {
        let mut coverage = Coverage::default();
        coverage.add(Some("System"), Some("before-rename"), at(50));
        coverage.add(Some("System"), Some("machine"), at(20));
        let mut later = Coverage::default();
        later.add(Some("Setup"), Some("machine"), at(90));
        later.add(None, None, at(10));
        coverage.append(later);
        let found = coverage.finish().expect("a coverage");
        assert_eq!((&*found.channel, &*found.computer), ("System", "machine"));
        assert_eq!((found.first, found.last), (at(10), at(90)));
    }

    #[test]
    fn a_record_without_time_does_not_begin_the_log() {
        let mut coverage = Coverage::default();
        coverage.add(Some("System"), Some("machine"), at(NO_TIME));
        coverage.add(Some("System"), Some("machine"), at(7));
        assert_eq!(coverage.finish().map(|found| found.first), Some(at(7)));
    }

    #[test]
    fn no_records_cover_nothing() {
        assert!(Coverage::default().finish().is_none());
    }
}

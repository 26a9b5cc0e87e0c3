//! What part of a machine's history a log covers.

use std::collections::BTreeMap;
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
    /// First and last time by computer: a machine that is renamed goes on with the log under its new name.
    computers: BTreeMap<Arc<str>, (Timestamp, Timestamp)>,
}

impl Coverage {
    /// Adds one record.
    pub(super) fn add(&mut self, channel: Option<&str>, computer: Option<&str>, time: Timestamp) {
        if let Some(channel) = channel {
            self.channels.add(channel);
        }
        if let (Some(computer), Some(time)) = (computer, real_time(time)) {
            match self.computers.get_mut(computer) {
                Some(span) => *span = (span.0.min(time), span.1.max(time)),
                None => drop(self.computers.insert(Arc::from(computer), (time, time))),
            }
        }
    }

    /// Adds the records of a later part of the log.
    pub(super) fn append(&mut self, later: Self) {
        self.channels.append(later.channels);
        for (computer, later) in later.computers {
            let span = self.computers.entry(computer).or_insert(later);
            *span = (span.0.min(later.0), span.1.max(later.1));
        }
    }

    /// The most frequent channel with each computer's first and last time; empty when the records say too little.
    pub(super) fn finish(self) -> Vec<LogCoverage> {
        let Some(channel) = self.channels.winner() else { return Vec::new() };
        let of = |(computer, (first, last))| LogCoverage { channel: Arc::clone(&channel), computer, first, last };
        self.computers.into_iter().map(of).collect()
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
    fn a_renamed_machine_s_log_covers_both_names() {
        let mut coverage = Coverage::default();
        coverage.add(Some("System"), Some("before-rename"), at(50));
        coverage.add(Some("System"), Some("machine"), at(20));
        let mut later = Coverage::default();
        later.add(Some("Setup"), Some("machine"), at(90));
        coverage.append(later);
        let found = coverage.finish();
        let found: Vec<_> = found.iter().map(|log| (&*log.channel, &*log.computer, log.first, log.last)).collect();
        assert_eq!(found, [("System", "before-rename", at(50), at(50)), ("System", "machine", at(20), at(90))]);
    }

    #[test]
    fn a_record_without_time_does_not_begin_the_log() {
        let mut coverage = Coverage::default();
        coverage.add(Some("System"), Some("machine"), at(NO_TIME));
        coverage.add(Some("System"), Some("machine"), at(7));
        assert_eq!(coverage.finish().first().map(|found| found.first), Some(at(7)));
    }

    #[test]
    fn no_records_cover_nothing() {
        assert!(Coverage::default().finish().is_empty());
    }
}

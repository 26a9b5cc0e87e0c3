//! The time that a log covers, by channel and computer.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::binary_xml::value::until_nul;
use super::utf16_names;
use evidence::{Days, LogCoverage, RecordIds};
use untrusted::notation::filetime;

/// The beginning of FILETIME (1601-01-01), seconds from the Unix epoch: the time of a record that has none.
pub(crate) const NO_TIME: i64 = -11_644_473_600;

/// The time; `None` for values that mean "none".
pub(crate) fn real_time(time: Timestamp) -> Option<Timestamp> {
    (time.as_second() != NO_TIME).then_some(time)
}

/// FILETIMEs below this one, those of the first second of 1601, stand for "none"; 100 ns units.
const LEAST_TIME: u64 = 10_000_000;

/// A day, 100 ns units.
const DAY: u64 = 86_400 * 10_000_000;

/// The longest name of a channel or computer that is counted, bytes. Windows allows 255 characters.
const LONGEST_NAME: usize = 512;
/// The most pairs of channel and computer of a run of chunks, the most channels of a log, and the most pairs of a log: bounds
/// for damaged logs. Logs of forwarded events have some thousand computers.
const MOST_SPANS: usize = 1 << 14;
const MOST_CHANNELS: usize = 1 << 12;
const MOST_PARTS: usize = 1 << 16;

/// The time that the records of a part of a log cover, by channel and computer in UTF-16 as records have them.
#[derive(Debug, Default)]
pub(crate) struct ChannelSpans {
    /// All spans, in the order in which they were first found.
    pub(crate) list: Vec<ChannelSpan>,
    /// Index into `list` by channel and computer.
    known: HashMap<SpanKey, usize>,
    /// The index of the span that was used last.
    latest: usize,
}

/// Channel and computer, UTF-16.
type SpanKey = (Box<[u8]>, Box<[u8]>);

/// The records of one channel and computer. It can be kept for later runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ChannelSpan {
    channel: Box<[u8]>,
    computer: Box<[u8]>,
    records: u64,
    /// First and last FILETIME; the first is greater than the last as long as no record with a time was added.
    first: u64,
    last: u64,
    /// The days on which there are records.
    days: Days,
    /// The FILETIMEs of the latest record's day: most records are of the same day as the one before them.
    #[serde(skip)]
    day: Range<u64>,
}

impl ChannelSpans {
    /// The index of the span with the channel and computer at these places; an empty place means that there is none.
    pub(crate) fn find(&mut self, bytes: &[u8], channel: Range<usize>, computer: Range<usize>) -> usize {
        self.find_texts(text(bytes, channel), text(bytes, computer))
    }

    /// The index of the span with this channel and computer; `usize::MAX`, which no span has, when there are too many.
    #[inline]
    fn find_texts(&mut self, channel: &[u8], computer: &[u8]) -> usize {
        if self.list.get(self.latest).is_some_and(|span| *span.computer == *computer && *span.channel == *channel) {
            return self.latest;
        }
        let Self { list, known, latest } = self;
        if list.len() >= MOST_SPANS && !known.contains_key(&(channel.into(), computer.into())) {
            return usize::MAX;
        }
        *latest = *known.entry((channel.into(), computer.into())).or_insert_with_key(|(channel, computer)| {
            let (channel, computer) = (channel.clone(), computer.clone());
            let (days, day) = (Days::default(), 0..0);
            list.push(ChannelSpan { channel, computer, records: 0, first: u64::MAX, last: 0, days, day });
            list.len().saturating_sub(1)
        });
        *latest
    }

    /// Adds one record to the span with this index.
    #[inline]
    pub(crate) fn add(&mut self, index: usize, filetime: u64) {
        let Some(span) = self.list.get_mut(index) else { return };
        span.records = span.records.saturating_add(1);
        if filetime >= LEAST_TIME {
            span.first = span.first.min(filetime);
            span.last = span.last.max(filetime);
            if !span.day.contains(&filetime) {
                span.begin_day(filetime);
            }
        }
    }

    /// Adds one record to the span with the channel and computer at these places.
    #[inline]
    pub(crate) fn add_texts(&mut self, bytes: &[u8], channel: Range<usize>, computer: Range<usize>, filetime: u64) {
        let index = self.find(bytes, channel, computer);
        self.add(index, filetime);
    }

    /// Adds one record whose channel and computer are decoded already.
    pub(crate) fn add_decoded(&mut self, channel: Option<&str>, computer: Option<&str>, filetime: u64) {
        let utf16 = |text: Option<&str>| -> Vec<u8> {
            text.unwrap_or_default().encode_utf16().flat_map(u16::to_le_bytes).collect()
        };
        let mut bytes = utf16(channel);
        let middle = bytes.len();
        bytes.extend(utf16(computer));
        let index = self.find(&bytes, 0..middle, middle..bytes.len());
        self.add(index, filetime);
    }

    /// Adds the records of a span that was kept, or is of another chunk.
    pub(crate) fn add_span(&mut self, other: &ChannelSpan) {
        let index = self.find_texts(&other.channel, &other.computer);
        let Some(span) = self.list.get_mut(index) else { return };
        span.records = span.records.saturating_add(other.records);
        span.first = span.first.min(other.first);
        span.last = span.last.max(other.last);
        span.days.add_all(&other.days);
    }

    /// All spans with their names decoded.
    pub(crate) fn finish(self) -> LogParts {
        let mut coverage = LogParts::default();
        for span in self.list {
            let name = |utf16| Some(utf16_names::decoded(utf16)).filter(|name| !name.is_empty()).map(Arc::from);
            let time = filetime(span.first).zip(filetime(span.last)).filter(|_| span.first <= span.last);
            let part = time.map(|(first, last)| Covered { records: span.records, first, last, days: span.days });
            coverage.add(name(&span.channel), name(&span.computer), span.records, part);
        }
        coverage
    }
}

impl ChannelSpan {
    /// Adds the day of a record, which is another one than that of the record before.
    #[cold]
    fn begin_day(&mut self, filetime: u64) {
        let Some(day) = filetime.checked_div(DAY) else { return };
        let start = day.saturating_mul(DAY);
        self.day = start..start.saturating_add(DAY);
        self.days.add(u32::try_from(day).unwrap_or(u32::MAX));
    }
}

/// The UTF-16 text at a place up to a NUL, as where it is decoded; empty where it is longer than any name.
fn text(bytes: &[u8], place: Range<usize>) -> &[u8] {
    let text = until_nul(bytes.get(place).unwrap_or_default());
    if text.len() > LONGEST_NAME { &[] } else { text }
}

/// The time that a log, or a part of it, covers, by channel and computer.
#[derive(Debug, Default)]
pub(crate) struct LogParts {
    /// By channel and computer: an export of several logs is one file, and a machine that is renamed continues the log under
    /// its new name. Damaged records have no channel.
    parts: BTreeMap<(Option<Arc<str>>, Arc<str>), Covered>,
    /// The number of records of each channel, with those that have no computer.
    channels: BTreeMap<Arc<str>, u64>,
}

/// The records of one channel and computer.
#[derive(Debug)]
struct Covered {
    records: u64,
    first: Timestamp,
    last: Timestamp,
    days: Days,
}

impl Covered {
    fn append(&mut self, other: &Self) {
        self.records = self.records.saturating_add(other.records);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.days.add_all(&other.days);
    }
}

impl LogParts {
    /// Adds `records` to the channel's number and, for a computer, `part`.
    fn add(&mut self, channel: Option<Arc<str>>, computer: Option<Arc<str>>, records: u64, part: Option<Covered>) {
        if let Some(channel) = &channel {
            let is_full = self.channels.len() >= MOST_CHANNELS;
            match self.channels.get_mut(channel) {
                Some(count) => *count = count.saturating_add(records),
                None if is_full => {}
                None => drop(self.channels.insert(Arc::clone(channel), records)),
            }
        }
        if let (Some(computer), Some(part)) = (computer, part) {
            let is_full = self.parts.len() >= MOST_PARTS;
            match self.parts.entry((channel, computer)) {
                Entry::Occupied(mut known) => known.get_mut().append(&part),
                Entry::Vacant(_) if is_full => {}
                Entry::Vacant(vacant) => drop(vacant.insert(part)),
            }
        }
    }

    /// Adds the records of a later part of the log.
    pub(crate) fn append(&mut self, later: Self) {
        later.channels.into_iter().for_each(|(channel, records)| self.add(Some(channel), None, records, None));
        later
            .parts
            .into_iter()
            .for_each(|((channel, computer), part)| self.add(channel, Some(computer), 0, Some(part)));
    }

    /// The coverage of each channel and computer; empty when no record has a channel. Records without channel count for the
    /// most frequent one. `ids` are those of the whole file.
    pub(crate) fn finish(mut self, ids: Option<RecordIds>) -> Vec<LogCoverage> {
        let most = self.channels.values().copied().max();
        let Some(frequent) = self.channels.iter().find(|(_, records)| Some(**records) == most) else {
            return Vec::new();
        };
        let frequent = Arc::clone(frequent.0);
        let named = self.parts.split_off(&(Some(Arc::from("")), Arc::from("")));
        for ((_, computer), part) in std::mem::replace(&mut self.parts, named) {
            self.add(Some(Arc::clone(&frequent)), Some(computer), 0, Some(part));
        }
        let of = |((channel, computer), part): ((Option<Arc<str>>, _), _)| {
            let Covered { records, first, last, days } = part;
            Some(LogCoverage { channel: channel?, computer, first, last, records, days, ids })
        };
        self.parts.into_iter().filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn part(second: i64) -> Option<Covered> {
        Some(Covered { records: 1, first: at(second), last: at(second), days: Days::default() })
    }

    #[test]
    fn a_renamed_machine_s_log_covers_both_names() {
        let mut coverage = LogParts::default();
        let system = |computer: &str| (Some(Arc::from("System")), Some(Arc::from(computer)));
        for (computer, second) in [("before-rename", 50), ("machine", 20)] {
            let (channel, computer) = system(computer);
            coverage.add(channel, computer, 1, part(second));
        }
        let mut later = LogParts::default();
        let (channel, computer) = system("machine");
        later.add(channel, computer, 1, part(90));
        coverage.append(later);
        let found = told(coverage.finish(None));
        let expected = [("System", "before-rename", 50, 50), ("System", "machine", 20, 90)];
        assert_eq!(
            found,
            expected.map(|(channel, computer, first, last)| (channel.into(), computer.into(), at(first), at(last)))
        );
    }

    /// Channel, computer, first and last time.
    fn told(coverage: Vec<LogCoverage>) -> Vec<(String, String, Timestamp, Timestamp)> {
        let of = |log: LogCoverage| (log.channel.to_string(), log.computer.to_string(), log.first, log.last);
        coverage.into_iter().map(of).collect()
    }

    #[test]
    fn a_file_with_records_of_several_logs_covers_each() {
        let bytes = utf16("SetupSystempc");
        let (setup, system, computer) = (0..10, 10..22, 22..26);
        let mut spans = ChannelSpans::default();
        let seconds = |seconds: u64| u64::try_from(-NO_TIME).expect("seconds").saturating_add(seconds) * 10_000_000;
        for (channel, time) in [(&setup, 10), (&system, 20), (&setup, 30), (&system, 40), (&setup, 50)] {
            spans.add_texts(&bytes, channel.clone(), computer.clone(), seconds(time));
        }
        // Two that name no channel.
        for time in [5, 60] {
            spans.add_texts(&bytes, 0..0, computer.clone(), seconds(time));
        }
        let ids = Some(RecordIds { first: 7, last: 13 });
        let found = spans.finish().finish(ids);
        assert!(found.iter().all(|log| log.ids == ids));
        let expected = [("Setup", 5, 60), ("System", 20, 40)];
        assert_eq!(
            told(found),
            expected.map(|(channel, first, last)| (channel.into(), "pc".into(), at(first), at(last)))
        );
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_record_without_time_does_not_begin_the_log() {
        let (channel, computer) = (utf16("System"), utf16("machine\0"));
        let bytes = [channel.clone(), computer].concat();
        let mut spans = ChannelSpans::default();
        let at_epoch = u64::try_from(-NO_TIME).expect("seconds") * 10_000_000;
        for time in [0, at_epoch + 70_000_000, at_epoch + 90_000_000, 5] {
            spans.add_texts(&bytes, 0..channel.len(), channel.len()..bytes.len(), time);
        }
        assert_eq!(told(spans.finish().finish(None)), [("System".into(), "machine".into(), at(7), at(9))]);
    }

    #[test]
    fn the_days_with_records_are_known_whatever_their_order() {
        let (channel, computer) = (utf16("System"), utf16("machine"));
        let bytes = [channel.clone(), computer].concat();
        let spans_of = |days: &[u64]| {
            let mut spans = ChannelSpans::default();
            for day in days {
                spans.add_texts(&bytes, 0..channel.len(), channel.len()..bytes.len(), day * DAY + 7);
            }
            spans
        };
        let log = |spans: ChannelSpans| spans.finish().finish(None).into_iter().next().expect("a log");
        let whole = log(spans_of(&[150_004, 150_005, 150_005, 150_001, 150_006]));
        assert_eq!((whole.records, whole.days.runs()), (5, &[(150_001, 150_001), (150_004, 150_006)][..]));
        // As from a cache.
        let mut again = spans_of(&[150_006, 150_001]);
        spans_of(&[150_005, 150_004, 150_005]).list.iter().for_each(|span| again.add_span(span));
        assert_eq!(log(again), whole);
    }

    #[test]
    fn no_records_cover_nothing() {
        assert!(LogParts::default().finish(None).is_empty());
    }
}

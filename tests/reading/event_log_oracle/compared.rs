//! Compares the scan's records with those of the `evtx` crate.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use evtx_scan::Selection;
use samplekit::event_log::{CHUNK_BYTES, FILE_HEADER_BYTES};
use windows_events::catalogue;

use super::decoded::{Decoded, Unknown, decode};
use super::record::{Bench, Field, Key, RecordValues, Scanned};

/// Whether the catalogue selects the record.
pub(crate) fn is_catalogued(record: &RecordValues) -> bool {
    let fields = record.fields.iter().map(|(name, value)| (name.as_deref(), value.as_str())).collect();
    catalogue::wanted().wants(&record.provider, record.event_id, &fields)
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) logs: u64,
    /// Records that are the same in both.
    pub(crate) same: u64,
    /// Fields of these records.
    pub(crate) fields: u64,
    /// Records that no header counts, and that are the same in both.
    pub(crate) recovered: u64,
    /// Records that only the scan could decode.
    pub(crate) ours_alone: u64,
    /// Records that neither could decode, or without provider or event id.
    pub(crate) neither: u64,
    /// The length of all texts of fields in the chunk with the longest texts, bytes.
    pub(crate) most_text: usize,
    /// Unexpected differences.
    pub(crate) wrong: Vec<String>,
}

impl AddAssign for Comparison {
    fn add_assign(&mut self, other: Self) {
        self.logs += other.logs;
        self.same += other.same;
        self.fields += other.fields;
        self.recovered += other.recovered;
        self.ours_alone += other.ours_alone;
        self.neither += other.neither;
        self.most_text = self.most_text.max(other.most_text);
        self.wrong.extend(other.wrong);
    }
}

impl Comparison {
    /// Fails on unexpected differences, and prints the first of them.
    #[track_caller]
    pub(crate) fn assert_equal(&self) {
        let first = &self.wrong[..self.wrong.len().min(5)];
        assert!(self.wrong.is_empty(), "{} differences, the first:\n{}", self.wrong.len(), first.join("\n"));
    }
}

/// A log as the crate decodes it, chunk by chunk.
pub(crate) struct Reference<'l> {
    chunks: Vec<(&'l [u8], Decoded)>,
}

impl<'l> Reference<'l> {
    pub(crate) fn of(log: &'l [u8]) -> Self {
        let chunks = log.get(FILE_HEADER_BYTES..).unwrap_or_default().chunks(CHUNK_BYTES);
        Self { chunks: chunks.map(|chunk| (chunk, decode(chunk, None))).collect() }
    }

    /// Records that the headers count, in the file's order.
    pub(crate) fn known(&self) -> impl Iterator<Item = &RecordValues> {
        self.chunks.iter().flat_map(|(_, decoded)| &decoded.records)
    }

    /// The length of all texts of fields in the chunk with the longest texts.
    fn most_text(&self) -> usize {
        let length = |(name, value): &Field| name.as_ref().map_or(0, String::len) + value.len();
        let of_chunk = |decoded: &Decoded| decoded.records.iter().flat_map(|record| &record.fields).map(length).sum();
        self.chunks.iter().map(|(_, decoded)| of_chunk(decoded)).max().unwrap_or(0)
    }

    /// Ids of records that the crate could not decode; `None` when it rejected a whole chunk.
    fn failed(&self) -> Option<BTreeSet<u64>> {
        let rejected =
            self.chunks.iter().any(|(chunk, decoded)| decoded.rejected && chunk.iter().any(|byte| *byte != 0));
        let failed = self.chunks.iter().flat_map(|(_, decoded)| &decoded.failed);
        (!rejected).then(|| failed.copied().collect())
    }

    /// The records with these ids, decoded by the crate with changed headers.
    fn unknown(&self, recovered: &[RecordValues]) -> BTreeMap<u64, RecordValues> {
        let Some(last_id) = recovered.iter().map(|record| record.id).max() else { return BTreeMap::new() };
        let mut found = BTreeMap::new();
        for (chunk, decoded) in &self.chunks {
            let known: BTreeSet<u64> = decoded.records.iter().map(|record| record.id).collect();
            let more = decode(chunk, Some(Unknown { last_id }));
            for record in more.records.into_iter().filter(|record| !known.contains(&record.id)) {
                found.entry(record.id).or_insert(record);
            }
        }
        found
    }
}

/// Compares a log, once with all records selected, and once with those of the catalogue.
pub(crate) fn compare(name: &str, log: &[u8], bench: &mut Bench) -> Comparison {
    let reference = Reference::of(log);
    let mut comparison = compare_selection(name, log, &reference, &Selection::everything(), &|_| true, bench);
    let wanted = |record: &RecordValues| is_catalogued(record);
    let catalogued = compare_selection(
        name,
        log,
        &reference,
        &Selection::wanted(windows_events::catalogue::wanted()),
        &wanted,
        bench,
    );
    comparison.wrong.extend(catalogued.wrong);
    comparison.logs = 1;
    comparison.most_text = reference.most_text();
    comparison
}

fn compare_selection(
    name: &str,
    log: &[u8],
    reference: &Reference<'_>,
    selection: &Selection,
    wanted: &dyn Fn(&RecordValues) -> bool,
    bench: &mut Bench,
) -> Comparison {
    let scanned = bench.scan(log, selection);
    let mut comparison = Comparison::default();
    let expected: Vec<&RecordValues> = reference.known().filter(|record| wanted(record)).collect();
    let failed = reference.failed();
    let mut rest = scanned.known.iter().peekable();
    for expected in expected {
        // Records that the crate could not decode are between those that it could.
        while let Some(ours) = rest.next_if(|ours| ours.key() != expected.key()) {
            if failed.as_ref().is_none_or(|failed| failed.contains(&ours.id)) {
                comparison.ours_alone += 1;
            } else {
                comparison.wrong.push(format!("{name}: the crate has no such record here: {ours:#?}"));
            }
        }
        match rest.next() {
            Some(ours) if ours == expected => {
                comparison.same += 1;
                comparison.fields += ours.fields.len() as u64;
            }
            Some(ours) => comparison.wrong.push(format!("{name}: {}", difference(ours, expected))),
            None => comparison.wrong.push(format!("{name}: {:?} is missing", expected.key())),
        }
    }
    for ours in rest {
        if failed.as_ref().is_none_or(|failed| failed.contains(&ours.id)) {
            comparison.ours_alone += 1;
        } else {
            comparison.wrong.push(format!("{name}: the crate has no such record: {ours:#?}"));
        }
    }
    let failed = failed.map_or(0, |failed| failed.len() as u64);
    comparison.neither = failed.saturating_sub(comparison.ours_alone);
    compare_recovered(name, reference, &scanned, &mut comparison);
    comparison
}

fn compare_recovered(name: &str, reference: &Reference<'_>, scanned: &Scanned, comparison: &mut Comparison) {
    let expected = reference.unknown(&scanned.recovered);
    for ours in &scanned.recovered {
        match expected.get(&ours.id) {
            Some(expected) if ours == expected => comparison.recovered += 1,
            Some(expected) => comparison.wrong.push(format!("{name}, recovered: {}", difference(ours, expected))),
            None => comparison.wrong.push(format!("{name}, recovered: the crate has no such record: {ours:#?}")),
        }
    }
}

/// The differences between two records, value by value.
pub(crate) fn difference(ours: &RecordValues, expected: &RecordValues) -> String {
    let key: Key = expected.key();
    let mut differ = Vec::new();
    let mut part = |name: &str, ours: String, expected: String| {
        if ours != expected {
            differ.push(format!("  {name} {ours} instead of {expected}"));
        }
    };
    part("key", format!("{:?}", ours.key()), format!("{key:?}"));
    part("channel", format!("{:?}", ours.channel), format!("{:?}", expected.channel));
    part("computer", format!("{:?}", ours.computer), format!("{:?}", expected.computer));
    part("time", format!("{:?}", ours.time), format!("{:?}", expected.time));
    for index in 0..ours.fields.len().max(expected.fields.len()) {
        part("field", format!("{:?}", ours.fields.get(index)), format!("{:?}", expected.fields.get(index)));
    }
    format!("{key:?}:\n{}", differ.join("\n"))
}

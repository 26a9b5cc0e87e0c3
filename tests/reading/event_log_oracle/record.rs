//! The values of a record by which the two readers are compared.

use std::fs::File;
use std::io::{Seek, Write};

use evidence::LogCoverage;
use evtx_scan::{Record, Selection, read_records};
use jiff::Timestamp;

/// Name, where the field has one, and value.
pub(crate) type Field = (Option<String>, String);

/// The values of a record, with copies of all texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordValues {
    pub(crate) id: u64,
    pub(crate) provider: String,
    pub(crate) event_id: u32,
    pub(crate) channel: Option<String>,
    pub(crate) computer: Option<String>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) fields: Vec<Field>,
}

/// Record id, provider and event id.
pub(crate) type Key = (u64, String, u32);

impl RecordValues {
    fn of(record: &Record<'_>) -> Self {
        let owned = |(name, value): (Option<&str>, &str)| (name.map(str::to_owned), value.to_owned());
        Self {
            id: record.id,
            provider: record.provider.to_owned(),
            event_id: record.event_id,
            channel: record.channel.map(str::to_owned),
            computer: record.computer.map(str::to_owned),
            time: record.time,
            fields: record.fields.iter().map(owned).collect(),
        }
    }

    pub(crate) fn key(&self) -> Key {
        (self.id, self.provider.clone(), self.event_id)
    }
}

/// A log as the scan reads it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// Records that the chunks' headers count.
    pub(crate) known: Vec<RecordValues>,
    /// Records behind those that the headers count.
    pub(crate) recovered: Vec<RecordValues>,
    /// How many records were found, selected or not.
    pub(crate) records: u64,
    pub(crate) losses: Vec<String>,
    pub(crate) coverage: Vec<LogCoverage>,
}

/// A temporary file from which logs are read.
pub(crate) struct Bench(File);

impl Bench {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempfile().expect("a file"))
    }

    /// Reads a log; of bytes that are no log it gives no records.
    pub(crate) fn scan(&mut self, log: &[u8], selection: &Selection) -> Scanned {
        self.put(log);
        self.scan_again(selection)
    }

    pub(crate) fn put(&mut self, log: &[u8]) {
        self.0.rewind().expect("a file");
        self.0.write_all(log).expect("a file");
        self.0.set_len(log.len() as u64).expect("a file");
    }

    /// Reads the log that was written last.
    pub(crate) fn scan_again(&self, selection: &Selection) -> Scanned {
        let bytes = self.0.metadata().expect("a file").len();
        let take = |record: &Record<'_>| Some((record.recovered, RecordValues::of(record)));
        let Ok(log) = read_records(&self.0, bytes, selection, &take) else { return Scanned::default() };
        let (recovered, known): (Vec<_>, Vec<_>) = log.extracted.into_iter().partition(|(recovered, _)| *recovered);
        let values = |list: Vec<(bool, RecordValues)>| list.into_iter().map(|(_, values)| values).collect();
        Scanned {
            known: values(known),
            recovered: values(recovered),
            records: log.records,
            losses: log.losses.iter().map(ToString::to_string).collect(),
            coverage: log.coverage,
        }
    }
}

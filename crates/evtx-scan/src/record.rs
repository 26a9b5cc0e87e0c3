//! What reading a log returns: its records, and what is known of the log as a whole.

use jiff::Timestamp;

use super::fields::RecordFields;
use super::head::Head;
use evidence::LogCoverage;
use untrusted::Loss;

/// A decoded record, borrowed for as long as the caller's function looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Record<'r> {
    /// The record's id, which counts up within its log.
    pub id: u64,
    /// Name of the provider, as the record spells it.
    pub provider: &'r str,
    /// Event id.
    pub event_id: u32,
    /// Channel.
    pub channel: Option<&'r str>,
    /// The computer that logged the record.
    pub computer: Option<&'r str>,
    /// When the record was logged.
    pub time: Option<Timestamp>,
    /// When the last record in front of it was logged that was logged more than two seconds earlier; `None` where none of the 64
    /// in front of it in its chunk was. The records of a start are not in the order of their times.
    pub before: Option<Timestamp>,
    /// Whether no header counts the record: Windows had written it, but not yet the header of its chunk, or that header is
    /// damaged.
    pub recovered: bool,
    /// The other parts of the record's `System` element.
    pub head: Head<'r>,
    /// The fields of the event.
    pub fields: &'r RecordFields,
}

/// A log as far as it could be read.
#[derive(Debug)]
pub struct Log<T> {
    /// What was made of the selected records, in the file's order.
    pub extracted: Vec<T>,
    /// Number of records found, selected or not, without those that could not be decoded.
    pub records: u64,
    /// What is missing or damaged, and what was read although no header counts it.
    pub losses: Vec<Loss>,
    /// The time that the log covers, by channel and computer.
    pub coverage: Vec<LogCoverage>,
}

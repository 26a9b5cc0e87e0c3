//! What reading a log gives: records, and what is known of the log as a whole.

use jiff::Timestamp;

use super::fields::WrittenFields;
use super::head::Head;
use evidence::LogCoverage;
use untrusted::Loss;

/// One record, read in full. It is lent for as long as its reader looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Record<'r> {
    /// Its id.
    pub id: u64,
    /// Provider name as written.
    pub provider: &'r str,
    /// Event id.
    pub event_id: u32,
    /// Channel.
    pub channel: Option<&'r str>,
    /// The computer that logged it.
    pub computer: Option<&'r str>,
    /// When it was logged.
    pub time: Option<Timestamp>,
    /// Whether no header knows it: Windows had written it, but not yet the header of its chunk, or that is damaged.
    pub recovered: bool,
    /// What else its `System` says.
    pub head: Head<'r>,
    /// Its fields.
    pub fields: &'r WrittenFields,
}

/// A log as far as it could be read.
#[derive(Debug)]
pub struct Log<T> {
    /// What was made of the selected records, in the file's order.
    pub taken: Vec<T>,
    /// Records found, selected or not, but for those that could not be decoded.
    pub records: u64,
    /// What is missing, damaged, or was read although no header knows it.
    pub losses: Vec<Loss>,
    /// What the log covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

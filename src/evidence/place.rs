//! Where in an artifact a fact stands.

use std::fmt;

/// A place in an artifact, in the words of its format.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A minidump's stream, by the name of its type (`Exception`).
    Stream(&'static str),
    /// A record of an event log, by its record id.
    Record(u64),
    /// A record of an event log that no header of the log knows, by its record id.
    RecoveredRecord(u64),
    /// A line of a text, counted from 1.
    Line(u32),
    /// A key of a `Report.wer`.
    Key(&'static str),
    /// The header of a kernel dump.
    Header,
    /// The artifact as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(name) => write!(f, "stream {name}"),
            Self::Record(id) => write!(f, "record {id}"),
            Self::RecoveredRecord(id) => write!(f, "record {id} (recovered)"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Key(key) => write!(f, "key {key}"),
            Self::Header => f.write_str("header"),
            Self::Whole => f.write_str("whole file"),
        }
    }
}

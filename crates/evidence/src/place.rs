//! Where in an artifact a fact is.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::word::Word;

/// A place in an artifact, in the words of its format.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// A minidump's stream, by the name of its type (`Exception`).
    Stream(#[serde(deserialize_with = "super::word::word")] Word),
    /// A record of an event log, by its record id.
    Record(u64),
    /// A record of an event log that no header of the log knows, by its record id.
    RecoveredRecord(u64),
    /// Lines of a text, counted from 1, in order.
    Lines(Arc<[u32]>),
    /// A key of a `Report.wer`.
    Key(#[serde(deserialize_with = "super::word::word")] Word),
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
            Self::Lines(lines) => write_lines(f, lines),
            Self::Key(key) => write!(f, "key {key}"),
            Self::Header => f.write_str("header"),
            Self::Whole => f.write_str("whole file"),
        }
    }
}

/// `line 3`, or `lines 3, 5-7`. Of many, the first and how many more.
fn write_lines(f: &mut fmt::Formatter<'_>, lines: &[u32]) -> fmt::Result {
    const MOST: usize = 8;
    let ranges = || lines.chunk_by(|line, next| line.checked_add(1) == Some(*next));
    f.write_str(if lines.len() == 1 { "line " } else { "lines " })?;
    for (index, range) in ranges().take(MOST).enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        match range {
            [first, .., last] => write!(f, "{first}-{last}")?,
            range => range.iter().try_for_each(|only| write!(f, "{only}"))?,
        }
    }
    match ranges().count().saturating_sub(MOST) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_are_a_range() {
        let shown = |lines: &[u32]| Place::Lines(lines.into()).to_string();
        assert_eq!(shown(&[3]), "line 3");
        assert_eq!(shown(&[3, 5, 6, 7, 9]), "lines 3, 5-7, 9");
        let odd: Vec<u32> = (0..20).map(|number| number * 2 + 1).collect();
        assert_eq!(shown(&odd), "lines 1, 3, 5, 7, 9, 11, 13, 15 and 12 more");
    }
}

//! The incidents of a group as dots on the time line of the whole report.

use std::collections::BTreeSet;
use std::fmt::Write;

use jiff::Timestamp;

use super::scaled;
use crate::formats::text::block::Block;

/// The first and the last place of a dot.
const FIRST: i64 = 4;
const LAST: i64 = 116;

/// The time from the first to the last incident of a report.
pub(in super::super) struct Span {
    first: i64,
    seconds: i64,
}

impl Span {
    /// The span of these times; `None` where there is none.
    pub(in super::super) fn of(times: impl Iterator<Item = Timestamp> + Clone) -> Option<Self> {
        let (first, last) = (times.clone().min()?.as_second(), times.max()?.as_second());
        Some(Self { first, seconds: last - first })
    }

    /// A path with a point for each place at which incidents of a block are.
    pub(in super::super) fn dots(&self, block: &Block<'_>) -> String {
        let times = block.incidents().filter_map(|judged| judged.incident.time);
        let at = |time: Timestamp| FIRST + scaled(time.as_second() - self.first, self.seconds, LAST - FIRST);
        let places: BTreeSet<i64> = times.map(at).collect();
        places.into_iter().fold(String::new(), |mut path, x| {
            // Writing to memory does not fail.
            let _ = write!(path, "M{x} 7h0");
            path
        })
    }
}

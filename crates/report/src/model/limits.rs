//! The time span of a report's incidents.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The time span of a report's incidents, both ends included; other incidents are left out.
#[skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Up to this time.
    pub until: Option<Timestamp>,
}

impl Limits {
    /// Whether an incident of that time is in the span. An incident without time can't be excluded.
    #[must_use]
    pub fn hold(self, time: Option<Timestamp>) -> bool {
        let Some(time) = time else { return true };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time <= until)
    }

    /// The span that both have in common.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { since: self.since.max(other.since), until: [self.until, other.until].into_iter().flatten().min() }
    }

    /// Whether there is a limit.
    #[must_use]
    pub fn is_some(self) -> bool {
        self.since.is_some() || self.until.is_some()
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (Some(since), Some(until)) => write!(f, "from {since} to {until}"),
            (Some(since), None) => write!(f, "from {since} on"),
            (None, Some(until)) => write!(f, "up to {until}"),
            (None, None) => f.write_str("at any time"),
        }
    }
}

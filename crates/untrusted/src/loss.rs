//! What could not be read of an artifact, and where.

use std::fmt;

/// A part of an artifact that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Where: a stream, chunk, record or offset, in the format's words.
    pub place: String,
    /// What is missing there and why.
    pub reason: String,
}

impl Loss {
    /// A loss at `place` because of `reason`.
    pub fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }

    /// Losses in one text; of many, the first `most` and how many more.
    #[must_use]
    pub fn join(losses: &[Self], most: usize) -> String {
        let mut parts: Vec<String> = losses.iter().take(most).map(Self::to_string).collect();
        let more = losses.len().saturating_sub(most);
        if more > 0 {
            parts.push(format!("and {more} more"));
        }
        parts.join("; ")
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// Nothing of the artifact could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .place.as_ref().map_or_else(String::new, |place| format!("{place}: ")))]
pub struct Unreadable {
    /// Where the reader gave up, when that is known.
    pub place: Option<String>,
    /// Why.
    pub reason: String,
}

impl Unreadable {
    /// The file as a whole can't be read because of `reason`.
    pub fn whole(reason: impl Into<String>) -> Self {
        Self { place: None, reason: reason.into() }
    }

    /// Reading failed at `place` because of `reason`.
    pub fn at(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: Some(place.into()), reason: reason.into() }
    }
}

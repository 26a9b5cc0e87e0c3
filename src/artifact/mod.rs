//! Reading artifacts: one folder a format. A reader turns one file into evidence and says what it could not read.

pub mod bytes;
pub mod event_log;
pub mod head_and_tail;
pub mod kernel_dump;
pub mod minidump;
pub mod notation;
pub mod text;
pub mod ticket;
pub mod wer_report;
pub mod wer_signature;

use std::fmt;
use std::sync::Arc;

pub use crate::evidence::LogCoverage;
use crate::evidence::{Evidence, Names};
use crate::sigma::SigmaRules;

/// What every reader is given.
#[derive(Debug, Default)]
pub struct ReadContext {
    /// Shares equal names between artifacts.
    pub names: Names,
    /// Shares what event records say.
    pub contents: event_log::Contents,
    /// Whether crashing threads' stacks are walked.
    pub walk_stacks: bool,
    /// Symbols and images from outside of the dumps, if any were given.
    pub symbols: Option<Arc<minidump::Symbols>>,
    /// What earlier runs read of event logs, if that is kept.
    pub cache: Option<Arc<event_log::Cache>>,
    /// Sigma rules, whose matches in event logs are evidence.
    pub sigma: Option<Arc<SigmaRules>>,
}

/// What reading one artifact gave.
#[derive(Debug, Default)]
pub struct Reading {
    /// What it says, in the artifact's order.
    pub evidence: Vec<Evidence>,
    /// What is missing or damaged. Empty means that the artifact was read whole.
    pub losses: Vec<Loss>,
    /// Records read, relevant or not; event logs only.
    pub records: Option<u64>,
    /// For an event log: what it covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

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
}

impl Loss {
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Unreadable {}

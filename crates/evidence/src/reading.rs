//! What a reader gives.

use untrusted::Loss;

use crate::{Evidence, LogCoverage};

/// What reading one artifact gave.
#[derive(Debug, Default)]
pub struct Reading {
    /// What the artifact states, in its order.
    pub evidence: Vec<Evidence>,
    /// What is missing or damaged. Empty means that the artifact was read whole.
    pub losses: Vec<Loss>,
    /// Records read, relevant or not; event logs only.
    pub records: Option<u64>,
    /// For an event log: what it covers, by computer.
    pub coverage: Vec<LogCoverage>,
}

//! A record of an event log that a Sigma rule matches.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::word::Word;

/// The description of a Sigma rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SigmaRule {
    /// Its title.
    pub title: Arc<str>,
    /// Its id, mostly a UUID.
    pub id: Option<Arc<str>>,
    /// Its level: one of [`SIGMA_LEVELS`].
    #[serde(deserialize_with = "super::word::optional_word")]
    pub level: Option<Word>,
    /// Its tags, such as `attack.t1059.001`, with `; ` between them.
    pub tags: Arc<str>,
    /// The file that the rule is in.
    pub file: Arc<str>,
}

/// The levels that Sigma rules have, the least first.
///
/// Source: Sigma specification 2.1, "Level".
pub const SIGMA_LEVELS: &[&str] = &["informational", "low", "medium", "high", "critical"];

/// A record that a Sigma rule matches.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SigmaMatch {
    /// The rule.
    pub rule: Arc<SigmaRule>,
    /// Provider name of the record as the log writes it.
    pub provider: Arc<str>,
    /// Its event id.
    pub event_id: u32,
    /// Its channel.
    pub channel: Option<Arc<str>>,
    /// The computer that logged it.
    pub computer: Option<Arc<str>>,
    /// When it was logged, UTC.
    pub time: Option<Timestamp>,
}

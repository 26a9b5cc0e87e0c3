//! How a report differs from an earlier one.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::limits::Limits;
use super::read;

/// A group as one of the reports has it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupState {
    /// How many incidents it has.
    pub incidents: usize,
    /// How many computers the incidents are of.
    pub hosts: usize,
    /// The time of the earliest incident.
    pub first: Option<Timestamp>,
    /// The time of the latest incident.
    pub last: Option<Timestamp>,
    /// The cause of its surest verdict; `None` when no verdict names one.
    pub cause: Option<String>,
    /// The confidence of that verdict, rounded.
    #[serde(default, deserialize_with = "read::probability_if_any")]
    pub confidence: Option<f64>,
    /// Whether that cause only names what happened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symptom: bool,
}

/// A group in which the reports differ.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupChange {
    /// Its coarse signature.
    pub signature: String,
    /// What happened to it: `new`, `gone`, `moved` (all incidents of a group that only one report has are in other groups of
    /// the other report), or any of `more`, `fewer`, `other-incidents` and `verdict-changed`.
    pub change: Vec<Cow<'static, str>>,
    /// The customer that the group is of, where folders are customers.
    #[serde(default)]
    pub party: Option<String>,
    /// The group in the earlier report; `None` for a new one.
    pub before: Option<GroupState>,
    /// The group in the later report; `None` for one that is gone.
    pub now: Option<GroupState>,
    /// Incidents that the earlier report does not have, by id.
    pub new_incidents: Vec<String>,
    /// Incidents of the earlier report that are no longer in this group.
    pub gone_incidents: usize,
}

impl GroupChange {
    /// Whether `change` contains this word.
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        self.change.iter().any(|own| own == word)
    }
}

/// How a report differs from an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The time span that both reports cover; incidents outside of it are not compared.
    #[serde(flatten)]
    pub limits: Limits,
    /// How many incidents of the earlier report are compared.
    pub incidents_before: usize,
    /// How many incidents of the later report are compared.
    pub incidents_now: usize,
    /// How many incidents of the later report the earlier one does not have.
    pub new_incidents: usize,
    /// How many groups are the same in both.
    pub unchanged_groups: usize,
    /// Version of the program that made the earlier report.
    pub tool_before: String,
    /// Version of the program that made the later report.
    pub tool_now: String,
    /// The rule sets of the earlier report, each with its version and how many rules it has.
    pub rulesets_before: Vec<String>,
    /// The rule sets of the later report.
    pub rulesets_now: Vec<String>,
    /// Groups that differ: new ones first, then those with more incidents, with another verdict, with fewer, with known
    /// incidents of other groups, and those that are gone; within these the largest first, ties by signature.
    pub changes: Vec<GroupChange>,
}

impl Comparison {
    /// Whether there is a group that the earlier report does not have, and not only known incidents in another group.
    #[must_use]
    pub fn has_new_groups(&self) -> bool {
        self.changes.iter().any(|change| change.is("new"))
    }
}

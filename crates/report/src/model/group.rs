//! A group of incidents, what it has more often than the others, and what changed before its first incident.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::read;

/// Incidents that share a coarse signature.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The coarse signature.
    pub signature: String,
    /// The customer that its incidents are of, where folders are customers.
    #[serde(default)]
    pub party: Option<Arc<str>>,
    /// Ids of the incidents, in the report's order.
    pub incidents: Vec<String>,
    /// The time of the earliest incident.
    pub first: Option<Timestamp>,
    /// The time of the latest incident.
    pub last: Option<Timestamp>,
    /// How many computers the incidents are of.
    pub hosts: usize,
    /// The id of the incident that represents the group. Not part of a document.
    #[serde(skip)]
    pub representative: String,
    /// The cause that most verdicts of the group name; `None` when none names one, or too few do.
    pub cause: Option<String>,
    /// How likely that cause is right for an incident of the group, 0.3 to 0.99.
    #[serde(default, deserialize_with = "read::probability_if_any")]
    pub confidence: Option<f64>,
    /// Whether that cause only names what happened: why it happened is not known, whatever the confidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symptom: bool,
    /// The causes of all verdicts of the group, `undetermined` among them: the most frequent first, ties by name.
    pub causes: Vec<CauseCount>,
    /// The attributes that the group has far more often than the rest of the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_represented: Vec<OverRepresented>,
    /// The changes on its machines before the first incident, whether or not the report holds that incident; those that
    /// relate to the group first. `None` when no machine's logs go back far enough.
    pub changes_before: Option<Vec<ChangeBefore>>,
    /// On which machines these changes are not known, in a sentence.
    pub changes_unknown: Option<String>,
}

/// How many of a group's incidents have a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseCount {
    /// The cause, or `undetermined`.
    pub cause: String,
    /// How many incidents have it.
    pub incidents: usize,
}

/// An attribute that a group has far more often than the rest. Statistics have two digits: no more of them means anything,
/// and they don't depend on how a processor rounds the last ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverRepresented {
    /// The attribute's kind: `module`, `module-version`, `driver`, `driver-build`, or a key of the environment card.
    pub kind: Cow<'static, str>,
    /// The attribute's name or value.
    pub value: String,
    /// What is counted: `incidents`, `incidents-of-same-machines` or `machines`.
    pub unit: Cow<'static, str>,
    /// How many of the group have it.
    pub in_group: u64,
    /// How many of the group could have it.
    pub of_group: u64,
    /// How many of the others have it.
    pub elsewhere: u64,
    /// How many of the others could have it.
    pub of_elsewhere: u64,
    /// The difference of the two shares: the interval of 95 % confidence.
    pub difference: [f64; 2],
    /// The probability that chance alone makes such a difference.
    pub p: f64,
    /// `p` adjusted for the number of comparisons.
    pub q: f64,
    /// The attributes that exactly the same incidents have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together_with: Vec<String>,
    /// Whether the attribute may only be a property of the program: there are too few other incidents of the program to
    /// exclude it.
    pub may_be_the_program: bool,
    /// All of this as a sentence without full stop: `nahimicosd.dll in 41 of 42, against 12 % elsewhere`.
    pub says: String,
}

/// A change on machines of a group before their first incident of it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeBefore {
    /// The kind of its timeline entry: `driver-install`, `update` or `software-install`.
    pub kind: Cow<'static, str>,
    /// How it relates to the group, by its name or kind.
    pub bears_on: Option<BearsOn>,
    /// The machine on which it was closest to the first incident.
    pub host: Arc<str>,
    /// When it was, there.
    pub time: Timestamp,
    /// How long before the first incident of that machine, seconds.
    pub seconds_before: u64,
    /// The record of it, in a sentence.
    pub says: String,
    /// On how many machines of the group it came before the first incident.
    pub hosts: usize,
    /// On how many machines of the group the changes before the first incident are known.
    pub of_hosts: usize,
    /// The path of the artifact that records it.
    pub artifact: Option<String>,
    /// Where in that artifact.
    pub place: String,
}

/// How a change relates to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BearsOn {
    /// A display driver, and the group is about the display.
    DisplayDriver,
    /// It names the suspect or its product.
    Suspect,
    /// It names the program.
    Program,
    /// Firmware, and the system stopped or lost its power.
    Firmware,
    /// A driver, and the system stopped.
    Driver,
    /// A word of a later version, in a report that was read.
    #[serde(other)]
    Unknown,
}

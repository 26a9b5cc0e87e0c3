//! What judging an incident gives. Findings are serialized in the form of the JSON report.

use serde::Serialize;
use serde_with::skip_serializing_none;

use crate::evaluating::NamedEntries;
use crate::judging::write_rounded;
use crate::language::{Remediation, Severity};
use crate::loading::SuppressedBy;
use facts::{EvidenceRef, NamedIncidents};

/// One rule that matched one incident.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// The name of the rule set that the rule belongs to.
    pub ruleset: String,
    /// The names of later rule sets that override parts of the rule, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden_by: Vec<String>,
    /// The cause it names, an id of `causes.yaml`.
    pub cause: String,
    /// Whether that cause only names what happened, and not why.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub symptom: bool,
    /// How likely the cause is right, 0.01 to 0.99, two decimals.
    #[serde(serialize_with = "write_rounded")]
    pub confidence: f64,
    /// What it means for the user.
    pub severity: Severity,
    /// The rule's title, facts filled in.
    pub title: String,
    /// Why, facts filled in, with the sentences of the adjustments that applied.
    pub explanation: String,
    /// What to do, one action each, facts filled in.
    pub remediation: Vec<Remediation>,
    /// What would make it surer.
    pub collect: Vec<String>,
    /// The evidence that its terms matched, in order, each once.
    pub evidence: Vec<EvidenceRef>,
    /// The entries of lists that its terms matched and that are not evidence by themselves, by list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<NamedEntries>,
    /// The other incidents that its terms matched, grouped by their relation to this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<NamedIncidents>,
    /// Where the knowledge comes from.
    pub references: Vec<String>,
    /// The suppression of it that ended before the incident.
    pub suppression_ended: Option<SuppressedBy>,
    /// The rule whose finding supersedes this one; a superseded finding does not compete for the verdict.
    pub superseded_by: Option<String>,
}

impl Finding {
    /// Whether another finding supersedes it.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        self.superseded_by.is_some()
    }
}

/// A finding that a suppression leaves out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suppressed {
    /// The rule's id.
    pub rule: String,
    /// The cause that it names.
    pub cause: String,
    /// How likely that cause is right.
    #[serde(serialize_with = "write_rounded")]
    pub confidence: f64,
    /// The rule's title.
    pub title: String,
    /// By whom, why and for how long it is suppressed.
    #[serde(flatten)]
    pub by: SuppressedBy,
}

/// A rule that could not be decided because facts were absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The rule's id.
    pub rule: String,
    /// The absent facts that it asked for, sorted, each once.
    pub missing: Vec<String>,
}

/// What all rules found for one incident.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judgement {
    /// Rules that matched, the most confident first, ties by id; superseded ones after all others.
    pub findings: Vec<Finding>,
    /// Rules that could not be decided, by id.
    pub skipped: Vec<Skipped>,
    /// Rules that matched and whose findings are suppressed, by id.
    pub suppressed: Vec<Suppressed>,
}

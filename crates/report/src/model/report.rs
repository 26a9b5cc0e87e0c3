//! What one run says, as finished values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::compare::Comparison;
use crate::confidence;
use crate::coverage::Coverage;
use crate::groups::Group;
use crate::{RuleSetInfo, UNDETERMINED};
use evidence::ArtifactKind;
use facts::SigmaNearby;
use incident::{Incident, Machine};
use rules::{Finding, Suppressed};

/// Between which times a report holds incidents, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From this time on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Up to this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Limits {
    /// Whether an incident of that time is held. What has no time can't be ruled out.
    #[must_use]
    pub fn hold(self, time: Option<Timestamp>) -> bool {
        let Some(time) = time else { return true };
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time <= until)
    }

    /// What holds no more than either.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { since: self.since.max(other.since), until: [self.until, other.until].into_iter().flatten().min() }
    }

    /// Whether there are any.
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

/// What one run says.
#[derive(Debug, Clone)]
pub struct Report {
    /// Between which times it holds incidents.
    pub limits: Limits,
    /// Whether the artifacts hold their evidence, for merging.
    pub keeps_evidence: bool,
    /// The rule sets that judged, in the order in which they were loaded.
    pub rule_sets: Vec<RuleSetInfo>,
    /// Every artifact, by path.
    pub artifacts: Vec<Artifact>,
    /// Every incident, earliest first, those without a time last; ties by id.
    pub incidents: Vec<Judged>,
    /// The machines that logs told of, by host.
    pub machines: Vec<Machine>,
    /// Incidents that share a signature, largest group first; ties by signature.
    pub groups: Vec<Group>,
    /// What the artifacts could not show.
    pub coverage: Coverage,
    /// What is new against an earlier report, if one was given.
    pub comparison: Option<Comparison>,
    /// Totals.
    pub summary: Summary,
}

impl Report {
    /// The path of the artifact that evidence refers to by its place in the artifact list.
    #[must_use]
    pub fn artifact_path(&self, artifact: usize) -> Option<&str> {
        self.artifacts.get(artifact).map(|artifact| artifact.path.as_str())
    }
}

/// An artifact with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The path as it was given, or found below a folder that was given; `/` between its parts on every system.
    pub path: String,
    /// What its content is: `minidump`, `kernel-dump`, `event-log`, `wer-report`, `ticket`, `archive`, `unknown`.
    pub kind: Cow<'static, str>,
    /// What became of it.
    pub status: ArtifactStatus,
    /// Why, when not `ok`: place and reason of each loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Size of the file.
    pub bytes: u64,
    /// Event logs: records read, relevant or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// What it says, for merging; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// What became of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactStatus {
    /// Read whole.
    Ok,
    /// Read, but a part is missing or damaged.
    Partial,
    /// Its kind is one that is read, and nothing could be.
    Failed,
    /// Not of a kind that is read.
    Skipped,
    /// A word of a later version, in a report that was read.
    #[serde(other)]
    Unknown,
}

impl ArtifactStatus {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
        }
    }
}

/// An incident with what the rules say of it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The incident.
    pub incident: Incident,
    /// Rules that matched, best first.
    pub findings: Vec<Finding>,
    /// Rules that matched and whose findings nobody wants to see; the verdict does not know of them.
    pub suppressed: Vec<Suppressed>,
    /// The best-supported cause.
    pub verdict: Verdict,
    /// The Sigma rules that matched around it.
    pub sigma: Vec<SigmaNearby>,
}

/// The best-supported cause of an incident.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// An id of `causes.yaml`; `undetermined` when nothing supports one.
    pub cause: String,
    /// How likely it is right, 0 to 0.99; 0 for `undetermined`, which claims nothing.
    #[serde(serialize_with = "confidence::write_rounded")]
    pub confidence: f64,
    /// One sentence for a person.
    pub sentence: String,
    /// What to collect to be surer, most useful first. Never empty for `undetermined`.
    pub collect_next: Vec<Cow<'static, str>>,
    /// Which of these the evidence's gaps ask for, and not a rule.
    #[serde(skip)]
    pub asked: Vec<Asked>,
}

/// Something to collect that a gap in the evidence asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its id in `rules/data/collect.yaml`.
    pub id: &'static str,
    /// Which sentence of [`Verdict::collect_next`] it is.
    pub at: usize,
}

impl Artifact {
    /// Whether something could be read of it that tells of incidents, or could. An archive tells of nothing by itself.
    #[must_use]
    pub fn is_read(&self) -> bool {
        let read = matches!(self.status, ArtifactStatus::Ok | ArtifactStatus::Partial);
        read && self.kind != ArtifactKind::Archive.word()
    }

    /// Whether it is an archive of a kind that is not opened.
    #[must_use]
    pub fn is_unopened_archive(&self) -> bool {
        self.kind == ArtifactKind::Archive.word() && self.status == ArtifactStatus::Skipped
    }
}

impl Verdict {
    /// Whether nothing supports a cause.
    #[must_use]
    pub fn is_undetermined(&self) -> bool {
        self.cause == UNDETERMINED
    }
}

/// Totals of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Artifacts seen.
    pub artifacts: usize,
    /// Artifacts of which nothing could be read.
    pub failed: usize,
    /// Artifacts of which a part could not be read.
    pub partial: usize,
    /// Archives of kinds that are not opened.
    pub archives: usize,
    /// Incidents found.
    pub incidents: usize,
    /// Incidents that were found and left out because of their times, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
    /// Findings that are suppressed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppressed: usize,
    /// Incidents by the cause of their verdict, `undetermined` left out.
    pub by_cause: BTreeMap<String, usize>,
    /// Incidents whose cause nothing supports.
    pub undetermined: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

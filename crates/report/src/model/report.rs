//! The report of one run, as finished values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::comparison::Comparison;
use super::coverage::Coverage;
use super::group::Group;
use super::limits::Limits;
use super::read;
use super::selected::Selected;
use crate::confidence::Level;
use evidence::ArtifactKind;
use facts::SigmaNearby;
use incident::{Incident, Machine, Thread};
use knowledge_tables::measured::Measured;
use rules::{Causes, Finding, RuleSetInfo, Suppressed, UNDETERMINED};

/// The report of one run.
#[derive(Debug, Clone)]
pub struct Report {
    /// The time span of its incidents.
    pub limits: Limits,
    /// What its incidents are about, where that was chosen.
    pub selected: Selected,
    /// Whether the artifacts contain their evidence, for merging.
    pub keeps_evidence: bool,
    /// The rule sets that judged, in the order in which they were loaded.
    pub rule_sets: Vec<RuleSetInfo>,
    /// The causes that rules can name, by family.
    pub causes: Causes,
    /// Every artifact, by path.
    pub artifacts: Vec<Artifact>,
    /// Every incident, earliest first, those without a time last; ties by id.
    pub incidents: Vec<Judged>,
    /// The machines that logs name, by host.
    pub machines: Vec<Machine>,
    /// Incidents that share a signature, largest group first; ties by signature.
    pub groups: Vec<Group>,
    /// What the artifacts could not show.
    pub coverage: Coverage,
    /// How the report differs from an earlier one, if one was given.
    pub comparison: Option<Comparison>,
    /// Totals.
    pub summary: Summary,
}

impl Report {
    /// The path of the artifact with this index in the artifact list.
    #[must_use]
    pub fn artifact_path(&self, artifact: usize) -> Option<&str> {
        self.artifacts.get(artifact).map(|artifact| artifact.path.as_str())
    }
}

/// An artifact, and how far it was read.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The path as it was given, or found below a folder that was given; `/` between its parts on every system.
    pub path: String,
    /// What its content is: `minidump`, `kernel-dump`, `event-log`, `wer-report`, `ticket`, `archive`, `unknown`.
    pub kind: Cow<'static, str>,
    /// How far it was read.
    pub status: ArtifactStatus,
    /// Why, when not `ok`: place and reason of each loss.
    pub detail: Option<String>,
    /// Size of the file.
    pub bytes: u64,
    /// Event logs: records read, relevant or not.
    pub records: Option<u64>,
    /// The customer that it is of, where folders are customers.
    #[serde(default)]
    pub party: Option<Arc<str>>,
    /// Its evidence, encoded for merging; only where the run was asked to keep it.
    pub evidence: Option<String>,
}

/// How far an artifact was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ArtifactStatus {
    /// Read whole.
    Ok,
    /// Read, but a part is missing or damaged.
    Partial,
    /// Of a kind that is read, but nothing could be read.
    Failed,
    /// Not of a kind that is read.
    Skipped,
    /// A word of a later version, in a report that was read.
    #[serde(other)]
    Unknown,
}

/// An incident with the findings of rules and its verdict.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The incident.
    pub incident: Incident,
    /// Rules that matched, best first.
    pub findings: Vec<Finding>,
    /// Findings that a rule set suppresses; the verdict does not consider them.
    pub suppressed: Vec<Suppressed>,
    /// The best-supported cause.
    pub verdict: Verdict,
    /// The Sigma rules that matched around it.
    pub sigma: Vec<SigmaNearby>,
    /// The threads of its process, where the run was asked for them.
    pub threads: Vec<Thread>,
    /// The customer that it is of, where folders are customers.
    pub party: Option<Arc<str>>,
}

impl Judged {
    /// The finding that gave the verdict its cause: the best of those that name it.
    #[must_use]
    pub fn leading_finding(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.cause == self.verdict.cause && !finding.is_superseded())
    }

    /// The findings that name other causes than the verdict, best first.
    pub fn other_causes(&self) -> impl Iterator<Item = &Finding> + Clone {
        self.findings.iter().filter(|finding| finding.cause != self.verdict.cause && !finding.is_superseded())
    }
}

/// The best-supported cause of an incident.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// An id of `causes.yaml`; `undetermined` when nothing supports one.
    pub cause: String,
    /// The family of the cause; `None` for `undetermined`.
    pub family: Option<String>,
    /// Whether the cause only names what happened: why it happened is not known, whatever the confidence.
    pub symptom: bool,
    /// The probability that the cause is right, 0 to 0.99; 0 for `undetermined`.
    pub confidence: f64,
    /// One sentence for a person.
    pub sentence: String,
    /// How often the rule behind it was right on labelled cases. Where it is absent, the confidence is an estimate alone.
    pub measured: Option<Measured>,
    /// What to collect to be surer, most useful first. Never empty for `undetermined`.
    pub collect_next: Vec<Cow<'static, str>>,
    /// The sentences among them that a gap in the evidence asks for, and not a rule.
    pub gap_requests: Vec<GapRequest>,
    /// For `undetermined`: the likeliest causes among similar known cases, the likeliest first. Nothing in the evidence of
    /// this incident supports them.
    pub leads: Vec<Lead>,
}

/// A cause that similar known cases had often, and the test that decides about it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// The cause.
    pub cause: String,
    /// Its share among similar cases, 0.05 to [`Lead::MOST_SHARE`], which stands for all greater ones.
    #[serde(serialize_with = "rules::write_rounded", deserialize_with = "read::probability")]
    pub share: f64,
    /// How many cases are similar.
    pub cases: u32,
    /// Whether these are so few that the share rests mostly on less similar cases.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few: bool,
    /// What to do to find out whether the cause is right.
    pub test: Cow<'static, str>,
    /// How long that takes a person, minutes.
    pub minutes: u32,
    /// What each outcome means.
    pub means: Cow<'static, str>,
}

impl Lead {
    /// The greatest share that is told, below the confidence with which a verdict is more than a weak lead: similar cases
    /// alone never support a cause that far.
    pub const MOST_SHARE: f64 = 0.44;
}

/// Something to collect that a gap in the evidence asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapRequest {
    /// Its id in `rules/data/collect.yaml`.
    pub id: &'static str,
    /// The index of its sentence in [`Verdict::collect_next`].
    pub at: usize,
}

impl Artifact {
    /// Whether it was read, whole or in part, and can contain evidence. An archive contains none by itself.
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

    /// How sure the cause is; `None` where none is named, or only what happened.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        (!self.is_undetermined() && !self.symptom).then(|| Level::of(self.confidence))
    }
}

/// Totals of a run.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Artifacts seen.
    pub artifacts: usize,
    /// Artifacts that could not be read.
    pub failed: usize,
    /// Artifacts that could be read only in part.
    pub partial: usize,
    /// Archives of kinds that are not opened.
    pub archives: usize,
    /// Incidents found.
    pub incidents: usize,
    /// Incidents that were left out because of their times or of what they are about; `None` where all were wanted.
    pub left_out: Option<usize>,
    /// Files that were not read because their names were not wanted; `None` where all were.
    pub excluded: Option<usize>,
    /// Suppressed findings.
    #[serde(default, skip_serializing_if = "facts::is_zero")]
    pub suppressed: usize,
    /// Incidents by the cause of their verdict, `undetermined` left out.
    pub by_cause: BTreeMap<String, usize>,
    /// Incidents whose verdict is `undetermined`.
    pub undetermined: usize,
}

impl Summary {
    /// The totals of artifacts and incidents of which none was left out.
    #[must_use]
    pub fn new(artifacts: &[Artifact], incidents: &[Judged]) -> Self {
        let with = |status| artifacts.iter().filter(|artifact| artifact.status == status).count();
        let mut by_cause: BTreeMap<String, usize> = BTreeMap::new();
        for judged in incidents.iter().filter(|judged| !judged.verdict.is_undetermined()) {
            let count = by_cause.entry(judged.verdict.cause.clone()).or_default();
            *count = count.saturating_add(1);
        }
        Self {
            artifacts: artifacts.len(),
            failed: with(ArtifactStatus::Failed),
            partial: with(ArtifactStatus::Partial),
            archives: artifacts.iter().filter(|artifact| artifact.is_unopened_archive()).count(),
            incidents: incidents.len(),
            left_out: None,
            excluded: None,
            suppressed: incidents.iter().map(|judged| judged.suppressed.len()).fold(0, usize::saturating_add),
            undetermined: incidents.iter().filter(|judged| judged.verdict.is_undetermined()).count(),
            by_cause,
        }
    }
}

//! The shapes of the report's JSON, borrowed from the finished values. The order of fields is the order of keys;
//! what is not known has no key.

mod comparison;
mod coverage;
mod group;
mod incident;
mod long_list;
mod machine;
mod sigma;

use std::collections::BTreeMap;
use std::fmt::Display;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

pub use comparison::{Compared, Comparison};
pub use coverage::Coverage;
pub use group::Group;
pub(super) use incident::{Evidence, Incident};
pub(super) use long_list::LongList;
pub(super) use machine::Machine;
pub(super) use sigma::Sigma;

use super::{Report, RuleSetInfo};
use evidence::FORMAT;

/// Version of the report's shape: the first number changes when something is renamed or removed.
pub(super) const SCHEMA_VERSION: &str = "1.0";

/// A value in JSON as it displays itself.
pub struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A text of which a report may hold tens of thousands: it is given as bytes, which the report's writer writes as the
/// text that they are.
struct Text<'a>(&'a str);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

/// A number without unit in lower-case hexadecimal.
struct Hex(u64);

impl Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

type Environment = BTreeMap<&'static str, String>;

fn hex_all(numbers: &[u64]) -> Vec<Shown<Hex>> {
    numbers.iter().map(|number| Shown(Hex(*number))).collect()
}

/// What ran: the report's first keys.
#[derive(Serialize)]
pub(super) struct Run<'a> {
    pub(super) schema_version: &'static str,
    pub(super) tool: Tool,
    pub(super) rulesets: Vec<RuleSet<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evidence_format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<Shown<Timestamp>>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    name: &'static str,
    version: &'static str,
}

pub(super) const TOOL: Tool = Tool { name: "crashsift", version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
pub(super) struct RuleSet<'a> {
    name: &'a str,
    version: &'a str,
    rules: usize,
    #[serde(skip_serializing_if = "is_zero")]
    overrides: usize,
    #[serde(skip_serializing_if = "is_zero")]
    disables: usize,
    #[serde(skip_serializing_if = "is_zero")]
    suppressions: usize,
    #[serde(skip_serializing_if = "is_zero")]
    lists: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<'a> RuleSet<'a> {
    fn of(set: &'a RuleSetInfo) -> Self {
        let RuleSetInfo { name, version, rules, overrides, disables, suppressions, lists } = set;
        let (rules, overrides, disables) = (*rules, *overrides, *disables);
        Self { name, version, rules, overrides, disables, suppressions: *suppressions, lists: *lists }
    }
}

impl<'a> Run<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let rulesets = report.rule_sets.iter();
        Self {
            schema_version: SCHEMA_VERSION,
            tool: TOOL,
            rulesets: rulesets.map(RuleSet::of).collect(),
            evidence_format: report.keeps_evidence.then_some(FORMAT),
            since: report.limits.since.map(Shown),
            until: report.limits.until.map(Shown),
        }
    }
}

#[derive(Serialize)]
pub struct Artifact<'a> {
    path: &'a str,
    kind: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a str>,
}

impl<'a> Artifact<'a> {
    pub(super) fn of(artifact: &'a super::Artifact) -> Self {
        Self {
            path: &artifact.path,
            kind: artifact.kind,
            status: artifact.status.word(),
            detail: artifact.detail.as_deref(),
            bytes: artifact.bytes,
            records: artifact.records,
            evidence: artifact.evidence.as_deref(),
        }
    }
}

#[derive(Serialize)]
pub struct Summary<'a> {
    artifacts: usize,
    failed: usize,
    partial: usize,
    archives: usize,
    incidents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
    #[serde(skip_serializing_if = "is_zero")]
    suppressed: usize,
    by_cause: &'a BTreeMap<String, usize>,
    undetermined: usize,
}

impl<'a> Summary<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let summary = &report.summary;
        Self {
            artifacts: summary.artifacts,
            failed: summary.failed,
            partial: summary.partial,
            archives: summary.archives,
            incidents: summary.incidents,
            left_out: report.limits.is_some().then_some(summary.left_out),
            suppressed: report.suppressed(),
            by_cause: &summary.by_cause,
            undetermined: summary.undetermined,
        }
    }
}

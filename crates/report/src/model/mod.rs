//! The values of a report: as they are made ([`Report`]), and as a document ([`Document`]), which the JSON formats write and
//! [`read`] gives back.
//!
//! Of the document, the order of fields is the order of keys; what is not known has no key. Long lists are made item by item
//! while they are written, so that a large report never exists twice.

mod group;
mod incident;
mod list;
mod machine;
mod read;
mod report;
mod sigma;

use std::borrow::Cow;
use std::fmt::Display;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::RuleSetInfo;
use crate::compare::Comparison;
use crate::coverage::Coverage;
use evidence::FORMAT;
pub(crate) use group::Group;
pub(crate) use incident::{Evidence, Incident};
pub(crate) use list::List;
pub(crate) use machine::Machine;
pub use read::read;
pub use report::{Artifact, ArtifactStatus, Asked, Judged, Limits, Report, Summary, Verdict};

/// Version of the document's shape: the first number changes when something is renamed or removed.
pub(crate) const SCHEMA_VERSION: &str = "1.0";

/// A text of the report that is written, or one that was read.
pub(crate) type Text<'a> = Cow<'a, str>;

/// A value as it displays itself.
fn shown(value: impl Display) -> Text<'static> {
    Cow::Owned(value.to_string())
}

/// A number without unit in lower-case hexadecimal.
fn hex(number: u64) -> Text<'static> {
    Cow::Owned(format!("{number:#x}"))
}

/// A whole report.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Document<'a> {
    /// Version of its shape.
    pub schema_version: Text<'a>,
    /// What wrote it.
    pub tool: Tool<'a>,
    /// By which rules it was judged.
    #[serde(default)]
    pub rulesets: Cow<'a, [RuleSetInfo]>,
    /// What the evidence among its artifacts is encoded as; absent where it holds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_format: Option<Text<'a>>,
    /// Incidents before this time are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Incidents after this time are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Its artifacts.
    #[serde(default)]
    pub artifacts: Cow<'a, [Artifact]>,
    #[serde(default)]
    pub(crate) incidents: List<'a, Incident<'a>>,
    #[serde(default)]
    pub(crate) machines: List<'a, Machine<'a>>,
    #[serde(default)]
    pub(crate) groups: List<'a, Group<'a>>,
    #[serde(default)]
    pub(crate) coverage: Cow<'a, Coverage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comparison: Option<Cow<'a, Comparison>>,
    pub(crate) summary: Option<Cow<'a, Summary>>,
}

/// What wrote a document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tool<'a> {
    /// The program.
    #[serde(default)]
    pub name: Text<'a>,
    /// Its version.
    pub version: Text<'a>,
}

/// The first keys of every JSON document of this program: the version of its shape, and what wrote it.
#[derive(Debug, Serialize)]
pub struct Made {
    schema_version: &'static str,
    tool: Tool<'static>,
}

impl Made {
    /// By this program.
    pub const NOW: Self = Self {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: Cow::Borrowed("crashsift"), version: Cow::Borrowed(env!("CARGO_PKG_VERSION")) },
    };
}

impl<'a> From<&'a Report> for Document<'a> {
    fn from(report: &'a Report) -> Self {
        Self {
            schema_version: Cow::Borrowed(Made::NOW.schema_version),
            tool: Made::NOW.tool,
            rulesets: Cow::Borrowed(&report.rule_sets),
            evidence_format: report.keeps_evidence.then_some(Cow::Borrowed(FORMAT)),
            since: report.limits.since,
            until: report.limits.until,
            artifacts: Cow::Borrowed(&report.artifacts),
            incidents: List::made(move || report.incidents.iter().map(move |judged| Incident::of(report, judged))),
            machines: List::made(move || report.machines.iter().map(move |machine| Machine::of(report, machine))),
            groups: List::made(move || report.groups.iter().map(move |group| Group::of(report, group))),
            coverage: Cow::Borrowed(&report.coverage),
            comparison: report.comparison.as_ref().map(Cow::Borrowed),
            summary: Some(Cow::Borrowed(&report.summary)),
        }
    }
}

impl Document<'_> {
    /// Calls `check` with the path of every artifact that incidents and timelines cite.
    ///
    /// # Errors
    ///
    /// The first error of `check`.
    pub fn check_cited<E>(&self, mut check: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let mut check = |artifact: &Option<Text<'_>>| artifact.as_deref().map_or(Ok(()), &mut check);
        self.incidents.try_for_each(|incident| incident.evidence.iter().try_for_each(|item| check(&item.artifact)))?;
        self.machines.try_for_each(|machine| machine.timeline.try_for_each(|entry| check(&entry.artifact)))
    }
}

/// A line of the document in JSON Lines: its first keys, or an item of one of its lists, or another of its objects.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Line<'a> {
    Run(Run<'a>),
    Artifact(Cow<'a, Artifact>),
    Incident(Box<Incident<'a>>),
    Machine(Machine<'a>),
    Group(Box<Group<'a>>),
    Coverage(Cow<'a, Coverage>),
    Comparison(Cow<'a, Comparison>),
    Summary(Cow<'a, Summary>),
    /// Of a later version.
    #[serde(other, skip_serializing)]
    Other,
}

/// The first keys of the document.
#[derive(Serialize, Deserialize)]
pub(crate) struct Run<'a> {
    schema_version: Text<'a>,
    tool: Tool<'a>,
    #[serde(default)]
    rulesets: Cow<'a, [RuleSetInfo]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_format: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Timestamp>,
}

impl<'a> Document<'a> {
    /// The lines of the document, `run` first and `summary` last.
    pub(crate) fn into_lines(self) -> impl Iterator<Item = Line<'a>> {
        let Self { schema_version, tool, rulesets, evidence_format, since, until, artifacts, .. } = self;
        let artifacts: Vec<Line<'a>> = match artifacts {
            Cow::Borrowed(artifacts) => artifacts.iter().map(|one| Line::Artifact(Cow::Borrowed(one))).collect(),
            Cow::Owned(artifacts) => artifacts.into_iter().map(|one| Line::Artifact(Cow::Owned(one))).collect(),
        };
        std::iter::once(Line::Run(Run { schema_version, tool, rulesets, evidence_format, since, until }))
            .chain(artifacts)
            .chain(self.incidents.into_items().map(|incident| Line::Incident(Box::new(incident))))
            .chain(self.machines.into_items().map(Line::Machine))
            .chain(self.groups.into_items().map(|group| Line::Group(Box::new(group))))
            .chain(std::iter::once(Line::Coverage(self.coverage)))
            .chain(self.comparison.map(Line::Comparison))
            .chain(self.summary.map(Line::Summary))
    }

    /// Takes over what a line says.
    fn add(&mut self, line: Line<'a>) {
        match line {
            Line::Run(Run { schema_version, tool, rulesets, evidence_format, since, until }) => {
                *self = Self { schema_version, tool, rulesets, evidence_format, since, until, ..std::mem::take(self) };
            }
            Line::Artifact(artifact) => self.artifacts.to_mut().push(artifact.into_owned()),
            Line::Incident(incident) => self.incidents.push(*incident),
            Line::Machine(machine) => self.machines.push(machine),
            Line::Group(group) => self.groups.push(*group),
            Line::Coverage(coverage) => self.coverage = coverage,
            Line::Comparison(comparison) => self.comparison = Some(comparison),
            Line::Summary(summary) => self.summary = Some(summary),
            Line::Other => {}
        }
    }
}

//! A report as a document of JSON: one object, or a line for each of its parts.
//!
//! The order of fields is the order of keys; a value that is not known has no key. Long lists are made item by item while
//! they are written, so that a large report never exists twice.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::comparison::Comparison;
use super::coverage::Coverage;
use super::group::Group;
use super::incident::Incident;
use super::list::List;
use super::machine::Machine;
use super::report::{Artifact, Report, Summary};
use super::selected::Selected;
use super::text::Text;
use evidence::FORMAT;
use rules::RuleSetInfo;

/// Version of the document's schema: the first number changes when a key is renamed or removed.
pub(crate) const SCHEMA_VERSION: &str = "1.0";

/// A whole report.
#[skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Document<'a> {
    /// Version of the document's schema, `SCHEMA_VERSION`.
    pub schema_version: Text<'a>,
    /// The program that wrote it.
    pub tool: Tool<'a>,
    /// The rule sets that judged the incidents.
    #[serde(default)]
    pub rulesets: Cow<'a, [RuleSetInfo]>,
    /// The format of the artifacts' evidence in this document; absent if the document has no evidence.
    pub evidence_format: Option<Text<'a>>,
    /// Incidents before this time are left out.
    pub since: Option<Timestamp>,
    /// Incidents after this time are left out.
    pub until: Option<Timestamp>,
    /// Other incidents than these are left out.
    pub selected: Option<Cow<'a, Selected>>,
    /// Its artifacts.
    #[serde(default)]
    pub artifacts: Cow<'a, [Artifact]>,
    #[serde(default)]
    pub(crate) incidents: List<'a, Incident<'a>>,
    #[serde(default)]
    pub(crate) machines: List<'a, Machine<'a>>,
    #[serde(default)]
    pub(crate) groups: Cow<'a, [Group]>,
    #[serde(default)]
    pub(crate) coverage: Cow<'a, Coverage>,
    pub(crate) comparison: Option<Cow<'a, Comparison>>,
    pub(crate) summary: Option<Cow<'a, Summary>>,
}

/// The program that wrote a document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Tool<'a> {
    /// The program's name.
    #[serde(default)]
    pub name: Text<'a>,
    /// Its version.
    pub version: Text<'a>,
}

/// The first keys of every JSON document of this program: the version of its shape, and the program.
#[derive(Debug, Serialize)]
pub struct Made {
    schema_version: &'static str,
    tool: Tool<'static>,
}

impl Made {
    /// The first keys of documents that this program writes.
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
            selected: (!report.selected.is_empty()).then_some(Cow::Borrowed(&report.selected)),
            artifacts: Cow::Borrowed(&report.artifacts),
            incidents: List::made(move || report.incidents.iter().map(move |judged| Incident::new(report, judged))),
            machines: List::made(move || report.machines.iter().map(move |machine| Machine::new(report, machine))),
            groups: Cow::Borrowed(&report.groups),
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

/// A line of the document in JSON Lines: its first keys, an item of one of its lists, or one of its other objects.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Line<'a> {
    Run(Run<'a>),
    Artifact(Cow<'a, Artifact>),
    Incident(Box<Incident<'a>>),
    Machine(Machine<'a>),
    Group(Cow<'a, Group>),
    Coverage(Cow<'a, Coverage>),
    Comparison(Cow<'a, Comparison>),
    Summary(Cow<'a, Summary>),
    /// A type of a later version.
    #[serde(other, skip_serializing)]
    Other,
}

/// The first keys of the document.
#[skip_serializing_none]
#[derive(Serialize, Deserialize)]
pub(crate) struct Run<'a> {
    schema_version: Text<'a>,
    tool: Tool<'a>,
    #[serde(default)]
    rulesets: Cow<'a, [RuleSetInfo]>,
    evidence_format: Option<Text<'a>>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    selected: Option<Cow<'a, Selected>>,
}

impl<'a> Document<'a> {
    /// The lines of the document, `run` first and `summary` last.
    pub(crate) fn into_lines(self) -> impl Iterator<Item = Line<'a>> {
        let Self { schema_version, tool, rulesets, evidence_format, since, until, selected, .. } = self;
        std::iter::once(Line::Run(Run { schema_version, tool, rulesets, evidence_format, since, until, selected }))
            .chain(each(self.artifacts).map(Line::Artifact))
            .chain(self.incidents.into_items().map(|incident| Line::Incident(Box::new(incident))))
            .chain(self.machines.into_items().map(Line::Machine))
            .chain(each(self.groups).map(Line::Group))
            .chain(std::iter::once(Line::Coverage(self.coverage)))
            .chain(self.comparison.map(Line::Comparison))
            .chain(self.summary.map(Line::Summary))
    }

    /// Adds the content of a line.
    pub(super) fn add(&mut self, line: Line<'a>) {
        match line {
            Line::Run(Run { schema_version, tool, rulesets, evidence_format, since, until, selected }) => {
                let before = std::mem::take(self);
                *self = Self { schema_version, tool, rulesets, evidence_format, since, until, selected, ..before };
            }
            Line::Artifact(artifact) => self.artifacts.to_mut().push(artifact.into_owned()),
            Line::Incident(incident) => self.incidents.push(*incident),
            Line::Machine(machine) => self.machines.push(machine),
            Line::Group(group) => self.groups.to_mut().push(group.into_owned()),
            Line::Coverage(coverage) => self.coverage = coverage,
            Line::Comparison(comparison) => self.comparison = Some(comparison),
            Line::Summary(summary) => self.summary = Some(summary),
            Line::Other => {}
        }
    }
}

/// The items of a list, borrowed if the list is.
fn each<'a, T: Clone>(list: Cow<'a, [T]>) -> Box<dyn Iterator<Item = Cow<'a, T>> + 'a> {
    match list {
        Cow::Borrowed(items) => Box::new(items.iter().map(Cow::Borrowed)),
        Cow::Owned(items) => Box::new(items.into_iter().map(Cow::Owned)),
    }
}

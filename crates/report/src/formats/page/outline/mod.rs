//! What the formats for pages (HTML, Markdown) say, in their order: the report's values as texts, without any markup.
//!
//! The order and the words are those of the text report. Templates lay it out; what prints them makes every text harmless.

mod group;
mod machine;

use serde::Serialize;

use crate::text::block::blocks;
use crate::text::comparison;
use crate::text::overview::{by_level, incidents, left_out, nothing_found, unread};
use crate::text::wording::{counted, prose};
use crate::{Artifact, ArtifactStatus, Report};
use group::Group;
use machine::Machine;

/// How much of long lists a page has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Items of evidence of an incident, beside those on which the verdict rests.
    pub(super) evidence: usize,
    /// Runs of a machine's timeline.
    pub(super) runs: usize,
}

impl Most {
    /// Everything.
    pub(super) const ALL: Self = Self { evidence: usize::MAX, runs: usize::MAX };
}

/// A whole report.
#[derive(Serialize)]
pub(super) struct Outline<'r> {
    tool: &'static str,
    version: &'static str,
    /// How much there is.
    counts: String,
    /// What to know before reading on.
    notices: Vec<String>,
    groups: Vec<Group<'r>>,
    comparison: Option<Comparison>,
    gaps: Vec<String>,
    collect_next: Vec<Request>,
    machines: Vec<Machine<'r>>,
    artifacts: &'r [Artifact],
    /// How many of them were not read whole.
    not_whole: usize,
    totals: Vec<Row>,
}

/// Something with its name.
#[derive(Serialize)]
pub(super) struct Row {
    label: &'static str,
    lines: Vec<String>,
}

/// Rows of the text report: a row without label goes on with what the one before it says.
pub(super) fn rows(of: impl IntoIterator<Item = (&'static str, String)>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (label, line) in of {
        match rows.last_mut() {
            Some(row) if label.is_empty() => row.lines.push(line),
            _ => rows.push(Row { label, lines: vec![line] }),
        }
    }
    rows
}

#[derive(Serialize)]
struct Comparison {
    says: Vec<String>,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct Change {
    change: String,
    signature: String,
    detail: String,
}

#[derive(Serialize)]
struct Request {
    says: String,
    /// For how many incidents.
    helps: String,
}

impl<'r> Outline<'r> {
    pub(super) fn of(report: &'r Report, most: Most) -> Self {
        let blocks = blocks(report);
        let unread = unread(report);
        let mut counts = vec![counted(report.summary.artifacts, "artifact"), incidents(report)];
        if blocks.len() > 1 || report.summary.incidents > blocks.len() {
            counts.push(counted(blocks.len(), "group"));
        }
        if !report.machines.is_empty() {
            counts.push(counted(report.machines.len(), "machine"));
        }
        let mut notices: Vec<String> = unread.iter().map(|unread| format!("{unread}: listed below.")).collect();
        if blocks.len() > 1 {
            notices.push(by_level(&blocks));
        }
        notices.extend(left_out(report));
        if blocks.is_empty() {
            notices.push(nothing_found(report, unread.is_some()).to_owned());
        }
        let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts());
        let is_whole = |artifact: &Artifact| artifact.status == ArtifactStatus::Ok;
        Self {
            tool: "crashsift",
            version: env!("CARGO_PKG_VERSION"),
            counts: counts.join(", "),
            notices,
            groups: blocks.iter().map(|block| Group::of(report, block, most.evidence)).collect(),
            comparison: report.comparison.as_ref().map(|comparison| Comparison {
                says: comparison::says(comparison),
                changes: comparison.changes.iter().map(Change::of).collect(),
            }),
            gaps: gaps.map(|gap| prose(&gap.says)).collect(),
            collect_next: report.coverage.collect_next.iter().map(Request::of).collect(),
            machines: report.machines.iter().map(|machine| Machine::of(report, machine, most.runs)).collect(),
            artifacts: &report.artifacts,
            not_whole: report.artifacts.iter().filter(|artifact| !is_whole(artifact)).count(),
            totals: totals(report),
        }
    }
}

impl Change {
    fn of(change: &crate::compare::Change) -> Self {
        Self {
            change: comparison::words(&change.change),
            signature: change.signature.clone(),
            detail: comparison::detail(change),
        }
    }
}

impl Request {
    fn of(request: &crate::coverage::Request) -> Self {
        let undetermined = match request.undetermined {
            0 => String::new(),
            all if all == request.incidents => ", undetermined".to_owned(),
            some => format!(", {some} of them undetermined"),
        };
        Self { says: prose(&request.says), helps: format!("{}{undetermined}", counted(request.incidents, "incident")) }
    }
}

/// What was counted, and what judged.
fn totals(report: &Report) -> Vec<Row> {
    let summary = &report.summary;
    let causes = summary.by_cause.iter().map(|(cause, count)| (cause.as_str(), *count));
    let undetermined = Some((rules::UNDETERMINED, summary.undetermined)).filter(|(_, count)| *count > 0);
    let causes = causes.chain(undetermined).map(|(cause, count)| ("", format!("{count} {cause}")));
    let rule_sets =
        report.rule_sets.iter().map(|set| format!("{} {} ({})", set.name, set.version, counted(set.rules, "rule")));
    let mut all = vec![("artifacts", summary.artifacts.to_string()), ("incidents", incidents(report))];
    all.extend(causes);
    all.extend(rule_sets.map(|set| ("rule set", set)));
    all.push(("version", concat!("crashsift ", env!("CARGO_PKG_VERSION")).to_owned()));
    rows(all)
}

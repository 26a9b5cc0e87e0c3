//! The content of pages (HTML, Markdown) in its order: the report's values as texts, without any markup.
//!
//! The order and the words are those of the text report. Templates lay it out; rendering makes every text harmless.

mod group;
mod machine;

use serde::Serialize;

use crate::formats::text::block::blocks;
use crate::formats::text::comparison;
use crate::formats::text::coverage::helps;
use crate::formats::text::overview::{self, incidents, nothing_found, unread};
use crate::model::{Artifact, ArtifactStatus, GroupChange, Report};
use crate::wording::{counted, prose};
use group::Group;
use machine::Machine;

/// How many items of long lists a page shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Items of evidence of an incident, besides those on which the verdict rests.
    pub(super) evidence: usize,
    /// Runs of a machine's timeline.
    pub(super) runs: usize,
}

impl Most {
    /// All items.
    pub(super) const ALL: Self = Self { evidence: usize::MAX, runs: usize::MAX };
}

/// A whole report.
#[derive(Serialize)]
pub(super) struct Outline<'r> {
    tool: &'static str,
    version: &'static str,
    /// How many artifacts, incidents, groups and machines there are.
    counts: String,
    /// Sentences before everything else: unread artifacts, levels of confidence, incidents that are left out.
    notices: Vec<String>,
    groups: Vec<Group<'r>>,
    comparison: Option<Comparison>,
    gaps: Vec<String>,
    /// Each request, with how many incidents it would help.
    collect_next: Vec<(String, String)>,
    machines: Vec<Machine<'r>>,
    artifacts: &'r [Artifact],
    /// How many of them were not read whole.
    not_whole: usize,
    totals: Vec<Row>,
}

/// Lines with their label.
#[derive(Serialize)]
pub(super) struct Row {
    label: &'static str,
    lines: Vec<String>,
}

/// Rows of the text report; a row without label continues the row before it.
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
    /// The groups that differ: the change, the signature, and the group before and now.
    changes: Vec<[String; 3]>,
}

impl<'r> Outline<'r> {
    pub(super) fn of(report: &'r Report, most: Most) -> Self {
        let blocks = blocks(report);
        let unread = unread(report);
        let mut notices: Vec<String> = unread.iter().map(|unread| format!("{unread}: listed below.")).collect();
        notices.extend(overview::notices(report, &blocks));
        if blocks.is_empty() {
            notices.push(nothing_found(report, unread.is_some()).to_owned());
        }
        let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts());
        let change = |change: &GroupChange| {
            [comparison::words(&change.change), change.signature.clone(), comparison::detail(change)]
        };
        let is_whole = |artifact: &Artifact| artifact.status == ArtifactStatus::Ok;
        Self {
            tool: "crashsift",
            version: env!("CARGO_PKG_VERSION"),
            counts: overview::counts(report, &blocks),
            notices,
            groups: blocks.iter().map(|block| Group::of(report, block, most.evidence)).collect(),
            comparison: report.comparison.as_ref().map(|comparison| Comparison {
                says: comparison::says(comparison),
                changes: comparison.changes.iter().map(change).collect(),
            }),
            gaps: gaps.map(|gap| prose(&gap.says)).collect(),
            collect_next: report.coverage.collect_next.iter().map(|one| (prose(&one.says), helps(one))).collect(),
            machines: report.machines.iter().map(|machine| Machine::of(report, machine, most.runs)).collect(),
            artifacts: &report.artifacts,
            not_whole: report.artifacts.iter().filter(|artifact| !is_whole(artifact)).count(),
            totals: totals(report),
        }
    }
}

/// The totals, and the rule sets that judged.
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

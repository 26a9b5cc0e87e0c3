//! The content of pages (HTML, Markdown) in its order: the report's values as texts, without any markup.
//!
//! The order and the words are those of the text report. Templates lay it out; rendering makes every text harmless.

mod group;
mod machine;

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::formats::text::block::{Block, blocks};
use crate::formats::text::comparison;
use crate::formats::text::coverage::helps;
use crate::formats::text::overview::{self, incidents, nothing_found, unread};
use crate::model::{ArtifactStatus, Comparison, GroupChange, Report};
use crate::wording::{counted, prose};

/// How many items of long lists a page shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// Items of evidence of an incident, besides those on which the verdict rests.
    pub(super) evidence: usize,
    /// Frames of each stack.
    pub(super) frames: usize,
    /// Threads of a process.
    pub(super) threads: usize,
    /// Runs of a machine's timeline.
    pub(super) runs: usize,
}

impl Most {
    /// All items.
    pub(super) const ALL: Self =
        Self { evidence: usize::MAX, frames: usize::MAX, threads: usize::MAX, runs: usize::MAX };
}

/// How many groups with a cause, and how many without, a ticket lists.
const FIRST_OF_TICKET: usize = 15;
const UNKNOWN_OF_TICKET: usize = 10;
/// How many groups of several a ticket describes.
const FULL_OF_SEVERAL: usize = 1;
/// How many requests and how many files that were not read whole a ticket lists.
const REQUESTS_OF_TICKET: usize = 8;
const DAMAGED_OF_TICKET: usize = 6;

/// The values of a whole report.
pub(super) fn values(report: &Report, most: Most) -> Value {
    let blocks = blocks(report);
    let unread = unread(report);
    let mut notices: Vec<String> = unread.iter().map(|unread| format!("{unread}: listed below.")).collect();
    notices.extend(overview::notices(report, &blocks));
    if blocks.is_empty() {
        notices.push(nothing_found(report, unread.is_some()).to_owned());
    }
    let (known, unknown): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| block.is_actionable());
    let of = |blocks: &[&Block<'_>], most_blocks: usize| -> Value {
        blocks.iter().take(most_blocks).map(|block| group::values(report, block, most)).collect()
    };
    // Of several groups a ticket has the most urgent ones in full.
    let in_full = if blocks.len() > 1 { FULL_OF_SEVERAL } else { 1 };
    let in_full: Vec<&Block<'_>> = blocks.iter().take(in_full).collect();
    let short = report.coverage.collect_next.iter().map(|one| one.short.as_str()).take(REQUESTS_OF_TICKET);
    let damaged = report.artifacts.iter().filter(|artifact| artifact.status != ArtifactStatus::Ok);
    let damaged: Vec<_> = damaged.take(DAMAGED_OF_TICKET).collect();
    let mut notices_of_ticket = overview::notices(report, &blocks);
    if blocks.is_empty() {
        notices_of_ticket.push(nothing_found(report, unread.is_some()).to_owned());
    }
    let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts());
    let not_whole = report.artifacts.iter().filter(|artifact| artifact.status != ArtifactStatus::Ok);
    context! {
        tool => "crashsift",
        version => env!("CARGO_PKG_VERSION"),
        // How many artifacts, incidents, groups and machines there are.
        counts => overview::counts(report, &blocks),
        // Sentences before everything else: unread artifacts, levels of confidence, incidents that are left out.
        notices => Serde(notices),
        groups => blocks.iter().map(|block| group::values(report, block, most)).collect::<Value>(),
        comparison => report.comparison.as_ref().map(comparison_values),
        gaps => gaps.map(|gap| prose(&gap.says)).collect::<Value>(),
        // Each request, with how many incidents it would help.
        collect_next => report.coverage.collect_next.iter().map(|one| (prose(&one.says), helps(one))).collect::<Value>(),
        machines => report.machines.iter().map(|machine| machine::values(report, machine, most.runs)).collect::<Value>(),
        notices_of_ticket => Serde(notices_of_ticket),
        // For tickets: the most urgent groups with a cause, the first ones without, and as much as fits.
        first => of(&known, FIRST_OF_TICKET),
        first_left_out => known.len().saturating_sub(FIRST_OF_TICKET),
        unknown => of(&unknown, UNKNOWN_OF_TICKET),
        unknown_left_out => unknown.len().saturating_sub(UNKNOWN_OF_TICKET),
        details => of(&in_full, in_full.len()),
        collect_short => short.collect::<Value>(),
        damaged => Serde(damaged),
        artifacts => Serde(&report.artifacts),
        // How many of them were not read whole.
        not_whole => not_whole.count(),
        totals => totals(report),
    }
}

/// How the report differs from an earlier one; of each group that differs the change, the signature, and the group before
/// and now.
fn comparison_values(compared: &Comparison) -> Value {
    let change = |change: &GroupChange| {
        (comparison::words(&change.change), change.signature.clone(), comparison::detail(change))
    };
    context! {
        sentences => Serde(comparison::sentences(compared)),
        changes => compared.changes.iter().map(change).collect::<Value>(),
    }
}

/// Texts in which line breaks have no meaning.
fn texts(texts: &[impl AsRef<str>]) -> Value {
    texts.iter().map(|text| prose(text.as_ref())).collect()
}

/// Labels with their lines, of rows of the text report; a row without label continues the row before it.
fn rows(of: impl IntoIterator<Item = (&'static str, String)>) -> Value {
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    for (label, line) in of {
        match rows.last_mut() {
            Some((_, lines)) if label.is_empty() => lines.push(line),
            _ => rows.push((label, vec![line])),
        }
    }
    rows.into_iter().map(|(label, lines)| context! { label, lines => Serde(lines) }).collect()
}

/// The totals, and the rule sets that judged.
fn totals(report: &Report) -> Value {
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

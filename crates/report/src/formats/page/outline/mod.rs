//! The content of pages (HTML, Markdown) in its order: the report's values as texts, without any markup.
//!
//! The order and the words are those of the text report. Templates lay it out; rendering makes every text harmless.

mod browser;
mod group;
mod machine;
mod pictures;

use minijinja::context;
use minijinja::value::{Serde, Value};

use self::browser::more;
use self::pictures::Families;
use crate::formats::text::block::{Block, blocks};
use crate::formats::text::comparison;
use crate::formats::text::coverage::helps;
use crate::formats::text::overview::{self, incidents, nothing_found, unread};
use crate::model::{Artifact, ArtifactStatus, Comparison, GroupChange, Report};
use crate::wording::{counted, of_customer, prose};

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
    /// Runs of a machine's timeline around an incident.
    pub(super) around: usize,
    /// Incidents of a group that are listed.
    pub(super) members: usize,
    /// Groups in the table of groups.
    pub(super) rows: usize,
    /// Files that were read whole.
    pub(super) files: usize,
    /// Bytes of what describes groups and machines one by one, for each incident, and at least those of a thousand.
    pub(super) bytes: usize,
}

impl Most {
    /// All items.
    pub(super) const ALL: Self = Self {
        evidence: usize::MAX,
        frames: usize::MAX,
        threads: usize::MAX,
        runs: usize::MAX,
        around: usize::MAX,
        members: usize::MAX,
        rows: usize::MAX,
        files: usize::MAX,
        bytes: usize::MAX,
    };
}

/// How many groups with a cause, and how many without, a ticket lists.
const FIRST_OF_TICKET: usize = 15;
const UNKNOWN_OF_TICKET: usize = 10;
/// How many groups of several a ticket describes.
const FULL_OF_SEVERAL: usize = 1;
/// How many requests and how many files that were not read whole a ticket lists.
const REQUESTS_OF_TICKET: usize = 8;
const DAMAGED_OF_TICKET: usize = 6;

/// The values of a whole report, with every group and every machine.
pub(super) fn values(report: &Report, most: Most) -> Value {
    let blocks = blocks(report);
    let (known, unknown): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| block.is_actionable());
    let of = |blocks: &[&Block<'_>], most_blocks: usize| -> Value {
        blocks.iter().take(most_blocks).map(|block| group::values(report, block, most)).collect()
    };
    // Of several groups a ticket has the most urgent ones in full.
    let in_full = if blocks.len() > 1 { FULL_OF_SEVERAL } else { 1 };
    let in_full: Vec<&Block<'_>> = blocks.iter().take(in_full).collect();
    let requests = report.coverage.collect_next.iter().take(REQUESTS_OF_TICKET);
    let short = requests.map(|one| of_customer(one.party.as_deref(), &one.short));
    let damaged = report.artifacts.iter().filter(|artifact| artifact.status != ArtifactStatus::Ok);
    let damaged: Vec<_> = damaged.take(DAMAGED_OF_TICKET).collect();
    let mut notices_of_ticket = overview::notices(report, &blocks);
    if blocks.is_empty() {
        notices_of_ticket.push(nothing_found(report, unread(report).is_some()));
    }
    context! {
        groups => blocks.iter().map(|block| group::values(report, block, most)).collect::<Value>(),
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
        ..common(report, &blocks)
    }
}

/// The values that pages for browsers and Markdown share: counts, notices, gaps, requests, totals.
fn common(report: &Report, blocks: &[Block<'_>]) -> Value {
    let unread = unread(report);
    let mut notices: Vec<String> = unread.iter().map(|unread| format!("{unread}: listed below.")).collect();
    notices.extend(overview::notices(report, blocks));
    if blocks.is_empty() {
        notices.push(nothing_found(report, unread.is_some()));
    }
    let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts() && !gap.is_warning());
    let not_whole = report.artifacts.iter().filter(|artifact| artifact.status != ArtifactStatus::Ok);
    context! {
        tool => "crashsift",
        version => env!("CARGO_PKG_VERSION"),
        // How many artifacts, incidents, groups and machines there are.
        counts => overview::counts(report, blocks),
        // Sentences before everything else: unread artifacts, levels of confidence, incidents that are left out.
        notices => Serde(notices),
        comparison => report.comparison.as_ref().map(comparison_values),
        gaps => gaps.map(|gap| of_customer(gap.party.as_deref(), &gap.says)).collect::<Value>(),
        // Each request, with how many incidents it would help.
        collect_next => report.coverage.collect_next.iter().map(|one| (of_customer(one.party.as_deref(), &one.says), helps(one))).collect::<Value>(),
        // How many artifacts were not read whole.
        not_whole => not_whole.count(),
        totals => totals(report),
    }
}

/// The parts of a page for browsers that are rendered one by one, and what comes around them.
pub(super) struct BrowserPage<'r> {
    report: &'r Report,
    blocks: Vec<Block<'r>>,
    families: Families,
    most: Most,
}

impl<'r> BrowserPage<'r> {
    pub(super) fn new(report: &'r Report, most: Most) -> Self {
        Self { report, blocks: blocks(report), families: Families::new(report), most }
    }

    /// How many bytes groups and machines may have that are described one by one.
    pub(super) fn bytes(&self) -> usize {
        let incidents = self.report.incidents.len().max(THOUSAND);
        let rows = self.blocks.len().min(self.most.rows);
        let others = OVERVIEW_BYTES.saturating_add(rows.saturating_mul(ROW_BYTES));
        self.most.bytes.saturating_mul(incidents).saturating_sub(others)
    }

    /// The values of each group.
    pub(super) fn groups(&self) -> impl Iterator<Item = Value> {
        self.blocks.iter().map(|block| group::page_values(self.report, block, self.most, &self.families))
    }

    /// The values of each machine.
    pub(super) fn machines(&self) -> impl Iterator<Item = Value> {
        self.report.machines.iter().map(|machine| machine::values(self.report, machine, self.most.runs))
    }

    /// The values of the whole page around its groups and machines, of which these are described, rendered.
    pub(super) fn around(&self, groups: Vec<Value>, machines: Vec<Value>) -> Value {
        let (whole, not_whole): (Vec<&Artifact>, Vec<&Artifact>) =
            self.report.artifacts.iter().partition(|artifact| artifact.status == ArtifactStatus::Ok);
        let whole_left_out = whole.len().saturating_sub(self.most.files);
        let not_whole_left_out = not_whole.len().saturating_sub(self.most.files);
        context! {
            heading => browser::heading(self.report, &self.blocks),
            groups_left_out => more(self.blocks.len().saturating_sub(groups.len())),
            machines_left_out => more(self.report.machines.len().saturating_sub(machines.len())),
            several => self.blocks.len() > 1,
            overview => browser::values(self.report, &self.blocks, self.most.rows, groups.len()),
            groups => groups.into_iter().collect::<Value>(),
            machines => machines.into_iter().collect::<Value>(),
            files_whole_count => whole.len(),
            files_whole => Serde(whole.into_iter().take(self.most.files).collect::<Vec<_>>()),
            files_whole_left_out => more(whole_left_out),
            files_not_whole => Serde(not_whole.into_iter().take(self.most.files).collect::<Vec<_>>()),
            files_not_whole_left_out => more(not_whole_left_out),
            ..common(self.report, &self.blocks)
        }
    }
}

/// The smallest number of incidents by which the size of a page is limited.
const THOUSAND: usize = 1_000;
/// About how many bytes the pictures and the lists of a page have, and a row of its table of groups.
const OVERVIEW_BYTES: usize = 150_000;
const ROW_BYTES: usize = 620;

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

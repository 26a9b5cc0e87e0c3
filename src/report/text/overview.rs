//! What stands before and after everything else: counts, the list of groups, totals.

use std::io;

use super::block::Block;
use super::page::{BAD, CAREFUL, Page, STRONG};
use super::wording::{counted, span, verdict, verdict_style, versioned};
use crate::report::{ArtifactStatus, Report};

/// Groups that the overview lists before it says how many more there are.
const LISTED: usize = 20;

/// The first lines: how much there is.
pub(super) fn header(page: &mut Page<'_>, report: &Report, blocks: &[Block<'_>]) -> io::Result<()> {
    let summary = &report.summary;
    let mut counts = vec![counted(summary.artifacts, "artifact"), counted(summary.incidents, "incident")];
    if blocks.len() > 1 || summary.incidents > blocks.len() {
        counts.push(counted(blocks.len(), "group"));
    }
    if !report.machines.is_empty() {
        counts.push(counted(report.machines.len(), "machine"));
    }
    page.styled(STRONG, 0, &format!("{}: {}", env!("CARGO_PKG_NAME"), counts.join(", ")))?;

    let unread = unread(report);
    if let Some(unread) = &unread {
        page.styled(if summary.failed > 0 { BAD } else { CAREFUL }, 0, &format!("{unread}: listed below."))?;
    }
    if blocks.is_empty() {
        page.blank()?;
        page.paragraph(0, nothing_found(report, unread.is_some()))?;
    }
    Ok(())
}

/// What the absence of incidents means, which is little when not everything was read.
fn nothing_found(report: &Report, unread: bool) -> &'static str {
    if report.artifacts.iter().all(|artifact| artifact.status == ArtifactStatus::Skipped) {
        "Nothing that can be analyzed was found."
    } else if unread {
        "No incident was found in what could be read. What could not be read may hold some."
    } else {
        "No incident was found."
    }
}

/// How many artifacts were not read whole.
fn unread(report: &Report) -> Option<String> {
    let (failed, partial) = (report.summary.failed, report.summary.partial);
    match (failed, partial) {
        (0, 0) => None,
        (0, partial) => Some(format!("{} read only in part", counted(partial, "artifact"))),
        (failed, 0) => Some(format!("{} not readable", counted(failed, "artifact"))),
        (failed, partial) => Some(format!("{} not readable, {partial} read only in part", counted(failed, "artifact"))),
    }
}

/// The groups, two or three lines each.
pub(super) fn list(page: &mut Page<'_>, blocks: &[Block<'_>]) -> io::Result<()> {
    page.section("Overview")?;
    let shown = page.limit(LISTED);
    for block in blocks.iter().take(shown) {
        page.marked(STRONG, &format!("{:>3}. ", block.number), &block.what())?;
        page.styled(verdict_style(&block.shown.verdict), 5, &verdict(&block.shown.verdict))?;
        if let Some(modules) = modules(block) {
            page.paragraph(5, &modules)?;
        }
        page.paragraph(5, &when(block))?;
    }
    let more = blocks.len().saturating_sub(shown);
    if more > 0 {
        page.paragraph(5, &format!("{} described below.", counted(more, "more group")))?;
    }
    Ok(())
}

fn modules(block: &Block<'_>) -> Option<String> {
    let incident = &block.shown.incident;
    let suspect =
        incident.suspect.as_ref().map(|suspect| format!("suspect {}", versioned(&suspect.module, suspect.version)));
    let site =
        || incident.fault_site.as_ref().map(|site| format!("fault site {}", versioned(&site.module, site.version)));
    suspect.or_else(site)
}

/// When a group's incidents were, and on how many computers.
pub(super) fn when(block: &Block<'_>) -> String {
    match block.group {
        Some(group) if group.hosts > 1 => {
            format!("{}, {}", span(group.first, group.last), counted(group.hosts, "computer"))
        }
        Some(group) => span(group.first, group.last),
        None => span(block.shown.incident.time, None),
    }
}

/// The last lines: totals and what judged.
pub(super) fn totals(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let summary = &report.summary;
    page.divider()?;
    page.part("Totals")?;
    let artifacts = match unread(report) {
        Some(unread) => format!("{} ({unread})", summary.artifacts),
        None => summary.artifacts.to_string(),
    };
    page.row("artifacts", &artifacts)?;
    page.row("incidents", &summary.incidents.to_string())?;
    for (cause, count) in &summary.by_cause {
        page.paragraph(4, &format!("{count:>5}  {cause}"))?;
    }
    if summary.undetermined > 0 {
        page.paragraph(4, &format!("{:>5}  undetermined", summary.undetermined))?;
    }
    for set in &report.rule_sets {
        page.row("rule set", &format!("{} {} ({})", set.name, set.version, counted(set.rules, "rule")))?;
    }
    page.row("version", &format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
}

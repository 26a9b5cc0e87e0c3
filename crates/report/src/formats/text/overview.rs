//! The parts before and after everything else: counts, the list of groups, totals.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use super::block::Block;
use super::page::{BAD, CAREFUL, Page, STRONG};
use crate::confidence::{Level, NOT_DETERMINED, SYMPTOM};
use crate::formats::local_time;
use crate::model::{Artifact, ArtifactStatus, Report};
use crate::wording::{counted, counted_as, grouped, name, prose, short_time, span, versioned};
use incident::Incident;
use jiff::Timestamp;

/// How many groups the overview lists.
const LISTED: usize = 20;

/// Writes the first lines: counts and notices.
pub(super) fn header(page: &mut Page<'_>, report: &Report, blocks: &[Block<'_>]) -> io::Result<()> {
    page.styled(STRONG, 0, &format!("crashsift: {}", counts(report, blocks)))?;
    let unread = unread(report);
    if let Some(unread) = &unread {
        page.styled(if report.summary.failed > 0 { BAD } else { CAREFUL }, 0, &format!("{unread}: listed below."))?;
    }
    notices(report, blocks).iter().try_for_each(|notice| page.paragraph(0, notice))?;
    if blocks.is_empty() {
        page.blank()?;
        page.paragraph(0, &nothing_found(report, unread.is_some()))?;
    }
    Ok(())
}

/// How many artifacts, incidents, groups and machines there are.
pub(crate) fn counts(report: &Report, blocks: &[Block<'_>]) -> String {
    let mut counts = vec![counted(report.summary.artifacts, "artifact"), incidents(report)];
    if blocks.len() > 1 || report.summary.incidents > blocks.len() {
        counts.push(counted(blocks.len(), "group"));
    }
    if !report.machines.is_empty() {
        counts.push(counted(report.machines.len(), "machine"));
    }
    counts.join(", ")
}

/// How sure the verdicts of several groups are, and how many incidents are left out.
pub(crate) fn notices(report: &Report, blocks: &[Block<'_>]) -> Vec<String> {
    let by_level = (blocks.len() > 1).then(|| by_level(blocks));
    let notices = by_level.into_iter().chain(left_out(report)).chain(warnings(report));
    notices.chain(local_time::notice()).collect()
}

/// What may have made the report wrong.
pub(crate) fn warnings(report: &Report) -> Vec<String> {
    let warnings = report.coverage.gaps.iter().filter(|gap| gap.is_warning());
    let all: Vec<String> = warnings.map(|gap| format!("Warning: {}.", prose(&gap.says))).collect();
    match all.as_slice() {
        [first, _, rest @ ..] => {
            let more = rest.len().saturating_add(1);
            vec![first.clone(), format!("The same is true of {}.", counted(more, "more computer"))]
        }
        _ => all,
    }
}

/// How many incidents and files are left out, where that was asked for.
pub(crate) fn left_out(report: &Report) -> Vec<String> {
    let are = |number: usize| if number == 1 { "is" } else { "are" };
    let incidents = report.summary.left_out.map(|left_out| {
        let times = report.limits.is_some().then(|| report.limits.to_string());
        let about = report.selected.has_incidents().then(|| report.selected.to_string());
        let wanted = times.into_iter().chain(about).collect::<Vec<_>>().join(", ");
        let wanted = prose(&wanted);
        let without_time = report.incidents.iter().filter(|judged| judged.incident.time.is_none()).count();
        let kept = (report.limits.is_some() && without_time > 0)
            .then(|| format!(", and {} of unknown time {} kept", grouped(without_time), are(without_time)));
        let left_out = format!("{} {} left out", counted(left_out, "incident"), are(left_out));
        format!("Only incidents {wanted} are reported: {left_out}{}.", kept.unwrap_or_default())
    });
    let files = report.summary.excluded.map(|excluded| {
        let patterns = prose(&report.selected.exclude.join(", "));
        format!("{} {} left out by --exclude {patterns}.", counted(excluded, "file"), are(excluded))
    });
    incidents.into_iter().chain(files).collect()
}

/// How many incidents there are. Texts that fit several incidents are counted apart.
pub(crate) fn incidents(report: &Report) -> String {
    let texts = texts_of_several(report);
    let incidents = counted(report.summary.incidents.saturating_sub(texts), "incident");
    if texts == 0 { incidents } else { format!("{incidents}, {}", texts_that_fit(texts)) }
}

fn texts_of_several(report: &Report) -> usize {
    report.incidents.iter().filter(|judged| !judged.incident.may_be_of.is_empty()).count()
}

fn texts_that_fit(texts: usize) -> String {
    format!("{} that {} several incidents", counted(texts, "text"), if texts == 1 { "fits" } else { "fit" })
}

/// The sentence for a report without incidents, which means little when not everything was read.
pub(crate) fn nothing_found(report: &Report, unread: bool) -> String {
    let found = nothing_was_found(report, unread);
    // Another time was asked for, and there are incidents.
    if report.summary.left_out.is_some_and(|left_out| left_out > 0) {
        found.to_owned()
    } else {
        [found, &trouble(report), WANTED].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Kinds of entries that tell of a driver or a part of the computer that failed.
const TROUBLE: [&str; 6] =
    ["driver-reset", "driver-error", "hardware-error", "storage-error", "drive-health", "file-system-error"];

/// What the logs have of drivers and hardware; nothing where they have none.
fn trouble(report: &Report) -> String {
    let mut entries: Vec<(Timestamp, &str, &str)> = Vec::new();
    for machine in &report.machines {
        let told = machine.timeline.iter().filter(|entry| TROUBLE.contains(&entry.kind));
        entries.extend(told.map(|entry| (entry.time, &*machine.host, &*entry.sentence)));
    }
    let Some((time, host, sentence)) = entries.iter().max() else { return String::new() };
    let errors = counted_as(entries.len(), "error of a driver or of hardware", "errors of drivers or of hardware");
    let latest = format!("the latest of {} on {}: {}", short_time(*time), name(host), prose(sentence));
    format!("But the logs have {errors}, {latest}. By themselves they do not show that a program failed.")
}

/// What to give to the program that would show a crash.
const WANTED: &str = "What shows a crash: dumps (%LOCALAPPDATA%\\CrashDumps, C:\\Windows\\Minidump), the Application and System event logs \
                      (.evtx), Report.wer files (below C:\\ProgramData\\Microsoft\\Windows\\WER), and the text that the program \
                      printed. `crashsift collect-script` prints a script that collects them.";

/// Incidents were chosen, and none was.
const NONE_FITS: &str = "No incident that was found fits what was asked for.";

fn nothing_was_found(report: &Report, unread: bool) -> &'static str {
    let is_nothing = |artifact: &Artifact| {
        artifact.status == ArtifactStatus::Skipped || (artifact.status == ArtifactStatus::Ok && !artifact.is_read())
    };
    if report.artifacts.iter().all(is_nothing) {
        "Nothing that can be analyzed was found."
    } else if report.summary.left_out.is_some_and(|left_out| left_out > 0) {
        if report.selected.has_incidents() { NONE_FITS } else { "No incident was found in this time." }
    } else if unread {
        "No incident was found in what could be read. What could not be read may hold some: copy it again, and compare the \
         sizes of the files there and here."
    } else {
        "No incident was found."
    }
}

/// How many groups there are of each level of confidence.
fn by_level(blocks: &[Block<'_>]) -> String {
    let mut counts: BTreeMap<Reverse<Level>, usize> = BTreeMap::new();
    let (mut symptoms, mut unknown) = (0_usize, 0_usize);
    for block in blocks {
        match (block.level(), block.confidence()) {
            (Some(level), _) => *counts.entry(Reverse(level)).or_default() += 1,
            (None, Some(_)) => symptoms += 1,
            (None, None) => unknown += 1,
        }
    }
    let mut counts: Vec<String> =
        counts.iter().map(|(Reverse(level), count)| format!("{count} {}", level.words())).collect();
    if symptoms > 0 {
        counts.push(format!("{} without a cause", counted(symptoms, SYMPTOM)));
    }
    if unknown > 0 {
        counts.push(format!("{unknown} {NOT_DETERMINED}"));
    }
    format!("Of the groups: {}.", counts.join(", "))
}

/// How many artifacts were not read whole.
pub(crate) fn unread(report: &Report) -> Option<String> {
    let summary = &report.summary;
    // Only the first number has the noun.
    let mut parts = Vec::new();
    for (count, what) in [(summary.failed, "not readable"), (summary.partial, "read only in part")] {
        match (count, parts.is_empty()) {
            (0, _) => {}
            (count, true) => parts.push(format!("{} {what}", counted(count, "artifact"))),
            (count, false) => parts.push(format!("{count} {what}")),
        }
    }
    if summary.archives > 0 {
        parts.push(format!("{} not opened", counted(summary.archives, "archive")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Writes the groups, two lines each.
pub(super) fn list(page: &mut Page<'_>, blocks: &[Block<'_>]) -> io::Result<()> {
    page.section("Overview")?;
    let shown = page.limit(LISTED);
    for block in blocks.iter().take(shown) {
        entry(page, block)?;
    }
    let more = blocks.len().saturating_sub(shown);
    if more > 0 {
        page.paragraph(5, &format!("{} below.", counted(more, "more group")))?;
    }
    Ok(())
}

/// Writes the groups that are not described, as in the overview.
pub(super) fn rest(page: &mut Page<'_>, blocks: &[Block<'_>]) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    page.divider()?;
    page.part(&format!("{} (-v describes them)", counted(blocks.len(), "more group")))?;
    blocks.iter().try_for_each(|block| entry(page, block))
}

/// Writes what a group is about, its verdict, the module to look at, and the times.
fn entry(page: &mut Page<'_>, block: &Block<'_>) -> io::Result<()> {
    page.marked(block.style(), &format!("{:>3}. ", block.number), &format!("{}: {}", block.what(), block.verdict()))?;
    let party = block.party().map(|party| format!("customer {}", name(party)));
    let more: Vec<String> = [party, modules(block), Some(when(block))].into_iter().flatten().collect();
    page.paragraph(5, &more.join("; "))
}

/// The module to look at: the suspect, else the fault site.
pub(crate) fn modules(block: &Block<'_>) -> Option<String> {
    named_module(&block.representative.incident).map(|(what, module)| format!("{what} {module}"))
}

/// The suspect, else the fault site, and which of the two it is.
pub(crate) fn named_module(incident: &Incident) -> Option<(&'static str, String)> {
    let suspect = incident.suspect.as_ref().map(|suspect| ("suspect", &suspect.module, suspect.version));
    let site = || incident.fault_site.as_ref().map(|site| ("fault site", &site.module, site.version));
    suspect.or_else(site).map(|(what, module, version)| (what, versioned(module, version)))
}

/// When a group's incidents were, and on how many computers.
pub(crate) fn when(block: &Block<'_>) -> String {
    match block.group {
        Some(group) if group.hosts > 1 => {
            format!("{}, {}", span(group.first, group.last), counted(group.hosts, "computer"))
        }
        Some(group) => span(group.first, group.last),
        None => span(block.representative.incident.time, None),
    }
}

/// Writes the last lines: totals and rule sets.
pub(super) fn totals(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let summary = &report.summary;
    page.divider()?;
    page.part("Totals")?;
    let artifacts = match unread(report) {
        Some(unread) => format!("{} ({unread})", summary.artifacts),
        None => summary.artifacts.to_string(),
    };
    page.row("artifacts", &artifacts)?;
    let texts = match texts_of_several(report) {
        0 => String::new(),
        texts => format!(" (of them {})", texts_that_fit(texts)),
    };
    page.row("incidents", &format!("{}{texts}", summary.incidents))?;
    for (cause, count) in &summary.by_cause {
        page.paragraph(4, &format!("{count:>5}  {cause}"))?;
    }
    if summary.undetermined > 0 {
        page.paragraph(4, &format!("{:>5}  undetermined", summary.undetermined))?;
    }
    if report.summary.suppressed > 0 {
        page.row("suppressed", &counted(report.summary.suppressed, "finding"))?;
    }
    for set in &report.rule_sets {
        page.row("rule set", &format!("{} {} ({})", set.name, set.version, set.contents()))?;
    }
    page.row("version", concat!("crashsift ", env!("CARGO_PKG_VERSION")))
}

//! The page of a report with several blocks.

use std::collections::{BTreeMap, BTreeSet};

use super::ROWS;
use super::canvas::{Row, cut, row, wrapped};
use crate::account::{computer, first_steps, place, program};
use crate::confidence::{Level, percent};
use crate::formats::first::{Entry, entries};
use crate::formats::text::block::Block;
use crate::formats::text::overview::{left_out, nothing_found, unread, warnings};
use crate::formats::text::page::{BAD, CAREFUL, PLAIN, STRONG, SURE};
use crate::model::{Comparison, Judged, Report};
use crate::wording::{counted, of_customer, prose};
use anstyle::Style;
use rules::Severity;

/// From this width on an entry takes one row.
const ONE_ROW: usize = 120;
/// Below this width every part of an entry has a row of its own.
const NARROW: usize = 60;
/// How many entries "do first" has at most.
const FIRST_SHOWN: usize = 5;
/// How many rows of blocks without a cause are kept free where there are some.
const UNKNOWN_ROWS: usize = 4;
/// The widest column of computers.
const HOST_WIDTH: usize = 14;

/// The rows of the page.
pub(super) fn rows(report: &Report, blocks: &[Block<'_>], width: usize) -> Vec<Row> {
    let mut page = header(report, blocks, width);
    if blocks.is_empty() {
        page.extend(wrapped(STRONG, "", &nothing_found(report, unread(report).is_some()), width, 8));
        page.extend(wrapped(PLAIN, "", "All files and logs: crashsift analyze --full PATH", width, 2));
        return page;
    }
    page.extend(families(report, blocks, width));
    let end = end(report, blocks, width);
    let (known, unknown): (Vec<_>, Vec<_>) = blocks.iter().partition(|block| block.is_actionable());
    let mut room = ROWS.saturating_sub(page.len()).saturating_sub(end.len());
    if !known.is_empty() {
        let kept = if unknown.is_empty() { 0 } else { UNKNOWN_ROWS.min(unknown.len().saturating_add(1)) };
        room = room.saturating_sub(1);
        let (mut first, mut shown) = (Vec::new(), 0_usize);
        for entry in entries(&known).iter().take(FIRST_SHOWN) {
            let rows = entry_rows(entry, width);
            if rows.len().saturating_add(kept) > room {
                break;
            }
            room = room.saturating_sub(rows.len());
            shown = shown.saturating_add(entry.blocks.len());
            first.extend(rows);
        }
        page.push(vec![(STRONG, "DO FIRST".to_owned()), (PLAIN, more_than(known.len(), shown, "problem"))]);
        page.extend(first);
    }
    if !unknown.is_empty() && room > 1 {
        page.push(row(STRONG, format!("NO CAUSE YET ({})", unknown.len())));
        room = room.saturating_sub(1);
        for block in &unknown {
            let rows = without_cause(report, block, width);
            if rows.len() > room {
                break;
            }
            room = room.saturating_sub(rows.len());
            page.extend(rows);
        }
    }
    page.extend(end);
    page
}

/// ` (most urgent of 21 problems)`, where not all are shown.
fn more_than(all: usize, shown: usize, what: &str) -> String {
    if all > shown { format!(" (most urgent of {})", counted(all, what)) } else { String::new() }
}

/// How much there is, and what the reader must know before anything else.
fn header(report: &Report, blocks: &[Block<'_>], width: usize) -> Vec<Row> {
    let hosts: BTreeSet<String> = report.incidents.iter().filter_map(computer).collect();
    let day = |time: jiff::Timestamp| time.to_string().get(..10).unwrap_or_default().to_owned();
    let times = || report.incidents.iter().filter_map(|judged| judged.incident.time);
    let mut parts = vec![counted(report.summary.incidents, "incident")];
    if blocks.len() < report.summary.incidents {
        parts.push(counted(blocks.len(), "problem"));
    }
    if !hosts.is_empty() {
        parts.push(counted(hosts.len(), "computer"));
    }
    if let (Some(first), Some(last)) = (times().min().map(day), times().max().map(day)) {
        parts.push(if first == last { first } else { format!("{first} to {last}") });
    }
    let what = format!("crashsift: {}", parts.join(", "));
    let damaged = report.summary.failed.saturating_add(report.summary.partial);
    let mut files = counted(report.summary.artifacts, "file");
    if damaged > 0 {
        files.push_str(&format!(", {damaged} damaged"));
    }
    if report.summary.archives > 0 {
        files.push_str(&format!(", {} not opened", counted(report.summary.archives, "archive")));
    }
    let style = if damaged > 0 || report.summary.archives > 0 { CAREFUL } else { PLAIN };
    let gap = width.saturating_sub(what.len()).saturating_sub(files.len());
    let mut rows = if gap >= 2 {
        vec![vec![(STRONG, what), (PLAIN, " ".repeat(gap.min(10))), (style, files)]]
    } else {
        let mut rows = wrapped(STRONG, "", &what, width, 2);
        rows.extend(wrapped(style, "  ", &files, width, 2));
        rows
    };
    rows.extend(warnings(report).iter().flat_map(|warning| wrapped(CAREFUL, "", warning, width, 3)));
    rows.extend(left_out(report).iter().flat_map(|notice| wrapped(CAREFUL, "", notice, width, 2)));
    rows.extend(report.comparison.iter().map(|compared| row(CAREFUL, cut(&against(compared), width))));
    rows
}

/// How many groups the earlier report did not have.
fn against(compared: &Comparison) -> String {
    let new = compared.changes.iter().filter(|change| change.is("new")).count();
    format!("Against the earlier report: {} new, {} changed or gone", new, compared.changes.len().saturating_sub(new))
}

/// How many incidents each family of causes has, with a bar.
fn families(report: &Report, blocks: &[Block<'_>], width: usize) -> Vec<Row> {
    let mut counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let all = blocks.iter().flat_map(|block| block.others.iter().copied().chain([block.representative]));
    for judged in all {
        let family = judged.verdict.family.as_deref().filter(|_| !judged.verdict.is_undetermined());
        let count = counts.entry(family).or_default();
        *count = count.saturating_add(1);
    }
    let label = |family: &str| {
        let known = report.causes.families().find(|known| known.id == family);
        known.map_or(family.to_owned(), |known| known.short.clone())
    };
    let unknown = counts.remove(&None);
    let mut bars: Vec<(String, usize)> =
        counts.into_iter().filter_map(|(family, count)| Some((label(family?), count))).collect();
    bars.sort_by(|(name, count), (other, others)| others.cmp(count).then_with(|| name.cmp(other)));
    bars.extend(unknown.map(|count| ("not known".to_owned(), count)));
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let pieces = |longest: usize| -> Vec<String> {
        let bar = |count: usize| "#".repeat(count.saturating_mul(longest).div_ceil(most).max(1));
        bars.iter().map(|(label, count)| format!("{label} {} {count}", bar(*count))).collect()
    };
    let rows_of = |pieces: &[String]| {
        let mut rows: Vec<String> = Vec::new();
        for piece in pieces {
            match rows.last_mut() {
                Some(last) if last.len().saturating_add(piece.len()).saturating_add(3) <= width => {
                    last.push_str("   ");
                    last.push_str(piece);
                }
                _ => rows.push(format!("  {piece}")),
            }
        }
        rows
    };
    let best = [12, 10, 8, 6, 4, 3].into_iter().map(|longest| rows_of(&pieces(longest))).find(|rows| rows.len() <= 2);
    let rows = best.unwrap_or_else(|| rows_of(&pieces(2)));
    rows.into_iter().map(|text| row(PLAIN, cut(&text, width))).collect()
}

/// What to collect, and where the details are.
fn end(report: &Report, blocks: &[Block<'_>], width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let requests = report.coverage.collect_next.iter().filter(|request| !request.short.is_empty());
    let wanted: Vec<String> = requests.map(|request| of_customer(request.party.as_deref(), &request.short)).collect();
    if !wanted.is_empty() {
        let mut collect = wrapped(PLAIN, "COLLECT NEXT  ", &wanted.join("; "), width, 2);
        if let Some((style, _)) = collect.first_mut().and_then(|first| first.first_mut()) {
            *style = STRONG;
        }
        rows.extend(collect);
    }
    // Numbers count what this report has; an id is the same in a report of less or more.
    let first = blocks.first().map_or("N", |block| block.representative.incident.id.as_str());
    let details = format!("crashsift show {first} PATH | all: --full | page: -f html -o report.html");
    rows.extend(wrapped(PLAIN, "Details: ", &details, width, 2));
    rows
}

/// The rows of an entry of "do first".
fn entry_rows(entry: &Entry<'_, '_>, width: usize) -> Vec<Row> {
    let first = entry.first();
    let judged = first.representative;
    let severity = judged.leading_finding().map(|finding| finding.severity);
    let (sure, style) = (first.confidence().map(percent).unwrap_or_default(), first.sureness_style());
    let mut what = entry.headline();
    if entry.times() > 1 {
        what.push_str(&format!(" ({}x)", entry.times()));
    }
    let step = first_step(judged).map_or_else(String::new, |step| format!("-> {step}"));
    let lead = vec![
        (PLAIN, format!("{:>3} ", first.number)),
        (severity_style(severity), format!("{:<4} ", severity_word(severity))),
        (style, format!("{:>4}  ", sure.replace(' ', ""))),
    ];
    laid_out(lead, &place(&entry.hosts()), &what, &step, width)
}

/// An entry's rows: one where there is room, else the step below what happened, else each part by itself.
fn laid_out(lead: Row, place: &str, what: &str, step: &str, width: usize) -> Vec<Row> {
    let used: usize = lead.iter().map(|(_, text)| text.len()).sum();
    let place_column = format!("{:<HOST_WIDTH$} ", cut(place, HOST_WIDTH));
    if width < NARROW {
        let mut rows = vec![[lead, row(PLAIN, cut(place, width.saturating_sub(used)))].concat()];
        rows.push(vec![(PLAIN, " ".repeat(4)), (STRONG, cut(what, width.saturating_sub(4)))]);
        rows.extend((!step.is_empty()).then(|| row(PLAIN, format!("    {}", cut(step, width.saturating_sub(4))))));
        return rows;
    }
    let begin = used.saturating_add(place_column.len());
    let room = width.saturating_sub(begin);
    let lead = [lead, row(PLAIN, place_column)].concat();
    if width >= ONE_ROW {
        let half = room.saturating_mul(11).div_euclid(20);
        let what = cut(what, half.saturating_sub(1));
        let pad = " ".repeat(half.saturating_sub(textwrap::core::display_width(&what)));
        let rest = cut(step, room.saturating_sub(half));
        return vec![[lead, vec![(STRONG, what), (PLAIN, pad), (PLAIN, rest)]].concat()];
    }
    let mut rows = vec![[lead, row(STRONG, cut(what, room))].concat()];
    if !step.is_empty() {
        let indent = used.saturating_add(2);
        rows.push(row(PLAIN, format!("{}{}", " ".repeat(indent), cut(step, width.saturating_sub(indent)))));
    }
    rows
}

/// The first step for whoever is at the computer, else for the developer.
pub(in crate::formats) fn first_step(judged: &Judged) -> Option<String> {
    let step = first_steps(judged.leading_finding()?).into_iter().next()?;
    Some(prose(&step.text).trim_end_matches('.').replace('`', ""))
}

/// A block without a cause: what happened how often, and what to do with it.
fn without_cause(report: &Report, block: &Block<'_>, width: usize) -> Vec<Row> {
    let judged = block.representative;
    let place = place(&block.hosts());
    let what = match block.size() {
        1 => block.headline(),
        times => format!("{} ({times}x)", block.headline()),
    };
    let step = format!("-> {}", next_for_the_cause(report, judged));
    let lead = row(PLAIN, format!("{:>3} ", block.number));
    if width < NARROW {
        return laid_out(lead, &place, &what, &step, width);
    }
    let column = format!("{:<HOST_WIDTH$} ", cut(&place, HOST_WIDTH));
    let room = width.saturating_sub(4).saturating_sub(column.len());
    let step_room = step.len().min(room.saturating_mul(9).div_euclid(20));
    let (step, wide) = (cut(&step, step_room), room.saturating_sub(step_room).saturating_sub(1));
    let what = cut(&what, wide);
    let pad = " ".repeat(wide.saturating_add(1).saturating_sub(textwrap::core::display_width(&what)));
    vec![[lead, vec![(PLAIN, column), (PLAIN, what), (PLAIN, pad), (PLAIN, step)]].concat()]
}

/// What helps to find the cause: what the evidence lacks, or the dump that goes to the program's maker.
pub(in crate::formats) fn next_for_the_cause(report: &Report, judged: &Judged) -> String {
    let verdict = &judged.verdict;
    let asked = verdict.gap_requests.iter().min_by_key(|request| request.at);
    let has_dump = judged.incident.evidence.iter().any(|item| {
        report
            .artifacts
            .get(item.artifact)
            .is_some_and(|artifact| matches!(&*artifact.kind, "minidump" | "kernel-dump"))
    });
    match (program(&judged.incident), asked) {
        (Some(_), _) if has_dump => "send dump to maker".to_owned(),
        (_, Some(request)) => {
            let phrase = windows_codes::Knowledge.collect_phrase(request.id, &[], &[]).unwrap_or_default();
            format!("get: {phrase}")
        }
        (_, None) => match verdict.collect_next.first() {
            Some(request) => format!("get: {}", prose(request)),
            None => "see its block".to_owned(),
        },
    }
}

fn severity_word(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Critical) => "CRIT",
        Some(Severity::High) => "HIGH",
        Some(Severity::Medium) => "MED",
        Some(Severity::Low) => "LOW",
        None => "",
    }
}

fn severity_style(severity: Option<Severity>) -> Style {
    match severity {
        Some(Severity::Critical) => BAD,
        Some(Severity::High) => CAREFUL,
        _ => PLAIN,
    }
}

impl Block<'_> {
    /// The colour of the percentage in the overview: by how sure the cause of this problem is.
    fn sureness_style(&self) -> Style {
        match self.level() {
            Some(Level::ActOnIt) => SURE,
            Some(Level::Likely) => CAREFUL,
            _ => PLAIN,
        }
    }
}

//! What the machines' logs recorded around the incidents, and what they can't show.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::happened::environment;
use super::page::{Page, STRONG};
use super::timeline::{Run, choose};
use super::wording::{name, place, prose, short_time, span};
use crate::Report;
use incident::Machine;

/// Runs of a timeline that are shown.
const MOST_RUNS: usize = 30;
/// Machines up to which timelines are shown; for more machines they are only counted.
const MACHINES_SHOWN: usize = 10;

/// Writes the machines, if there are any.
pub(super) fn write(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    if report.machines.is_empty() {
        return Ok(());
    }
    page.divider()?;
    page.part("Machines")?;
    let elsewhere: HashSet<&str> = report.coverage.gaps.iter().map(|gap| gap.says.as_str()).collect();
    let in_full = report.machines.len() <= page.limit(MACHINES_SHOWN);
    for machine in &report.machines {
        page.blank()?;
        page.styled(STRONG, 0, &name(&machine.host))?;
        if !machine.environment.is_empty() {
            environment(page, &machine.environment)?;
        }
        for earlier in &machine.earlier {
            let time = earlier.time.map_or_else(|| "at a time not known".to_owned(), short_time);
            page.row("", &format!("also {}: {} ({time})", earlier.key, earlier.value))?;
        }
        if in_full {
            timeline(page, report, machine)?
        } else {
            counts(page, machine)?
        }
        // What could not be shown stands in its own part.
        for gap in machine.coverage.iter().filter(|sentence| !elsewhere.contains(sentence.as_str())) {
            page.row("coverage", &prose(gap))?;
        }
    }
    Ok(())
}

/// The timeline, folded, and when it is long those parts of it that say most.
fn timeline(page: &mut Page<'_>, report: &Report, machine: &Machine) -> io::Result<()> {
    if machine.timeline.is_empty() {
        return page.row("timeline", "no entries");
    }
    page.row("timeline", &format!("{}, UTC", entries(machine.timeline.len())))?;
    let shown = choose(&machine.timeline, page.limit(MOST_RUNS));
    for run in &shown.runs {
        line(page, report, run)?;
    }
    if shown.left_out.is_empty() {
        return Ok(());
    }
    let number: usize = shown.left_out.iter().map(|(_, count)| count).sum();
    let kinds: Vec<_> = shown.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    page.paragraph(4, &format!("... {} not shown: {} (-v shows all) ...", entries(number), kinds.join(", ")))
}

fn line(page: &mut Page<'_>, report: &Report, run: &Run<'_>) -> io::Result<()> {
    let entry = run.first;
    let mut text = format!("{}  {}: {}", short_time(entry.time), entry.kind, prose(&entry.says));
    if run.others > 0 {
        text.push_str(&format!(" (and {} more of this event at the same time)", run.count.saturating_sub(1)));
    } else if run.count > 1 {
        text.push_str(&format!(" ({} times, until {})", run.count, short_time(run.last)));
    }
    match run.incidents.as_slice() {
        [] => {}
        [one] => text.push_str(&format!(" (incident {one})")),
        [first, others @ ..] => text.push_str(&format!(" (incidents {first} and {} more)", others.len())),
    }
    if page.verbose && !entry.provider.is_empty() {
        text.push_str(&format!(" [{} {}; {}]", entry.provider, entry.id, place(report, entry.artifact, &entry.place)));
    }
    page.entry(4, &text)
}

/// The timeline's entries by kind.
fn counts(page: &mut Page<'_>, machine: &Machine) -> io::Result<()> {
    let mut by_kind = BTreeMap::new();
    for entry in &machine.timeline {
        let count: &mut usize = by_kind.entry(entry.kind).or_default();
        *count = count.saturating_add(1);
    }
    let kinds: Vec<_> = by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let (first, last) = (machine.timeline.first(), machine.timeline.last());
    match (first, last) {
        (Some(first), Some(last)) => {
            page.row("timeline", &format!("{}; {}", kinds.join(", "), span(Some(first.time), Some(last.time))))
        }
        _ => page.row("timeline", "no entries"),
    }
}

/// `1 entry`, `2 entries`.
pub(crate) fn entries(number: usize) -> String {
    if number == 1 { "1 entry".to_owned() } else { format!("{number} entries") }
}

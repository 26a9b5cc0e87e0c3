//! The part about machines: what their logs recorded around the incidents, and what they can't show.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::happened::environment_rows;
use super::page::{Page, STRONG};
use super::timeline::{Run, Shown, choose};
use crate::formats::local_time;
use crate::model::Report;
use crate::wording::{counted_as, name, place, prose, short_time, span};
use incident::{EarlierValue, Machine};

/// How many runs of a timeline are shown.
const MOST_RUNS: usize = 30;
/// The most machines with timelines; in a report with more machines the entries are only counted.
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
        page.styled(STRONG, 0, &named(machine))?;
        page.rows(&environment_rows(&machine.environment))?;
        for earlier in &machine.earlier {
            page.row("", &format!("also {}", earlier_value(earlier)))?;
        }
        if machine.timeline.is_empty() {
            page.row("timeline", "no entries")?;
        } else if in_full {
            timeline(page, report, machine)?;
        } else {
            counts(page, machine)?;
        }
        // Gaps have their own part.
        for gap in machine.coverage.iter().filter(|sentence| !elsewhere.contains(sentence.as_str())) {
            page.row("coverage", &prose(gap))?;
        }
    }
    Ok(())
}

/// The name of a machine, with its customer, where folders are customers.
pub(crate) fn named(machine: &Machine) -> String {
    match &machine.party {
        Some(party) => format!("{} (customer {})", name(&machine.host), name(party)),
        None => name(&machine.host).into_owned(),
    }
}

/// Writes the timeline, folded; of a long one the most important runs.
fn timeline(page: &mut Page<'_>, report: &Report, machine: &Machine) -> io::Result<()> {
    page.row("timeline", &format!("{}, {}", entries(machine.timeline.len()), local_time::label()))?;
    let shown = choose(&machine.timeline, page.limit(MOST_RUNS));
    shown.runs.iter().try_for_each(|run| line(page, report, run))?;
    match left_out(&shown) {
        Some(left_out) => page.paragraph(4, &format!("... {left_out} (-v shows all) ...")),
        None => Ok(()),
    }
}

fn line(page: &mut Page<'_>, report: &Report, run: &Run<'_>) -> io::Result<()> {
    let entry = run.first;
    let mut text = format!("{}  {}: {}", short_time(entry.time), entry.kind, prose(&entry.sentence));
    if let Some(repeats) = run.repeats() {
        text.push_str(&format!(" ({}{repeats})", if run.others > 0 { "and " } else { "" }));
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

/// Writes how many entries of each kind the timeline has.
fn counts(page: &mut Page<'_>, machine: &Machine) -> io::Result<()> {
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &machine.timeline {
        *by_kind.entry(entry.kind).or_default() += 1;
    }
    let kinds: Vec<_> = by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let [first, last] = [machine.timeline.first(), machine.timeline.last()].map(|entry| entry.map(|entry| entry.time));
    page.row("timeline", &format!("{}; {}", kinds.join(", "), span(first, last)))
}

/// A former value of a key of the environment, with its time.
pub(crate) fn earlier_value(EarlierValue { key, value, time }: &EarlierValue) -> String {
    let time = time.map_or_else(|| "at a time not known".to_owned(), short_time);
    format!("{key}: {value} ({time})")
}

/// How many entries of a timeline are not shown, in all and by kind.
pub(crate) fn left_out(shown: &Shown<'_>) -> Option<String> {
    let number: usize = shown.left_out.iter().map(|(_, count)| count).sum();
    let kinds: Vec<_> = shown.left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    (number > 0).then(|| format!("{} not shown: {}", entries(number), kinds.join(", ")))
}

/// `1 entry`, `2 entries`.
pub(crate) fn entries(number: usize) -> String {
    counted_as(number, "entry", "entries")
}

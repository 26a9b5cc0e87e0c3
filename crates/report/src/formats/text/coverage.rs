//! What the folder could not show, and what to collect next: once for all groups.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use super::page::Page;
use super::wording::{counted, prose};
use crate::Report;

/// Sentences that are shown, and of one kind.
const SHOWN: usize = 8;
const OF_A_KIND: usize = 3;
/// Requests that are shown.
const REQUESTS_SHOWN: usize = 10;

/// The number under which "Collect next" has a sentence, by the sentence.
pub(super) type Numbers<'r> = HashMap<&'r str, usize>;

/// The numbers of all that is collected at the end: of reports with one block nothing is, for the block itself says it.
pub(super) fn numbers(report: &Report, blocks: usize) -> Numbers<'_> {
    if blocks < 2 {
        return Numbers::new();
    }
    let requests = report.coverage.collect_next.iter().zip(1..);
    requests.flat_map(|(request, number)| request.stands_for.iter().map(move |text| (text.as_str(), number))).collect()
}

/// Writes what could not be shown. Artifacts that were not read have a part of their own.
pub(super) fn write(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts());
    // Of a single incident the block itself says what is missing.
    if gaps.clone().next().is_none() || (report.incidents.len() < 2 && report.machines.is_empty()) {
        return Ok(());
    }
    page.divider()?;
    page.part("What the folder could not show")?;
    let (mut shown, mut left_out) = (0_usize, 0_usize);
    let mut of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for gap in gaps {
        let alike = of_kind.entry(&*gap.kind).or_default();
        if *alike >= page.limit(OF_A_KIND) || shown >= page.limit(SHOWN) {
            left_out = left_out.saturating_add(1);
            continue;
        }
        *alike = alike.saturating_add(1);
        shown = shown.saturating_add(1);
        page.bullet(&prose(&gap.says))?;
    }
    more(page, left_out)
}

/// Writes what to collect next, numbered.
/// Those that a block refers to by their numbers, `named`, are all there; of one block nothing is.
pub(super) fn collect_next(page: &mut Page<'_>, report: &Report, named: Option<&BTreeSet<usize>>) -> io::Result<()> {
    let requests = &report.coverage.collect_next;
    if requests.is_empty() || named.is_none() {
        return Ok(());
    }
    page.divider()?;
    page.part("Collect next")?;
    let shown = page.limit(REQUESTS_SHOWN);
    let is_named = |number: usize| named.is_some_and(|named| named.contains(&number));
    let mut left_out = 0_usize;
    for (request, number) in requests.iter().zip(1_usize..) {
        if number > shown && !is_named(number) {
            left_out = left_out.saturating_add(1);
            continue;
        }
        let undetermined = match request.undetermined {
            0 => String::new(),
            all if all == request.incidents => ", undetermined".to_owned(),
            some => format!(", {some} of them undetermined"),
        };
        let helps = format!("({}{undetermined})", counted(request.incidents, "incident"));
        page.marked(super::page::PLAIN, &format!("  {number}. "), &format!("{} {helps}", prose(&request.says)))?;
    }
    more(page, left_out)
}

fn more(page: &mut Page<'_>, left_out: usize) -> io::Result<()> {
    if left_out == 0 { Ok(()) } else { page.paragraph(4, &format!("{left_out} more (-v shows all).")) }
}

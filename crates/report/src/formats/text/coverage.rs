//! The parts about what the folder could not show and what to collect next, once for all groups.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use super::page::Page;
use crate::model::{CollectRequest, Report};
use crate::wording::{counted, of_customer};

/// How many sentences are shown, and how many of one kind.
const SHOWN: usize = 8;
const OF_A_KIND: usize = 3;
/// How many requests are shown.
const REQUESTS_SHOWN: usize = 10;

/// The numbers that sentences have in the list "Collect next", by customer and sentence.
pub(super) type Numbers<'r> = HashMap<(Option<&'r str>, &'r str), usize>;

/// The numbers of all sentences in the list at the end; reports with one block have no such list.
pub(super) fn numbers(report: &Report, blocks: usize) -> Numbers<'_> {
    if blocks < 2 {
        return Numbers::new();
    }
    let mut numbers = Numbers::new();
    for (request, number) in report.coverage.collect_next.iter().zip(1..) {
        let party = request.party.as_deref();
        numbers.extend(request.replaces.iter().map(|text| ((party, text.as_str()), number)));
    }
    numbers
}

/// Writes the gaps, except those of artifacts, which have a part of their own.
pub(super) fn write(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let gaps = report.coverage.gaps.iter().filter(|gap| !gap.is_of_artifacts() && !gap.is_warning());
    // For a single incident the block itself lists what is missing.
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
            left_out += 1;
            continue;
        }
        *alike += 1;
        shown += 1;
        page.bullet(&of_customer(gap.party.as_deref(), &gap.says))?;
    }
    page.more(4, left_out)
}

/// Writes what to collect next, numbered. All requests to which blocks refer by the numbers `named` are shown.
pub(super) fn collect_next(page: &mut Page<'_>, report: &Report, named: &BTreeSet<usize>) -> io::Result<()> {
    let requests = &report.coverage.collect_next;
    if requests.is_empty() {
        return Ok(());
    }
    page.divider()?;
    page.part("Collect next")?;
    let shown = page.limit(REQUESTS_SHOWN);
    let mut left_out = 0_usize;
    for (request, number) in requests.iter().zip(1_usize..) {
        if number > shown && !named.contains(&number) {
            left_out += 1;
            continue;
        }
        let says = of_customer(request.party.as_deref(), &request.says);
        let text = format!("{says} ({})", helps(request));
        page.marked(super::page::PLAIN, &format!("  {number}. "), &text)?;
    }
    page.more(4, left_out)
}

/// How many incidents a request would help.
pub(crate) fn helps(request: &CollectRequest) -> String {
    let undetermined = match request.undetermined {
        0 => String::new(),
        all if all == request.incidents => ", undetermined".to_owned(),
        some => format!(", {some} of them undetermined"),
    };
    format!("{}{undetermined}", counted(request.incidents, "incident"))
}

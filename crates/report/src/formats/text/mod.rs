//! The report for people: what happened and what to do, to be read from top to bottom.
//!
//! The order is that of the questions a support engineer has: how much is there (counts, and an overview when there
//! are several groups), then group by group what it was, how sure that is, what to do about it, and why; then what
//! could not be shown and what to collect because of it, what else the machines recorded, which artifacts could not be read,
//! and the totals.
//!
//! Only `Page` writes, and it makes every text harmless. The report's own words are ASCII, so that they look the same on
//! every console.

mod artifacts;
pub(super) mod block;
pub(super) mod comparison;
pub(super) mod coverage;
pub(super) mod happened;
pub(super) mod machines;
pub(super) mod overview;
pub mod page;
mod spread;
pub(super) mod stack;
#[cfg(test)]
mod tests;
pub(super) mod timeline;

use std::io::{self, BufWriter, Write};

use super::BUFFER_SIZE;
use crate::model::{Comparison, Report};
use page::Page;
pub use page::TextOptions;

/// How many groups are described; further groups are only listed.
const DESCRIBED: usize = 50;

/// Writes the report as text.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    let mut page = Page::new(&mut out, options);
    let blocks = block::blocks(report);

    overview::header(&mut page, report, &blocks)?;
    if blocks.len() > 1 {
        overview::list(&mut page, &blocks)?;
    }
    if let Some(comparison) = &report.comparison {
        comparison::write(&mut page, comparison)?;
    }
    let numbers = coverage::numbers(report, blocks.len());
    let (described, rest) = blocks.split_at(blocks.len().min(page.limit(DESCRIBED)));
    for block in described {
        block::write(&mut page, report, block, &numbers)?;
    }
    overview::rest(&mut page, rest)?;
    coverage::write(&mut page, report)?;
    // A report with one block has no such list.
    if blocks.len() > 1 {
        let named = described.iter().flat_map(|block| block::requests(block.representative, &numbers)).collect();
        coverage::collect_next(&mut page, report, &named)?;
    }
    machines::write(&mut page, report)?;
    artifacts::write(&mut page, report)?;
    overview::totals(&mut page, report)?;
    out.flush()
}

/// Writes a comparison of two reports as text.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_comparison(comparison: &Comparison, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    comparison::write(&mut Page::new(&mut out, options), comparison)?;
    out.flush()
}

//! The report for people: what happened and what to do, to be read from top to bottom.
//!
//! The order is that of the questions a support engineer has: how much is there (counts, and an overview when there
//! are several groups), then group by group what it was, how sure that is, what to do about it, and why; then what
//! could not be seen and what to collect because of it, what else the machines recorded, which artifacts could not be read,
//! and the totals.
//!
//! Only `Page` writes, and it makes everything harmless that it writes. ASCII is all that the report itself
//! uses, so that it looks the same on every console.

mod artifacts;
pub(super) mod block;
pub(super) mod comparison;
mod coverage;
pub(super) mod happened;
pub(super) mod machines;
pub(super) mod overview;
pub mod page;
mod spread;
#[cfg(test)]
mod tests;
pub(super) mod timeline;
pub(super) mod wording;

use std::io::{self, BufWriter, Write};

use super::WRITTEN_AT_ONCE;
use crate::Report;
use crate::compare::Comparison;
use page::Page;

/// How the text looks. The caller knows where it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns to use; below [`TextOptions::MIN_WIDTH`] and above [`TextOptions::MAX_WIDTH`] these are used instead.
    pub width: usize,
    /// Whether to colour.
    pub color: bool,
    /// Whether to leave nothing out: all evidence, all members of groups, whole timelines, every skipped artifact.
    pub verbose: bool,
}

impl TextOptions {
    /// The fewest columns that the report is laid out for.
    pub const MIN_WIDTH: usize = 40;
    /// The most columns that it uses: longer lines are hard to read.
    pub const MAX_WIDTH: usize = 100;
}

impl Default for TextOptions {
    /// For a file or a pipe: as wide as lines get, without colour.
    fn default() -> Self {
        Self { width: Self::MAX_WIDTH, color: false, verbose: false }
    }
}

/// Groups that are described; of more, the others are only listed.
const DESCRIBED: usize = 50;

/// Writes the report as text.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, out);
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
    let named = described.iter().flat_map(|block| block::requests(block.shown, &numbers)).collect();
    coverage::collect_next(&mut page, report, (blocks.len() > 1).then_some(&named))?;
    machines::write(&mut page, report)?;
    artifacts::write(&mut page, report)?;
    overview::totals(&mut page, report)?;
    out.flush()
}

/// Writes what one report says against another as text.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_comparison(comparison: &Comparison, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(WRITTEN_AT_ONCE, out);
    comparison::write(&mut Page::new(&mut out, options), comparison)?;
    out.flush()
}

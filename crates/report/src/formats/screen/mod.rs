//! The report on one screen of a terminal: what there is, what to do first, what has no cause yet, what to collect, and where
//! the details are. A report with one block shows that block; `crashsift show` prints any block of it uncut.
//!
//! The page fits into 80 columns and 24 rows whatever the size of the folder; wider terminals get longer lines, narrow ones
//! (from 40 columns on) fewer entries. It is ASCII but for names from the evidence, and means the same without colours.

mod block;
mod canvas;
mod overview;
#[cfg(test)]
mod tests;

pub(super) use canvas::cut;
pub(super) use overview::{first_step, next_for_the_cause};

use std::io::{self, BufWriter, Write};

use super::BUFFER_SIZE;
use super::text::block::{Block, blocks};
use super::text::page::TextOptions;
use crate::model::{Judged, Report};

/// The rows of the page: of a terminal with 24 rows, one is for the prompt behind it.
const ROWS: usize = 23;
/// The most columns that the page uses.
const WIDEST: usize = 140;

/// The columns that are used of so many.
fn columns(width: usize) -> usize {
    width.clamp(TextOptions::MIN_WIDTH, WIDEST)
}

/// Writes the report on one screen.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write(report: &Report, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let blocks = blocks(report);
    let width = columns(options.width);
    let rows = match blocks.as_slice() {
        [only] => block::rows(report, only, width, Some(ROWS)),
        blocks => overview::rows(report, blocks, width),
    };
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    canvas::write(&rows, options.color, &mut out)?;
    out.flush()
}

/// What `crashsift show` looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The blocks with these numbers, as the reports for reading number them.
    Blocks(Vec<usize>),
    /// Nothing has this name; the report has so many blocks.
    Nothing(usize),
}

/// The blocks that `wanted` names: a number of the report, an incident's id or its beginning (four characters or more), or a
/// group's signature or a part of it.
#[must_use]
pub fn find(report: &Report, wanted: &str) -> Found {
    const SHORTEST: usize = 4;
    let blocks = blocks(report);
    let named = |test: &dyn Fn(&Block<'_>) -> bool| -> Vec<usize> {
        blocks.iter().filter(|block| test(block)).map(|block| block.number).collect()
    };
    let wanted = wanted.trim();
    let by_number = named(&|block| wanted.parse() == Ok(block.number));
    let of = |block: &Block<'_>, test: &dyn Fn(&str) -> bool| {
        let others = block.others.iter().map(|judged| judged.incident.id.as_str());
        others.chain([block.representative.incident.id.as_str()]).any(test)
    };
    let lower = wanted.to_lowercase();
    let long = wanted.chars().count() >= SHORTEST;
    let exact = named(&|block| of(block, &|id| id == lower));
    let begun = named(&|block| long && of(block, &|id| id.starts_with(&lower)));
    let signature =
        named(&|block| block.group.is_some_and(|group| long && group.signature.to_lowercase().contains(&lower)));
    let found = [by_number, exact, begun, signature].into_iter().find(|found| !found.is_empty());
    found.map_or(Found::Nothing(blocks.len()), Found::Blocks)
}

/// The incidents of the blocks with these numbers; of each block first the one that stands for it.
#[must_use]
pub fn incidents<'r>(report: &'r Report, numbers: &[usize]) -> Vec<&'r Judged> {
    let named = blocks(report).into_iter().filter(|block| numbers.contains(&block.number));
    named.flat_map(|block| std::iter::once(block.representative).chain(block.others)).collect()
}

/// Writes the blocks with these numbers, uncut.
///
/// # Errors
///
/// When `out` can't be written to.
pub fn write_blocks(report: &Report, numbers: &[usize], out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    let width = columns(options.width);
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    for (at, block) in blocks(report).iter().filter(|block| numbers.contains(&block.number)).enumerate() {
        if at > 0 {
            writeln!(out, "\n{}\n", "-".repeat(width))?;
        }
        canvas::write(&block::rows(report, block, width, None), options.color, &mut out)?;
    }
    out.flush()
}

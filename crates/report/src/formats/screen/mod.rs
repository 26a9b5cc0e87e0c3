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
pub enum Found<'r> {
    /// These.
    Selection(Selection<'r>),
    /// Nothing has this name; the report has so many blocks.
    Nothing(usize),
}

/// Groups and incidents that a name means.
pub struct Selection<'r> {
    report: &'r Report,
    blocks: Vec<Block<'r>>,
}

/// What `wanted` names: a number of the report, an incident's id or its beginning (four characters or more), or a group's
/// signature or a part of it. A number, a signature and the id of the incident that stands for a group mean the group; the id
/// of another incident means that one alone.
#[must_use]
pub fn find<'r>(report: &'r Report, wanted: &str) -> Found<'r> {
    const SHORTEST: usize = 4;
    let all = blocks(report);
    let last = all.len();
    let wanted = wanted.trim();
    let lower = wanted.to_lowercase();
    let long = wanted.chars().count() >= SHORTEST;
    let named = |test: &dyn Fn(&str) -> bool| -> Vec<Block<'r>> {
        let of = |block: &Block<'r>| -> Vec<Block<'r>> {
            if test(&block.representative.incident.id) {
                return vec![block.clone()];
            }
            let alone =
                |judged| Block { number: block.number, group: None, representative: judged, others: Vec::new() };
            block.others.iter().copied().filter(|judged| test(&judged.incident.id)).map(alone).collect()
        };
        all.iter().flat_map(of).collect()
    };
    let exact = named(&|id| id == lower);
    let begun = named(&|id| long && id.starts_with(&lower));
    let by_signature =
        |block: &Block<'_>| block.group.is_some_and(|group| long && group.signature.to_lowercase().contains(&lower));
    let (by_number, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|block| wanted.parse() == Ok(block.number));
    let by_signature = others.into_iter().filter(by_signature).collect();
    match [by_number, exact, begun, by_signature].into_iter().find(|found| !found.is_empty()) {
        Some(blocks) => Found::Selection(Selection { report, blocks }),
        None => Found::Nothing(last),
    }
}

impl<'r> Selection<'r> {
    /// The incidents; of each group first the one that stands for it.
    #[must_use]
    pub fn incidents(&self) -> Vec<&'r Judged> {
        let of = |block: &Block<'r>| std::iter::once(block.representative).chain(block.others.clone());
        self.blocks.iter().flat_map(of).collect()
    }

    /// Writes each uncut.
    ///
    /// # Errors
    ///
    /// When `out` can't be written to.
    pub fn write(&self, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
        let width = columns(options.width);
        let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
        for (at, block) in self.blocks.iter().enumerate() {
            if at > 0 {
                writeln!(out, "\n{}\n", "-".repeat(width))?;
            }
            canvas::write(&block::rows(self.report, block, width, None), options.color, &mut out)?;
        }
        out.flush()
    }
}

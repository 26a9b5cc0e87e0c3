//! The lines of a text with the kinds of cue words in each, found in one search for all modules.

use std::collections::BTreeMap;
use std::ops::Range;

use super::cues::{Cue, Kinds};
use crate::code_blocks::{in_code, unquoted};
use evidence::TicketLine;

/// The byte ranges of parts of lines, by the position of their line.
pub(super) type Parts = BTreeMap<usize, Vec<Range<usize>>>;

/// The lines of a text, and what all modules ask about them.
pub(crate) struct Marked<'l> {
    pub(super) lines: &'l [TicketLine],
    /// The kinds of words in each line.
    kinds: Vec<Kinds>,
    /// Whether each line is in a code block.
    pub(super) in_code: Vec<bool>,
}

impl<'l> Marked<'l> {
    pub(crate) fn new(lines: &'l [TicketLine]) -> Self {
        let kinds = lines.iter().map(|line| Kinds::in_line(unquoted(&line.text))).collect();
        Self { lines, kinds, in_code: in_code(lines) }
    }

    /// The text of a line without marks of quoting; empty behind the last.
    pub(super) fn text(&self, position: usize) -> &'l str {
        self.lines.get(position).map_or("", |line| unquoted(&line.text))
    }

    /// Whether empty lines are between a line and the one before it.
    pub(super) fn is_parted(&self, position: usize) -> bool {
        let number = |position: usize| self.lines.get(position).map_or(0, |line| line.number);
        number(position).saturating_sub(number(position.saturating_sub(1))) > 1
    }

    pub(super) fn kinds(&self, position: usize) -> Kinds {
        self.kinds.get(position).copied().unwrap_or_default()
    }

    pub(super) fn is_in_code(&self, position: usize) -> bool {
        self.in_code.get(position) == Some(&true)
    }

    /// The positions and texts of the lines outside of code blocks that have one of these cue words.
    pub(super) fn with(&self, cues: &[Cue]) -> impl DoubleEndedIterator<Item = (usize, &'l str)> {
        let found = (0..self.lines.len()).filter(|at| cues.iter().any(|cue| self.kinds(*at).has(*cue)));
        found.filter(|at| !self.is_in_code(*at)).map(|at| (at, self.text(at)))
    }
}

//! Lines that the writer says were pasted by mistake: the wrong log, that of another ticket or computer.
//!
//! Only clear words count: that the paste was wrong, or that it is to be ignored and of another computer. With a colon at
//! the end, such a line is about the lines after it, up to the line that announces the right paste; without a colon it is
//! about all lines before it.

use std::ops::Range;

use super::cues::{Cue, Kinds, cues_of, words_of};
use super::marked::Marked;
use crate::printed::{Printed, printed};
use crate::sentences::Line;

/// The most words of a line that reports that something was pasted by mistake.
const MOST_WORDS: usize = 24;

/// The most such lines that are evaluated in one text.
const MOST: usize = 32;

/// The lines that were pasted by mistake.
pub(super) fn misplaced(marked: &Marked) -> Vec<usize> {
    let mut found = Vec::new();
    let mut above = 0;
    for position in (0..marked.lines.len()).filter(|position| says_so(marked, *position)).take(MOST) {
        let text = marked.text(position);
        if text.trim_end().ends_with([':', '：']) && !marked.kinds(position).has(Cue::Corrected) {
            found.extend(below(marked, position));
        } else {
            above = position;
        }
    }
    found.extend(0..above);
    found
}

/// Whether a line reports that something was pasted by mistake.
fn says_so(marked: &Marked, position: usize) -> bool {
    let kinds = marked.kinds(position);
    let taken_back = kinds.has(Cue::Disregarded) && kinds.has(Cue::OfAnother);
    if marked.is_in_code(position) || !(kinds.has(Cue::Misplaced) || taken_back) {
        return false;
    }
    let text = marked.text(position);
    let of_something_else =
        if kinds.has(Cue::Misplaced) { words_of(Cue::PartOfLog) } else { words_of(Cue::BesideEvidence) };
    let folded = text.to_lowercase();
    if of_something_else.iter().any(|word| folded.contains(word)) {
        return false;
    }
    printed(text) == Printed::No && text.split_whitespace().count() <= MOST_WORDS && outside_quotations(text, kinds)
}

/// Whether the cue words of the line are outside of quotation marks.
fn outside_quotations(text: &str, kinds: Kinds) -> bool {
    let wanted = if kinds.has(Cue::Misplaced) { Cue::Misplaced } else { Cue::OfAnother };
    let line_of = Line::new(text);
    cues_of(text, |kind| kind == wanted).any(|(_, cue)| !line_of.is_quoted(cue.start))
}

/// The lines after `position`, up to the line that announces the right paste; without such a line, up to the end of the
/// paragraph.
fn below(marked: &Marked, position: usize) -> Range<usize> {
    let first = position.saturating_add(1);
    let is_right = |at: &usize| marked.kinds(*at).has(Cue::Corrected) && !marked.is_in_code(*at);
    let in_one_block = |at: usize| marked.is_in_code(at) && marked.is_in_code(at.saturating_sub(1));
    let ends = |at: &usize| *at > first && marked.is_parted(*at) && !in_one_block(*at);
    let mut behind = first..marked.lines.len();
    let end = behind.clone().find(is_right).or_else(|| behind.find(ends)).unwrap_or(marked.lines.len());
    first..end
}

//! The text of a form that somebody filled in: boxes that were not ticked, the hints in its comments, which name errors
//! that others have, and what somebody expected in the place of what happened.

use super::cues::{Cue, cues_of};
use super::marked::Marked;
use crate::code_blocks::unquoted;
use evidence::TicketLine;

/// The most lines of a comment of a form.
const MOST_OF_A_COMMENT: usize = 40;

/// The most lines of the section about the expected behaviour.
const MOST_EXPECTED: usize = 20;

/// The positions of lines that belong to the empty form: open boxes, comments, the expected behaviour.
pub(super) fn unfilled(marked: &Marked) -> Vec<usize> {
    let mut found = Vec::new();
    let mut position = 0;
    while position < marked.lines.len() {
        let text = marked.text(position).trim();
        let mut next = position.saturating_add(1);
        if !marked.is_in_code(position) {
            if is_open_box(text) {
                found.push(position);
            } else if text.starts_with("<!--")
                && let Some(end) = comment_end(marked, position)
            {
                next = end.saturating_add(1);
                found.extend(position..next);
            } else if marked.kinds(position).has(Cue::Expected) && is_expectation(text) {
                next = next_heading(marked, next);
                found.extend(position.saturating_add(1)..next);
            }
        }
        position = next;
    }
    found
}

/// Whether a line is a box that was not ticked: `- [ ] It is this`.
fn is_open_box(text: &str) -> bool {
    let item = text.trim_start_matches(['-', '*', '+', ' ']);
    ["[ ]", "[]", "☐", "□"]
        .iter()
        .any(|open| item.strip_prefix(open).is_some_and(|behind| behind.starts_with([' ', '\t'])))
}

/// Whether a line is only the heading of the section about the expected behaviour.
fn is_expectation(text: &str) -> bool {
    let heading = text.trim_matches(|mark: char| !mark.is_alphanumeric());
    cues_of(heading, |kind| kind == Cue::Expected).any(|(_, cue)| cue == (0..heading.len()))
}

/// The end of the section about the expected behaviour: the next heading from the line at `from` on or, without a heading,
/// the end of the first paragraph.
fn next_heading(marked: &Marked, from: usize) -> usize {
    let lines = marked.lines.iter().enumerate().skip(from).take(MOST_EXPECTED);
    let is_heading = |text: &str| {
        let text = unquoted(text).trim_end();
        text.starts_with('#') || (text.starts_with("**") && text.trim_end_matches(':').ends_with("**"))
    };
    // Without a mark, a heading is behind an empty line.
    let mut ends = lines.filter(|(at, line)| is_heading(&line.text) || (*at > from && marked.is_parted(*at)));
    ends.next().map_or_else(|| from.saturating_add(MOST_EXPECTED).min(marked.lines.len()), |(at, _)| at)
}

/// The line that ends the comment which begins with the line at `begin`, if nothing is behind its end.
fn comment_end(marked: &Marked, begin: usize) -> Option<usize> {
    let lines = marked.lines.get(begin..)?.iter().take(MOST_OF_A_COMMENT);
    let ends = |line: &TicketLine| line.text.contains("-->");
    let (at, last) = lines.enumerate().find(|(_, line)| ends(line))?;
    last.text.trim_end().ends_with("-->").then(|| begin.saturating_add(at))
}

//! Failures that a text reports as fixed or set aside before the one it is about: `the DLL was missing, I put it there.
//! Now ...`, `that one is clear, my question is about ...`. They are in doubt only where another failure follows.

use std::ops::Range;

use super::cues::{Cue, LONGEST, cues_of, words_of};
use super::failures::failures;
use super::marked::{Marked, Parts};
use crate::cue_words::is_one_of;
use crate::printed::{Printed, printed};
use crate::sentences::{Line, has_one_of};

/// The most lines between an earlier failure and the line that reports the present one: an empty line is common.
const LINES_TO_NOW: u32 = 2;

/// By position, the parts of lines about failures that are fixed or set aside.
pub(super) fn earlier_failures(marked: &Marked) -> Parts {
    let mut found = Parts::new();
    for (at, text) in marked.with(&[Cue::Repaired, Cue::Topic]).filter(|(_, text)| printed(text) != Printed::Whole) {
        let line_of = Line::new(text);
        let cues = cues_of(text, |kind| matches!(kind, Cue::Repaired | Cue::Topic));
        let mut cues = cues.filter(|(_, cue)| !line_of.is_quoted(cue.start));
        let Some(end) = cues.find_map(|(kind, cue)| end_of_earlier(marked, at, &line_of, kind, &cue)) else {
            continue;
        };
        found.entry(at).or_default().push(0..end);
        // The message itself may be in a line of its own.
        let mut repairs = cues_of(text, |kind| kind == Cue::Repaired);
        let first = line_of.sentences.first().is_none_or(|first| repairs.any(|(_, cue)| cue.start < *first));
        let above = at.checked_sub(1).filter(|above| first && !marked.is_in_code(*above) && !marked.is_parted(at));
        if let Some(above) = above {
            found.entry(above).or_default().push(0..marked.text(above).len());
        }
    }
    found
}

/// The byte at which the report of an earlier failure ends in the line at `at`: `cue`, of `kind`, marks the failure as
/// over. `None` unless another failure is reported after it.
fn end_of_earlier(marked: &Marked, at: usize, line_of: &Line<'_>, kind: Cue, cue: &Range<usize>) -> Option<usize> {
    let text = line_of.text;
    if kind == Cue::Topic {
        return reports_another(text.get(..cue.start)?, text.get(cue.end..)?).then_some(cue.start);
    }
    // What began when somebody did something is not over by that.
    let before = text.get(line_of.sentence_start(cue.start)..cue.start)?;
    let last = before.split_whitespace().next_back().unwrap_or_default();
    if is_one_of(last, words_of(Cue::Since)) || has_one_of(text.get(line_of.clause(cue))?, words_of(Cue::State)) {
        return None;
    }
    let mut ends = line_of.clauses.iter().copied().filter(|end| *end >= cue.end);
    if let Some(end) = ends.find(|end| is_of_now(line_of, *end)) {
        return reports_another(text.get(..end)?, text.get(end..)?).then_some(end);
    }
    let next = marked.lines.get(at.checked_add(1)?)?;
    let near = next.number.saturating_sub(marked.lines.get(at)?.number) <= LINES_TO_NOW;
    let behind = marked.text(at.saturating_add(1));
    let now = near && behind.len() <= LONGEST && is_of_now(&Line::new(behind), 0);
    (now && reports_another(text, behind)).then_some(text.len())
}

/// Whether the clause after byte `at` is about the present: `now it ends`, `it still ends`, `the crash remains`.
fn is_of_now(line: &Line<'_>, at: usize) -> bool {
    let end = line.end(&line.clauses, at);
    line.begins_joined(at, words_of(Cue::Today))
        || has_one_of(line.text.get(at..end).unwrap_or_default(), words_of(Cue::GoesOn))
}

/// Whether `behind` reports or announces a failure that `before` does not name.
fn reports_another(before: &str, behind: &str) -> bool {
    let now = failures(behind);
    (!now.is_empty() || behind.trim_end().ends_with(':')) && now.is_disjoint(&failures(before))
}

//! Texts that end with the words that all is well: `installed the package, works now`. The failure happened and is
//! resolved: its facts stay, as mentioned ones, so that no rule is sure of a cause that is left to fix.
//!
//! The words count only where nothing behind them contradicts: no failure, and no word that trouble remains.

use std::ops::Range;

use super::cues::{Cue, cues_of, words_of};
use super::failures::failures;
use super::marked::Marked;
use crate::cue_words::has_word;
use crate::printed::{Printed, printed};
use crate::sentences::{Line, has_one_of};

/// The most lines of a text after the words that all is well.
const MOST_BEHIND: usize = 12;

/// The number of lines at the end of a text that are searched for such words.
const MOST_LINES: usize = 24;

/// The number of lines, from the first on, about a failure that the text reports as resolved; `None` if there is none.
pub(crate) fn resolved_lines(marked: &Marked) -> Option<usize> {
    let first = marked.lines.len().saturating_sub(MOST_LINES);
    let said = marked.with(&[Cue::AllWellNow, Cue::WorksAgain]).rev().take_while(|(at, _)| *at >= first);
    let mut well = said.filter(|(at, text)| is_well(marked, *at, text));
    well.next().map(|(at, _)| at.saturating_add(1))
}

/// Whether the line at `at` reports that all is well, and no later line contradicts it.
fn is_well(marked: &Marked, at: usize, text: &str) -> bool {
    if printed(text) == Printed::Whole {
        return false;
    }
    let line_of = Line::new(text);
    let cues = cues_of(text, |kind| matches!(kind, Cue::AllWellNow | Cue::WorksAgain));
    let well = cues.filter(|(_, cue)| !line_of.is_quoted(cue.start)).any(|(kind, cue)| {
        let rest = text.get(line_of.end(&line_of.sentences, cue.end)..).unwrap_or_default();
        (kind == Cue::AllWellNow || reports_a_repair(marked, at, text.get(..cue.start).unwrap_or_default()))
            && is_meant(&line_of, &cue)
            && !goes_on(rest)
    });
    well && behind(marked, at)
}

/// Whether the words "all is well" are meant: their sentence neither asks, denies nor restricts them.
fn is_meant(line_of: &Line<'_>, cue: &Range<usize>) -> bool {
    let (start, end) = (line_of.sentence_start(cue.start), line_of.end(&line_of.sentences, cue.end));
    let before = line_of.text.get(start..cue.start).unwrap_or_default();
    let behind = line_of.text.get(cue.end..end).unwrap_or_default();
    let asked = behind.trim_end().ends_with(['?', '？', ':', '：']);
    !asked
        && ![before, behind]
            .iter()
            .any(|part| has_word(part, Cue::Negation) || has_one_of(part, words_of(Cue::Relapse)))
        && !goes_on(behind)
}

/// Whether the writer reports a repair before the words that all is well, in the same line or the one above.
fn reports_a_repair(marked: &Marked, at: usize, before: &str) -> bool {
    let above = at.checked_sub(1).filter(|above| !marked.is_in_code(*above)).map(|above| marked.text(above));
    [Some(before), above].into_iter().flatten().any(|text| has_one_of(text, words_of(Cue::Deed)))
}

/// Whether only a few lines follow the line at `at`, and none reports that the failure continues.
fn behind(marked: &Marked, at: usize) -> bool {
    let mut behind = at.saturating_add(1)..marked.lines.len();
    behind.len() <= MOST_BEHIND && !behind.any(|at| marked.kinds(at).has(Cue::Still) || goes_on(marked.text(at)))
}

/// Whether a part of a text reports a failure or a remaining problem.
fn goes_on(text: &str) -> bool {
    [Cue::Relapse, Cue::Happening].iter().any(|cue| has_one_of(text, words_of(*cue))) || !failures(text).is_empty()
}

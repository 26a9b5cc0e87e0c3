//! Texts that end with the words that all is well: `installed the package, works now`. The failure happened and is
//! resolved: its facts stay, as mentioned ones, so that no rule is sure of a cause that is left to fix.
//!
//! The words count only where nothing behind them contradicts: no failure, and no word that trouble remains.

use std::ops::Range;

use super::Marked;
use super::cues::{Cue, LONGEST, cues_of, words_of};
use super::failures::{Failures, failures};
use super::has_one_of;
use crate::code_blocks::unquoted;
use crate::cue_words::has_word;
use crate::printed::{Printed, printed};
use crate::sentences::Line;

/// Who says that all is well says no more than so many lines behind it.
const MOST_BEHIND: usize = 12;

/// As many lines of a text's end are looked at.
const MOST_LINES: usize = 24;

/// How many lines, from the first on, are about trouble that the text says is resolved; `None` where it says no such
/// thing.
pub(crate) fn resolved_lines(marked: &Marked) -> Option<usize> {
    let first = marked.lines.len().saturating_sub(MOST_LINES);
    let mut said = (first..marked.lines.len()).rev().filter(|at| {
        let kinds = marked.kinds(*at);
        (kinds.has(Cue::AllWellNow) || kinds.has(Cue::WorksAgain)) && !marked.is_in_code(*at)
    });
    said.find(|at| is_well(marked, *at)).map(|at| at.saturating_add(1))
}

/// Whether the line at `at` says that all is well, and nothing behind it says otherwise.
fn is_well(marked: &Marked, at: usize) -> bool {
    let Some(text) = marked.lines.get(at).map(|line| unquoted(&line.text)) else { return false };
    if text.len() > LONGEST || printed(text) == Printed::Whole {
        return false;
    }
    let line_of = Line::new(text);
    let cues = cues_of(text, |kind| matches!(kind, Cue::AllWellNow | Cue::WorksAgain));
    let well = cues.filter(|(_, cue)| !line_of.is_quoted(cue.start)).find(|(kind, cue)| {
        let rest = text.get(line_of.end(&line_of.sentences, cue.end)..).unwrap_or_default();
        (*kind == Cue::AllWellNow || tells_of_a_deed(marked, at, text.get(..cue.start).unwrap_or_default()))
            && is_meant(&line_of, cue)
            && !goes_on(rest)
    });
    well.is_some() && behind(marked, at)
}

/// Whether the sentence around the words says nothing that takes them back.
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

/// Whether somebody says what they did before the words, there or in the line above.
fn tells_of_a_deed(marked: &Marked, at: usize, before: &str) -> bool {
    let above = at.checked_sub(1).filter(|above| !marked.is_in_code(*above)).and_then(|above| marked.lines.get(above));
    has_one_of(before, words_of(Cue::Deed))
        || above.is_some_and(|above| has_one_of(unquoted(&above.text), words_of(Cue::Deed)))
}

/// Whether the lines behind the one at `at` are few, and none says that something goes on.
fn behind(marked: &Marked, at: usize) -> bool {
    let behind = marked.lines.get(at.saturating_add(1)..).unwrap_or_default();
    let still = |(number, line): (usize, &evidence::TicketLine)| {
        marked.kinds(number).has(Cue::Still) || goes_on(unquoted(&line.text))
    };
    behind.len() <= MOST_BEHIND && !(at.saturating_add(1)..).zip(behind).any(still)
}

/// Whether a part of a text reports a failure, or something that remains.
fn goes_on(text: &str) -> bool {
    let mut named = Failures::default();
    failures(text, &mut named);
    !named.is_empty() || has_one_of(text, words_of(Cue::Relapse)) || has_one_of(text, words_of(Cue::Happening))
}

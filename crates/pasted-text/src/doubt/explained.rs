//! Names of codes that a text only explains, asks about or lists, so that they are no exit codes: `what does
//! FAST_FAIL_INVALID_ARG mean?`, `#define STATUS_HEAP_CORRUPTION ...`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cues::{Cue, LONGEST, words_of};
use super::marked::{Marked, Parts};
use super::sentence::is_in_first_person;
use crate::printed::{Printed, printed};
use crate::sentences::{Line, has_one_of};
use crate::statement::{named_fast_fail, status_named};
use crate::stops::stop_named;

/// A text with this many different fast-fail names is a list of them: one process ends with only one.
const FEWEST_LISTED: usize = 3;
/// The most names that are checked in one line.
const MOST_NAMES: usize = 16;
/// The beginnings of source lines that define a code or branch on it.
const DEFINING: [&str; 3] = ["#define ", "case ", "enum "];

/// By position, the parts of lines that name a code without reporting that it occurred.
pub(super) fn explained(marked: &Marked) -> Parts {
    let mut found = Parts::new();
    let (mut listed, mut rows) = (BTreeSet::new(), Vec::new());
    for at in 0..marked.lines.len() {
        let text = marked.text(at);
        let names = names(text);
        let fast_fails = names.iter().filter_map(|name| text.get(name.clone())?.strip_prefix(FAST_FAIL));
        for name in fast_fails.filter(|name| named_fast_fail(name).is_some()) {
            listed.insert(name);
            rows.push((at, 0..text.len()));
        }
        if names.is_empty() {
            continue;
        }
        if DEFINING.iter().any(|word| text.trim_start().starts_with(word)) {
            found.entry(at).or_default().push(0..text.len());
        } else if !marked.is_in_code(at) && text.len() <= LONGEST && printed(text) == Printed::No {
            let line_of = Line::new(text);
            for part in names.iter().filter_map(|name| explanation(&line_of, name)) {
                found.entry(at).or_default().push(part);
            }
        }
    }
    if listed.len() >= FEWEST_LISTED {
        rows.into_iter().for_each(|(at, row)| found.entry(at).or_default().push(row));
    }
    found
}

/// The prefixes of the names of fast-fail codes and of statuses.
const FAST_FAIL: &str = "FAST_FAIL_";
const STATUS: &str = "STATUS_";

/// The byte ranges of code names in a line: capital words with `_` between them.
fn names(text: &str) -> Vec<Range<usize>> {
    let mut names = Vec::new();
    if !text.contains('_') {
        return names;
    }
    let mut at = 0;
    let is_mark = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
    for word in text.split_inclusive(is_mark) {
        let name = word.trim_end_matches(is_mark);
        let capitals = name.contains('_') && !name.contains(|letter: char| letter.is_ascii_lowercase());
        let known = || {
            let of_fail = name.strip_prefix(FAST_FAIL).is_some_and(|name| named_fast_fail(name).is_some());
            of_fail || status_named(name).is_some() || stop_named(name).is_some()
        };
        if capitals && names.len() < MOST_NAMES && known() {
            names.push(at..at.saturating_add(name.len()));
        }
        at = at.saturating_add(word.len());
    }
    names
}

/// The part of a line that explains the code named there, or asks about it, if it does.
fn explanation(line_of: &Line<'_>, name: &Range<usize>) -> Option<Range<usize>> {
    let clause = line_of.clause(name);
    let text = line_of.text.get(clause.clone())?;
    if has_one_of(text, words_of(Cue::Happening)) || is_in_first_person(text) {
        return None;
    }
    if has_one_of(text, words_of(Cue::Explaining)) {
        return Some(clause);
    }
    // Who asks about a blue screen by its name alone has it.
    let name = line_of.text.get(name.clone())?;
    let of_a_program = name.starts_with(FAST_FAIL) || name.starts_with(STATUS);
    let behind = text.trim_end();
    let asked = behind.ends_with(['?', '？']) && behind.split_whitespace().count() > 1;
    (of_a_program && asked).then_some(clause)
}

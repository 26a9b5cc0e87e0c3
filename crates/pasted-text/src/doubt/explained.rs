//! Names of codes that a text only explains, asks about or lists, so that they are no exit codes: `what does
//! FAST_FAIL_INVALID_ARG mean?`, `#define STATUS_HEAP_CORRUPTION ...`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Marked;
use super::cues::{Cue, LONGEST, words_of};
use super::has_one_of;
use super::sentence::speaks_of_oneself;
use crate::code_blocks::unquoted;
use crate::printed::{Printed, printed};
use crate::sentences::Line;
use crate::statement::{named_fast_fail, status_named};
use crate::stops::stop_named;

/// A text with this many different fast-fail names is a list of them: one process ends with only one.
const FEWEST_LISTED: usize = 3;
/// The most names that are checked in one line.
const MOST_NAMES: usize = 16;
/// The beginnings of source lines that define a code or branch on it.
const DEFINING: [&str; 3] = ["#define ", "case ", "enum "];

/// By position, the parts of lines that name a code without reporting that it occurred.
pub(super) fn explained(marked: &Marked) -> BTreeMap<usize, Vec<Range<usize>>> {
    let mut found: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    let (mut listed, mut rows) = (BTreeSet::new(), Vec::new());
    for (at, line) in marked.lines.iter().enumerate() {
        let text = unquoted(&line.text);
        let names = names(text);
        if names.is_empty() {
            continue;
        }
        for (name, _) in names.iter().filter_map(|name| Some((text.get(name.clone())?, name))) {
            if name.starts_with(FAST_FAIL) && named_fast_fail(name.trim_start_matches(FAST_FAIL)).is_some() {
                listed.insert(name.to_owned());
                rows.push((at, 0..text.len()));
            }
        }
        if DEFINING.iter().any(|word| text.trim_start().starts_with(word)) {
            found.entry(at).or_default().push(0..text.len());
        } else if !marked.is_in_code(at) && text.len() <= LONGEST && printed(text) == Printed::No {
            let line_of = Line::new(text);
            let parts = names.iter().filter_map(|name| explanation(&line_of, name));
            let parts: Vec<Range<usize>> = parts.collect();
            if !parts.is_empty() {
                found.entry(at).or_default().extend(parts);
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
    for word in text.split_inclusive(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')) {
        let name = word.trim_end_matches(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
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
    if has_one_of(text, words_of(Cue::Happening)) || speaks_of_oneself(text) {
        return None;
    }
    if has_one_of(text, words_of(Cue::Explaining)) {
        return Some(clause);
    }
    // Who asks about a blue screen by its name alone has it.
    let of_a_program = [FAST_FAIL, STATUS]
        .iter()
        .any(|begins| line_of.text.get(name.clone()).is_some_and(|name| name.starts_with(begins)));
    let behind = text.trim_end();
    let asked = behind.ends_with(['?', '？']) && behind.split_whitespace().count() > 1;
    (of_a_program && asked).then_some(clause)
}

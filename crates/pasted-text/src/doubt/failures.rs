//! The codes and errors that a part of a text names, by which two failures are compared.

use std::collections::BTreeSet;

use crate::cue_words::{Cue, words_of};
use crate::line::read_alone;
use crate::sentences::Line;
use crate::values::image_name;
use windows_codes::win_error;

/// The number of characters of an error line that are compared.
const TELLING: usize = 60;

/// What Windows calls a missing file of a program: `ERROR_MOD_NOT_FOUND`.
const MISSING: u32 = 126;

/// What a part of a text names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Failure {
    /// A code, or an error with a number.
    Code(u32),
    /// The beginning of an error line that has no code.
    Error(String),
}

/// The failures that `text` names.
pub(super) fn failures(text: &str) -> BTreeSet<Failure> {
    let said = read_alone(text, 0);
    let codes = said.ticket.code.map(|code| code.0).into_iter().chain(said.bugcheck().map(|code| code.plain()));
    let codes = codes.chain(said.errors()).chain(names_missing_file(text).then_some(MISSING));
    // The status with which the loader ends a process tells the same failure as its error.
    let same = |number: u32| win_error(number).and_then(|error| error.status).unwrap_or(number);
    codes.map(|code| Failure::Code(same(code))).chain(error(text).map(Failure::Error)).collect()
}

/// Whether a sentence of `text` names a missing file: `a.dll was not found`.
fn names_missing_file(text: &str) -> bool {
    let absent = words_of(Cue::Absent);
    let line_of = Line::new(text);
    let begins = std::iter::once(0).chain(line_of.sentences.iter().copied());
    begins.filter_map(|begins| text.get(begins..line_of.end(&line_of.sentences, begins))).any(|sentence| {
        let lower = sentence.to_lowercase();
        let named = || sentence.split([' ', '"', '\'', '“', '”', '„', '(', ')']).any(|word| image_name(word).is_some());
        absent.iter().any(|word| lower.contains(word)) && named()
    })
}

/// The compared part of an error line, from the error's name on: `RuntimeError: CUDA error: ...`.
fn error(text: &str) -> Option<String> {
    let words = text.match_indices([':', '#']).find_map(|(at, _)| {
        let before = text.get(..at)?.trim_end();
        let word = before.rsplit(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next()?;
        let begins = before.len().checked_sub(word.len())?;
        let lower = word.to_ascii_lowercase();
        (lower.ends_with("error") || lower.ends_with("exception")).then(|| text.get(begins..)).flatten()
    })?;
    let named = words.chars().take(TELLING).collect::<String>().to_lowercase();
    // A label with nothing behind it is none.
    (named.split_whitespace().count() > 1).then_some(named)
}

//! Histories: rows of months, days or versions, each with the failure of that time. Only the last row is the present.
//!
//! Rows are no history if one of them says that its failure continues, or if they may be of several computers. Two rows
//! are a history only if one of them says that it is about today.

use std::collections::BTreeSet;

use super::cues::{Cue, Kinds, LONGEST, cues_of, words_of};
use super::failures::failures;
use super::marked::Marked;
use crate::cue_words::is_one_of;
use crate::line::read_alone;
use crate::printed::has_time;

/// The most lines from one row of a history to the next.
const MOST_APART: usize = 3;
/// The most words of a row's label.
const MOST_WORDS: usize = 5;
/// The fewest rows of a history in which no row is marked as the present one.
const FEWEST_ROWS: usize = 3;
/// The most bytes of a row's label.
const LONGEST_LABEL: usize = 80;

/// The kind of label that the rows of a history have.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Months and days.
    Dates,
    /// Versions of the product with this name.
    Versions(String),
}

#[derive(Debug)]
struct Row {
    at: usize,
    kind: Option<Kind>,
    version: Vec<u32>,
    /// Whether it is about today.
    now: bool,
}

/// The positions of history rows that are about the past.
pub(super) fn past_rows(marked: &Marked) -> Vec<usize> {
    let outside = (0..marked.lines.len()).filter(|at| !marked.is_in_code(*at));
    let rows: Vec<Row> = outside.filter_map(|at| row(at, marked.text(at))).collect();
    let goes_on = |last: &Row, row: &Row| {
        let alike = row.kind.is_none() || last.kind.is_none() || row.kind == last.kind;
        alike && row.at.saturating_sub(last.at) <= MOST_APART
    };
    rows.chunk_by(goes_on).flat_map(|rows| past(marked, rows).unwrap_or_default()).collect()
}

/// The past rows, if the present row reports another failure or is marked as the present one.
fn past(marked: &Marked, rows: &[Row]) -> Option<Vec<usize>> {
    let kind = rows.iter().find_map(|row| row.kind.as_ref())?;
    let text = |row: &Row| marked.text(row.at);
    let fewest = if rows.iter().any(|row| row.now) { 2 } else { FEWEST_ROWS };
    let is_no_history = |row: &Row| marked.kinds(row.at).has(Cue::Still) || names_a_computer(text(row));
    if rows.len() < fewest || rows.iter().any(is_no_history) {
        return None;
    }
    // Stops that were different each time are one story.
    if rows.iter().filter(|row| read_alone(text(row), 0).bugcheck().is_some()).count() > 1 {
        return None;
    }
    let last = || match kind {
        Kind::Versions(_) => rows.iter().max_by(|a, b| a.version.cmp(&b.version)),
        Kind::Dates => rows.last(),
    };
    let present = rows.iter().rfind(|row| row.now).or_else(last)?;
    let here = failures(text(present));
    let others = || rows.iter().filter(|row| row.at != present.at);
    let before: BTreeSet<_> = others().flat_map(|row| failures(text(row))).collect();
    let is_another = here.is_disjoint(&before) && (present.now || !here.is_empty());
    is_another.then(|| others().map(|row| row.at).collect())
}

/// Whether a row names a computer: `PC-11`, `WS042`, `the laptop`.
fn names_a_computer(line: &str) -> bool {
    let is_name = |word: &str| {
        let digits = word.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        let number = digits.trim_start_matches('-');
        word.len().saturating_sub(digits.len()) > 1
            && !number.is_empty()
            && number.bytes().all(|digit| digit.is_ascii_digit())
    };
    line.split(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '-' | '.' | '_')))
        .any(|word| is_name(word) || is_one_of(word, words_of(Cue::Computer)))
}

fn row(at: usize, line: &str) -> Option<Row> {
    if line.len() > LONGEST {
        return None;
    }
    let line = line.trim_start_matches(|first: char| !first.is_alphanumeric());
    let label = label(line)?;
    let words: Vec<&str> = label.split_whitespace().collect();
    let (last, before) = words.split_last().filter(|_| words.len() <= MOST_WORDS)?;
    let first = words.first()?;
    let of_a_month = || cues_of(label, |kind| kind == Cue::Month).any(|(_, cue)| cue.start == 0);
    let now = Kinds::in_line(label).has(Cue::Now);
    let number = last.trim_start_matches(['v', 'V', '#']);
    let version: Vec<u32> = number.split('.').map_while(|part| part.parse().ok()).collect();
    // A log writes the time behind the day.
    let day = has_time(first) && !first.contains(':') && words.get(1).is_none_or(|second| second.starts_with('('));
    let kind = if day || of_a_month() {
        Some(Kind::Dates)
    } else if version.len() > 1 && version.len() == number.split('.').count() && !before.is_empty() {
        Some(Kind::Versions(before.join(" ").to_lowercase()))
    } else if now && first == last {
        None
    } else {
        return None;
    };
    Some(Row { at, kind, version, now })
}

/// The label at the beginning of a row, if text follows it.
fn label(line: &str) -> Option<&str> {
    let end = line.find([':', '：', '–', '—']).into_iter().chain(line.find(" - ")).min()?;
    let behind = line.get(end..)?.chars().skip(1).find(|letter| !letter.is_whitespace());
    let label = line.get(..end)?.trim_end();
    (behind.is_some() && !label.is_empty() && label.len() <= LONGEST_LABEL).then_some(label)
}

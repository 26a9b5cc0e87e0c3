//! Histories: rows of months, days or versions, each with the failure of that time. Only the last row is the present.
//!
//! Rows are no history if one of them says that its failure continues, or if they may be of several computers. Two rows
//! are a history only if one of them says that it is about today.

use std::ops::Range;

use super::Marked;
use super::cues::{Cue, LONGEST, cues_of, words_of};
use super::failures::{Failures, failures};
use crate::code_blocks::unquoted;
use crate::printed::has_time;
use crate::read_alone;
use evidence::TicketLine;

/// The most lines from one row of a history to the next.
const MOST_APART: usize = 3;
/// The most words of a row's label.
const MOST_WORDS: usize = 5;
/// The fewest rows that are a history although none says that it is about today.
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
    let lines = marked.lines;
    let mut past = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for (position, line) in lines.iter().enumerate() {
        let outside = !marked.is_in_code(position);
        let Some(row) = row(position, unquoted(&line.text)).filter(|_| outside) else { continue };
        let goes_on = rows.last().is_some_and(|last| {
            let alike = row.kind.is_none() || last.kind.is_none() || row.kind == last.kind;
            alike && position.saturating_sub(last.at) <= MOST_APART
        });
        if !goes_on {
            add_past(lines, &rows, &mut past);
            rows.clear();
        }
        rows.push(row);
    }
    add_past(lines, &rows, &mut past);
    past
}

/// Adds the past rows, if the present row reports another failure or says that it is the present.
fn add_past(lines: &[TicketLine], rows: &[Row], past: &mut Vec<usize>) {
    let Some(kind) = rows.iter().find_map(|row| row.kind.clone()).filter(|_| rows.len() > 1) else { return };
    if rows.len() < FEWEST_ROWS && !rows.iter().any(|row| row.now) {
        return;
    }
    let text = |row: &Row| lines.get(row.at).map_or("", |line| unquoted(&line.text));
    if rows.iter().any(|row| goes_on(text(row)) || names_a_computer(text(row))) {
        return;
    }
    // Stops that were different each time are one story.
    if rows.iter().filter(|row| read_alone(text(row), 0).bugcheck().is_some()).count() > 1 {
        return;
    }
    let last = || match kind {
        Kind::Versions(_) => rows.iter().max_by(|a, b| a.version.cmp(&b.version)),
        Kind::Dates => rows.last(),
    };
    let Some(present) = rows.iter().rfind(|row| row.now).or_else(last) else { return };
    let (mut here, mut before) = (Failures::default(), Failures::default());
    failures(text(present), &mut here);
    let others = || rows.iter().filter(|row| row.at != present.at);
    others().for_each(|row| failures(text(row), &mut before));
    if here.shares(&before) || (here.is_empty() && !present.now) {
        return;
    }
    past.extend(others().map(|row| row.at));
}

/// Whether a row says that its failure continues.
fn goes_on(line: &str) -> bool {
    cues_of(line, |kind| kind == Cue::Still).next().is_some()
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
        .any(|word| is_name(word) || words_of(Cue::Computer).contains(&&*word.to_lowercase()))
}

fn row(at: usize, line: &str) -> Option<Row> {
    if line.len() > LONGEST {
        return None;
    }
    let line = line.trim_start_matches(|first: char| !first.is_alphanumeric());
    let label = label(line)?;
    let words: Vec<&str> = line.get(label.clone())?.split_whitespace().collect();
    let (first, last) = (words.first()?, words.last()?);
    if words.len() > MOST_WORDS {
        return None;
    }
    let label = line.get(label)?;
    let begins = |kind: Cue| cues_of(label, move |of| of == kind).any(|(_, cue)| cue.start == 0);
    let now = cues_of(label, |kind| kind == Cue::Now).next().is_some();
    let number = last.trim_start_matches(['v', 'V', '#']);
    let version: Vec<u32> = number.split('.').map_while(|part| part.parse().ok()).collect();
    let stem = || words.iter().rev().skip(1).rev().map(|word| word.to_lowercase()).collect::<Vec<_>>().join(" ");
    // A log writes the time behind the day.
    let day = has_time(first) && !first.contains(':') && words.get(1).is_none_or(|second| second.starts_with('('));
    let kind = if day || begins(Cue::Month) {
        Some(Kind::Dates)
    } else if version.len() > 1 && version.len() == number.split('.').count() && !stem().is_empty() {
        Some(Kind::Versions(stem()))
    } else if now && first == last {
        None
    } else {
        return None;
    };
    Some(Row { at, kind, version, now })
}

/// The byte range of the label at the beginning of a row, if text follows it.
fn label(line: &str) -> Option<Range<usize>> {
    let end = line.find([':', '：', '–', '—']).into_iter().chain(line.find(" - ")).min()?;
    let behind = line.get(end..)?.chars().skip(1).find(|letter| !letter.is_whitespace());
    let end = line.get(..end)?.trim_end().len();
    (behind.is_some() && end > 0 && end <= LONGEST_LABEL).then_some(0..end)
}

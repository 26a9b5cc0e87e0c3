//! Lists of crashes: rows that begin with a date or a number, each with the stop or the exit code of a crash.
//!
//! People number what they did, too, and logs begin each line with a date. So every row has to report a crash, two of
//! them of different ones, no row says what a code means, and none has the time to the second. Three different blue
//! screens are one story: that they differ each time says more than each of them.

use std::collections::BTreeSet;

use super::Found;
use crate::code_blocks::unquoted;
use crate::cue_words::{Cue, has_word};
use crate::line::read_alone;
use crate::patterns::Border;
use crate::printed::has_time;
use crate::recognised::{BUGCHECK, CODE, Origin, Weight};
use evidence::TicketLine;

/// The kind of a border that a row makes.
pub(super) const BY_ROW: usize = usize::MAX - 3;

/// The most rows of a list of crashes: a longer one is a log.
const MOST_ROWS: usize = 16;
/// The most lines between two rows of a list.
const MOST_APART: usize = 3;
/// A list of so many different blue screens, and of nothing else, is the story of one machine.
const STOPS_OF_ONE_STORY: usize = 3;
/// How many borders are kept.
const MOST_BORDERS: usize = 256;

/// What the rows of a list begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// A number: `1.`, `2)`.
    Number(u32),
    /// A date.
    Date,
}

/// Where the rows of lists of crashes begin, and what comes behind each list.
pub(super) fn borders(lines: &[TicketLine]) -> Vec<Found> {
    let rows = lines.iter().enumerate().filter_map(|(at, line)| Some((at, label(unquoted(&line.text))?)));
    let rows: Vec<(usize, Label)> = rows.collect();
    let goes_on = |(last, before): &(usize, Label), (at, label): &(usize, Label)| {
        let next = match (before, label) {
            (Label::Number(before), Label::Number(number)) => before.checked_add(1) == Some(*number),
            (Label::Date, Label::Date) => true,
            _ => false,
        };
        next && at.saturating_sub(*last) <= MOST_APART
    };
    let mut found = Vec::new();
    rows.chunk_by(goes_on).for_each(|rows| add(lines, rows, &mut found));
    found.truncate(MOST_BORDERS);
    found
}

/// Adds the borders of a list, if its rows report different crashes.
fn add(lines: &[TicketLine], rows: &[(usize, Label)], found: &mut Vec<Found>) {
    if rows.len() < 2 || rows.len() > MOST_ROWS {
        return;
    }
    let crashes = rows.iter().map(|(at, _)| crash(unquoted(&lines.get(*at)?.text)));
    let Some(different) = crashes.collect::<Option<BTreeSet<Crash>>>() else { return };
    let one_story =
        different.len() >= STOPS_OF_ONE_STORY && different.iter().all(|crash| matches!(crash, Crash::Stop(_)));
    if different.len() < 2 || one_story {
        return;
    }
    let border = |at: usize, border: Border| Found { at, kind: BY_ROW, border, names: None };
    found.extend(rows.iter().map(|(at, _)| border(*at, Border::Begins)));
    if let Some((last, _)) = rows.last() {
        let behind = lines.get(last.saturating_add(1)..).unwrap_or_default();
        let continued = behind.iter().take_while(|line| line.text.starts_with([' ', '\t'])).count();
        // What comes behind the list is none of its rows.
        found.push(border(last.saturating_add(continued).saturating_add(1), Border::Problem));
    }
}

/// What a row reports, by its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Crash {
    Stop(u32),
    Program(u32),
}

/// The stop or exit code that a row reports.
fn crash(row: &str) -> Option<Crash> {
    if has_word(row, Cue::Meaning) {
        return None;
    }
    let said = read_alone(row, 0);
    let more_than = |origin: Option<Origin>, least: Weight| origin.is_some_and(|origin| origin.weight < least);
    let stop = said.bugcheck().filter(|_| more_than(said.origin_of(BUGCHECK), Weight::Passing));
    let code = said.ticket.code.filter(|_| more_than(said.origin_of(CODE), Weight::Bare));
    stop.map(|stop| Crash::Stop(stop.plain())).or_else(|| code.map(|code| Crash::Program(code.0)))
}

/// What a line begins with, if it may be a row.
fn label(line: &str) -> Option<Label> {
    let line = line.trim_start_matches(['-', '*', '•', '–', '|', ' ']);
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if let Some(number) = first.strip_suffix(['.', ')']).and_then(|number| number.parse().ok()) {
        return Some(Label::Number(number));
    }
    let date = first.trim_end_matches([':', ',']);
    let parts = ['-', '/', '.'].iter().map(|mark| date.split(*mark).filter(|part| !part.is_empty()).count()).max();
    // `10:11:12` is the time to the second.
    let to_the_second = words.next().is_some_and(|second| second.trim_end_matches(':').matches(':').count() > 1);
    (has_time(date) && !date.contains(':') && parts == Some(3) && !to_the_second).then_some(Label::Date)
}

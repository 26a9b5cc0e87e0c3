//! Replies that deny a failure which another person asked about: `none of these`, `I do not get that`.
//!
//! `None of these` also ends a list of remedies that did not help, and `I do not get that` is said by who does not
//! understand. So only what was asked is taken back, or what another answered to the one who has the trouble.

use super::cues::{Cue, cues_of, words_of};
use super::marked::Marked;
use crate::code_blocks::unquoted;
use crate::printed::{Printed, is_said_in_a_chat, printed};
use crate::sentences::Line;
use crate::values::beginning;

/// The most lines of one person's message in a chat or thread.
const MOST_OF_ONE: usize = 60;
/// The most lines of a paragraph that a reply refers to.
const MOST_OF_A_PARAGRAPH: usize = 5;
/// The most characters of a line that names the next speaker.
const LONGEST_NAMING: usize = 120;
/// The most words of a speaker's name.
const MOST_NAMES: usize = 4;

/// The positions of lines by others that a reply denies.
pub(super) fn retracted(marked: &Marked) -> Vec<usize> {
    let said = marked.with(&[Cue::Retraction]);
    let said = said.filter(|(_, text)| printed(text) == Printed::No || is_said_in_a_chat(text));
    let retracts = |text: &str| {
        let line_of = Line::new(text);
        cues_of(text, |kind| kind == Cue::Retraction).any(|(_, cue)| {
            let end = line_of.end(&line_of.clauses, cue.end.saturating_sub(1));
            let behind = text.get(cue.end..end).unwrap_or_default().to_lowercase();
            !line_of.is_quoted(cue.start) && !words_of(Cue::Helping).iter().any(|word| behind.contains(word))
        })
    };
    said.filter(|(_, text)| retracts(text)).flat_map(|(position, _)| spoken_of(marked, position)).collect()
}

/// The lines that the reply at `position` refers to: the message before it of the person who answers the one with the
/// problem, or the questions in the line or paragraph before it.
fn spoken_of(marked: &Marked, position: usize) -> Vec<usize> {
    let lines = marked.lines;
    let speakers = |before: usize| {
        let from = before.saturating_sub(MOST_OF_ONE);
        (from..before).rev().find_map(|at| Some((at, speaker(&lines.get(at)?.text)?)))
    };
    if let Some((begins, who)) = speakers(position.saturating_add(1)) {
        // The first to speak is the one whose trouble it is.
        let first = lines.iter().take(begins).find_map(|line| speaker(&line.text));
        return match speakers(begins) {
            Some((other, name)) if name != who && first == Some(who) => (other..begins).collect(),
            _ => Vec::new(),
        };
    }
    let follows = |at: usize| at > 0 && !marked.is_parted(at);
    let last = position.saturating_sub(1);
    let paragraph = || (last.saturating_sub(MOST_OF_A_PARAGRAPH)..=last).rev().find(|at| !follows(*at));
    let first = if follows(position) { last } else { paragraph().unwrap_or(last) };
    (first..position).filter(|at| marked.text(*at).trim_end().ends_with(['?', '？'])).collect()
}

/// The speaker whose message begins with this line: `[10:13] anna: ...`, `[Yesterday 16:41] Lena Roth`, `anna  9:02 AM`,
/// `user_a wrote:`, `Comment 3 (OP): ...`.
fn speaker(line: &str) -> Option<String> {
    let line = beginning(unquoted(line), LONGEST_NAMING);
    let named = |name: &str| {
        let name = name.trim();
        let words = name.split_whitespace().count();
        ((1..=MOST_NAMES).contains(&words) && name.starts_with(char::is_alphabetic)).then(|| name.to_lowercase())
    };
    let is_hour = |word: &str| {
        let parts: Vec<&str> = word.split(':').collect();
        let digits =
            parts.iter().all(|part| matches!(part.len(), 1 | 2) && part.bytes().all(|digit| digit.is_ascii_digit()));
        digits && parts.len() == 2
    };
    if let Some((time, said)) = line.strip_prefix('[').and_then(|inside| inside.split_once("] ")) {
        let at_a_time = time.split_whitespace().any(is_hour);
        return named(said.split(": ").next()?).filter(|_| at_a_time);
    }
    let lower = line.trim_end().to_lowercase();
    if let Some(name) = words_of(Cue::Wrote).iter().find_map(|wrote| lower.strip_suffix(wrote)) {
        return named(name);
    }
    if let Some(rest) = lower.strip_prefix("comment ")
        && rest.starts_with(|first: char| first.is_ascii_digit())
    {
        // A comment's number tells less than the name behind it.
        let (label, _) = lower.split_once(':')?;
        let name = label.split_once('(').and_then(|(_, name)| name.trim_end().strip_suffix(')'));
        return Some(name.unwrap_or(label).to_owned());
    }
    let (name, time) = line.trim_end().rsplit_once("  ")?;
    let mut words = time.split_whitespace();
    let at_a_time = words.next().is_some_and(is_hour) && words.all(|word| matches!(word, "AM" | "PM"));
    named(name).filter(|_| at_a_time)
}

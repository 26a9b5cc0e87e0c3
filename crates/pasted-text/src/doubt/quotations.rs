//! Messages that somebody quotes: denied, or without a word that they appeared.

use std::ops::Range;

use super::cues::{Cue, LONGEST, MOST_CUES, words_of};
use crate::code_blocks::unquoted;
use crate::cue_words::{is_one_of, words};
use crate::printed::{Printed, printed};
use crate::sentences::Line;
use evidence::TicketLine;

/// The fewest words of a quoted message; a shorter quotation is a name.
const FEWEST_QUOTED: usize = 3;
/// The number of words after a quotation that are searched for one that denies it.
const MOST_BEHIND: usize = 8;
/// The number of words before a quotation that are searched for one that denies it: `does not show the message "..."`.
const MOST_BEFORE: usize = 5;
/// The most lines of a quotation after its first.
const MOST_QUOTED_LINES: usize = 20;
/// Marks that open quotations of several lines, and those that close them.
const OPENING: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
/// What quotations begin with.
pub(super) const QUOTATION_MARKS: [char; 6] = ['"', '\'', '`', '“', '„', '«'];
/// The fewest words of the writer's own before a quotation that is part of a sentence.
const FEWEST_BEFORE: usize = 2;

/// The number of lines of a quotation that begins in the first line and ends in a later one.
pub(super) fn quoted_lines(lines: &[TicketLine]) -> Option<usize> {
    let first = unquoted(&lines.first()?.text);
    let (_, closing) = OPENING.iter().find(|(opening, _)| first.starts_with(*opening))?;
    let inside = first.get(first.chars().next()?.len_utf8()..)?;
    if inside.contains(*closing) {
        return None;
    }
    let end = lines.iter().skip(1).take(MOST_QUOTED_LINES).position(|line| line.text.contains(*closing))?;
    end.checked_add(1)
}

/// A line without the messages that it only quotes, if there are any.
pub(super) fn without_quoted(line: &str) -> Option<String> {
    if line.len() > LONGEST || !line.contains(QUOTATION_MARKS) || printed(line) != Printed::No {
        return None;
    }
    let line_of = Line::new(line);
    let words = |from: usize, to: usize| words(line.get(from..to).unwrap_or_default());
    let is_report = |word: &str| is_one_of(word, words_of(Cue::Report));
    let mut kept = String::with_capacity(line.len());
    let mut at = 0;
    for quote in line_of.quotes.iter().take(MOST_CUES) {
        let start = line_of.sentence_start(quote.start);
        let end = line_of.end(&line_of.clauses, quote.end);
        let only_quoted = words(quote.start, quote.end).nth(FEWEST_QUOTED.saturating_sub(1)).is_some()
            && words(start, quote.start).nth(FEWEST_BEFORE.saturating_sub(1)).is_some()
            && !words(start, quote.start).chain(words(quote.end, end)).any(is_report);
        if only_quoted {
            kept.push_str(line.get(at..quote.start).unwrap_or_default());
            at = quote.end;
        }
    }
    (at > 0).then(|| {
        kept.push_str(line.get(at..).unwrap_or_default());
        kept
    })
}

/// The sentences that quote a message and deny that it appears: `the message "..." does not appear here`. The negation
/// belongs to a word of `report`, behind the quotation or just before it, in the same clause.
pub(super) fn denied_quotations(line_of: &Line) -> Vec<Range<usize>> {
    let line = line_of.text;
    let words = |from: usize, to: usize| words(line.get(from..to).unwrap_or_default());
    let is = |word: &str, cue: Cue| is_one_of(word, words_of(cue));
    let appears = |word: &&str| is(word, Cue::Report) || is(word, Cue::Appearing);
    let mut denied = Vec::new();
    for quote in line_of.quotes.iter().take(MOST_CUES) {
        if words(quote.start, quote.end).nth(FEWEST_QUOTED.saturating_sub(1)).is_none() {
            continue;
        }
        let start = line_of.sentence_start(quote.start);
        let behind = words(quote.end, line_of.end(&line_of.clauses, quote.end));
        let behind: Vec<&str> = behind.take_while(|word| !is(word, Cue::Joining)).take(MOST_BEHIND).collect();
        let before = words(start, quote.start).rev().take(MOST_BEFORE).take_while(|word| !is(word, Cue::Joining));
        let mut before: Vec<&str> = before.collect();
        before.reverse();
        // What "didn't exit successfully" failed.
        let negated = |words: &[&str]| {
            let pairs = words.iter().zip(words.iter().skip(1)).enumerate();
            let mut denied = pairs.filter(|(_, (first, second))| is(first, Cue::Negation) && appears(second));
            denied.any(|(at, _)| words.get(at.saturating_add(2)).is_none_or(|next| !is(next, Cue::Wanted)))
        };
        let denied_behind = behind.iter().any(appears) && behind.iter().any(|word| is(word, Cue::NegationBehind));
        if denied_behind || negated(&behind) || negated(&before) {
            denied.push(start..line_of.end(&line_of.sentences, quote.end));
        }
    }
    denied
}

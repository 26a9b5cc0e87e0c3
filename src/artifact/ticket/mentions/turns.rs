//! Turns of a story: what was so before, or with somebody else, until the text turns to another failure.
//!
//! `Yesterday I got this: ... I copied the file. Today it ends with -1073740791.` tells of two failures, and only the
//! second is there now. A turn needs three things: words that place what comes before it (`before`, `over`, `remedy`,
//! `others`), words that turn (`now`, `mine`; what is over turns by itself), and a failure behind them that is not the one
//! before. Where the same failure comes again, nothing has turned.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Marked;
use super::cues::{CUES, Cue, LONGEST, cues_of};
use super::failures::{Failures, failures};
use super::mails::older_mails;
use crate::artifact::ticket::fences::unquoted;
use crate::artifact::ticket::printed::{Printed, is_said_in_a_chat, printed};
use crate::artifact::ticket::sentences::Line;
use crate::evidence::TicketLine;

/// A place in the text: the position of a line, and a byte of what stands in it behind the marks of quoting.
pub(super) type Spot = (usize, usize);

/// As many turns of a text as are looked at.
const MOST_TURNS: usize = 16;
/// As many sentences with words of a turn as are looked at.
const MOST_SENTENCES: usize = 2048;
/// As many lines as are looked through for the failure that a turn leads to.
const MOST_BEHIND: usize = 40;
/// In so many lines a turn says in words what fails now.
const LINES_OF_A_TURN: usize = 2;
/// A turn says something of no more lines than these before it.
const MOST_BEFORE: usize = 400;
/// As many words before a cue as are looked through for one that denies it.
const MOST_TO_NEGATION: usize = 3;
/// What began at some time goes on: `since yesterday`.
const SINCE: [&str; 12] = ["since", "seit", "depuis", "desde", "da", "dal", "od", "со", "с", "started", "began", "ab"];
/// What stands before such words in languages without blanks, and denies them or makes them a beginning.
const GLUED: [&str; 7] = ["没", "未", "不", "無", "没有", "自", "从"];
/// Words with which people begin what they tell of one of several settings: `With A I got ... With B it ...`.
const SETTINGS: [&str; 19] = [
    "with", "under", "on", "in", "using", "mit", "unter", "auf", "avec", "sous", "sur", "con", "en", "com", "em", "su",
    "с", "на", "под",
];

/// Bytes of the longest of them.
const LONGEST_SETTING: usize = 6;

/// A sentence of somebody's with words of a turn.
struct Sentence {
    at: Spot,
    end: usize,
    /// Where the clause ends that has the last of its words that something is over.
    over: Option<usize>,
    /// Where its first word of the present begins.
    now: Option<usize>,
    /// Where its first words of an earlier time begin, of others, and of oneself.
    before: Option<usize>,
    others: Option<usize>,
    mine: Option<usize>,
    still: bool,
    /// The word of `SETTINGS` that it begins with.
    setting: Option<&'static str>,
}

/// The parts of the text that are over, or somebody else's, when it turns to another failure.
pub(super) fn told_before(marked: &Marked) -> Vec<Range<Spot>> {
    let lines = marked.lines;
    let sentences = sentences(marked);
    if sentences.is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let mut begins: Spot = (0, 0);
    let mut turns = 0_usize;
    // Mails stand above those that they answer.
    let older = older_mails(lines).unwrap_or(lines.len());
    for (index, sentence) in sentences.iter().enumerate() {
        let earlier = sentences.get(..index).unwrap_or_default();
        let Some((part, behind)) = turn(sentence, earlier, begins) else { continue };
        let until = if behind.0 < older { older } else { lines.len() };
        let after = failures_behind(lines, behind, until);
        if after.is_empty() {
            continue;
        }
        turns = turns.saturating_add(1);
        if turns > MOST_TURNS {
            break;
        }
        let answered = (older, 0)..(lines.len(), 0);
        let of_an_answer = sentence.over.is_some() && behind.0 < older && older < lines.len();
        if of_an_answer && !after.shares(&failures_in(lines, &answered)) {
            parts.push(answered);
        }
        if !after.shares(&failures_in(lines, &part)) {
            begins = part.end;
            parts.push(part);
        }
    }
    parts
}

/// What a sentence says is over or somebody else's, and where what it turns to begins.
fn turn(sentence: &Sentence, earlier: &[Sentence], begins: Spot) -> Option<(Range<Spot>, Spot)> {
    let (line, start) = sentence.at;
    let floor = begins.max((line.saturating_sub(MOST_BEFORE), 0));
    if let Some(over) = sentence.over {
        let end = (line, over);
        return Some((floor..end, end));
    }
    let turns = |wanted: &dyn Fn(&Sentence) -> bool| {
        earlier.iter().find(|other| other.at >= floor && wanted(other)).map(|other| other.at)
    };
    if sentence.still {
        return None;
    }
    let within = |first: Option<usize>, then: usize| {
        let end = (line, then);
        first.filter(|first| *first < then).map(|_| ((line, start)..end, end))
    };
    if let Some(now) = sentence.now {
        let of_then =
            |other: &Sentence| other.before.is_some() || (other.setting.is_some() && other.setting == sentence.setting);
        return within(sentence.before, now).or_else(|| turns(&of_then).map(|from| (from..sentence.at, sentence.at)));
    }
    let mine = sentence.mine?;
    within(sentence.others, mine).or_else(|| {
        let of_others = |other: &Sentence| other.others.is_some();
        turns(&of_others).filter(|_| sentence.others.is_none()).map(|from| (from..sentence.at, sentence.at))
    })
}

/// The failures that the text tells of behind a turn, in the lines before the one at `until`.
fn failures_behind(lines: &[TicketLine], (line, at): Spot, until: usize) -> Failures {
    let mut after = Failures::default();
    for (position, line_after) in lines.iter().enumerate().take(until).skip(line).take(MOST_BEHIND) {
        let text = unquoted(&line_after.text);
        let text = if position == line { text.get(at..).unwrap_or_default() } else { text };
        failures(text, &mut after, position.saturating_sub(line) < LINES_OF_A_TURN);
    }
    after
}

fn failures_in(lines: &[TicketLine], part: &Range<Spot>) -> Failures {
    let mut found = Failures::default();
    for position in (part.start.0..=part.end.0).take(MOST_BEFORE) {
        if let Some(text) = lines.get(position).and_then(|line| inside(unquoted(&line.text), position, part)) {
            failures(text, &mut found, false);
        }
    }
    found
}

/// What a part of the text has of the line at `position`.
pub(super) fn inside<'l>(line: &'l str, position: usize, part: &Range<Spot>) -> Option<&'l str> {
    let from = if position == part.start.0 { part.start.1 } else { 0 };
    let to = if position == part.end.0 { part.end.1 } else { line.len() };
    line.get(from..to)
}

/// The sentences that somebody wrote with words of a turn.
fn sentences(marked: &Marked) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for (position, line) in marked.lines.iter().enumerate() {
        let text = unquoted(&line.text);
        if marked.is_in_code(position) || text.len() > LONGEST || sentences.len() >= MOST_SENTENCES {
            continue;
        }
        if !marked.kinds(position).any(Cue::turns) && setting(text).is_none() {
            continue;
        }
        if printed(text) != Printed::No && !is_said_in_a_chat(text) {
            continue;
        }
        add_sentences(position, text, cues_of(text, Cue::turns).collect(), &mut sentences);
    }
    sentences
}

fn add_sentences(position: usize, text: &str, found: Vec<(Cue, Range<usize>)>, sentences: &mut Vec<Sentence>) {
    let line_of = Line::of(text);
    let starts: BTreeSet<usize> = std::iter::once(0).chain(line_of.sentences.iter().copied()).collect();
    for start in starts.into_iter().filter(|start| *start < text.len()) {
        let end = line_of.end(&line_of.sentences, start);
        let words = text.get(start..end).unwrap_or_default();
        let mut sentence = Sentence {
            at: (position, start),
            end,
            over: None,
            now: None,
            before: None,
            others: None,
            mine: None,
            still: false,
            setting: setting(words),
        };
        let asked = words.trim_end().ends_with(['?', '？']);
        for (kind, cue) in found.iter().filter(|(_, cue)| (start..end).contains(&cue.start)) {
            if !line_of.is_quoted(cue.start) {
                sentence.take(*kind, cue, &line_of, asked);
            }
        }
        sentence.drop_what_did_not_help(&found, &line_of);
        if sentence.says_something() {
            sentences.push(sentence);
        }
    }
}

impl Sentence {
    fn take(&mut self, kind: Cue, cue: &Range<usize>, line: &Line, asked: bool) {
        let before = line.text.get(self.at.1..cue.start).unwrap_or_default();
        let last = |most| {
            before.split(|letter: char| !letter.is_alphanumeric()).rev().filter(|word| !word.is_empty()).take(most)
        };
        let is = |word: &str, list: &[&str]| list.contains(&&*word.to_lowercase());
        let glued = GLUED.iter().any(|glued| before.ends_with(glued));
        let denied =
            || glued || last(MOST_TO_NEGATION).any(|word| is(word, CUES.negation) || is(word, CUES.negation_behind));
        let clause_end = line.end(&line.clauses, cue.end.saturating_sub(1));
        // A label may stand before: `EDIT: solved`.
        let begins = before.trim_end();
        let begins = begins.is_empty() || begins.ends_with([',', ':', '-', '–', '>', '(', '#', ';']);
        match kind {
            Cue::Before if !glued && !last(1).any(|word| is(word, &SINCE)) => {
                self.before = self.before.or(Some(cue.start));
            }
            Cue::Over if !asked && !denied() && !last(usize::MAX).any(|word| is(word, CUES.open)) => {
                self.over = Some(clause_end);
            }
            Cue::Remedy if !asked && begins => self.over = self.over.or(Some(cue.end)),
            Cue::Others => self.others = self.others.or(Some(cue.start)),
            Cue::Mine => self.mine = self.mine.or(Some(cue.start)),
            Cue::Now => self.now = self.now.or(Some(cue.start)),
            Cue::Still => self.still = true,
            _ => {}
        }
    }

    /// `I reinstalled it: no change` is no turn; `it works again` is one.
    fn drop_what_did_not_help(&mut self, found: &[(Cue, Range<usize>)], line: &Line) {
        let (start, end) = (self.at.1, self.end);
        let last_of = |wanted: &dyn Fn(Cue) -> bool| {
            let inside =
                found.iter().filter(|(_, cue)| (start..end).contains(&cue.start) && !line.is_quoted(cue.start));
            inside.filter(|(kind, _)| wanted(*kind)).map(|(_, cue)| cue.clone()).max_by_key(|cue| cue.end)
        };
        let helped = last_of(&|kind| matches!(kind, Cue::Over | Cue::Remedy));
        let still = last_of(&|kind| kind == Cue::Still);
        if helped.zip(still).is_some_and(|(helped, still)| still.start >= helped.end) {
            self.over = None;
        }
    }

    fn says_something(&self) -> bool {
        self.over.is_some()
            || self.now.is_some()
            || self.before.is_some()
            || self.others.is_some()
            || self.mine.is_some()
            || (self.setting.is_some() && self.end > self.at.1)
    }
}

/// The word of `SETTINGS` that a sentence begins with.
fn setting(sentence: &str) -> Option<&'static str> {
    let first = sentence.split_whitespace().next().filter(|first| first.len() <= LONGEST_SETTING)?.to_lowercase();
    SETTINGS.into_iter().find(|word| *word == first)
}

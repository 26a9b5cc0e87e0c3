//! The parts of a line, and of the lines beside it, that cue words put in doubt.

use std::ops::Range;

use super::cues::{CUES, Cue, Kinds, LONGEST, MOST_CUES, words_of};
use super::quotations::{QUOTATION_MARKS, denied_quotations};
use crate::cue_words::{has_word, is_one_of, words};
use crate::printed::{Printed, printed};
use crate::sentences::{Line, is_apart, without};

/// The most words between a denial and the colon by which it announces the next line.
const MOST_ANNOUNCING: usize = 3;

/// The most words before the one that a question begins with: `Hi all, would ...`.
const MOST_GREETING: usize = 2;

/// The most words between a cue and the colon that announces the next line.
const MOST_TO_COLON: usize = 8;
/// The number of characters at the beginning of a clause that are searched for introducing words.
const LONGEST_BEGINNING: usize = 48;
/// The number of words after `neither` that are searched for an error: `OMP: Error #15`.
const MOST_TO_ERROR: usize = 2;

/// A line that is in doubt.
pub(super) struct Doubt {
    /// The part of the line that is certain.
    pub(super) certain: String,
    /// Whether the line denies what the next line reports.
    pub(super) announces: bool,
    /// Whether the line reports that the failure of the line before is resolved.
    pub(super) retracts: bool,
}

/// The rest of a line, printed or written, after words that report that the program recovered from what is before them.
pub(super) fn recovered(line: &str) -> Option<&str> {
    if line.len() > LONGEST {
        return None;
    }
    let cues = CUES.finder.all_in(line).into_iter().take(MOST_CUES);
    let recoveries = cues.filter(|cue| CUES.kinds.get(cue.index) == Some(&Cue::Recovery));
    let end = recoveries.map(|cue| cue.range).filter(|cue| is_apart(line, cue.clone())).map(|cue| cue.end).max()?;
    line.get(end..)
}

/// The doubt about a line with words of these kinds, and with the parts `other` that are in doubt; `None` if there is
/// none.
pub(super) fn doubt(line: &str, kinds: Kinds, other: &[Range<usize>]) -> Option<Doubt> {
    let has_words = kinds.any(Cue::is_of_a_sentence) || line.contains(QUOTATION_MARKS) || !other.is_empty();
    if line.len() > LONGEST || !has_words {
        return None;
    }
    let printed = printed(line);
    if printed == Printed::Whole {
        return None;
    }
    let line_of = Line::new(line);
    let mut doubtful: Vec<Range<usize>> = if printed == Printed::No { denied_quotations(&line_of) } else { Vec::new() };
    doubtful.extend_from_slice(other);
    let (mut announces, mut retracts) = (false, false);
    let cues = CUES.finder.all_in(line).into_iter().filter_map(|cue| {
        let kind = *CUES.kinds.get(cue.index)?;
        (kind.is_of_a_sentence() && !line_of.is_quoted(cue.range.start) && is_apart(line, cue.range.clone()))
            .then_some((kind, cue.range))
    });
    for (kind, cue) in cues.take(MOST_CUES) {
        if printed == Printed::Message && !kind.denies() {
            continue;
        }
        let Some(range) = line_of.doubted_by(kind, &cue) else { continue };
        // A mark at the words' own end may be the colon.
        let between = line.get(cue.start..).unwrap_or_default().trim_end().strip_suffix(':');
        let words_between = between.and_then(|between| between.get(cue.len()..)).unwrap_or_default();
        let most = if kind == Cue::Denial { MOST_ANNOUNCING } else { MOST_TO_COLON };
        announces |= kind.announces()
            && between.is_some()
            && range.end == line.len()
            && (kind.announces_from_anywhere() || line_of.end(&line_of.clauses, cue.end) == line.len())
            && words_between.split_whitespace().count() <= most;
        retracts |= kind == Cue::Past && line_of.sentence_start(cue.start) == 0 && points_back(line);
        doubtful.push(range);
    }
    let certain = without(line, &doubtful)?.trim().to_owned();
    Some(Doubt { certain, announces, retracts })
}

impl Line<'_> {
    /// What words put in doubt, if anything. A message of several sentences is in doubt as a whole.
    fn doubted_by(&self, kind: Cue, cue: &Range<usize>) -> Option<Range<usize>> {
        let range = self.sentence_of(kind, cue)?;
        let mut end = range.end;
        while self.sentences.binary_search(&end).is_ok() && self.begins(end, words_of(Cue::Continued)) {
            end = self.end(&self.sentences, end);
        }
        Some(range.start..end)
    }

    /// The part behind the byte at `at`, from its first letter or digit on.
    fn behind(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default().trim_start_matches(|letter: char| !letter.is_alphanumeric())
    }

    /// Whether the part behind the byte at `at` begins with one of these words, which are in lower case.
    fn begins(&self, at: usize, words: &[&str]) -> bool {
        let behind = self.behind(at);
        words.iter().any(|word| behind.get(..word.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(word)))
    }

    /// Whether the part behind the byte at `at` begins with one of these words and a blank.
    fn begins_apart(&self, at: usize, words: &[&str]) -> bool {
        let behind = self.behind(at);
        let apart = |word: &&str| behind.get(word.len()..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
        words.iter().filter(|word| apart(word)).any(|word| self.begins(at, &[word]))
    }

    /// Whether the clause behind the byte at `at` begins with one of these words, perhaps joined to the part before:
    /// `, but now ...`.
    pub(super) fn begins_joined(&self, at: usize, words: &[&str]) -> bool {
        let clause: String = self.behind(at).chars().take(LONGEST_BEGINNING).flat_map(char::to_lowercase).collect();
        let joined = clause.split(char::is_whitespace).next().filter(|word| words_of(Cue::Introducing).contains(word));
        let clause = joined.and_then(|word| clause.get(word.len()..)).unwrap_or(&clause).trim_start();
        words.iter().any(|word| clause.starts_with(word) && is_apart(clause, 0..word.len()))
    }

    /// Whether the clause behind the byte at `at` begins with a word of the present.
    fn begins_today(&self, at: usize) -> bool {
        self.begins_joined(at, words_of(Cue::Today))
    }

    /// What words put in doubt of the sentences around them.
    fn sentence_of(&self, kind: Cue, cue: &Range<usize>) -> Option<Range<usize>> {
        let start = self.sentence_start(cue.start);
        let before = self.text.get(start..cue.start).unwrap_or_default();
        let last_word = before.split_whitespace().next_back().unwrap_or_default();
        // A mark at the words' own end ends nothing that goes on.
        let sentence_end = self.end(&self.sentences, cue.end);
        let clause_end = self.end(&self.clauses, cue.end);
        match kind {
            Cue::Denial if self.begins(cue.end, words_of(Cue::Undenied)) => None,
            Cue::Denial | Cue::Contrast | Cue::Elsewhere => Some(cue.start..clause_end),
            Cue::Neither => {
                let behind = self.text.get(cue.end..clause_end).unwrap_or_default();
                (names_an_error(behind) || behind.split_whitespace().take(MOST_TO_ERROR).any(is_error))
                    .then_some(cue.start..clause_end)
            }
            Cue::Absence => {
                let behind = self.text.get(cue.end..clause_end).unwrap_or_default();
                let from = self.text.get(cue.start..clause_end).unwrap_or_default();
                (begins_clause(self.text.get(..cue.start)?)
                    && names_something(behind)
                    && (names_an_error(behind) || !is_own(from)))
                .then_some(cue.start..clause_end)
            }
            // What began then goes on.
            Cue::Past if is_one_of(last_word, words_of(Cue::Since)) => None,
            Cue::Past => {
                let sentence = before.trim_start_matches(|letter: char| !letter.is_alphanumeric());
                let begun = self.text.get(start..).unwrap_or_default();
                let begun = if sentence.is_empty() { begun } else { sentence };
                let start = if points_back(begun) { self.sentence_start(start.saturating_sub(1)) } else { start };
                let tells_what = self.begins_apart(sentence_end, words_of(Cue::ItWas));
                // "It was this yesterday, today it is that."
                if clause_end < sentence_end && self.begins_today(clause_end) {
                    return Some(start..clause_end);
                }
                Some(start..if tells_what { self.end(&self.sentences, sentence_end) } else { sentence_end })
            }
            Cue::Answer => {
                let before = self.text.get(..cue.start)?.trim_end();
                let last = self.text.trim_end().len() == cue.end;
                (last && before.ends_with([':', '?', '-', '–', '—', '|', '='])).then_some(0..self.text.len())
            }
            // "It should be enough, but I get this."
            Cue::Advice if clause_end < sentence_end && self.begins_today(clause_end) => Some(start..clause_end),
            Cue::Advice => Some(start..sentence_end),
            Cue::Instance => (!is_in_first_person(before)).then_some(start..sentence_end),
            Cue::Condition => {
                // `README: if the message ...`
                let label = before.trim().strip_suffix(':').is_some_and(|label| !label.contains(char::is_whitespace));
                // "Solved the error of the plug-in, now it ends with another."
                let today = clause_end < sentence_end && self.begins_today(clause_end);
                let end = if today { clause_end } else { sentence_end };
                (label || !before.contains(char::is_alphanumeric)).then_some(start..end)
            }
            Cue::Request => Some(cue.start..sentence_end),
            Cue::Question => {
                let sentence = self.text.get(start..sentence_end)?;
                let asked = sentence.trim_end().trim_end_matches(['"', '”', '“', '»', ')']).ends_with('?');
                let greeted = before.split_whitespace().count() <= MOST_GREETING;
                (asked && greeted && !is_in_first_person(sentence)).then_some(start..sentence_end)
            }
            // The others are no matter of one sentence.
            _ => None,
        }
    }
}

/// Whether the first word of a text points back to what is before it.
fn points_back(text: &str) -> bool {
    words(text).next().is_some_and(|word| is_one_of(word, words_of(Cue::PointingBack)))
}

/// Whether a clause begins behind `before`.
fn begins_clause(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    word.is_empty() || is_one_of(word, words_of(Cue::Opening))
}

/// Whether what is absent is named: in quotation marks, by a code or by a name, with at most a word before it.
fn names_something(behind: &str) -> bool {
    behind.split_whitespace().take(2).any(|word| {
        let capitals = word.chars().filter(|letter| letter.is_uppercase()).count();
        word.trim_start_matches('(').starts_with(['"', '\'', '`', '“', '„', '«'])
            || capitals >= 2
            || word.contains(|letter: char| letter.is_ascii_digit())
    })
}

/// Whether what is absent is an error: a message in quotation marks, a code, or a name in capitals as codes have.
fn names_an_error(behind: &str) -> bool {
    let in_code = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    behind.split_whitespace().take(2).any(|word| {
        let word = word.trim_start_matches(['(', '[']).trim_end_matches(|end: char| !end.is_alphanumeric());
        let number = word.get(..2).is_some_and(|begins| begins.eq_ignore_ascii_case("0x"));
        word.starts_with(['"', '“', '„', '«'])
            || number
            || word.eq_ignore_ascii_case("winerror")
            || (word.contains('_') && word.chars().all(in_code))
    })
}

/// Whether a word is the name of an error: `OSError:`, `Error`.
fn is_error(word: &str) -> bool {
    word.trim_end_matches(|end: char| !end.is_alphanumeric()).ends_with("Error")
}

/// Whether an error message reports that something is absent.
fn is_own(clause: &str) -> bool {
    let clause = clause.to_ascii_lowercase();
    words_of(Cue::OfErrors).iter().any(|own| clause.contains(own))
}

/// Whether the author reports what happened to them: in the first person.
pub(super) fn is_in_first_person(text: &str) -> bool {
    has_word(text, Cue::Oneself) || has_word(text, Cue::Ourselves)
}

//! Sentences about the computer of somebody else, beside those about the writer's own: `My brother's laptop says this.
//! My PC ...`.
//!
//! A ticket may be about the brother's laptop alone. So sentences about another computer are in doubt only where
//! another sentence reports a failure of the writer's own.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Marked;
use super::cues::{Cue, LONGEST, cues_of, words_of};
use super::failures::{Failures, failures};
use crate::code_blocks::unquoted;
use crate::cue_words::has_word;
use crate::printed::{Printed, printed};
use crate::sentences::Line;

/// The most words between the owner and the computer: `my brother's old gaming laptop`.
const MOST_BEFORE_COMPUTER: usize = 3;
/// The most words of a sentence before the writer's own computer: `And on my PC ...`.
const MOST_BEFORE_OWN: usize = 2;

/// The byte ranges of sentences, by the position of their line.
type Sentences = BTreeMap<usize, Vec<Range<usize>>>;

/// By position, the sentences about the computer of somebody else, where the writer's own fails, too.
pub(super) fn on_other_computers(marked: &Marked) -> Sentences {
    let (others, mine) = (sentences(marked, Cue::OnOtherComputer), sentences(marked, Cue::OnOwnComputer));
    if others.is_empty() || !fails_here(marked, &mine) || are_one(marked, &others, &mine) {
        return Sentences::new();
    }
    others
}

/// Whether both report the same failure, and one of them says that it is the same: `I still get WinError 126`.
fn are_one(marked: &Marked, others: &Sentences, mine: &Sentences) -> bool {
    let of = |sentences: &Sentences| {
        let (mut named, mut still) = (Failures::default(), false);
        for (at, sentence) in sentences.iter().flat_map(|(at, found)| found.iter().map(move |sentence| (*at, sentence)))
        {
            let text = marked.text(at);
            let said = text.get(sentence.clone()).unwrap_or_default();
            failures(said, &mut named);
            still |= cues_of(said, |of| of == Cue::Still).next().is_some();
        }
        (named, still)
    };
    let ((others, others_still), (mine, mine_still)) = (of(others), of(mine));
    (others_still || mine_still) && others.shares(&mine)
}

/// The sentences with cue words of a kind, by the position of their line.
fn sentences(marked: &Marked, kind: Cue) -> Sentences {
    let written = |text: &str| text.len() <= LONGEST && printed(text) == Printed::No;
    let lines =
        marked.lines.iter().enumerate().filter(|(at, _)| marked.kinds(*at).has(kind) && !marked.is_in_code(*at));
    let told = lines.map(|(at, line)| (at, unquoted(&line.text))).filter(|(_, text)| written(text));
    told.map(|(at, text)| (at, told_of(text, kind))).filter(|(_, sentences)| !sentences.is_empty()).collect()
}

/// The sentences of a line about another's computer, or about the writer's own. Who has the same as another has one
/// trouble.
fn told_of(text: &str, kind: Cue) -> Vec<Range<usize>> {
    let line_of = Line::new(text);
    let cues = cues_of(text, |of| of == kind).filter(|(_, cue)| !line_of.is_quoted(cue.start));
    let sentences = cues.filter_map(|(_, cue)| {
        let sentence = line_of.sentence_start(cue.start)..line_of.end(&line_of.sentences, cue.end);
        let counts = match kind {
            Cue::OnOwnComputer => {
                let before = text.get(sentence.start..cue.start).unwrap_or_default();
                before.split_whitespace().count() <= MOST_BEFORE_OWN
            }
            _ => !text.get(cue.clone()).is_some_and(|words| words.ends_with("'s")) || names_computer(text, cue.end),
        };
        (counts && !has_anothers(&line_of, &sentence)).then_some(sentence)
    });
    sentences.collect()
}

/// Whether a sentence says that another computer has the same problem, in a clause that names no failure itself.
fn has_anothers(line_of: &Line<'_>, sentence: &Range<usize>) -> bool {
    let text = line_of.text;
    cues_of(text, |of| of == Cue::Still).filter(|(_, cue)| sentence.contains(&cue.start)).any(|(_, cue)| {
        let mut named = Failures::default();
        failures(text.get(line_of.clause(&cue)).unwrap_or_default(), &mut named);
        named.is_empty()
    })
}

/// Whether a computer is named behind the byte at `at`, with at most a few words before it.
fn names_computer(text: &str, at: usize) -> bool {
    let behind = text.get(at..).unwrap_or_default();
    let words = behind.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.take(MOST_BEFORE_COMPUTER).any(|word| words_of(Cue::Computer).contains(&&*word.to_lowercase()))
}

/// Whether one of the sentences about one's own computer reports a failure, or announces one.
fn fails_here(marked: &Marked, mine: &Sentences) -> bool {
    mine.iter().any(|(position, sentences)| {
        let text = marked.text(*position);
        sentences.iter().any(|sentence| {
            let fine = has_word(text.get(sentence.clone()).unwrap_or_default(), Cue::OwnComputerFine);
            let told = text.get(sentence.start..).unwrap_or_default();
            let mut named = Failures::default();
            failures(told, &mut named);
            !fine && (!named.is_empty() || told.trim_end().ends_with(':'))
        })
    })
}

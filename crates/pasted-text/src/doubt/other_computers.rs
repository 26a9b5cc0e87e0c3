//! Sentences about the computer of somebody else, beside those about the writer's own: `My brother's laptop says this.
//! My PC ...`.
//!
//! A ticket may be about the brother's laptop alone. So sentences about another computer are in doubt only where
//! another sentence reports a failure of the writer's own.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cues::{Cue, Kinds, cues_of, words_of};
use super::failures::failures;
use super::marked::{Marked, Parts};
use crate::cue_words::{has_word, is_one_of, words};
use crate::printed::{Printed, printed};
use crate::sentences::Line;

/// The most words between the owner and the computer: `my brother's old gaming laptop`.
const MOST_BEFORE_COMPUTER: usize = 3;
/// The most words of a sentence before the writer's own computer: `And on my PC ...`.
const MOST_BEFORE_OWN: usize = 2;

/// By position, the sentences about the computer of somebody else, where the writer's own fails, too.
pub(super) fn on_other_computers(marked: &Marked) -> Parts {
    let (others, mine) = (sentences(marked, Cue::OnOtherComputer), sentences(marked, Cue::OnOwnComputer));
    if others.is_empty() || !fails_here(marked, &mine) || are_one(marked, &others, &mine) {
        return Parts::new();
    }
    others
}

/// Whether both report the same failure, and one of them calls it the same: `I still get WinError 126`.
fn are_one(marked: &Marked, others: &Parts, mine: &Parts) -> bool {
    let said = |at: &usize, parts: &Vec<Range<usize>>| -> Vec<&str> {
        parts.iter().filter_map(|part| marked.text(*at).get(part.clone())).collect()
    };
    let still = |(at, parts)| said(at, parts).into_iter().any(|sentence| Kinds::in_line(sentence).has(Cue::Still));
    let named = |all: &Parts| -> BTreeSet<_> {
        all.iter().flat_map(|(at, parts)| said(at, parts)).flat_map(failures).collect()
    };
    others.iter().chain(mine).any(still) && !named(others).is_disjoint(&named(mine))
}

/// The sentences with cue words of a kind, by the position of their line.
fn sentences(marked: &Marked, kind: Cue) -> Parts {
    let kinds = [kind];
    let told = marked.with(&kinds).filter(|(_, text)| printed(text) == Printed::No);
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

/// Whether a sentence reports that another computer has the same problem, in a clause that names no failure itself.
fn has_anothers(line_of: &Line<'_>, sentence: &Range<usize>) -> bool {
    let text = line_of.text;
    let clauses = cues_of(text, |of| of == Cue::Still).filter(|(_, cue)| sentence.contains(&cue.start));
    clauses.map(|(_, cue)| text.get(line_of.clause(&cue)).unwrap_or_default()).any(|clause| failures(clause).is_empty())
}

/// Whether a computer is named behind the byte at `at`, with at most a few words before it.
fn names_computer(text: &str, at: usize) -> bool {
    let mut near = words(text.get(at..).unwrap_or_default()).take(MOST_BEFORE_COMPUTER);
    near.any(|word| is_one_of(word, words_of(Cue::Computer)))
}

/// Whether one of the sentences about one's own computer reports a failure, or announces one.
fn fails_here(marked: &Marked, mine: &Parts) -> bool {
    mine.iter().any(|(position, sentences)| {
        let text = marked.text(*position);
        sentences.iter().any(|sentence| {
            let fine = has_word(text.get(sentence.clone()).unwrap_or_default(), Cue::OwnComputerFine);
            let told = text.get(sentence.start..).unwrap_or_default();
            !fine && (told.trim_end().ends_with(':') || !failures(told).is_empty())
        })
    })
}

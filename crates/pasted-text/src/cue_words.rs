//! The words by which texts deny, advise and report, as `rules/data/mentions.yaml` has them.

pub(super) use knowledge_tables::cues::Cue;
use knowledge_tables::{Sorted, embedded};

embedded!(WORDS: Sorted<Cue, Vec<&str>> = "mentions");

/// The words of a text: runs of letters and digits.
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a word is one of these, which are in lower case.
pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.contains(&&*word.to_lowercase())
}

/// Whether a part of a text has one of the words of `cue`, in upper or lower case.
pub(super) fn has_word(text: &str, cue: Cue) -> bool {
    words(text).any(|word| is_one_of(word, words_of(cue)))
}

/// The words of `cue`, in lower case.
pub(super) fn words_of(cue: Cue) -> &'static [&'static str] {
    WORDS.get(&cue).map(Vec::as_slice).unwrap_or_default()
}

//! The words by which texts deny, advise and report, as `rules/data/mentions.yaml` has them.

pub(super) use knowledge_tables::cues::Cue;
use knowledge_tables::{Sorted, embedded};

embedded!(WORDS: Sorted<Cue, Vec<&str>> = "mentions");

/// Whether a part of a text has one of the words of `cue`, in upper or lower case.
pub(super) fn has_word(text: &str, cue: Cue) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| words_of(cue).contains(&&*word.to_lowercase()))
}

/// The words of `cue`, in lower case.
pub(super) fn words_of(cue: Cue) -> &'static [&'static str] {
    WORDS.get(&cue).map(Vec::as_slice).unwrap_or_default()
}

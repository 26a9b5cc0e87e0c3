//! The words by which texts doubt, deny and tell, as `rules/data/mentions.yaml` has them.

pub(super) use knowledge_tables::cues::Cue;
use knowledge_tables::{Sorted, embedded};

embedded!(WORDS: Sorted<Cue, Vec<&str>> = "mentions");

/// The words that do this.
pub(super) fn words_of(cue: Cue) -> &'static [&'static str] {
    WORDS.get(&cue).map(Vec::as_slice).unwrap_or_default()
}

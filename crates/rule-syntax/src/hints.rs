//! What to write for words that people use in rules although the language has others, and for keys that are missing:
//! the groups of `hints.yaml`.

/// Help by words.
#[derive(Debug, Clone, Copy)]
pub struct Hints(&'static [(&'static str, &'static str)]);

impl Hints {
    /// The help for a word.
    #[must_use]
    pub fn get(self, word: &str) -> Option<&'static str> {
        self.0.iter().find(|(known, _)| *known == word).map(|(_, help)| *help)
    }
}

include!(concat!(env!("OUT_DIR"), "/hints.rs"));

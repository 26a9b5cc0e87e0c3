//! Words of the program itself among the evidence: a report that is merged holds them as text.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::de::{Deserialize, Deserializer, Error};

/// No word that the program writes into evidence is longer.
const LONGEST: usize = 64;
/// The program writes fewer different ones. What a report claims to be words is kept until the process ends.
const MOST: usize = 1024;

/// A word of the program itself. The name keeps `serde` from borrowing it from what is read.
pub type Word = &'static str;

static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Reads a word.
pub(super) fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let word = String::deserialize(deserializer)?;
    known(&word).ok_or_else(|| D::Error::custom("not one of this program's words"))
}

/// Deserializes an optional word, which must be one of this program's words.
pub(super) fn optional_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'static str>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| known(&word).ok_or_else(|| D::Error::custom("not one of this program's words"))).transpose()
}

fn known(word: &str) -> Option<&'static str> {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word) {
        return Some(known);
    }
    if word.len() > LONGEST || words.len() >= MOST {
        return None;
    }
    let word: &'static str = Box::leak(word.to_owned().into_boxed_str());
    words.insert(word);
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_kept_once_and_a_text_is_none() {
        let (one, again) = (known("processor"), known("processor"));
        assert_eq!(one, Some("processor"));
        assert!(one.zip(again).is_some_and(|(one, again)| std::ptr::eq(one, again)));
        assert_eq!(known(&"a".repeat(LONGEST + 1)), None);
    }
}

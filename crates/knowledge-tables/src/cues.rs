//! Reading the words by which texts doubt, deny and tell, and those around their facts: a step of the build.

use std::sync::Arc;

use super::table::{Table, read};
use spanned_yaml::{Diagnostic, YamlText};

/// What words can do to a sentence; `own` are those that errors say of themselves.
const CUES: [&str; 69] = [
    "absence",
    "absent",
    "advice",
    "answer",
    "appearing",
    "beside_evidence",
    "computer",
    "condition",
    "continued",
    "contrast",
    "corrected",
    "counted",
    "deed",
    "denial",
    "denying",
    "disregarded",
    "elsewhere",
    "expected",
    "explaining",
    "fine",
    "goes_on",
    "happening",
    "helping",
    "instance",
    "introducing",
    "it_was",
    "joining",
    "meaning",
    "mended",
    "mine",
    "misplaced",
    "month",
    "negation",
    "negation_behind",
    "neither",
    "now",
    "of_another",
    "oneself",
    "opening",
    "others",
    "ourselves",
    "own",
    "part_of_log",
    "past",
    "question",
    "recovery",
    "relapse",
    "report",
    "report_heading",
    "request",
    "retraction",
    "since",
    "solution",
    "source",
    "state",
    "still",
    "succeeded",
    "supposing",
    "survived",
    "that",
    "today",
    "topic",
    "undenied",
    "value",
    "wanted",
    "well",
    "works",
    "wrote",
    "zero",
];

/// Words by what they do to a sentence: `cues` with `of`, `words` and `examples`.
pub fn cues(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Vec<String>> {
    read(file, "cues", &["of", "words", "examples"], &[], mistakes, |row| {
        let of = row.text("of")?;
        if !CUES.contains(&of) {
            return Err(row.wrong("of", &format!("`of` is one of {}", CUES.join(", "))));
        }
        let words = row.optional_texts("words")?;
        if words.is_empty() || words.iter().any(|words| words.trim() != words || words.to_lowercase() != *words) {
            return Err(row.wrong("words", "`words` are texts in lower case, without blanks around them"));
        }
        Ok((of.to_owned(), with_typographic_apostrophes(words)))
    })
}

/// Word processors and phones write `didn’t` for what the file has as `didn't`.
fn with_typographic_apostrophes(mut words: Vec<String>) -> Vec<String> {
    let others: Vec<String> =
        words.iter().filter(|word| word.contains('\'')).map(|word| word.replace('\'', "’")).collect();
    words.extend(others);
    words
}

/// What words around a fact are for, with whether they may have upper case and blanks around them.
const TEXT_WORDS: [(&str, bool); 19] = [
    ("attempt", false),
    ("clause", false),
    ("code_label", false),
    ("event", false),
    ("event_number", false),
    ("event_source", false),
    ("everyday_stop", false),
    ("image", false),
    ("level", false),
    ("library", false),
    ("no_name", false),
    ("no_program", false),
    ("printed_start", true),
    ("program", false),
    ("raising", false),
    ("release", false),
    ("respelled", false),
    ("showing", false),
    ("test_runner", false),
];

/// Words around the facts of texts by what they are for: `words` with `of`, `words` and `examples`.
pub fn text_words(file: &Arc<YamlText>, mistakes: &mut Vec<Diagnostic>) -> Table<String, Vec<String>> {
    read(file, "words", &["of", "words", "examples"], &[], mistakes, |row| {
        let of = row.text("of")?;
        let Some((_, as_written)) = TEXT_WORDS.iter().find(|(known, _)| *known == of) else {
            let known: Vec<&str> = TEXT_WORDS.iter().map(|(known, _)| *known).collect();
            return Err(row.wrong("of", &format!("`of` is one of {}", known.join(", "))));
        };
        let words = row.optional_texts("words")?;
        let wrong = |words: &String| words.trim() != words || words.to_lowercase() != *words;
        if words.is_empty() || words.iter().any(String::is_empty) || (!as_written && words.iter().any(wrong)) {
            return Err(row.wrong("words", "`words` are texts in lower case, without blanks around them"));
        }
        Ok((of.to_owned(), words))
    })
}

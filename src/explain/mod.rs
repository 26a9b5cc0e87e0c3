//! What a code means without any evidence, and which causes rules name for it.

mod causes;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use causes::{CodeFinding, KnownRule};

use report::model::Made;
use rules::RuleSet;
use windows_codes::{NoCode, Spellings, SubCode, explain_with, texts_of};

/// The codes in some texts with everything that is known about them, as a JSON document.
#[derive(Debug, Serialize)]
pub struct Explanation {
    #[serde(flatten)]
    made: Made,
    /// The codes, in the order of the texts.
    pub codes: Vec<Explained>,
    /// The texts without a code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no_codes: Vec<NoCode>,
}

/// A code with everything that is known about it.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// The part of the text that has the code.
    pub text: String,
    /// The number in all its notations.
    pub spellings: Spellings,
    /// What the code can be, the likeliest first. Never empty.
    pub readings: Vec<Reading>,
}

/// One meaning that a code can have, with what the rules know about it.
#[derive(Debug, Serialize)]
pub struct Reading {
    /// The code; its sub-codes, requests and sources are moved to the fields below, in the order of the document.
    #[serde(flatten)]
    pub code: windows_codes::Reading,
    /// The meanings of a second number, which such codes have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_codes: Vec<KnownSubCode>,
    /// The findings for an incident of which nothing but this code is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<CodeFinding>,
    /// The rules that compare with this code, the surest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<KnownRule>,
    /// What to collect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collect: Vec<String>,
    /// Where the meaning is from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// A sub-code, and whether rules know it.
#[derive(Debug, Serialize)]
pub struct KnownSubCode {
    /// The sub-code.
    #[serde(flatten)]
    pub code: SubCode,
    /// Whether a rule compares with it.
    pub has_rules: bool,
}

/// Explains every code in `texts`: numbers in any notation, names, or words with a code (`WinError 126`). Texts that follow
/// each other can be one code together, as the words of a command line are.
#[must_use]
pub fn explain(texts: &[String], rules: &RuleSet) -> Explanation {
    let mut explanation = Explanation { made: Made::NOW, codes: Vec::new(), no_codes: Vec::new() };
    for text in &texts_of(texts) {
        match codes_in(text, rules) {
            Ok(codes) => explanation.codes.extend(codes),
            Err(none) => explanation.no_codes.push(none),
        }
    }
    explanation
}

/// Explains every code in `text`. A number is rather read as a code that rules compare with: crashes end with those.
fn codes_in(text: &str, rules: &RuleSet) -> Result<Vec<Explained>, NoCode> {
    let is_asked_for = |kind, code| !rules.asking_for(&causes::wanted(kind, code)).is_empty();
    let explained = explain_with(text, &is_asked_for)?.into_iter().map(|explained| Explained {
        text: explained.text,
        spellings: explained.spellings,
        readings: explained.readings.into_iter().map(|reading| causes::with_rules(reading, rules)).collect(),
    });
    Ok(explained.collect())
}

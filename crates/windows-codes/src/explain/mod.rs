//! Explaining a code without any other evidence: its spellings, its names, what it means and does not mean, and where to
//! look further.
//!
//! A number alone can be many things: 126 is a system error, an exit code of a shell, and the number that Kernel-Power
//! writes for stop code 0x7E. So each code has *readings*, the likeliest first, each with the reason for it.

mod kind;
mod readings;
mod spelling;
mod structure;

use serde::Serialize;

pub use kind::Kind;
pub use spelling::{NoCode, texts_of};
pub use structure::{Facility, Layout, Structure};

/// A code with all its readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The text in which the code was found.
    pub text: String,
    /// The code.
    pub spellings: Spellings,
    /// What it can be, the likeliest first. Never empty.
    pub readings: Vec<Reading>,
}

/// The usual spellings of a 32-bit code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spellings {
    /// In hexadecimal, eight digits.
    pub hex: String,
    /// In decimal with sign, as IDEs print exit codes.
    pub signed: i32,
    /// In decimal without sign.
    pub unsigned: u32,
}

impl Spellings {
    fn new(code: u32) -> Self {
        Self { hex: format!("0x{code:08X}"), signed: code.cast_signed(), unsigned: code }
    }
}

/// One thing that a code can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// What kind of code.
    pub kind: Kind,
    /// The code under this reading: another number than was asked about where that one was cut or written in another
    /// base. Statuses and stop codes have eight digits, the others are decimal.
    pub code: String,
    /// The code in all spellings.
    pub spellings: Spellings,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its meaning by itself, without full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<String>,
    /// Why the code can be read so, without full stop.
    pub why: String,
    /// The parts of its bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Structure>,
    /// What is certain when the code is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proves: Vec<String>,
    /// What the code is often said to mean, but does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
    /// Sub-codes and parameters that narrow the meaning, and where to find them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub look: Vec<String>,
    /// The sub-codes that have a name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sub_codes: Vec<SubCode>,
    /// What to collect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collect: Vec<String>,
    /// The sources of these statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// A sub-code with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubCode {
    /// The number.
    pub code: u32,
    /// Its name.
    pub name: &'static str,
    /// Its meaning, without full stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub means: Option<&'static str>,
}

/// Explains every code in `text`: a number in any spelling, a name, or words with codes in them.
///
/// # Errors
/// When there is no code in it.
pub fn explain(text: &str) -> Result<Vec<Explained>, NoCode> {
    explain_with(text, &|_, _| false)
}

/// As [`explain`], for a caller who knows codes with which crashes end: where `ends_crashes` is true of a reading's kind
/// and code, the reading is likelier.
///
/// # Errors
/// When there is no code in `text`.
pub fn explain_with(text: &str, ends_crashes: &dyn Fn(Kind, u32) -> bool) -> Result<Vec<Explained>, NoCode> {
    let explained = spelling::codes_in(text)?.into_iter().map(|spelled| Explained {
        text: text.to_owned(),
        spellings: Spellings::new(spelled.code),
        readings: readings::readings(&spelled, ends_crashes),
    });
    Ok(explained.collect())
}

#[cfg(test)]
mod tests;

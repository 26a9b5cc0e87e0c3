//! `crashsift explain`: what a code means without any evidence, and which causes rules name for it.

mod causes;
#[cfg(test)]
mod tests;
mod text;

use std::mem;
use std::path::PathBuf;

use clap::ArgAction;
use serde::Serialize;

use super::color::Color;
use super::output::{self, Format, Look};
use super::rules::load_rules;
use super::{Exit, stream};
use causes::{CodeFinding, KnownRule};
use report::json::write_indented;
use report::model::Made;
use report::text::TextOptions;
use rules::RuleSet;
use windows_codes::{NoCode, Spellings, SubCode, explain_with, texts_of};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Codes in any spelling: -1073740791, 3221226505, 0xC0000409, c0000409, "exit code -1073740791 (0xC0000409)",
    /// WinError 126, 0x116, 0x80070005, or a name such as VIDEO_TDR_FAILURE.
    #[arg(value_name = "CODE", required = true, allow_negative_numbers = true)]
    codes: Vec<String>,

    /// The format.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Use the rules of this file or folder beside the built-in ones; can be given again.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Leave out the built-in rules.
    #[arg(long)]
    no_builtin_rules: bool,

    /// No notes on standard error but errors.
    #[arg(short, long)]
    quiet: bool,

    /// Everything about every reading: all rules, all sub-codes.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Colours in the text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

/// The JSON document: the codes, and the texts without a code.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    made: Made,
    codes: &'a [Explained],
    #[serde(skip_serializing_if = "<[NoCode]>::is_empty")]
    no_codes: &'a [NoCode],
}

/// A code with everything that is known about it.
#[derive(Debug, Serialize)]
struct Explained {
    /// The part of the command line that has the code.
    text: String,
    spellings: Spellings,
    /// What the code can be, the likeliest first. Never empty.
    readings: Vec<Reading>,
}

/// One meaning that a code can have, with what the rules know about it.
#[derive(Debug, Serialize)]
struct Reading {
    /// The code; its sub-codes, requests and sources are moved to the fields below, in the order of the document.
    #[serde(flatten)]
    code: windows_codes::Reading,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sub_codes: Vec<KnownSubCode>,
    /// The findings for an incident of which nothing but this code is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alone: Vec<CodeFinding>,
    /// The rules that compare with this code, the surest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<KnownRule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    collect: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
}

#[derive(Debug, Serialize)]
struct KnownSubCode {
    #[serde(flatten)]
    code: SubCode,
    /// Whether a rule compares with it.
    has_rules: bool,
}

/// Explains every code in `text`. A number is rather read as a code that rules compare with: crashes end with those.
fn explain(text: &str, rules: &RuleSet) -> Result<Vec<Explained>, NoCode> {
    let is_asked_for = |kind, code| !rules.asking_for(&causes::wanted(kind, code)).is_empty();
    let explained = explain_with(text, &is_asked_for)?.into_iter().map(|explained| Explained {
        text: explained.text,
        spellings: explained.spellings,
        readings: explained.readings.into_iter().map(|reading| causes::with_rules(reading, rules)).collect(),
    });
    Ok(explained.collect())
}

/// The meaning of a code as text.
///
/// # Errors
/// Why the text has no code.
pub fn explained(code: &str, rules: &RuleSet) -> Result<String, String> {
    let codes = explain(code, rules).map_err(|none| none.to_string())?;
    let mut shown = Vec::new();
    text::write(&codes, &mut shown, TextOptions::default()).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&shown).into_owned())
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let rules = load_rules(!arguments.no_builtin_rules, &arguments.rules, arguments.quiet)?;
    let (mut explained, mut no_codes) = (Vec::new(), Vec::new());
    for code in &texts_of(&arguments.codes) {
        match explain(code, &rules) {
            Ok(codes) => explained.extend(codes),
            Err(none) => no_codes.push(none),
        }
    }
    for none in &no_codes {
        stream::note(&none.to_string());
    }
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    let exit = output::deliver(None, look, |out, options| match arguments.format {
        Format::Text => text::write(&explained, out, options),
        Format::Json => write_indented(&Document { made: Made::NOW, codes: &explained, no_codes: &no_codes }, out),
    });
    // The process ends here; freeing this memory piece by piece would only take time.
    mem::forget(rules);
    Ok(if exit == Exit::Success && !no_codes.is_empty() { Exit::Usage } else { exit })
}

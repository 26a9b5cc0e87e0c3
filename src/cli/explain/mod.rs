//! `crashsift explain`: what a code says before there is any evidence, and which causes the rules know for it.

mod causes;
mod json;
#[cfg(test)]
mod tests;
mod text;

use std::path::PathBuf;

use clap::ArgAction;

use super::color::Color;
use super::output::{self, Format, Look};
use super::{Exit, load_rules, stream};
use causes::{Alone, KnownRule};
use rules::RuleSet;
use windows_codes::{Knowledge, NoCode, Spellings, SubCode, explain_with, texts_of};

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

/// A code with everything that can be said of it.
#[derive(Debug)]
struct Explained {
    /// The text that was asked about.
    text: String,
    spellings: Spellings,
    /// What the code can be, the likeliest first. Never empty.
    readings: Vec<Reading>,
}

/// One thing that a code can be, with what the rules know of it.
#[derive(Debug)]
struct Reading {
    code: windows_codes::Reading,
    /// The fast-fail codes that rules ask for, of a code whose sub-codes are those.
    asked_sub_codes: Vec<u64>,
    /// What the rules say of an incident of which nothing but this code is known.
    alone: Vec<Alone>,
    /// The rules that ask for this code, the surest first.
    rules: Vec<KnownRule>,
}

impl Reading {
    /// Whether rules ask for a sub-code.
    fn has_rules(&self, sub_code: &SubCode) -> bool {
        self.asked_sub_codes.contains(&sub_code.code.into())
    }
}

/// Explains every code in `text`. A code that rules ask for is what crashes end with, and a number is sooner such a one.
fn explain(text: &str, knowledge: &Knowledge, rules: &RuleSet) -> Result<Vec<Explained>, NoCode> {
    let is_asked_for = |kind, code| !rules.asking_for(&causes::wanted(kind, code)).is_empty();
    let explained = explain_with(text, knowledge, &is_asked_for)?.into_iter().map(|explained| Explained {
        text: explained.text,
        spellings: explained.spellings,
        readings: explained.readings.into_iter().map(|reading| causes::judged(reading, rules)).collect(),
    });
    Ok(explained.collect())
}

pub fn run(arguments: &Arguments) -> Exit {
    let rules = match load_rules(!arguments.no_builtin_rules, &arguments.rules, arguments.quiet) {
        Ok(rules) => rules,
        Err(exit) => return exit,
    };
    let knowledge = Knowledge::builtin();
    let (mut explained, mut no_codes) = (Vec::new(), Vec::new());
    for code in &texts_of(&arguments.codes) {
        match explain(code, &knowledge, &rules) {
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
        Format::Json => json::write(&explained, &no_codes, out),
    });
    if exit == Exit::Success && !no_codes.is_empty() { Exit::Usage } else { exit }
}

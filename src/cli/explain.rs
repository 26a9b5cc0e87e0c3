//! `crashsift explain`: explains codes without any evidence.

mod text;

use std::mem;
use std::path::PathBuf;

use clap::ArgAction;

use super::color::Color;
use super::output::{self, Format, Look};
use super::rules::load_rules;
use super::{Exit, stream};
use crate::explain::explain;
use report::json::write_indented;

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

/// The meaning of a code as text.
///
/// # Errors
/// Why the text has no code.
#[cfg(not(target_family = "wasm"))]
pub fn explained(code: &str, rules: &rules::RuleSet) -> Result<String, String> {
    let explanation = explain(&[code.to_owned()], rules);
    if let Some(none) = explanation.no_codes.first().filter(|_| explanation.codes.is_empty()) {
        return Err(none.to_string());
    }
    let mut shown = Vec::new();
    text::write(&explanation.codes, &mut shown, report::text::TextOptions::default())
        .map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&shown).into_owned())
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let rules = load_rules(!arguments.no_builtin_rules, &arguments.rules, arguments.quiet)?;
    let explanation = explain(&arguments.codes, &rules);
    for none in &explanation.no_codes {
        stream::note(&none.to_string());
    }
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    let exit = output::deliver(None, look, |out, options| match arguments.format {
        Format::Text => text::write(&explanation.codes, out, options),
        Format::Json => write_indented(&explanation, out),
    });
    // The process ends here; freeing this memory piece by piece would only take time.
    mem::forget(rules);
    Ok(if exit == Exit::Success && !explanation.no_codes.is_empty() { Exit::Usage } else { exit })
}

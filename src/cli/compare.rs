//! `crashsift compare`: what one report says against an earlier one.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ArgAction;

use super::Exit;
use super::color::Color;
use super::output::{self, Format, Look, not_lost};
use super::reporting::{NEW, side, usage};
use report::compare::compare;
use report::json;
use report::model::Comparison;
use report::text::{self, TextOptions};
use untrusted::reason;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The earlier report, as JSON or JSON Lines.
    old: PathBuf,

    /// The later report.
    new: PathBuf,

    /// The format of what is said.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Write it to FILE instead of standard output, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// End with exit code 1 when there is a group that the earlier report does not have.
    #[arg(long, value_name = NEW, value_parser = [NEW])]
    fail_on: Option<String>,

    /// List every change.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Colours in the text.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

pub fn run(arguments: &Arguments) -> Exit {
    let Arguments { old, new, output, fail_on, .. } = arguments;
    if let Some(output) = output
        && let Err(message) = not_lost(output, [old, new])
    {
        return usage(&message);
    }
    let sides = side(old).and_then(|before| Ok((before, side(new)?)));
    let comparison = sides.and_then(|(before, now)| {
        compare(&before, &now).map_err(|error| {
            let older = if error.is_of_earlier() { old } else { new };
            format!("{}: {error}", older.display())
        })
    });
    let comparison = match comparison {
        Ok(comparison) => comparison,
        Err(message) => return usage(&message),
    };
    if let Some(path) = output
        && let Err(error) = output::check(path)
    {
        return usage(&format!("--output {}: {}", path.display(), reason(&error)));
    }
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    let written =
        output::deliver(output.as_deref(), look, |out, options| write(arguments.format, &comparison, out, options));
    let has_new = comparison.has_new_groups();
    if written == Exit::Success && fail_on.is_some() && has_new { Exit::FailOn } else { written }
}

fn write(format: Format, comparison: &Comparison, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    match format {
        Format::Text => text::write_comparison(comparison, out, options),
        Format::Json => json::write_comparison(comparison, out),
    }
}

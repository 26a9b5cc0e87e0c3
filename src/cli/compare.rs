//! `crashsift compare`: compares two reports.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ArgAction;

use super::Exit;
use super::color::Color;
use super::fail_on::NEW;
use super::output::{self, Format, Look, not_lost};
use super::reports::side;
use super::stream::usage;
use report::compare::compare;
use report::json;
use report::model::Comparison;
use report::text::{self, TextOptions};

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

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let Arguments { old, new, output, fail_on, .. } = arguments;
    if let Some(output) = output {
        not_lost(output, [old, new]).map_err(usage)?;
    }
    let (before, now) = side(old).and_then(|before| Ok((before, side(new)?))).map_err(usage)?;
    let comparison = compare(&before, &now).map_err(|error| {
        let named = if error.is_of_earlier() { old } else { new };
        usage(format!("{}: {error}", named.display()))
    })?;
    if let Some(path) = output {
        output::check(path).map_err(usage)?;
    }
    let look = Look::of(arguments.format, arguments.color, arguments.verbose);
    let written =
        output::deliver(output.as_deref(), look, |out, options| write(arguments.format, &comparison, out, options));
    let is_worse = fail_on.is_some() && comparison.has_new_groups();
    Ok(if written == Exit::Success && is_worse { Exit::FailOn } else { written })
}

fn write(format: Format, comparison: &Comparison, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    match format {
        Format::Text => text::write_comparison(comparison, out, options),
        Format::Json => json::write_comparison(comparison, out),
    }
}

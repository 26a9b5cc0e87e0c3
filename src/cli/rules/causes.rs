//! `crashsift rules causes`: what rules can name as a cause, for reading and for programs.

use std::io;

use anstyle::Style;
use serde::Serialize;

use super::facts::paragraph;
use super::{Format, Outcome, SourceArgs, Streams};
use report::json::write_indented;
use report::model::Made;
use rules::{Cause, RuleSet};
use untrusted::sanitise;

/// Arguments of `rules causes`.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CausesArgs {
    /// The format
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    pub format: Format,
    /// Where the causes come from.
    #[command(flatten)]
    pub sources: SourceArgs,
}

/// Runs it.
pub(super) fn run(rules: &RuleSet, args: &CausesArgs, streams: &mut Streams<'_>) -> io::Result<Outcome> {
    match args.format {
        Format::Text => text(rules, streams)?,
        Format::Json => write_indented(&Document::of(rules), streams.out)?,
    }
    Ok(Outcome::Fine)
}

fn text(rules: &RuleSet, streams: &mut Streams<'_>) -> io::Result<()> {
    let heading = streams.style(Style::new().bold());
    for (number, (family, about)) in rules.causes().families().enumerate() {
        if number > 0 {
            writeln!(streams.out)?;
        }
        writeln!(streams.out, "{heading}{}{heading:#}: {}", sanitise(family), sanitise(about))?;
        for cause in rules.causes().iter().filter(|cause| cause.family == family) {
            writeln!(streams.out, "  {heading}{}{heading:#}", sanitise(&cause.id))?;
            paragraph(streams.out, 6, &sanitise(&cause.means))?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    made: Made,
    families: Vec<Family<'a>>,
    causes: Vec<Shaped<'a>>,
}

#[derive(Serialize)]
struct Family<'a> {
    id: &'a str,
    means: &'a str,
}

#[derive(Serialize)]
struct Shaped<'a> {
    id: &'a str,
    family: &'a str,
    means: &'a str,
}

impl<'a> Document<'a> {
    fn of(rules: &'a RuleSet) -> Self {
        let shaped = |Cause { id, family, means }: &'a Cause| Shaped { id, family, means };
        Self {
            made: Made::NOW,
            families: rules.causes().families().map(|(id, means)| Family { id, means }).collect(),
            causes: rules.causes().iter().map(shaped).collect(),
        }
    }
}

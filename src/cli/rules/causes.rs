//! `crashsift rules causes`: the causes that rules can name, as text and as JSON.

use std::io;

use minijinja::value::Serde;
use serde::Serialize;

use super::{Exit, Format, Output, SourceArgs, template};
use report::json::write_indented;
use report::model::Made;
use rules::{Cause, Family, RuleSet};

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

/// Prints all causes by family.
pub(super) fn print(rules: &RuleSet, format: Format, output: &mut Output<'_>) -> io::Result<Exit> {
    let all = Document::of(rules);
    match format {
        Format::Text => template::write(include_str!("causes.txt"), Serde(all).into(), output)?,
        Format::Json => write_indented(&all, output.out)?,
    }
    Ok(Exit::Success)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    made: Made,
    families: Vec<&'a Family>,
    causes: Vec<&'a Cause>,
}

impl<'a> Document<'a> {
    fn of(rules: &'a RuleSet) -> Self {
        Self { made: Made::NOW, families: rules.causes().families().collect(), causes: rules.causes().iter().collect() }
    }
}

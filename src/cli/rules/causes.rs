//! `crashsift rules causes`: the causes that rules can name, as text and as JSON.

use std::io;

use anstyle::Style;
use serde::Serialize;

use super::facts::paragraph;
use super::{Exit, Format, Output, SourceArgs};
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

/// Prints all causes by family.
pub(super) fn print(rules: &RuleSet, format: Format, output: &mut Output<'_>) -> io::Result<Exit> {
    match format {
        Format::Text => text(rules, output)?,
        Format::Json => write_indented(&Document::of(rules), output.out)?,
    }
    Ok(Exit::Success)
}

fn text(rules: &RuleSet, output: &mut Output<'_>) -> io::Result<()> {
    let heading = output.style(Style::new().bold());
    for (number, (family, about)) in rules.causes().families().enumerate() {
        if number > 0 {
            writeln!(output.out)?;
        }
        writeln!(output.out, "{heading}{}{heading:#}: {}", sanitise(family), sanitise(about))?;
        for cause in rules.causes().iter().filter(|cause| cause.family == family) {
            writeln!(output.out, "  {heading}{}{heading:#}", sanitise(&cause.id))?;
            paragraph(output.out, 6, &sanitise(&cause.means))?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    made: Made,
    families: Vec<FamilyEntry<'a>>,
    causes: Vec<&'a Cause>,
}

#[derive(Serialize)]
struct FamilyEntry<'a> {
    id: &'a str,
    means: &'a str,
}

impl<'a> Document<'a> {
    fn of(rules: &'a RuleSet) -> Self {
        Self {
            made: Made::NOW,
            families: rules.causes().families().map(|(id, means)| FamilyEntry { id, means }).collect(),
            causes: rules.causes().iter().collect(),
        }
    }
}

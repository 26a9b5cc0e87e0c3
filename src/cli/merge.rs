//! `crashsift merge`: makes one report of several.

use std::path::PathBuf;

use super::reporting;
use super::stream::{Notes, usage};
use super::{Exit, redaction, reports};
use pipeline::Options;
use pipeline::merge::{self, Part};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Reports that `analyze --mergeable` has written, as JSON or JSON Lines.
    #[arg(value_name = "REPORT", required = true)]
    reports: Vec<PathBuf>,

    #[command(flatten)]
    reporting: reporting::Arguments,
}

pub fn run(Arguments { reports: paths, reporting }: &Arguments) -> Result<Exit, Exit> {
    let prepared = reporting.prepare()?;
    if reporting.has_sigma() {
        return Err(usage("--rules sigma:PATH: reports hold no records; give it to `crashsift analyze --mergeable`"));
    }
    reporting.keep_inputs(&prepared, paths)?;
    let parts = paths.iter().map(|path| reports::read(path)).collect::<Result<Vec<Part>, Exit>>()?;
    let redaction = reporting.redaction.key()?;
    let sigma = merge::sigma_sets(&parts, redaction.is_some());
    let options = Options { sigma_before: merge::is_all_with_sigma(&parts), redaction, ..reporting.options() };
    let mut notes = Notes::new(reporting.quiet);
    let mut report = reporting.pool(false)?.install(|| {
        let (read, note) = reports::artifacts(parts, paths)?;
        note.into_iter().for_each(|note| notes.say(note));
        Ok(pipeline::merge(read, &prepared.rules, &options))
    })?;
    redaction::save(options.redaction.as_ref())?;
    report.rule_sets.extend(sigma);
    Ok(reporting.finish(&mut report, &prepared, &mut notes, None))
}

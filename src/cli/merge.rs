//! `crashsift merge`: makes one report of several.

use std::path::PathBuf;

use super::report_format::folder;
use super::reporting;
use super::stream::{Notes, usage};
use super::{Exit, redaction, reports};
use pipeline::Options;
use pipeline::merge::{self, Gathering, Part};
use pipeline::read::ReadArtifact;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Reports that `analyze --mergeable` has written, as JSON or JSON Lines; or folders of evidence that the job for Spark has
    /// packed, the oldest first: of a file in several, the last counts.
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
    let folders = paths.iter().filter(|path| path.is_dir()).count();
    if folders > 0 && folders < paths.len() {
        return Err(usage("name either reports or folders of packed evidence"));
    }
    let pool = reporting.pool(false)?;
    let redaction = reporting.redaction.key()?;
    let mut options = Options { redaction, ..reporting.options() };
    let mut notes = Notes::new(reporting.quiet);
    let (read, sigma) = if folders > 0 {
        (pool.install(|| packed(paths))?, Vec::new())
    } else {
        let parts = paths.iter().map(|path| reports::read(path)).collect::<Result<Vec<Part>, Exit>>()?;
        let sigma = merge::sigma_sets(&parts, options.redaction.is_some());
        options.sigma_before = merge::is_all_with_sigma(&parts);
        let (read, note) = pool.install(|| reports::artifacts(parts, paths))?;
        note.into_iter().for_each(|note| notes.say(note));
        (read, sigma)
    };
    let mut report = pool.install(|| pipeline::merge(read, &prepared.rules, &options));
    redaction::save(options.redaction.as_ref())?;
    report.rule_sets.extend(sigma);
    Ok(reporting.finish(&mut report, &prepared, &mut notes, None))
}

/// The artifacts in folders of packed evidence: of a file, those of the last folder that has it.
fn packed(paths: &[PathBuf]) -> Result<Vec<ReadArtifact>, Exit> {
    let mut gathering = Gathering::default();
    for path in paths.iter().rev() {
        folder::add_packed(path, &mut gathering).map_err(|reason| usage(format!("{}: {reason}", path.display())))?;
        gathering.earlier();
    }
    gathering.finish().map_err(usage)
}

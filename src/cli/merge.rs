//! `crashsift merge`: one report of several.

use std::path::{Path, PathBuf};

use super::Exit;
use super::output::not_lost;
use super::reporting::{self, usage};
use super::stream::Notes;
use pipeline::Options;
use pipeline::merge::{self, Part};
use report::model;
use windows_codes::Knowledge;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Reports that `analyze --mergeable` has written, as JSON or JSON Lines.
    #[arg(value_name = "REPORT", required = true)]
    reports: Vec<PathBuf>,

    #[command(flatten)]
    reporting: reporting::Arguments,
}

pub fn run(arguments: &Arguments) -> Exit {
    carry_out(arguments).unwrap_or_else(|exit| exit)
}

fn carry_out(Arguments { reports, reporting }: &Arguments) -> Result<Exit, Exit> {
    let (rules, baseline) = reporting.prepare()?;
    if reporting.has_sigma() {
        return Err(usage("--rules sigma:PATH: reports hold no records; give it to `crashsift analyze --mergeable`"));
    }
    if let Some(output) = &reporting.output {
        let read: Vec<PathBuf> = reporting.read().collect();
        not_lost(output, reports.iter().chain(&read)).map_err(|message| usage(&message))?;
    }
    let knowledge = Knowledge::builtin();
    let mut parts = Vec::new();
    for path in reports {
        let report = model::read(path).map_err(|error| usage(&format!("{}: {error}", path.display())))?;
        parts.push(Part { name: name(path), report });
    }
    let sigma = merge::sigma_sets(&parts);
    let options = Options { sigma_before: merge::is_all_with_sigma(&parts), ..reporting.options() };
    let mut notes = Notes::new(reporting.quiet);
    let mut report = reporting.threads(false)?.install(|| {
        let (read, note) = merge::artifacts(parts).map_err(|(index, error)| {
            let report = reports.get(index).map(|path| path.display().to_string()).unwrap_or_default();
            usage(&format!("{report}: {error}"))
        })?;
        note.into_iter().for_each(|note| notes.say(note));
        Ok(pipeline::merge(read, &rules, &knowledge, &options))
    })?;
    report.rule_sets.extend(sigma);
    Ok(reporting.finish(&mut report, &rules, baseline.as_ref(), &mut notes, None))
}

/// The file's name without extension.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

//! `crashsift verify`: checks claims about crashes against the artifacts.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;

use super::color::Color;
use super::judging::Judging;
use super::lost::note_lost;
use super::output::{self, Format, Look, not_lost};
use super::stream::{Notes, usage};
use super::{Exit, symbols};
use claims::{Checked, Outcome, Place, Ran};
use pipeline::{Silent, analyze_keeping, discover};
use report::model::Made;
use report::{Artifact, counted, json};
use untrusted::{display_path, reason, sanitise};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The claims, as JSON: `[{"module": "a.dll", "offset": "0x10", "role": "faulting"}, {"quote": "out of memory"}]`.
    #[arg(value_name = "CLAIMS")]
    claims: PathBuf,

    /// Files and folders, as for `analyze`.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format of the answers.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Write them to FILE instead of standard output, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    judging: Judging,
}

/// The answers as a document.
#[derive(Serialize)]
struct Answers<'a> {
    #[serde(flatten)]
    made: Made,
    claims: &'a [Checked],
    summary: Counts,
}

#[derive(Serialize)]
struct Counts {
    found: usize,
    contradicted: usize,
    not_there: usize,
}

/// The largest file of claims, bytes.
const MOST_BYTES: u64 = 16 << 20;

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let Arguments { claims: file, paths: given, format, output, judging } = arguments;
    let wrong = |why: &dyn std::fmt::Display| usage(format!("{}: {why}", file.display()));
    let content = opener::read(file, MOST_BYTES).map_err(|error| wrong(&reason(&error)))?;
    let claims = claims::read(&content).map_err(|error| wrong(&error))?;
    if let Some(output) = output {
        not_lost(output, given.iter().chain([file])).map_err(usage)?;
        output::check(output).map_err(usage)?;
    }
    let rules = judging.rules()?;
    let (paths, options) = judging.options(given)?;
    let (report, evidence) = analyze_keeping(&paths, &rules, &options, &Silent);
    symbols::print_notes(options.symbols.as_deref());
    let mut notes = Notes::new(false);
    note_lost(given, &report.artifacts, &mut notes);
    if !report.artifacts.iter().any(Artifact::is_read) {
        notes.say("nothing that can be analyzed was found".to_owned());
        return Ok(Exit::Nothing);
    }
    let (found, _) = discover::find(&paths);
    let files: HashMap<String, PathBuf> = found.into_iter().map(|path| (display_path(&path), path)).collect();
    let file_of = |path: &str| files.get(path).cloned();
    let checked = claims::check(&claims, &Ran { report: &report, evidence: &evidence, file: &file_of });
    let look = Look::of(*format, Color::Never, 0);
    let written = output::deliver(output.as_deref(), look, |out, _| match format {
        Format::Text => write_text(&checked, out),
        Format::Json => {
            json::write_indented(&Answers { made: Made::NOW, claims: &checked, summary: counts(&checked) }, out)
        }
    });
    let all_found = checked.iter().all(|checked| checked.outcome == Outcome::Found);
    Ok(if written == Exit::Success && !all_found { Exit::FailOn } else { written })
}

fn counts(checked: &[Checked]) -> Counts {
    let count = |outcome| checked.iter().filter(|one| one.outcome == outcome).count();
    Counts {
        found: count(Outcome::Found),
        contradicted: count(Outcome::Contradicted),
        not_there: count(Outcome::NotThere),
    }
}

/// A line for each claim: the outcome, the claim, what the artifacts have, and where.
fn write_text(checked: &[Checked], out: &mut dyn Write) -> io::Result<()> {
    for (number, Checked { claim, outcome, says, found_at }) in (1_usize..).zip(checked) {
        let claim = serde_json::to_string(claim).map_err(io::Error::other)?;
        let at = found_at.as_ref().map_or_else(String::new, |Place { artifact, place }| {
            let parts: Vec<&str> = [artifact, place].into_iter().flatten().map(String::as_str).collect();
            format!(" ({})", parts.join(", "))
        });
        writeln!(out, "{:<12}  {number}. {}", outcome.words(), sanitise(&claim))?;
        writeln!(out, "              {}", sanitise(&format!("{says}{at}")))?;
    }
    let Counts { found, contradicted, not_there } = counts(checked);
    let claims = counted(checked.len(), "claim");
    writeln!(out, "{claims}: {found} found, {contradicted} contradicted, {not_there} not there")
}

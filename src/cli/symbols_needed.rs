//! `crashsift symbols-needed`: which images and PDBs would show more of the crashes, for whoever can fetch them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;

use super::output::Format;
use super::passwords::PasswordFile;
use super::rules::load_rules;
use super::{Exit, stream, symbols};
use incident::NeededFile;
use pipeline::{Options, inspect};
use report::Artifact;
use report::json::write_indented;
use untrusted::sanitise;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files, folders and archives with dumps.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The format: text is one file a line, `name/id/name`.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Leave out what the images, PDBs and .sym files in PATH show already, as in `analyze`; can be given again.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    #[command(flatten)]
    passwords: PasswordFile,
}

/// A file, and how many incidents lack it.
#[derive(Debug, Serialize)]
struct Needed<'i> {
    #[serde(flatten)]
    file: &'i NeededFile,
    incidents: usize,
}

/// What `-f json` prints.
#[derive(Debug, Serialize)]
struct Document<'i> {
    symbols_needed: Vec<Needed<'i>>,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let rules = load_rules(true, &[], true)?;
    let (symbols, passwords) = (symbols::open(&arguments.symbols)?, arguments.passwords.read()?);
    let options = Options { symbols, passwords, ..Options::default() };
    let inspected = inspect(&arguments.paths, &rules, &options);
    symbols::print_notes(options.symbols.as_deref());
    for artifact in inspected.artifacts.iter().filter(|artifact| !artifact.is_read()) {
        if let Some(detail) = &artifact.detail {
            stream::note(&format!("{}: {}: {detail}", artifact.path, <&str>::from(artifact.status)));
        }
    }
    if !inspected.artifacts.iter().any(Artifact::is_read) {
        stream::note("nothing that can be analyzed was found");
        return Ok(Exit::Nothing);
    }
    let needed = files(inspected.incidents.iter().map(|(incident, _)| &*incident.symbols_needed));
    if needed.is_empty() && arguments.format == Format::Text {
        stream::note("no image and no PDB would show more of these incidents");
    }
    Ok(stream::print(|out| print(needed, arguments.format, out)))
}

fn print(needed: Vec<Needed<'_>>, format: Format, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_indented(&Document { symbols_needed: needed }, out);
    }
    needed.iter().try_for_each(|needed| writeln!(out, "{}", sanitise(&needed.file.path)))
}

/// The files of all incidents, each once: first those that an incident lacks for the place of its fault.
fn files<'i>(incidents: impl Iterator<Item = &'i [NeededFile]>) -> Vec<Needed<'i>> {
    let mut known: BTreeMap<String, (usize, Needed<'i>)> = BTreeMap::new();
    for (position, file) in incidents.flat_map(|files| files.iter().enumerate()) {
        let first = (position, Needed { file, incidents: 0 });
        let (rank, needed) = known.entry(file.path.to_lowercase()).or_insert(first);
        needed.incidents = needed.incidents.saturating_add(1);
        if position < *rank {
            (*rank, needed.file) = (position, file);
        }
    }
    let mut ranked: Vec<(usize, Needed<'i>)> = known.into_values().collect();
    ranked.sort_by(|one, other| (one.0, &one.1.file.path).cmp(&(other.0, &other.1.file.path)));
    ranked.into_iter().map(|(_, needed)| needed).collect()
}

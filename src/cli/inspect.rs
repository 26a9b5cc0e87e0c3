//! `crashsift inspect`: prints the facts of one artifact in the form of rules' tests. Of an artifact without incidents it
//! prints the content as comments.

use std::io::{self, Write};
use std::path::PathBuf;

use super::output::Format;
use super::passwords::PasswordFile;
use super::redaction::{self, Redaction};
use super::rules::load_rules;
use super::{Exit, sigma, stream, symbols};
use facts::write_facts;
use incident::Incident;
use pipeline::{Options, inspect};
use report::inspected::Inspected;
use report::{Artifact, inspected};
use untrusted::sanitise;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The artifact.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The format.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Name functions and source lines by the PDBs and Breakpad symbol files (.sym) in PATH, and unwind stacks exactly by
    /// these and the images (.dll, .exe); PATH is a folder, a symbol store or a single file, and can be given again.
    /// Full dumps hold their images themselves.
    #[arg(long, value_name = "PATH")]
    symbols: Vec<PathBuf>,

    /// Use the lists of this rule file or folder beside the built-in ones; can be given again. `sigma:PATH` is a file
    /// or folder of Sigma rules: what they match in an event log is shown.
    #[arg(short, long, value_name = "PATH")]
    rules: Vec<PathBuf>,

    #[command(flatten)]
    passwords: PasswordFile,

    #[command(flatten)]
    redaction: Redaction,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    let (own, sigma) = sigma::split(&arguments.rules);
    let rules = load_rules(true, &own, true)?;
    let sigma = sigma::load(&sigma, false)?;
    let options = Options {
        symbols: symbols::open(&arguments.symbols)?,
        sigma,
        passwords: arguments.passwords.read()?,
        redaction: arguments.redaction.key()?,
        ..Options::default()
    };
    let inspected = inspect(std::slice::from_ref(&arguments.file), &rules, &options);
    redaction::save(options.redaction.as_ref())?;
    symbols::print_notes(options.symbols.as_deref());
    for artifact in &inspected.artifacts {
        if let Some(detail) = &artifact.detail {
            stream::note(&format!("{}: {}: {detail}", artifact.path, <&str>::from(artifact.status)));
        }
    }
    let exit = stream::print(|out| {
        if arguments.format == Format::Json {
            return inspected::write(&inspected, out);
        }
        for (incident, facts) in &inspected.incidents {
            writeln!(out, "# incident {}", incident.id)?;
            print_joins(incident, &inspected.artifacts, out)?;
            writeln!(out, "facts:")?;
            write_facts(facts, 2, out)?;
            writeln!(out)?;
        }
        Ok(())
    });
    for report in &inspected.reports {
        stream::note(&format!("{report}: no crash, hang or stop"));
    }
    if exit != Exit::Success || !inspected.incidents.is_empty() {
        return Ok(exit);
    }
    if !inspected.artifacts.iter().any(Artifact::is_read) {
        stream::note("nothing that can be analyzed was found");
        return Ok(Exit::Nothing);
    }
    stream::note("it tells of no incident");
    if arguments.format == Format::Json {
        return Ok(Exit::Success);
    }
    Ok(stream::print(|out| print_content(&inspected, out)))
}

/// Writes the content of artifacts without incidents: kind, time that logs cover, and the machines' timelines.
fn print_content(inspected: &Inspected, out: &mut dyn Write) -> io::Result<()> {
    for artifact in &inspected.artifacts {
        let records = match artifact.records {
            None => String::new(),
            Some(1) => ", 1 record".to_owned(),
            Some(records) => format!(", {records} records"),
        };
        let (path, kind, status) = (sanitise(&artifact.path), &artifact.kind, <&str>::from(artifact.status));
        writeln!(out, "# {path}: {kind}, {status}, {} bytes{records}", artifact.bytes)?;
    }
    for machine in &inspected.machines {
        writeln!(out, "# machine {}", sanitise(&machine.host))?;
        for log in &machine.logs {
            writeln!(out, "#   {} log from {} to {}", sanitise(&log.channel), log.first, log.last)?;
        }
        for (name, value) in &machine.environment {
            writeln!(out, "#   {name}: {}", sanitise(value))?;
        }
        for entry in &machine.timeline {
            writeln!(out, "#   {} {}: {}", entry.time, entry.kind, sanitise(&entry.sentence))?;
        }
    }
    Ok(())
}

/// Writes the evidence of an incident and the keys by which it was joined, where it is more than one item.
fn print_joins(incident: &Incident, artifacts: &[Artifact], out: &mut dyn Write) -> io::Result<()> {
    if incident.evidence.len() < 2 {
        return Ok(());
    }
    for (number, item) in (1..).zip(&incident.evidence) {
        let path = artifacts.get(item.artifact).map_or("", |artifact| &*artifact.path);
        write!(out, "#   e{number} {}, {}", sanitise(path), item.place)?;
        if let Some(joined) = item.joined_by {
            let (key, strength) = (joined.key.word(), joined.strength.word());
            write!(out, ": joined to e{} by {key}, {strength}", joined.to.saturating_add(1))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

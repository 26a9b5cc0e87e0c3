//! `crashsift bundle`: a redacted report with the evidence that it needs, in one file to pass on.

use std::io::{self, Cursor, Write};
use std::path::PathBuf;

use super::color::Color;
use super::judging::Judging;
use super::lost::note_lost;
use super::output::{self, Look, not_lost};
use super::stream::{self, Notes, usage};
use super::{Exit, redaction, symbols};
use pipeline::Silent;
use pipeline::bundle::{self, Audit};
use report::text::TextOptions;
use report::{Artifact, counted};
use untrusted::sanitise;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files, folders and archives, as for `analyze`.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// The bundle, a zip file: the report as JSON, HTML and Markdown.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    judging: Judging,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    not_lost(&arguments.output, &arguments.paths).map_err(usage)?;
    output::check(&arguments.output).map_err(usage)?;
    let rules = arguments.judging.rules()?;
    let (paths, mut options) = arguments.judging.options(&arguments.paths)?;
    if !options.before.is_empty() {
        return Err(usage(
            "a report in the place of artifacts: give the artifacts, or `crashsift merge --redact` the report",
        ));
    }
    // A bundle is always redacted.
    let key = options.redaction.take().unwrap_or_default();
    let (report, audit) = bundle::bundle(&paths, &rules, &options, &key, &Silent);
    symbols::print_notes(options.symbols.as_deref());
    note_lost(&arguments.paths, &report.artifacts, &mut Notes::new(false));
    if !report.artifacts.iter().any(Artifact::is_read) {
        stream::note("nothing that can be analyzed was found");
        return Ok(Exit::Nothing);
    }
    redaction::save(Some(&key))?;
    let mut zip = Cursor::new(Vec::new());
    if let Err(error) = bundle::write(&report, &audit, &mut zip) {
        stream::note(&format!("--output {}: {error}", arguments.output.display()));
        return Ok(Exit::Internal);
    }
    let bytes = zip.into_inner();
    let look = Look { color: Color::Never, verbose: false, text: false, width: TextOptions::default().width };
    match output::deliver(Some(&arguments.output), look, |out, _| out.write_all(&bytes)) {
        Exit::Success => Ok(stream::print(|out| print_audit(&audit, bytes.len(), out))),
        failed => Ok(failed),
    }
}

/// Prints what the bundle leaves out, and what the files seem to hold: counts and never values.
fn print_audit(audit: &Audit, bytes: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "In the bundle ({bytes} bytes): report.json, report.html, report.md, README.txt")?;
    writeln!(
        out,
        "  facts of {}, {} of {} lines of text; names replaced, secrets deleted",
        counted(audit.files, "file"),
        audit.lines_kept,
        audit.lines
    )?;
    if audit.texts_kept_whole > 0 {
        let texts = counted(audit.texts_kept_whole, "text");
        writeln!(out, "  {texts} with all lines: a conclusion rests on lines that no rule asks about")?;
    }
    writeln!(
        out,
        "Left out: {} bytes of files, all memory of dumps, {} lines of text",
        audit.bytes,
        audit.lines.saturating_sub(audit.lines_kept)
    )?;
    if audit.found.is_empty() {
        writeln!(out, "No names and no secrets were recognized in the files.")?;
    } else {
        writeln!(out, "The files seem to hold, and the bundle does not (different values of each kind):")?;
    }
    for found in &audit.found {
        let kinds: Vec<String> = found.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(out, "  {} ({}): {}", sanitise(&found.path), found.kind, kinds.join(", "))?;
    }
    for path in &audit.searched_in_part {
        writeln!(out, "  {}: not all of its bytes were searched", sanitise(path))?;
    }
    writeln!(out, "Names that nothing shows as names can be left: look over the report before you pass it on.")
}

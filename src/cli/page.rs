//! `crashsift page`: the page for browsers of the tables that `analyze -f parquet` wrote.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::color::Color;
use super::output::{self, Look};
use super::report_format::{ReportFormat, WriteOptions, folder};
use super::rules::load_rules;
use super::stream::usage;
use super::{Exit, destinations};
use report::text::TextOptions;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder of tables.
    #[arg(value_name = "LAKE")]
    lake: PathBuf,

    /// Write the page to FILE instead of standard output, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave nothing out: all groups in full, all files.
    #[arg(short, long)]
    verbose: bool,
}

pub fn run(arguments: &Arguments) -> Result<Exit, Exit> {
    if let Some(output) = arguments.output.as_deref().filter(|output| is_below(output, &arguments.lake)) {
        return Err(usage(format!(
            "--output {}: it lies in the folder of tables; name another file",
            output.display()
        )));
    }
    let outputs: Vec<PathBuf> = arguments.output.iter().cloned().collect();
    let format = ReportFormat::Html;
    let destination = destinations::destinations(&outputs, Some(format), format).map_err(usage)?;
    let rules = load_rules(true, &[], true)?;
    let report = folder::read(&arguments.lake, rules.causes())
        .map_err(|reason| usage(format!("{}: {reason}", arguments.lake.display())))?;
    let look =
        Look { color: Color::default(), verbose: arguments.verbose, text: false, width: TextOptions::default().width };
    let file = destination.first().and_then(|destination| destination.file.as_deref());
    Ok(output::deliver(file, look, |out, text| {
        let options = WriteOptions { text, zone: None, csv_bom: false, is_failure: &|_| false };
        format.write(&report, out as &mut dyn Write, options)
    }))
}

/// Whether a file is, or would be, in a folder or one below it.
fn is_below(file: &Path, folder: &Path) -> bool {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = fs::canonicalize(file).or_else(|_| fs::canonicalize(parent));
    place.is_ok_and(|place| fs::canonicalize(folder).is_ok_and(|folder| place.starts_with(folder)))
}

//! `--summary json`: how a run ended, in a line for programs.

use serde::Serialize;
use serde_with::skip_serializing_none;

use super::Exit;
use super::destinations::Destination;
use clap::ValueEnum;
use report::model::Made;
use report::{Report, Summary, json};
use untrusted::display_path;

/// How a run ended.
#[derive(Serialize)]
pub struct RunSummary<'r> {
    #[serde(flatten)]
    made: Made,
    exit_code: u8,
    /// The conditions of `--fail-on` that were met, as they were given.
    fail_on: &'r [&'r str],
    outputs: Vec<Output>,
    groups: usize,
    summary: &'r Summary,
}

/// A report of the run.
#[skip_serializing_none]
#[derive(Serialize)]
struct Output {
    format: String,
    /// Absent for standard output.
    file: Option<String>,
}

impl<'r> RunSummary<'r> {
    /// How the run that wrote `report` to `destinations` ended: with `exit`, where `met` are the conditions of `--fail-on`
    /// that were met.
    pub fn new(exit: Exit, met: &'r [&'r str], destinations: &[Destination], report: &'r Report) -> Self {
        let format = |destination: &Destination| destination.format.to_possible_value();
        let output = |destination: &Destination| Output {
            format: format(destination).map(|value| value.get_name().to_owned()).unwrap_or_default(),
            file: destination.file.as_deref().map(display_path),
        };
        Self {
            made: Made::NOW,
            exit_code: exit as u8,
            fail_on: met,
            outputs: destinations.iter().map(output).collect(),
            groups: report.groups.len(),
            summary: &report.summary,
        }
    }

    /// The line, without its end.
    pub fn line(&self) -> String {
        let mut line = Vec::new();
        // Memory can be written to.
        json::write_compact(self, &mut line)
            .map_or_else(|_| String::new(), |()| String::from_utf8(line).unwrap_or_default())
    }
}

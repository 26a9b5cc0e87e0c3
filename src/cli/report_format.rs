//! The formats of reports: the list of all of them, the endings of their files, and which part of `report` writes each.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use jiff::tz::TimeZone;

use report::model::Judged;
use report::text::TextOptions;
use report::{Report, WriteError, csv, json, jsonl, local_time, page, screen, text};
use report::{brief, ecs, github, gitlab, junit, prometheus, sarif};

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For reading.
    Text,
    /// One screen: what there is, what to do first, what to collect.
    Screen,
    /// The verdicts in at most 2 KB.
    Brief,
    /// One JSON document.
    Json,
    /// JSON, one object a line.
    Jsonl,
    /// A table for spreadsheets: one row an incident.
    Csv,
    /// For tickets and wikis.
    Markdown,
    /// One page for a browser, which loads nothing.
    Html,
    /// JUnit XML: incidents as tests of a pipeline.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// A code quality report of GitLab.
    Gitlab,
    /// Counts for Prometheus.
    Prometheus,
    /// JSON Lines in the shape of the Elastic Common Schema, for log stores.
    Ecs,
    /// A folder of Parquet files, for queries over many incidents.
    Parquet,
}

/// What some formats can do in two ways.
#[derive(Clone, Copy)]
pub struct WriteOptions<'o> {
    /// Width, colours and length of formats for reading.
    pub text: TextOptions,
    /// The zone of times in formats for reading; `None` for UTC.
    pub zone: Option<&'o TimeZone>,
    /// Whether a table begins with a byte order mark.
    pub csv_bom: bool,
    /// Which incidents are failed tests.
    pub is_failure: &'o dyn Fn(&Judged) -> bool,
}

impl ReportFormat {
    /// The ending of the format's files, without the dot; `None` for formats that only `--format` chooses.
    fn ending(self) -> Option<&'static str> {
        match self {
            Self::Text => Some("txt"),
            Self::Json => Some("json"),
            Self::Jsonl => Some("jsonl"),
            Self::Csv => Some("csv"),
            Self::Markdown => Some("md"),
            Self::Html => Some("html"),
            Self::Junit => Some("xml"),
            Self::Sarif => Some("sarif"),
            Self::Prometheus => Some("prom"),
            Self::Parquet => Some("parquet"),
            Self::Screen | Self::Brief | Self::Github | Self::Gitlab | Self::Ecs => None,
        }
    }

    /// The format that the ending of a file's name chooses; `None` where the name has no ending.
    ///
    /// # Errors
    /// The reason for the user, when no format has this ending.
    pub fn of_file(path: &Path) -> Result<Option<Self>, String> {
        let Some(ending) = path.extension() else { return Ok(None) };
        let chosen = |format: &Self| format.ending().is_some_and(|known| ending.eq_ignore_ascii_case(known));
        match Self::value_variants().iter().find(|format| chosen(format)) {
            Some(format) => Ok(Some(*format)),
            None => Err(format!("no format has this ending; {}", Self::endings())),
        }
    }

    /// All endings, in a phrase.
    pub fn endings() -> String {
        let all: Vec<String> =
            Self::value_variants().iter().filter_map(|format| Some(format!(".{}", format.ending()?))).collect();
        format!("the endings are {}", all.join(", "))
    }

    /// Whether the report is a folder of files, which [`folder`] checks and writes.
    pub fn is_folder(self) -> bool {
        self == Self::Parquet
    }

    /// Whether other commands read the report.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    /// Whether it is text for a terminal.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::Screen)
    }

    /// Whether people read it, and no programs.
    fn is_for_reading(self) -> bool {
        matches!(self, Self::Text | Self::Screen | Self::Brief | Self::Markdown | Self::Html)
    }

    /// Writes the report in this format.
    ///
    /// # Errors
    /// When `out` can't be written to.
    pub fn write(self, report: &Report, out: &mut dyn Write, options: WriteOptions<'_>) -> io::Result<()> {
        local_time::in_zone(options.zone.filter(|_| self.is_for_reading()), || self.write_format(report, out, options))
    }

    fn write_format(self, report: &Report, out: &mut dyn Write, options: WriteOptions<'_>) -> io::Result<()> {
        let WriteOptions { text: layout, zone: _, csv_bom, is_failure } = options;
        match self {
            Self::Text => text::write(report, out, layout),
            Self::Screen => screen::write(report, out, layout),
            Self::Brief => brief::write(report, out),
            Self::Json => json::write(report, out),
            Self::Jsonl => jsonl::write(report, out),
            Self::Csv => csv::write(report, csv_bom, out).map_err(output_error),
            Self::Markdown => page::write_markdown(report, out, layout.verbose).map_err(output_error),
            Self::Html => page::write_html(report, out, layout.verbose).map_err(output_error),
            Self::Junit => junit::write(report, is_failure, out),
            Self::Sarif => sarif::write(report, out),
            Self::Github => github::write(report, out),
            Self::Gitlab => gitlab::write(report, out),
            Self::Prometheus => prometheus::write(report, out),
            Self::Ecs => ecs::write(report, out),
            Self::Parquet => Err(io::Error::other("it is a folder of tables")),
        }
    }
}

/// Reports that are folders: tables.
#[cfg(feature = "parquet")]
pub mod folder {
    use std::error::Error;
    use std::path::Path;

    use evidence::FORMAT;
    use pipeline::merge::Gathering;
    use report::Report;
    use report::parquet::{self, PackedArtifact};
    use rules::Causes;

    /// Checks before the analysis that the report can be written to this folder.
    ///
    /// # Errors
    /// The reason for the user.
    pub fn check(folder: &Path) -> Result<(), String> {
        parquet::check(folder).map_err(|error| error.to_string())
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The reason for the user.
    pub fn write(report: &Report, folder: &Path) -> Result<(), String> {
        parquet::write(report, folder).map_err(|error| error.to_string())
    }

    /// Reads the tables as a report; `causes` are those that rules can name.
    ///
    /// # Errors
    /// The reason for the user.
    pub fn read(folder: &Path, causes: &Causes) -> Result<Report, String> {
        parquet::read(folder, causes).map_err(|error| error.to_string())
    }

    /// Adds the artifacts in a folder of packed evidence.
    ///
    /// # Errors
    /// The reason for the user.
    pub fn add_packed(folder: &Path, gathering: &mut Gathering) -> Result<(), String> {
        let add = |PackedArtifact { path, format, artifact, evidence }| -> Result<(), Box<dyn Error>> {
            if format != FORMAT {
                return Err(
                    "its evidence has another form than this version's: let the job read the files again".into()
                );
            }
            Ok(gathering.add(&path, serde_json::from_slice(&artifact)?, evidence)?)
        };
        parquet::packed(folder, add).map_err(|error| error.to_string())
    }
}

/// Reports that are folders, in a program that can't write them.
#[cfg(not(feature = "parquet"))]
pub mod folder {
    use std::path::Path;

    use report::Report;
    use rules::Causes;

    const WITHOUT: &str = "this program was built without Parquet; build it with the feature `parquet`";

    /// Refuses all folders.
    pub fn check(_: &Path) -> Result<(), String> {
        Err(WITHOUT.to_owned())
    }

    /// Writes nothing.
    pub fn write(_: &Report, _: &Path) -> Result<(), String> {
        Err(WITHOUT.to_owned())
    }

    /// Reads nothing.
    pub fn read(_: &Path, _: &Causes) -> Result<Report, String> {
        Err(WITHOUT.to_owned())
    }

    /// Adds nothing.
    pub fn add_packed(_: &Path, _: &mut Gathering) -> Result<(), String> {
        Err(WITHOUT.to_owned())
    }
}

fn output_error(error: WriteError) -> io::Error {
    match error {
        WriteError::Output(error) => error,
        wrong => io::Error::other(wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_chooses_one_format_and_an_unknown_one_none() {
        let of = |name: &str| ReportFormat::of_file(Path::new(name));
        assert_eq!(of("a/r.html"), Ok(Some(ReportFormat::Html)));
        assert_eq!(of("R.JSON"), Ok(Some(ReportFormat::Json)));
        assert_eq!(of("report"), Ok(None));
        assert_eq!(of("/dev/null"), Ok(None));
        assert!(of("r.docx").is_err_and(|reason| reason.contains(".html, ")));
        let mut endings: Vec<_> = ReportFormat::value_variants().iter().filter_map(|format| format.ending()).collect();
        let all = endings.len();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), all, "no ending is that of two formats");
    }
}

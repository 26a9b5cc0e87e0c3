//! One drop: its reports, its line, and the program that is told.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::content::Identity;
use super::inbox::{FileDrop, Outcome};
use super::state::State;
use crate::cli::report_format::{ReportFormat, WriteOptions};
use crate::cli::{Exit, redaction, stream};
use pipeline::discover::first_bytes;
use pipeline::{Options, Silent, analyze};
use report::text::TextOptions;
use report::{Report, Summary, counted};
use rules::RuleSet;
use untrusted::{display_path, reason};

/// How long the program of `--exec` may take.
const PROGRAM_PATIENCE: Duration = Duration::from_secs(600);
/// The most characters of a folder's name in the name of its reports.
const MOST_OF_NAME: usize = 60;
/// The digits of the contents' identity in the name of reports.
const DIGITS: usize = 12;
/// What stands for the folder in the name of reports of files that lie in the inbox itself.
const LOOSE: &str = "inbox";
/// What stands for every folder in the name of redacted reports: folders are often named after computers.
const REDACTED: &str = "drop";

/// What drops are analyzed with.
pub(super) struct Analyzer {
    pub(super) rules: RuleSet,
    pub(super) options: Options,
    /// The zone of times in reports for reading.
    pub(super) zone: Option<TimeZone>,
    pub(super) state: State,
    pub(super) exec: Option<PathBuf>,
    pub(super) quiet: bool,
}

/// A line of `drops.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    /// The name of the folder in the inbox; absent for files that lie in the inbox itself, and with `--redact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    drop: Option<String>,
    /// When it was analyzed.
    time: Timestamp,
    /// The names of the reports.
    report: String,
    page: String,
    /// How many files were analyzed, and how many not, because their content was known.
    files: usize,
    known: usize,
    /// How many artifacts could not be read, or only in part.
    failed: usize,
    partial: usize,
    incidents: usize,
    undetermined: usize,
    by_cause: &'a BTreeMap<String, usize>,
}

/// The files of a drop whose content is new.
#[derive(Default)]
struct New {
    paths: Vec<PathBuf>,
    contents: Vec<Identity>,
    /// The contents, and the forms of files that can't be read.
    all: Vec<Identity>,
}

impl Analyzer {
    /// Analyzes the contents of a drop that are new, writes the reports and makes the drop count as analyzed.
    ///
    /// # Errors
    /// The exit code, after the reason why something can't be written was noted.
    pub(super) fn analyze(&mut self, drop: &FileDrop) -> Result<Outcome, Exit> {
        let Some(new) = self.new_of(drop) else { return Ok(Outcome::NotWhole) };
        if !drop.is_unchanged() {
            return Ok(Outcome::Changed);
        }
        let forms = drop.files.iter().map(|(path, form)| form.identity(path)).collect();
        if new.paths.is_empty() {
            self.say(drop, "nothing that was not analyzed before");
            self.state.finish(forms, Vec::new(), None).map_err(|error| self.not_written(&error))?;
            return Ok(Outcome::Done);
        }
        let report = analyze(&new.paths, &self.rules, &self.options, &Silent);
        if !drop.is_unchanged() {
            return Ok(Outcome::Changed);
        }
        let Summary { failed, partial, .. } = report.summary;
        if !drop.is_last_try && failed.saturating_add(partial) > 0 {
            return Ok(Outcome::NotWhole);
        }
        redaction::save(self.options.redaction.as_ref())?;
        let name = self.name(drop, &new);
        let written = self.write(drop, &name, new.paths.len(), &report);
        let tell = self.exec.is_some().then(|| name.clone());
        let finished = written.and_then(|()| self.state.finish(forms, new.contents, tell));
        finished.map_err(|error| self.not_written(&error))?;
        let (files, incidents) = (counted(new.paths.len(), "file"), counted(report.summary.incidents, "incident"));
        self.say(drop, &format!("{files}, {incidents}: {}", self.state.page(&name).display()));
        self.tell()?;
        Ok(Outcome::Done)
    }

    /// The files whose content is new. `None` when a file can't be read or has no content yet, and this is not the last try.
    fn new_of(&self, drop: &FileDrop) -> Option<New> {
        let (mut new, mut seen) = (New::default(), HashSet::new());
        for (path, form) in &drop.files {
            let content = match content(path) {
                Ok((content, has_begun)) if has_begun || drop.is_last_try => Some(content),
                // Of what can't be read, the report has the reason.
                Err(_) if drop.is_last_try => None,
                Ok(_) | Err(_) => return None,
            };
            let identity = content.unwrap_or_else(|| form.identity(path));
            if !self.state.has(identity) && seen.insert(identity) {
                new.paths.push(path.clone());
                new.contents.extend(content);
                new.all.push(identity);
            }
        }
        Some(new)
    }

    /// The name of a drop's reports: the folder's, as far as every system can have it in a name, and the contents' identity.
    fn name(&self, drop: &FileDrop, new: &New) -> String {
        let folder = match (&self.options.redaction, &drop.folder) {
            (Some(_), _) => REDACTED.to_owned(),
            (None, Some(folder)) => display_path(folder.as_ref()),
            (None, None) => LOOSE.to_owned(),
        };
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let folder: String = folder.trim_start_matches('.').chars().map(safe).take(MOST_OF_NAME).collect();
        let identity: String = String::from(Identity::of_all(new.all.iter().copied())).chars().take(DIGITS).collect();
        format!("{folder}-{identity}")
    }

    fn write(&mut self, drop: &FileDrop, name: &str, files: usize, report: &Report) -> io::Result<()> {
        let file_name = |path: &Path| path.file_name().map(display_path_of).unwrap_or_default();
        let Summary { failed, partial, incidents, undetermined, by_cause, .. } = &report.summary;
        let line = Line {
            drop: drop.folder.as_deref().filter(|_| self.options.redaction.is_none()).map(display_path_of),
            time: Timestamp::now(),
            report: file_name(&self.state.report(name)),
            page: file_name(&self.state.page(name)),
            files,
            known: drop.files.len().saturating_sub(files),
            failed: *failed,
            partial: *partial,
            incidents: *incidents,
            undetermined: *undetermined,
            by_cause,
        };
        let line = serde_json::to_string(&line)?;
        let zone = self.zone.clone();
        let options =
            WriteOptions { text: TextOptions::default(), zone: zone.as_ref(), csv_bom: false, is_failure: &|_| false };
        self.state.write_reports(
            name,
            &line,
            |out| ReportFormat::Json.write(report, out, options),
            |out| ReportFormat::Html.write(report, out, options),
        )
    }

    /// Tells the program of `--exec` of the last drop, if it was not told yet.
    ///
    /// # Errors
    /// The exit code, after the reason why the state can't be written was noted. A failure of the program is only noted.
    pub(super) fn tell(&mut self) -> Result<(), Exit> {
        let (Some(program), Some(name)) = (&self.exec, self.state.to_tell()) else { return Ok(()) };
        if let Err(why) = run(program, &self.state.report(name)) {
            stream::note(&format!("--exec {}: {why}", program.display()));
        }
        self.state.told().map_err(|error| self.not_written(&error))
    }

    fn say(&self, drop: &FileDrop, what: &str) {
        if !self.quiet {
            let folder = drop.folder.as_deref().map_or_else(|| LOOSE.to_owned(), display_path_of);
            stream::note(&format!("{folder}: {what}"));
        }
    }

    fn not_written(&self, error: &io::Error) -> Exit {
        stream::note(&format!("--out: {}", reason(error)));
        stream::not_written(error)
    }
}

fn display_path_of(name: &std::ffi::OsStr) -> String {
    display_path(Path::new(name))
}

/// The identity of a file's content, and whether it has begun: of a file that is only being written, the first bytes can be
/// zeros, or there are none.
fn content(path: &Path) -> io::Result<(Identity, bool)> {
    let mut file = opener::open(path)?;
    let first = first_bytes(&mut file)?;
    let has_begun = first.iter().any(|byte| *byte != 0);
    Ok((Identity::of(first.chain(file))?, has_begun))
}

/// Runs a program with the report's path as its argument and waits for its end. What it prints goes to standard error.
fn run(program: &Path, report: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    command.arg(report).stdin(Stdio::null()).stdout(io::stderr());
    let mut child = command.spawn().map_err(|error| reason(&error))?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if start.elapsed() < PROGRAM_PATIENCE => thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                child.kill().and_then(|()| child.wait()).map_err(|error| reason(&error))?;
                return Err(format!("ended, because it took longer than {} s", PROGRAM_PATIENCE.as_secs()));
            }
            Err(error) => return Err(reason(&error)),
        }
    }
}

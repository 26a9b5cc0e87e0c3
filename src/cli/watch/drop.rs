//! One drop: its reports, its line, and the program that is told.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
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
use super::state::{Reported, State};
use crate::cli::report_format::{ReportFormat, WriteOptions};
use crate::cli::{Exit, redaction, stream};
use pipeline::discover::first_bytes;
use pipeline::{Options, Silent, analyze};
use report::text::TextOptions;
use report::{ArtifactStatus, Report, Summary, counted};
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
    /// The names of the folder's earlier reports that are removed, because this one has all that they were about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<String>,
    /// How many files the report is about, and how many files are left out, because their content was known.
    files: usize,
    known: usize,
    /// How many artifacts could not be read, or only in part.
    failed: usize,
    partial: usize,
    incidents: usize,
    undetermined: usize,
    by_cause: &'a BTreeMap<String, usize>,
}

/// The files of a drop that are to be analyzed: of a folder with anything new all, because what belongs together is judged
/// together; of other files those whose content is new. Each content is there once.
#[derive(Default)]
struct New {
    paths: Vec<PathBuf>,
    /// The contents that are new.
    contents: Vec<Identity>,
    /// The contents, and the forms of files that can't be read, in the order of the paths.
    all: Vec<Identity>,
}

impl Analyzer {
    /// Analyzes a drop with a new content, writes the reports and makes the drop count as analyzed.
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
            self.state.finish(forms, Vec::new(), None, None).map_err(|error| self.not_written(&error))?;
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
        let reported = drop.folder.as_deref().map(|folder| self.reported(folder, &name, &new, &report));
        let replaces = reported.as_ref().map(|reported| reported.replaces.clone()).unwrap_or_default();
        let written = self.write(drop, &name, new.paths.len(), replaces, &report);
        let tell = self.exec.is_some().then(|| name.clone());
        let finished = written.and_then(|()| self.state.finish(forms, new.contents, tell, reported));
        finished.map_err(|error| self.not_written(&error))?;
        let (files, incidents) = (counted(new.paths.len(), "file"), counted(report.summary.incidents, "incident"));
        self.say(drop, &format!("{files}, {incidents}: {}", self.state.page(&name).display()));
        self.tell()?;
        Ok(Outcome::Done)
    }

    /// What is remembered of a folder's report.
    fn reported(&self, folder: &OsStr, name: &str, new: &New, report: &Report) -> Reported {
        let folder = Identity::of_name(folder);
        let mut replaces = self.state.replaced_by(folder, &new.all.iter().copied().collect());
        replaces.retain(|earlier| earlier != name);
        let lost = |status| matches!(status, ArtifactStatus::Failed | ArtifactStatus::Partial);
        let lossy = report.artifacts.iter().filter(|artifact| lost(artifact.status));
        // Of a file or of a member of it.
        let lossy: HashSet<&str> =
            lossy.map(|artifact| artifact.path.split_once("!/").map_or(&*artifact.path, |(file, _)| file)).collect();
        let whole = new.paths.iter().zip(&new.all).filter(|(path, _)| !lossy.contains(&*display_path(path)));
        Reported { name: name.to_owned(), folder, contents: whole.map(|(_, content)| *content).collect(), replaces }
    }

    /// The files that are to be analyzed; none when nothing is new. `None` when a file can't be read or has no content yet, and this is not the last try.
    fn new_of(&self, drop: &FileDrop) -> Option<New> {
        let (mut new, mut seen, mut has_new) = (New::default(), HashSet::new(), false);
        for (path, form) in &drop.files {
            let content = match content(path) {
                Ok((content, has_begun)) if has_begun || drop.is_last_try => Some(content),
                // Of what can't be read, the report has the reason.
                Err(_) if drop.is_last_try => None,
                Ok(_) | Err(_) => return None,
            };
            let identity = content.unwrap_or_else(|| form.identity(path));
            if !seen.insert(identity) {
                continue;
            }
            let is_known = self.state.has(identity) || self.state.is_done(form.identity(path));
            if !is_known {
                new.contents.extend(content);
            }
            has_new |= !is_known;
            if !is_known || drop.folder.is_some() {
                new.paths.push(path.clone());
                new.all.push(identity);
            }
        }
        Some(if has_new { new } else { New::default() })
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

    fn write(
        &mut self,
        drop: &FileDrop,
        name: &str,
        files: usize,
        replaces: Vec<String>,
        report: &Report,
    ) -> io::Result<()> {
        let file_name = |path: &Path| path.file_name().map(display_path_of).unwrap_or_default();
        let Summary { failed, partial, incidents, undetermined, by_cause, .. } = &report.summary;
        let line = Line {
            drop: drop.folder.as_deref().filter(|_| self.options.redaction.is_none()).map(display_path_of),
            time: Timestamp::now(),
            report: file_name(&self.state.report(name)),
            page: file_name(&self.state.page(name)),
            replaces: replaces.iter().map(|name| file_name(&self.state.report(name))).collect(),
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

fn display_path_of(name: &OsStr) -> String {
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

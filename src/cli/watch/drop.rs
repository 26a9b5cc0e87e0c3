//! One drop: its reports, its line, and the program that is told.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::content::{Beginning, Content, Identity};
use super::inbox::{FileDrop, Outcome, can_be_opened};
use super::state::{Analyzed, Reported, ReportedFile, State};
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
/// What stands for every folder in redacted reports' names and in notes of them: folders are often named after computers.
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
struct Line {
    /// The name of the folder in the inbox; absent for files that lie in the inbox itself, and with `--redact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    drop: Option<String>,
    /// When it was analyzed.
    time: Timestamp,
    /// The names of the reports; none when nothing is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
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
    by_cause: BTreeMap<String, usize>,
}

/// The files of a drop that are to be analyzed: of a folder with anything new all, because what belongs together is judged
/// together; of other files those whose content is new. Each content is there once.
#[derive(Default)]
struct New {
    paths: Vec<PathBuf>,
    /// The contents, and the forms of files that can't be read, in the order of the paths.
    all: Vec<Identity>,
    /// The contents that are new.
    contents: Vec<Identity>,
    /// The files whose contents these are, for a later report to be compared with.
    files: Vec<(PathBuf, ReportedFile)>,
    /// The forms of the files that can't be read and are to be tried again when they can be.
    unread: Vec<Identity>,
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
        let forms: Vec<Identity> = drop.files.iter().map(|(path, form)| form.identity(path)).collect();
        if new.paths.is_empty() {
            let known = forms.iter().filter(|form| !self.state.is_done(**form)).count();
            let noted = if known > 0 { self.write_known(drop, known) } else { Ok(()) };
            let analyzed = Analyzed { forms, unread: new.unread, ..Analyzed::default() };
            noted.and_then(|()| self.state.finish(analyzed)).map_err(|error| self.not_written(&error))?;
            self.say(drop, "nothing that was not analyzed before");
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
        let reported = drop.folder.as_deref().map(|folder| self.reported(folder, &name, &new));
        let replaces = reported.as_ref().map(|reported| reported.replaces.clone()).unwrap_or_default();
        let written = self.write(drop, &name, new.paths.len(), replaces, &report);
        let tell = self.exec.is_some().then(|| name.clone());
        let analyzed = Analyzed { forms, contents: new.contents, unread: new.unread, tell, report: reported };
        written.and_then(|()| self.state.finish(analyzed)).map_err(|error| self.not_written(&error))?;
        let (files, incidents) = (counted(new.paths.len(), "file"), counted(report.summary.incidents, "incident"));
        let lost = failed.saturating_add(partial);
        let lost = if lost > 0 { format!(", {lost} not read whole") } else { String::new() };
        self.say(drop, &format!("{files}, {incidents}{lost}: {}", self.state.page(&name).display()));
        self.tell()?;
        Ok(Outcome::Done)
    }

    /// What is remembered of a folder's report. It replaces an earlier one that is about the same contents, or about files that
    /// have only grown.
    fn reported(&self, folder: &OsStr, name: &str, new: &New) -> Reported {
        let folder = Identity::of_name(folder);
        let contents: HashSet<Identity> = new.all.iter().copied().collect();
        let files = new.files.iter().map(|(path, file)| (file.path, (path.as_path(), file.begins.bytes)));
        let files: HashMap<Identity, (&Path, u64)> = files.collect();
        let mut compared = HashMap::new();
        let mut replaces = self.state.replaced_by(folder, |earlier| {
            let others = || earlier.iter().filter(|file| !contents.contains(&file.content));
            let longer = |file: &ReportedFile| files.get(&file.path).filter(|(_, bytes)| *bytes >= file.begins.bytes);
            // Files are only read when no other one is missing.
            others().all(|file| longer(file).is_some())
                && others().all(|file| {
                    let mut begins = || longer(file).is_some_and(|(path, _)| begins_with(path, file.begins));
                    *compared.entry((file.path, file.begins)).or_insert_with(&mut begins)
                })
        });
        replaces.retain(|earlier| earlier != name);
        Reported { name: name.to_owned(), folder, files: new.files.iter().map(|(_, file)| *file).collect(), replaces }
    }

    /// The files that are to be analyzed; none when nothing is new. `None` when a file can't be read or has no content yet, and
    /// this is not the last try.
    fn new_of(&self, drop: &FileDrop) -> Option<New> {
        let (mut new, mut seen, mut has_new) = (New::default(), HashSet::new(), false);
        for (path, form) in &drop.files {
            let content = match content(path) {
                Ok((content, has_begun)) if has_begun || drop.is_last_try => Some(content),
                // Of what can't be read, the report has the reason.
                Err(_) if drop.is_last_try => None,
                Ok(_) | Err(_) => return None,
            };
            let of_form = form.identity(path);
            let (is_done, was_unread) = (self.state.is_done(of_form), self.state.is_unread(of_form));
            let identity = content.map_or(of_form, |content| content.identity);
            // What can be opened and not be read to its end is not tried a third time.
            if content.is_none() && !(was_unread && can_be_opened(path)) {
                new.unread.push(of_form);
            }
            if !seen.insert(identity) {
                continue;
            }
            let is_known = match content {
                Some(_) => self.state.has(identity) || (is_done && !was_unread),
                None => is_done,
            };
            if !is_known {
                new.contents.extend(content.map(|content| content.identity));
            }
            has_new |= !is_known;
            if !is_known || drop.folder.is_some() {
                new.paths.push(path.clone());
                new.all.push(identity);
                new.files.extend(content.map(|Content { identity: content, begins }| {
                    (path.clone(), ReportedFile { path: Identity::of_name(path.as_os_str()), content, begins })
                }));
            }
        }
        Some(if has_new { new } else { New { unread: new.unread, ..New::default() } })
    }

    /// What a drop is called where people read of it.
    fn shown(&self, drop: &FileDrop) -> String {
        match (&self.options.redaction, &drop.folder) {
            (Some(_), _) => REDACTED.to_owned(),
            (None, Some(folder)) => display_path_of(folder),
            (None, None) => LOOSE.to_owned(),
        }
    }

    /// The name of a drop's reports: the folder's, as far as every system can have it in a name, and the contents' identity.
    fn name(&self, drop: &FileDrop, new: &New) -> String {
        let folder = self.shown(drop);
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let folder: String = folder.trim_start_matches('.').chars().map(safe).take(MOST_OF_NAME).collect();
        let identity: String = String::from(Identity::of_all(new.all.iter().copied())).chars().take(DIGITS).collect();
        format!("{folder}-{identity}")
    }

    /// The line of a drop of which nothing is known but its folder.
    fn line(&self, drop: &FileDrop) -> Line {
        Line {
            drop: drop.folder.as_deref().filter(|_| self.options.redaction.is_none()).map(display_path_of),
            time: Timestamp::now(),
            report: None,
            page: None,
            replaces: Vec::new(),
            files: 0,
            known: 0,
            failed: 0,
            partial: 0,
            incidents: 0,
            undetermined: 0,
            by_cause: BTreeMap::new(),
        }
    }

    /// Writes the line of a drop in which so many files arrived, and no new content.
    fn write_known(&mut self, drop: &FileDrop, known: usize) -> io::Result<()> {
        let line = serde_json::to_string(&Line { known, ..self.line(drop) })?;
        self.state.write_line(&line)
    }

    fn write(
        &mut self,
        drop: &FileDrop,
        name: &str,
        files: usize,
        replaces: Vec<String>,
        report: &Report,
    ) -> io::Result<()> {
        let file_name = |path: PathBuf| path.file_name().map(display_path_of).unwrap_or_default();
        // Those of runs without redaction are named after folders.
        let can_be_told = |name: &&String| self.options.redaction.is_none() || name.starts_with(REDACTED);
        let Summary { failed, partial, incidents, undetermined, by_cause, .. } = &report.summary;
        let line = Line {
            report: Some(file_name(self.state.report(name))),
            page: Some(file_name(self.state.page(name))),
            replaces: replaces.iter().filter(can_be_told).map(|name| file_name(self.state.report(name))).collect(),
            files,
            known: drop.files.len().saturating_sub(files),
            failed: *failed,
            partial: *partial,
            incidents: *incidents,
            undetermined: *undetermined,
            by_cause: by_cause.clone(),
            ..self.line(drop)
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
            stream::note(&format!("{}: {what}", self.shown(drop)));
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
fn content(path: &Path) -> io::Result<(Content, bool)> {
    let mut file = opener::open(path)?;
    let first = first_bytes(&mut file)?;
    let has_begun = first.iter().any(|byte| *byte != 0);
    Ok((Content::of(first.chain(file))?, has_begun))
}

/// Whether a file begins with what was written of another one.
fn begins_with(path: &Path, earlier: Beginning) -> bool {
    let beginning = opener::open(path).and_then(|file| Content::of(file.take(earlier.bytes)));
    beginning.is_ok_and(|beginning| beginning.begins == earlier)
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

//! Arguments, output and exit code of the commands that write a report: `analyze` and `merge`.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgAction, ValueEnum};
use jiff::tz::TimeZone;

use super::answers::{Answer, Answers};
use super::color::Color;
use super::destinations::{Destination, destinations};
use super::fail_on::Condition;
use super::output::{self, Look, not_lost};
use super::redaction::Redaction;
use super::report_format::{ReportFormat, WriteOptions, folder};
use super::reports::side;
use super::rules::load_rules;
use super::run_summary::RunSummary;
use super::selecting::Selecting;
use super::stream::{Notes, usage};
use super::{Exit, local_time, sigma, stream, suppressions};
use ::sigma::SigmaRules;
use pipeline::Options;
use report::compare::{Side, comparable_now, compare};
use report::model::{Document, Judged};
use report::text::TextOptions;
use report::{Artifact, Report, Summary, counted};
use rules::RuleSet;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The report's format. Without this option it is text; on a terminal one screen, and `--full` or `-v` prints all.
    #[arg(short, long, value_enum, ignore_case = true)]
    format: Option<ReportFormat>,

    /// Print the whole text report on a terminal, too.
    #[arg(long, conflicts_with = "format")]
    full: bool,

    /// Write the report to FILE instead of standard output, whole or not at all. The ending is its format: .txt, .json,
    /// .jsonl, .csv, .md, .html, .xml (JUnit), .sarif, .prom or .parquet (a folder of tables). Can be given again for several reports of one run; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Put into the JSON report what `crashsift merge` needs to make one report of several: all facts, and the whole text
    /// of tickets.
    #[arg(long)]
    mergeable: bool,

    #[command(flatten)]
    pub redaction: Redaction,

    /// List all threads of each process whose dump has them: in JSON all that is known of them, in other formats a line each.
    #[arg(long)]
    threads: bool,

    /// Use the rules of this file or folder beside the built-in ones; can be given again. `sigma:PATH` is a file or
    /// folder of Sigma rules: what they match in event logs is shown as evidence.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Leave out the built-in rules.
    #[arg(long)]
    no_builtin_rules: bool,

    /// How many threads work. The report is the same for every number.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    selecting: Selecting,

    /// Leave out findings that are less sure than this (0 to 1). The verdict stays.
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.0, value_parser = confidence)]
    min_confidence: f64,

    /// Say what is new, gone, more, fewer or judged otherwise against an earlier report in JSON.
    #[arg(long, value_name = "REPORT")]
    baseline: Option<PathBuf>,

    /// End with exit code 1 when a verdict names this cause, or a cause of this family; `CAUSE@0.8`: with at least this
    /// confidence; `severity=high`: when a verdict is of this severity or a higher one; `any`: when there is any incident;
    /// `new`: when there is a group that the baseline does not have. Can be given again.
    #[arg(long, value_name = "CONDITION")]
    fail_on: Vec<String>,

    /// End with exit code 3 when some artifact could not be read whole, or an archive was not opened.
    #[arg(long)]
    strict: bool,

    /// Print how the run ended to standard error, as one line of JSON: exit code, conditions of `--fail-on` that were met,
    /// and counts.
    #[arg(long, value_name = "FORMAT", value_enum)]
    summary: Option<SummaryFormat>,

    /// No notes on standard error but errors.
    #[arg(short, long)]
    pub quiet: bool,

    /// More in reports for reading: all evidence, every artifact, whole timelines.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// Write times in reports for reading (text, screen, brief, Markdown, HTML) as the clocks of this computer show them, each with
    /// its offset from UTC. All other formats have UTC.
    #[arg(long)]
    local_time: bool,

    /// Begin CSV with a byte order mark, by which Excel recognizes UTF-8: `true` or `false`. On Windows it is `true` without
    /// this option, elsewhere `false`.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    csv_bom: Option<bool>,

    /// Colours in the text report.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

/// Columns of a screen whose terminal is not known.
const SCREEN_WIDTH: usize = 80;

/// The formats of `--summary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SummaryFormat {
    /// One line.
    Json,
}

/// What the arguments name, loaded and checked before anything is analyzed.
pub struct Prepared {
    /// The rules.
    pub rules: RuleSet,
    baseline: Option<Side>,
    destinations: Vec<Destination>,
    fail_on: Vec<Condition>,
    zone: Option<TimeZone>,
}

impl Prepared {
    /// The only report of the run, where it is a file or standard output; `None` where there are several.
    pub fn only_destination(&self) -> Option<&Destination> {
        match self.destinations.as_slice() {
            [only] if !only.format.is_folder() => Some(only),
            _ => None,
        }
    }
}

impl Arguments {
    /// Loads rules and baseline and checks the other arguments before anything is analyzed.
    pub fn prepare(&self) -> Result<Prepared, Exit> {
        let destinations = destinations(&self.output, self.format, self.standard_format()).map_err(usage)?;
        if self.mergeable && !destinations.iter().any(|destination| destination.format.is_json()) {
            return Err(usage("--mergeable: only reports in JSON can be merged; add --format json or --format jsonl"));
        }
        let (own, _) = sigma::split(&self.rules);
        let rules = load_rules(!self.no_builtin_rules, &own, self.quiet)?;
        let fail_on = self.fail_on.iter().map(|text| Condition::parse(text, &rules)).collect::<Result<Vec<_>, _>>();
        let fail_on = fail_on.map_err(usage)?;
        if fail_on.contains(&Condition::New) && self.baseline.is_none() {
            return Err(usage("--fail-on new: new against what? Give an earlier report with --baseline"));
        }
        self.selecting.check(&rules)?;
        let baseline = self.baseline.as_deref().map(|path| {
            let baseline = side(path).map_err(|error| usage(format!("--baseline {error}")))?;
            comparable_now(&baseline, self.selecting.limits(), &self.selecting.selected())
                .map_err(|error| usage(format!("--baseline {}: {error}", path.display())))?;
            Ok(baseline)
        });
        let zone = local_time::zone(self.local_time)?;
        Ok(Prepared { rules, baseline: baseline.transpose()?, destinations, fail_on, zone })
    }

    /// Whether the report depends on the time zone of this computer.
    pub fn has_local_time(&self) -> bool {
        self.local_time
    }

    /// Whether the command line names Sigma rules.
    pub fn has_sigma(&self) -> bool {
        self.rules.iter().any(|given| sigma::path(given).is_some())
    }

    /// Loads the Sigma rules.
    pub fn sigma(&self) -> Result<Option<Arc<SigmaRules>>, Exit> {
        sigma::load(&sigma::split(&self.rules).1, self.quiet)
    }

    /// Checks that no report replaces a file that is read: one of `inputs`, or of what these arguments name. A report in JSON
    /// may replace the baseline, as that of the next run.
    pub fn keep_inputs(&self, prepared: &Prepared, inputs: &[PathBuf]) -> Result<(), Exit> {
        let rules: Vec<PathBuf> =
            self.rules.iter().map(|given| sigma::path(given).unwrap_or_else(|| given.clone())).collect();
        prepared.destinations.iter().try_for_each(|destination| {
            let Some(file) = &destination.file else { return Ok(()) };
            let baseline = self.baseline.iter().filter(|_| !destination.format.is_json());
            not_lost(file, inputs.iter().chain(&rules).chain(baseline)).map_err(usage)
        })
    }

    /// The threads of the run: one for few bytes.
    pub fn pool(&self, little: bool) -> Result<rayon::ThreadPool, Exit> {
        pool(self.jobs, little)
    }

    /// The options of the library that these arguments set.
    pub fn options(&self) -> Options {
        Options {
            limits: self.selecting.limits(),
            selected: self.selecting.selected(),
            min_confidence: self.min_confidence,
            keep_evidence: self.mergeable,
            threads: self.threads,
            ..Options::default()
        }
    }

    /// The arguments that change the report to `destination`, as text; the output file and the number of threads don't.
    pub fn question(&self, destination: &Destination) -> String {
        let Self {
            format: _, full: _, output: _, mergeable, redaction, threads, rules, no_builtin_rules, jobs: _, ..
        } = self;
        let Self {
            selecting,
            min_confidence,
            baseline,
            fail_on,
            strict,
            summary,
            quiet,
            verbose: _,
            csv_bom: _,
            color: _,
            ..
        } = self;
        let format = destination.format;
        let look = self.look(format).options(destination.file.as_deref());
        let judged = (rules, no_builtin_rules, selecting, min_confidence);
        let ends = (fail_on, strict, summary, quiet);
        format!("{:?}", (format, mergeable, redaction, threads, look, self.csv_bom(), judged, baseline, ends))
    }

    /// The files and folders that change how incidents are judged: rules and baseline.
    pub fn judging_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.rules.iter().chain(&self.baseline)
    }

    /// Whether a table begins with a byte order mark.
    fn csv_bom(&self) -> bool {
        self.csv_bom.unwrap_or(cfg!(windows))
    }

    fn look(&self, format: ReportFormat) -> Look {
        Look {
            color: self.color,
            verbose: self.verbose > 0,
            text: format.is_text(),
            width: if format == ReportFormat::Screen { SCREEN_WIDTH } else { TextOptions::default().width },
        }
    }

    /// The format of standard output without `--format`: one screen where somebody looks at it, and text where all of it is
    /// wanted.
    fn standard_format(&self) -> ReportFormat {
        let wants_all = self.full || self.threads || self.verbose > 0;
        if wants_all || !io::stdout().is_terminal() { ReportFormat::Text } else { ReportFormat::Screen }
    }

    /// Prints the kept answer of an earlier run to `destination`.
    pub fn repeat(&self, answer: &Answer, destination: &Destination) -> Exit {
        answer.trailer.notes.iter().for_each(|note| stream::note(note));
        let look = self.look(destination.format);
        let exit = match output::deliver(destination.file.as_deref(), look, |out, _| answer.copy(out)) {
            Exit::Success => Exit::from_repr(answer.trailer.exit).unwrap_or(Exit::Internal),
            failed => failed,
        };
        answer.trailer.summary.iter().for_each(|line| stream::line(line));
        exit
    }

    /// Compares the report with the baseline, notes losses, writes the reports and decides the exit code. `answers` keeps
    /// the output for the next run.
    pub fn finish(
        &self,
        report: &mut Report,
        prepared: &Prepared,
        notes: &mut Notes,
        mut answers: Option<Answers>,
    ) -> Exit {
        let Prepared { rules, baseline, destinations, fail_on, zone } = prepared;
        if let Some(baseline) = baseline {
            let now = Side::from(Document::from(&*report));
            match compare(baseline, &now) {
                Ok(comparison) => report.comparison = Some(comparison),
                Err(error) => return usage(format!("--baseline: {error}")),
            }
        }
        let Report { summary, .. } = &*report;
        let lost = summary.failed.saturating_add(summary.partial);
        if lost > 0 {
            notes.say(format!(
                "{lost} of {} could not be read whole; the report says where and why",
                counted(summary.artifacts, "artifact")
            ));
        }
        match summary.archives {
            0 => {}
            1 => notes.say("1 archive was not opened; extract it and analyze the folder".to_owned()),
            count => notes.say(format!("{count} archives were not opened; extract them and analyze the folder")),
        }
        suppressions::ended(report, rules).into_iter().for_each(|note| notes.say(note));
        let report = &*report;
        // What the run fails on are failed tests; without conditions, what has a cause.
        let is_failure = |judged: &Judged| match fail_on.as_slice() {
            [] => !judged.verdict.is_undetermined(),
            conditions => conditions.iter().any(|condition| condition.is_met_by(judged, report)),
        };
        let mut failed = None;
        for Destination { file, format } in destinations {
            if let (true, Some(path)) = (format.is_folder(), file) {
                if let Err(reason) = folder::write(report, path) {
                    stream::note(&format!("--output {}: {reason}", path.display()));
                    failed = failed.or(Some(Exit::Internal));
                }
                continue;
            }
            let written = output::deliver(file.as_deref(), self.look(*format), |out, text| {
                let options =
                    WriteOptions { text, zone: zone.as_ref(), csv_bom: self.csv_bom(), is_failure: &is_failure };
                let write = |out: &mut dyn Write| format.write(report, out, options);
                match &mut answers {
                    Some(answers) => answers.tee(out, write),
                    None => write(out),
                }
            });
            failed = failed.or((written != Exit::Success).then_some(written));
        }
        let met: Vec<&str> = self
            .fail_on
            .iter()
            .zip(fail_on)
            .filter(|(_, condition)| condition.is_met(report))
            .map(|(text, _)| text.as_str())
            .collect();
        let exit = failed.unwrap_or_else(|| self.exit(report, !met.is_empty(), notes));
        let summary = self.summary.map(|SummaryFormat::Json| RunSummary::new(exit, &met, destinations, report).line());
        summary.iter().for_each(|line| stream::line(line));
        if let Some(answers) = answers.filter(|_| failed.is_none()) {
            answers.keep(&report.artifacts, notes, exit as u8, summary);
        }
        exit
    }

    /// The exit code of a run that wrote its reports; `is_met`: a condition of `--fail-on` is. "Nothing to analyze" takes
    /// precedence over `--fail-on`, and `--fail-on` over `--strict`.
    fn exit(&self, report: &Report, is_met: bool, notes: &mut Notes) -> Exit {
        if !report.artifacts.iter().any(Artifact::is_read) {
            notes.say("nothing that can be analyzed was found".to_owned());
            return Exit::Nothing;
        }
        if is_met {
            return Exit::FailOn;
        }
        let Summary { failed, partial, archives, .. } = report.summary;
        if self.strict && [failed, partial, archives].iter().any(|count| *count > 0) {
            return Exit::Strict;
        }
        Exit::Success
    }
}

/// The threads of a run: one for few bytes. The calling thread is one of them.
pub fn pool(jobs: Option<NonZeroUsize>, little: bool) -> Result<rayon::ThreadPool, Exit> {
    let threads = match jobs {
        Some(jobs) => jobs.get(),
        None if little => 1,
        None => 0,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
    pool.map_err(|error| usage(format!("threads: {error}")))
}

/// The most threads that `--jobs` takes: more than processors have, and few enough for every system.
const MOST_JOBS: usize = 1024;

/// Parses a number of threads.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS)
        .ok_or_else(|| format!("write a number of threads from 1 to {MOST_JOBS}"))
}

fn confidence(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "a confidence is a number from 0 to 1, such as 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_threads_is_from_one_to_a_thousand() {
        assert!(jobs("1").is_ok() && jobs("1024").is_ok());
        assert!(["0", "1025", "-1", "many"].into_iter().all(|text| jobs(text).is_err()));
    }
}

//! Arguments, output and exit code of the commands that write a report: `analyze` and `merge`.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgAction, ValueEnum};

use super::answers::{Answer, Answers};
use super::color::Color;
use super::output::{self, Look};
use super::reports::side;
use super::rules::load_rules;
use super::selecting::{Selecting, check_cause};
use super::stream::{Notes, usage};
use super::{Exit, sigma, stream, suppressions};
use ::sigma::SigmaRules;
use pipeline::Options;
use report::compare::{Side, comparable_now, compare};
use report::model::{Comparison, Document};
use report::text::TextOptions;
use report::{Artifact, Report, Summary, WriteError, counted, csv, json, jsonl, page, screen, text};
use rules::{RuleSet, UNDETERMINED};

#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Arguments {
    /// The report's format. Without this option it is text; on a terminal one screen, and `--full` or `-v` prints all.
    #[arg(short, long, value_enum, ignore_case = true)]
    format: Option<Format>,

    /// Print the whole text report on a terminal, too.
    #[arg(long, conflicts_with = "format")]
    full: bool,

    /// Write the report to FILE instead of standard output, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Put into the JSON report what `crashsift merge` needs to make one report of several.
    #[arg(long)]
    mergeable: bool,

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

    /// End with exit code 1 when a verdict names this cause, or a cause of this family; `any`: when there is any
    /// incident; `new`: when there is a group that the baseline does not have. Can be given again.
    #[arg(long, value_name = "CAUSE|FAMILY|any|new")]
    fail_on: Vec<String>,

    /// End with exit code 3 when some artifact could not be read whole, or an archive was not opened.
    #[arg(long)]
    strict: bool,

    /// No notes on standard error but errors.
    #[arg(short, long)]
    pub quiet: bool,

    /// More in reports for reading: all evidence, every artifact, whole timelines.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

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

/// `--fail-on any`.
const ANY: &str = "any";
/// `--fail-on new`.
pub const NEW: &str = "new";

impl Arguments {
    /// Loads rules and baseline and checks the other arguments before anything is analyzed.
    pub fn prepare(&self) -> Result<(RuleSet, Option<Side>), Exit> {
        if self.mergeable && !self.format().is_json() {
            return Err(usage("--mergeable: only reports in JSON can be merged; add --format json or --format jsonl"));
        }
        let (own, _) = sigma::split(&self.rules);
        let rules = load_rules(!self.no_builtin_rules, &own, self.quiet)?;
        for wanted in &self.fail_on {
            if wanted == NEW && self.baseline.is_none() {
                return Err(usage("--fail-on new: new against what? Give an earlier report with --baseline"));
            }
            if wanted != ANY && wanted != NEW {
                check_cause("--fail-on", wanted, &rules)?;
            }
        }
        self.selecting.check(&rules)?;
        if let Some(path) = &self.output {
            output::check(path).map_err(usage)?;
        }
        let baseline = self.baseline.as_deref().map(|path| {
            let baseline = side(path).map_err(|error| usage(format!("--baseline {error}")))?;
            comparable_now(&baseline, self.selecting.limits(), &self.selecting.selected())
                .map_err(|error| usage(format!("--baseline {}: {error}", path.display())))?;
            Ok(baseline)
        });
        Ok((rules, baseline.transpose()?))
    }

    /// Whether the command line names Sigma rules.
    pub fn has_sigma(&self) -> bool {
        self.rules.iter().any(|given| sigma::path(given).is_some())
    }

    /// Loads the Sigma rules.
    pub fn sigma(&self) -> Result<Option<Arc<SigmaRules>>, Exit> {
        sigma::load(&sigma::split(&self.rules).1, self.quiet)
    }

    /// The files and folders that are read beside the artifacts and that the report must not replace. A report in JSON
    /// may replace the baseline, as that of the next run.
    pub fn read(&self) -> impl Iterator<Item = PathBuf> {
        let rules = self.rules.iter().map(|given| sigma::path(given).unwrap_or_else(|| given.clone()));
        rules.chain(self.baseline.iter().filter(|_| !self.format().is_json()).cloned())
    }

    /// The threads of the run: one for few bytes. The calling thread is one of them.
    pub fn pool(&self, little: bool) -> Result<rayon::ThreadPool, Exit> {
        let threads = match self.jobs {
            Some(jobs) => jobs.get(),
            None if little => 1,
            None => 0,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
        pool.map_err(|error| usage(format!("threads: {error}")))
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

    /// The arguments that change the report, as text; the output file and the number of threads don't.
    pub fn question(&self) -> String {
        let Self {
            format: _, full: _, output: _, mergeable, threads, rules, no_builtin_rules, jobs: _, selecting, ..
        } = self;
        let Self { min_confidence, baseline, fail_on, strict, quiet, verbose: _, csv_bom: _, color: _, .. } = self;
        let look = self.look().options(self.output.as_deref());
        let judged = (rules, no_builtin_rules, selecting, min_confidence);
        format!(
            "{:?}",
            (self.format(), mergeable, threads, look, self.csv_bom(), judged, baseline, fail_on, strict, quiet)
        )
    }

    /// The files and folders that change how incidents are judged: rules and baseline.
    pub fn judging_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.rules.iter().chain(&self.baseline)
    }

    /// Whether a table begins with a byte order mark.
    fn csv_bom(&self) -> bool {
        self.csv_bom.unwrap_or(cfg!(windows))
    }

    fn look(&self) -> Look {
        let format = self.format();
        Look {
            color: self.color,
            verbose: self.verbose > 0,
            text: matches!(format, Format::Text | Format::Screen),
            width: if format == Format::Screen { SCREEN_WIDTH } else { TextOptions::default().width },
        }
    }

    /// The format that was asked for; else one screen where somebody looks at it, and text where all of it is wanted.
    fn format(&self) -> Format {
        let wants_all = self.full || self.threads || self.verbose > 0 || self.output.is_some();
        let otherwise = if wants_all || !io::stdout().is_terminal() { Format::Text } else { Format::Screen };
        self.format.unwrap_or(otherwise)
    }

    /// Prints the kept answer of an earlier run.
    pub fn repeat(&self, answer: &Answer) -> Exit {
        answer.trailer.notes.iter().for_each(|note| stream::note(note));
        match output::deliver(self.output.as_deref(), self.look(), |out, _| answer.copy(out)) {
            Exit::Success => Exit::from_repr(answer.trailer.exit).unwrap_or(Exit::Internal),
            failed => failed,
        }
    }

    /// Compares the report with the baseline, notes losses, writes the report and decides the exit code. `answers` keeps
    /// the output for the next run.
    pub fn finish(
        &self,
        report: &mut Report,
        rules: &RuleSet,
        baseline: Option<&Side>,
        notes: &mut Notes,
        answers: Option<Answers>,
    ) -> Exit {
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
        let mut answers = answers;
        let written = output::deliver(self.output.as_deref(), self.look(), |out, options| {
            let write = |out: &mut dyn Write| self.format().write(report, out, options, self.csv_bom());
            match &mut answers {
                Some(answers) => answers.tee(out, write),
                None => write(out),
            }
        });
        if written != Exit::Success {
            return written;
        }
        let exit = verdict(self, report, rules, notes);
        if let Some(answers) = answers {
            answers.keep(&report.artifacts, notes, exit as u8);
        }
        exit
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading.
    Text,
    /// One screen: what there is, what to do first, what to collect.
    Screen,
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
}

impl Format {
    /// Whether other commands read the report.
    fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::Jsonl)
    }

    fn write(self, report: &Report, out: &mut dyn Write, options: TextOptions, csv_bom: bool) -> io::Result<()> {
        match self {
            Self::Text => text::write(report, out, options),
            Self::Screen => screen::write(report, out, options),
            Self::Json => json::write(report, out),
            Self::Jsonl => jsonl::write(report, out),
            Self::Csv => csv::write(report, csv_bom, out).map_err(output_error),
            Self::Markdown => page::write_markdown(report, out, options.verbose).map_err(output_error),
            Self::Html => page::write_html(report, out, options.verbose).map_err(output_error),
        }
    }
}

fn output_error(error: WriteError) -> io::Error {
    match error {
        WriteError::Output(error) => error,
        wrong => io::Error::other(wrong),
    }
}

/// The most threads that `--jobs` takes: more than processors have, and few enough for every system.
const MOST_JOBS: usize = 1024;

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
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

/// The exit code of a run that wrote its report. "Nothing to analyze" takes precedence over `--fail-on`, and `--fail-on`
/// over `--strict`.
fn verdict(arguments: &Arguments, report: &Report, rules: &RuleSet, notes: &mut Notes) -> Exit {
    if !report.artifacts.iter().any(Artifact::is_read) {
        notes.say("nothing that can be analyzed was found".to_owned());
        return Exit::Nothing;
    }
    let met = |wanted: &String| {
        report.incidents.iter().any(|judged| {
            let cause = judged.verdict.cause.as_str();
            // A suppressed finding is known and meets no condition.
            let silenced = cause == UNDETERMINED && !judged.suppressed.is_empty();
            let family = rules.causes().get(cause).map(|cause| &cause.family).filter(|_| cause != UNDETERMINED);
            wanted == ANY || (wanted == cause && !silenced) || family == Some(wanted)
        })
    };
    let has_new = report.comparison.as_ref().is_some_and(Comparison::has_new_groups);
    if arguments.fail_on.iter().any(|wanted| met(wanted) || (wanted == NEW && has_new)) {
        return Exit::FailOn;
    }
    let Summary { failed, partial, archives, .. } = report.summary;
    if arguments.strict && [failed, partial, archives].iter().any(|count| *count > 0) {
        return Exit::Strict;
    }
    Exit::Success
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

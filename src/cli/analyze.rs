//! `crashsift analyze`: the main job.

use std::io::{self, Read, Write};
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgAction, ValueEnum};
use jiff::Timestamp;

use super::color::{self, Color};
use super::output::{self, write_file};
use super::progress::Bar;
use super::{Exit, load_rules, open_symbols, stream};
use crate::Options;
use crate::analysis::analyze_keeping;
use crate::artifact::event_log::Cache;
use crate::artifact::head_and_tail::HeadAndTail;
use crate::discover::{ArtifactKind, SNIFFED, display_path, read_list, reason, sniff};
use crate::knowledge::Knowledge;
use crate::report::text::TextOptions;
use crate::report::{ArtifactStatus, Report, json, jsonl, text};
use crate::rules::RuleSet;

/// How many paths of the command line that can't be read are named on standard error.
const NAMED: usize = 5;

/// Up to this many bytes are read on one thread.
const SMALL: u64 = 256 << 10;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files and folders; `-` reads a list of paths from standard input, one a line or separated by NUL.
    #[arg(value_name = "PATH", required_unless_present = "ticket")]
    paths: Vec<PathBuf>,

    /// The report's format.
    #[arg(short, long, value_enum, default_value_t, ignore_case = true)]
    format: Format,

    /// Write the report to FILE instead of standard output, whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Use the rules of this file or folder beside the built-in ones; can be given again.
    #[arg(short, long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// Leave out the built-in rules.
    #[arg(long)]
    no_builtin_rules: bool,

    /// How many threads work. The report is the same for every number.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// Keep in the folder DIR what is read of event logs, and don't read chunks again that did not change since. The
    /// report is the same.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Read FILE as text that somebody pasted, whatever it looks like; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    ticket: Option<PathBuf>,

    /// Leave out incidents before TIME (2024-11-11 or 2024-11-11T17:43:00Z).
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,

    /// Leave out incidents after TIME; a date means its end.
    #[arg(long, value_name = "TIME", value_parser = end_time)]
    until: Option<Timestamp>,

    /// Leave out findings that are less sure than this (0 to 1). The verdict stays.
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.0, value_parser = confidence)]
    min_confidence: f64,

    /// End with exit code 1 when a verdict names this cause, or a cause of this family; `any`: when there is any
    /// incident. Can be given again.
    #[arg(long, value_name = "CAUSE|FAMILY|any")]
    fail_on: Vec<String>,

    /// End with exit code 3 when some artifact could not be read whole.
    #[arg(long)]
    strict: bool,

    /// Unwind stacks exactly by the images (.dll, .exe) and Breakpad symbol files (.sym) in PATH, a folder or a symbol
    /// store, or a single file; can be given again. Full dumps hold their images themselves.
    #[arg(long, value_name = "PATH", conflicts_with = "no_stack_walk")]
    symbols: Vec<PathBuf>,

    /// Don't walk stacks: faster, but a suspect below a carrier is not found.
    #[arg(long)]
    no_stack_walk: bool,

    /// No notes on standard error.
    #[arg(short, long)]
    quiet: bool,

    /// More in the text report: every artifact, whole timelines.
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,

    /// No progress bar.
    #[arg(long)]
    no_progress: bool,

    /// Colours in the text report.
    #[arg(long, value_enum, default_value_t)]
    color: Color,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// JSON, one object a line.
    Jsonl,
}

/// The most threads that `--jobs` takes: more than any processor has, and few enough to be had.
const MOST_JOBS: usize = 1024;

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|jobs: &NonZeroUsize| jobs.get() <= MOST_JOBS)
        .ok_or_else(|| format!("write a number of threads from 1 to {MOST_JOBS}"))
}

/// A date means its end, in UTC.
fn end_time(text: &str) -> Result<Timestamp, String> {
    // The resolution of event logs is 100 ns.
    format!("{text}T23:59:59.9999999Z").parse().or_else(|_| time(text))
}

/// A date means its beginning, in UTC.
fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .or_else(|_| format!("{text}T00:00:00Z").parse())
        .map_err(|_| "write a date (2024-11-11) or a time with its zone (2024-11-11T17:43:00Z)".to_owned())
}

fn confidence(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "a confidence is a number from 0 to 1, such as 0.5".to_owned())
}

pub fn run(arguments: Arguments) -> Exit {
    match prepare(&arguments) {
        Ok(prepared) => carry_out(&arguments, prepared),
        Err(exit) => exit,
    }
}

/// Everything that can be wrong before anything is analyzed.
struct Prepared {
    paths: Vec<PathBuf>,
    rules: RuleSet,
    knowledge: Knowledge,
    options: Options,
    threads: rayon::ThreadPool,
}

fn prepare(arguments: &Arguments) -> Result<Prepared, Exit> {
    let usage = |message: String| {
        stream::note(&message);
        Exit::Usage
    };
    let rules = load_rules(!arguments.no_builtin_rules, &arguments.rules, arguments.quiet)?;
    for wanted in &arguments.fail_on {
        if wanted != "any" && !is_cause_or_family(&rules, wanted) {
            return Err(usage(format!(
                "--fail-on {wanted}: neither a cause nor a family; `crashsift rules list` shows the causes"
            )));
        }
    }
    if let (Some(since), Some(until)) = (arguments.since, arguments.until)
        && since > until
    {
        return Err(usage(format!("--since {since} is after --until {until}: no incident can be between them")));
    }
    let knowledge = Knowledge::builtin();
    if let Some(path) = &arguments.output {
        output::check(path).map_err(|error| usage(format!("--output {}: {}", path.display(), reason(&error))))?;
        if let Some(what) = would_be_lost(path, arguments) {
            return Err(usage(format!("--output {}: {what}, and would be lost; name another file", path.display())));
        }
    }
    let from_stdin = arguments.paths.iter().any(|path| path == Path::new("-"));
    let ticket_from_stdin = arguments.ticket.as_deref() == Some(Path::new("-"));
    if from_stdin && ticket_from_stdin {
        return Err(usage("standard input can't be both the list of paths and the ticket".to_owned()));
    }
    let mut paths: Vec<PathBuf> = arguments.paths.iter().filter(|path| *path != Path::new("-")).cloned().collect();
    if from_stdin {
        let listed = read_list(&mut io::stdin().lock());
        paths.extend(listed.map_err(|error| usage(format!("list of paths on standard input: {error}")))?);
    }
    let pasted = match &arguments.ticket {
        Some(path) => {
            vec![pasted(path).map_err(|error| usage(format!("--ticket {}: {}", path.display(), reason(&error))))?]
        }
        None => Vec::new(),
    };
    let threads = match arguments.jobs {
        Some(jobs) => jobs.get(),
        None if is_small(&paths) => 1,
        None => 0,
    };
    // This thread is one of them: it would only wait for the others, and its memory is the cheapest to have.
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .use_current_thread()
        .build()
        .map_err(|error| usage(format!("threads: {error}")))?;
    let options = Options {
        walk_stacks: !arguments.no_stack_walk,
        symbols: open_symbols(&arguments.symbols)?,
        since: arguments.since,
        until: arguments.until,
        min_confidence: arguments.min_confidence,
        pasted,
        cache: arguments.cache.as_deref().and_then(|folder| open_cache(folder, arguments.quiet)),
    };
    Ok(Prepared { paths, rules, knowledge, options, threads })
}

/// What is at the place for the report, if that is evidence: something that was given to be analyzed, or an artifact of
/// any kind but text, which older reports are.
fn would_be_lost(output: &Path, arguments: &Arguments) -> Option<String> {
    let place = std::fs::canonicalize(output).ok().filter(|place| place.is_file())?;
    let given = arguments.paths.iter().chain(&arguments.ticket);
    if given.filter_map(|path| std::fs::canonicalize(path).ok()).any(|path| path == place) {
        return Some("it is one of the files to analyze".to_owned());
    }
    let mut first = Vec::new();
    std::fs::File::open(&place).ok()?.take(SNIFFED).read_to_end(&mut first).ok()?;
    match sniff(&first) {
        ArtifactKind::Unknown | ArtifactKind::Ticket => None,
        kind => Some(format!("it is an artifact of kind {}", kind.word())),
    }
}

/// The cache in `folder`. Without one the run takes longer, but it goes on.
fn open_cache(folder: &Path, quiet: bool) -> Option<Arc<Cache>> {
    let cache = Cache::in_folder(folder);
    if let Err(error) = &cache
        && !quiet
    {
        stream::note(&format!("--cache {}: {}; the run goes on without it", folder.display(), reason(error)));
    }
    cache.ok().map(Arc::new)
}

/// Whether the paths are files with so little in them that starting a second thread costs more than it saves.
fn is_small(paths: &[PathBuf]) -> bool {
    let sizes = paths.iter().map(|path| {
        let about = path.metadata().ok().filter(std::fs::Metadata::is_file);
        about.map_or(u64::MAX, |about| about.len())
    });
    sizes.fold(0, u64::saturating_add) < SMALL
}

fn is_cause_or_family(rules: &RuleSet, wanted: &str) -> bool {
    rules.causes().get(wanted).is_some() || rules.causes().families().any(|(family, _)| family == wanted)
}

fn pasted(path: &Path) -> io::Result<(String, HeadAndTail)> {
    if path == Path::new("-") {
        return Ok(("standard input".to_owned(), HeadAndTail::read(&mut io::stdin().lock())?));
    }
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    let content = HeadAndTail::read(&mut std::fs::File::open(path)?)?;
    Ok((display_path(path), content))
}

fn carry_out(arguments: &Arguments, prepared: Prepared) -> Exit {
    let Prepared { paths, rules, knowledge, options, threads } = prepared;
    let bar = Bar::new(!arguments.no_progress && !arguments.quiet);
    let (report, evidence) = threads.install(|| analyze_keeping(&paths, &rules, &knowledge, &options, &bar));

    if !arguments.quiet {
        options.cache.iter().flat_map(|cache| cache.notes()).for_each(|note| stream::note(&note));
        // Of what was named on the command line, the reason stands here, too.
        let given: Vec<String> = arguments.paths.iter().map(|path| display_path(path)).collect();
        let lost = report.artifacts.iter().filter(|artifact| artifact.status == ArtifactStatus::Failed);
        for artifact in lost.filter(|artifact| given.contains(&artifact.path)).take(NAMED) {
            stream::note(&format!("{}: {}", artifact.path, artifact.detail.as_deref().unwrap_or("could not be read")));
        }
        let Report { summary, .. } = &report;
        let lost = summary.failed.saturating_add(summary.partial);
        if lost > 0 {
            stream::note(&format!(
                "{lost} of {} {} could not be read whole; the report says where and why",
                summary.artifacts,
                if summary.artifacts == 1 { "artifact" } else { "artifacts" }
            ));
        }
        match summary.archives {
            0 => {}
            1 => stream::note("1 archive was not opened; extract it and analyze the folder"),
            count => stream::note(&format!("{count} archives were not opened; extract them and analyze the folder")),
        }
    }
    let written = write(arguments, &report);
    let exit = if written != Exit::Success { written } else { verdict(arguments, &report, &rules) };
    // The process ends here, and its memory with it. Giving that back piece by piece would only take time.
    mem::forget((report, evidence, rules));
    exit
}

fn write(arguments: &Arguments, report: &Report) -> Exit {
    let Some(path) = &arguments.output else {
        let choice = arguments.color.choice();
        let options = text_options(arguments, color::on_terminal(), choice != anstream::ColorChoice::Never);
        if arguments.format != Format::Text {
            let mut out = io::stdout().lock();
            return stream::outcome(format(arguments.format, report, &mut out, options).and_then(|()| out.flush()));
        }
        let mut out = anstream::AutoStream::new(io::stdout().lock(), choice);
        return stream::outcome(format(arguments.format, report, &mut out, options).and_then(|()| out.flush()));
    };
    let options = text_options(arguments, false, arguments.color == Color::Always);
    match write_file(path, |out| format(arguments.format, report, out, options)) {
        Ok(()) => Exit::Success,
        Err(error) => {
            stream::note(&format!("--output {}: {}", path.display(), reason(&error)));
            Exit::Internal
        }
    }
}

fn text_options(arguments: &Arguments, terminal: bool, color: bool) -> TextOptions {
    TextOptions { width: color::width(terminal), color, verbose: arguments.verbose > 0 }
}

fn format(format: Format, report: &Report, out: &mut dyn Write, options: TextOptions) -> io::Result<()> {
    match format {
        Format::Text => text::write(report, out, options),
        Format::Json => json::write(report, out),
        Format::Jsonl => jsonl::write(report, out),
    }
}

/// The exit code of a run that wrote its report. That there was nothing to analyze outweighs a `--fail-on`, and that
/// a `--strict`.
fn verdict(arguments: &Arguments, report: &Report, rules: &RuleSet) -> Exit {
    let whole_or_part = |status| matches!(status, ArtifactStatus::Ok | ArtifactStatus::Partial);
    if !report.artifacts.iter().any(|artifact| whole_or_part(artifact.status)) {
        if !arguments.quiet {
            stream::note("nothing that can be analyzed was found");
        }
        return Exit::Nothing;
    }
    let met = |wanted: &String| {
        report.incidents.iter().any(|judged| {
            let cause = judged.verdict.cause.as_str();
            wanted == "any" || wanted == cause || rules.causes().get(cause).is_some_and(|cause| cause.family == *wanted)
        })
    };
    if arguments.fail_on.iter().any(met) {
        return Exit::FailOn;
    }
    if arguments.strict && report.summary.failed.saturating_add(report.summary.partial) > 0 {
        return Exit::Strict;
    }
    Exit::Success
}

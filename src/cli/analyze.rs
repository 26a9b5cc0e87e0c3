//! `crashsift analyze`: reads artifacts and writes a report.

use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answers::{Answers, Question};
use super::destinations::Destination;
use super::lost::note_lost;
use super::passwords::PasswordFile;
use super::progress::Bar;
use super::stream::{Notes, usage};
use super::{Exit, redaction, reporting, stream, symbols, this_pc};
use evidence::ArtifactKind;
use evtx_scan::Cache;
use pipeline::discover::{read_list, sniff};
use pipeline::{Options, analyze_keeping};
use report::Selected;
use untrusted::{HeadAndTail, display_path, reason};

/// Files of up to this many bytes together are read on one thread.
const ONE_THREAD_BYTES: u64 = 256 << 10;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files, folders and archives (.zip, .7z, .cab, .tar, .gz, .xz, .bz2, .zst, .rar); `-` reads a list of paths from
    /// standard input, one a line or separated by NUL.
    #[arg(value_name = "PATH", required_unless_present_any = ["ticket", "this_pc"])]
    paths: Vec<PathBuf>,

    /// Read the event logs, error reports and dumps of this computer, which must run Windows. A note names those that only an
    /// administrator can read.
    #[arg(long)]
    this_pc: bool,

    /// Keep in the folder DIR what is read of event logs, and the answer: chunks that did not change since are not read
    /// again, and where nothing did, the answer is there. The report is the same.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Read FILE as text that somebody pasted, whatever it looks like; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    ticket: Option<PathBuf>,

    /// Name functions and source lines by the PDBs and Breakpad symbol files (.sym) in PATH, and unwind stacks exactly by
    /// these and the images (.dll, .exe); PATH is a folder, a symbol store or a single file, and can be given again.
    /// Full dumps hold their images themselves.
    #[arg(long, value_name = "PATH", conflicts_with = "no_stack_walk")]
    symbols: Vec<PathBuf>,

    /// Take the first folders below each PATH for customers: nothing is joined, grouped or counted across them, and the report
    /// names the customer of everything.
    #[arg(long)]
    by_folder: bool,

    /// Don't read files and folders whose name PATTERN fits (`*.pdf`, `old`), or whose path below PATH where it has a slash
    /// (`backup/*`); case is ignored. Members of archives likewise. Can be given again.
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,

    #[command(flatten)]
    passwords: PasswordFile,

    /// Don't walk stacks: faster, but a suspect below a carrier is not found.
    #[arg(long)]
    no_stack_walk: bool,

    /// No progress bar.
    #[arg(long)]
    no_progress: bool,

    #[command(flatten)]
    reporting: reporting::Arguments,
}

/// Analyzes. `program` is the file that holds this code, where that is not the process's own.
pub fn run(arguments: Arguments, program: Option<&Path>) -> Result<Exit, Exit> {
    let prepared = prepare(&arguments)?;
    Ok(carry_out(&arguments, prepared, program))
}

/// The checked arguments and everything that they name, before anything is analyzed.
struct Prepared {
    paths: Vec<PathBuf>,
    reporting: reporting::Prepared,
    options: Options,
    threads: rayon::ThreadPool,
}

fn prepare(arguments: &Arguments) -> Result<Prepared, Exit> {
    let reporting = arguments.reporting.prepare()?;
    let from_stdin = arguments.paths.iter().any(|path| path == Path::new("-"));
    let ticket_from_stdin = arguments.ticket.as_deref() == Some(Path::new("-"));
    if from_stdin && ticket_from_stdin {
        return Err(usage("standard input can't be both the list of paths and the ticket"));
    }
    let mut paths: Vec<PathBuf> = arguments.paths.iter().filter(|path| *path != Path::new("-")).cloned().collect();
    if from_stdin {
        let listed = read_list(&mut io::stdin().lock());
        let listed = listed.map_err(|error| usage(format!("list of paths on standard input: {error}")))?;
        if !listed.is_empty() && !listed.iter().any(|path| path.exists()) {
            stream::note("standard input has no path that exists; pasted text is read with `--ticket -`");
        }
        paths.extend(listed);
    }
    if arguments.this_pc {
        paths.extend(this_pc::paths(arguments.reporting.quiet).map_err(usage)?);
    }
    let given = paths.iter().chain(&arguments.ticket).chain(&arguments.symbols).chain(arguments.passwords.path());
    let given: Vec<PathBuf> = given.cloned().collect();
    arguments.reporting.keep_inputs(&reporting, &given)?;
    let pasted = match &arguments.ticket {
        Some(path) => {
            vec![pasted(path).map_err(|error| usage(format!("--ticket {}: {}", path.display(), reason(&error))))?]
        }
        None => Vec::new(),
    };
    let threads = arguments.reporting.pool(is_small(&paths))?;
    let options = arguments.reporting.options();
    let options = Options {
        no_stack_walk: arguments.no_stack_walk,
        by_folder: arguments.by_folder,
        symbols: symbols::open(&arguments.symbols)?,
        sigma: arguments.reporting.sigma()?,
        pasted,
        passwords: arguments.passwords.read()?,
        redaction: arguments.reporting.redaction.key()?,
        cache: arguments.cache.as_deref().and_then(|folder| open_cache(folder, arguments.reporting.quiet)),
        selected: Selected { exclude: arguments.exclude.clone(), ..options.selected },
        ..options
    };
    Ok(Prepared { paths, reporting, options, threads })
}

/// The cache in `folder`; where it can't be used, a note, and the run takes longer.
fn open_cache(folder: &Path, quiet: bool) -> Option<Arc<Cache>> {
    let cache = windows_events::cache_in(folder);
    if let Err(error) = &cache
        && !quiet
    {
        stream::note(&format!("--cache {}: {}; the run goes on without it", folder.display(), error));
    }
    cache.ok().map(Arc::new)
}

/// Whether the paths are files so small that starting a second thread costs more than it saves.
fn is_small(paths: &[PathBuf]) -> bool {
    let sizes = paths.iter().map(|path| {
        let about = path.metadata().ok().filter(std::fs::Metadata::is_file);
        about.map_or(u64::MAX, |about| about.len())
    });
    sizes.fold(0, u64::saturating_add) < ONE_THREAD_BYTES
}

/// The text of `--ticket` with the name that the report shows.
fn pasted(path: &Path) -> io::Result<(String, HeadAndTail)> {
    if path == Path::new("-") {
        let content = HeadAndTail::read(&mut io::stdin().lock())?;
        return match sniff(&content.head) {
            ArtifactKind::Ticket | ArtifactKind::Unknown | ArtifactKind::WerReport => {
                Ok(("standard input".to_owned(), content))
            }
            kind => Err(io::Error::other(format!(
                "it is no text but of kind {}; write it to a file and name that without --ticket",
                kind.word()
            ))),
        };
    }
    let mut file = opener::open(path).map_err(|error| match opener::Refusal::of(&error) {
        Some(opener::Refusal::NoFile) => {
            io::Error::other("not a file; text from a pipe is read from standard input with `--ticket -`")
        }
        _ => error,
    })?;
    let content = HeadAndTail::read(&mut file)?;
    match sniff(&content.head) {
        ArtifactKind::Ticket | ArtifactKind::Unknown => Ok((display_path(path), content)),
        kind => Err(io::Error::other(format!("it is no text but of kind {}; name it without --ticket", kind.word()))),
    }
}

fn carry_out(arguments: &Arguments, prepared: Prepared, program: Option<&Path>) -> Exit {
    let Prepared { paths, reporting: prepared, options, threads } = prepared;
    let Arguments { no_progress, reporting, .. } = arguments;
    // An answer is one report: of several, none is kept.
    let destination = prepared.only_destination();
    let question = destination.and_then(|destination| question(arguments, destination, &paths, &options, program));
    let (answers, known) = match (&options.cache, question) {
        (Some(cache), Some(question)) => threads.install(|| Answers::look_up(cache, question, &paths)),
        _ => (None, None),
    };
    if let (Some(answer), Some(destination)) = (known, destination) {
        return reporting.repeat(&answer, destination);
    }
    let bar = Bar::new(!no_progress && !reporting.quiet);
    let (mut report, evidence) = threads.install(|| analyze_keeping(&paths, &prepared.rules, &options, &bar));

    if !reporting.quiet {
        symbols::print_notes(options.symbols.as_deref());
    }
    if let Err(exit) = redaction::save(options.redaction.as_ref()) {
        return exit;
    }
    let mut notes = Notes::new(reporting.quiet);
    // Standard error names the reasons for the paths on the command line, too.
    note_lost(&arguments.paths, &report.artifacts, &mut notes);
    let exit = threads.install(|| reporting.finish(&mut report, &prepared, &mut notes, answers));
    if !reporting.quiet {
        options.cache.iter().flat_map(|cache| cache.notes()).for_each(|note| stream::note(&note));
    }
    // The process ends here; freeing this memory piece by piece would only take time.
    mem::forget((report, evidence, prepared));
    exit
}

/// The question of the run, if its answer can be kept: not with symbols and images, which are many and large, nor with
/// Sigma rules, which don't use the cache, nor where a file keeps the names that were replaced, which a kept answer has not, nor
/// in local times, which the rules for time zones change, nor with passwords, of which nothing is kept.
fn question(
    arguments: &Arguments,
    destination: &Destination,
    paths: &[PathBuf],
    options: &Options,
    program: Option<&Path>,
) -> Option<Question> {
    let Arguments { paths: given, this_pc: _, cache: _, ticket, symbols, by_folder, exclude, no_stack_walk, .. } =
        arguments;
    let Arguments { no_progress: _, passwords, reporting, .. } = arguments;
    let depends_on_more = reporting.redaction.has_map() || reporting.has_local_time() || passwords.path().is_some();
    if options.cache.is_none() || !symbols.is_empty() || reporting.has_sigma() || depends_on_more {
        return None;
    }
    let chosen = (by_folder, no_stack_walk, exclude);
    let mut question = Question::with(program, &(given, paths, ticket, chosen, reporting.question(destination)))?;
    reporting.judging_files().try_for_each(|path| question.files(path)).ok()?;
    options.pasted.iter().for_each(|(name, content)| question.text(name, content));
    Some(question)
}

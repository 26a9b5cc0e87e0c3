//! The command line: one file a subcommand. Each turns its arguments into the library's types and a result into output.
//!
//! A subcommand ends with `Ok` when it ran, and with `Err` when it could not; both are the exit code.

mod analyze;
mod answers;
mod bundle;
mod collect_script;
mod color;
mod compare;
mod config;
mod destinations;
mod entry;
mod exit;
mod explain;
mod fail_on;
mod id_prefix;
mod inspect;
mod judging;
mod local_time;
mod lost;
mod man;
#[cfg(not(target_family = "wasm"))]
mod mcp;
mod merge;
mod output;
mod page;
mod passwords;
mod progress;
mod redaction;
mod report_format;
mod reporting;
mod reports;
mod rules;
mod run_summary;
mod schema;
mod selecting;
mod show;
mod sigma;
mod stream;
mod suppressions;
mod symbols;
mod symbols_needed;
mod this_pc;
mod verify;
mod watch;
mod why;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

pub use exit::Exit;

use untrusted::sanitise;

/// Finds the causes of Windows crashes in the evidence they leave: minidumps, event logs, WER reports, kernel dumps
/// and pasted text. Works offline, needs no debugger and no symbols.
#[derive(Debug, Parser)]
#[command(name = "crashsift", version, max_term_width = 100, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Reads everything in files and folders and names the causes.
    Analyze(analyze::Arguments),
    /// Writes a redacted report with the evidence that it needs into one zip file to pass on, and prints what it leaves out.
    Bundle(bundle::Arguments),
    /// Says what a code is, what it does not mean, and which causes rules know for it.
    Explain(explain::Arguments),
    /// Shows the facts of one artifact as rules see them.
    Inspect(inspect::Arguments),
    /// Says what is new, gone, more, fewer or judged otherwise in a report against an earlier one.
    Compare(compare::Arguments),
    /// Makes the page for browsers of the tables that `analyze -f parquet` or a job of Spark has written.
    Page(page::Arguments),
    /// Makes one report of several, as if all their artifacts had been analyzed together.
    Merge(merge::Arguments),
    /// Shows one incident or group: what happened, why, what to do, and what that rests on.
    Show(show::Arguments),
    /// Prints a script with which whoever is at a PC collects evidence into one zip file, without installing anything.
    CollectScript(collect_script::Arguments),
    /// Lists images and PDBs that would show more of the crashes, as symbol stores and symbol servers name them.
    SymbolsNeeded(symbols_needed::Arguments),
    /// Checks what somebody claims about crashes against the artifacts: quotes, modules, codes, times.
    Verify(verify::Arguments),
    /// Serves what the program knows to assistants: a server of the Model Context Protocol on standard input and output.
    #[cfg(not(target_family = "wasm"))]
    Mcp(mcp::Arguments),
    /// Analyzes what arrives in a folder, each content once, and writes a report for each drop.
    Watch(watch::Arguments),
    /// Says how rules came to their answers: for an incident, or for a rule.
    Why(why::Arguments),
    /// Lists, shows, checks, tests, drafts and compares rules, lists the facts that they can ask for and the causes
    /// that they can name, and prints their schema.
    #[command(subcommand)]
    Rules(rules::RulesCommand),
    /// Prints the settings in force and where each comes from: `crashsift.toml` of the user and of the project, variables.
    Config(config::Arguments),
    /// Prints the JSON Schema of what programs read.
    Schema(schema::Arguments),
    /// Prints a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Prints the manual page (roff).
    Man,
}

/// Runs the program on its arguments, program name included. `file` is the file that holds the program, where that is not the
/// process's own.
pub fn run(arguments: Vec<OsString>, file: Option<&Path>) -> Exit {
    let program = Arguments::command();
    let arguments = match config::with_settings(entry::with_command(arguments, &program), &program) {
        Ok(arguments) => arguments,
        Err(wrong) => return wrong,
    };
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    std::panic::set_hook(Box::new(note_panic));
    let outcome = catch_unwind(|| match arguments.command {
        Command::Analyze(arguments) => analyze::run(arguments, file),
        Command::Bundle(arguments) => bundle::run(&arguments),
        Command::CollectScript(arguments) => collect_script::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Config(arguments) => config::run(&arguments, &Arguments::command()),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        #[cfg(not(target_family = "wasm"))]
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Page(arguments) => page::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::SymbolsNeeded(arguments) => symbols_needed::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Why(arguments) => why::run(&arguments),
        Command::Rules(command) => rules::run(&command),
        Command::Schema(arguments) => Ok(schema::run(&arguments)),
        Command::Completions { shell } => Ok(completions(shell)),
        Command::Man => Ok(stream::print(|out| man::write(Arguments::command(), out))),
    });
    outcome.map(|ended| ended.unwrap_or_else(|early| early)).unwrap_or_else(|_| {
        stream::note("internal error: this is a defect of crashsift, please report it with the lines above");
        Exit::Internal
    })
}

/// Prints help, the version, or the mistake in the arguments.
fn usage(error: &clap::Error) -> Exit {
    // Help and version are no errors; clap prints them to standard output.
    if !error.use_stderr() {
        return stream::outcome(error.print());
    }
    // The text quotes wrong arguments, which may be names of files. Without colours, control characters in it are from
    // such a name and not from clap.
    let text = error.render().to_string();
    let harmless = text.lines().all(|line| matches!(sanitise(line), Cow::Borrowed(_)));
    // An error of standard error itself can't be reported anywhere.
    let _ = if harmless {
        error.print()
    } else {
        let mut notes = anstream::stderr();
        text.lines().try_for_each(|line| writeln!(notes, "{}", sanitise(line)))
    };
    if let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) {
        stream::note(&format!("{name} is neither a command nor a file or folder here, and no code that is known"));
    }
    Exit::Usage
}

/// Notes a panic in one line. A reader's panic costs its artifact only and is in the report, too; after the first few,
/// further ones are not noted.
fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    const MOST: usize = 8;
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    if COUNT.fetch_add(1, Ordering::Relaxed) < MOST {
        let place = panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        let payload = panic.payload();
        let reason = payload.downcast_ref::<&str>().copied();
        let reason = reason.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let reason = reason.unwrap_or("no reason given").replace('\n', " ");
        stream::note(&format!("defect{place}: {reason}"));
    }
}

fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "crashsift", &mut script);
    stream::print(|out| out.write_all(&script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}

//! Finds the causes of Windows crashes in the evidence that they leave.
//!
//! Crash evidence is what Windows and its programs write when something fails: minidumps and kernel dumps, event logs
//! (`.evtx`), `Report.wer` files, and the text that users paste into tickets. This library reads such files, joins the
//! evidence of each incident (a crash, a hang, a blue screen), and answers: which module raised the error, which module is
//! suspected, what is the likely cause with which confidence, by which evidence, and what to do or to collect next. It
//! works offline, and hostile or damaged files cost at most their own evidence.
//!
//! ```
//! use std::path::PathBuf;
//!
//! use crashsift::{Options, RuleSet, Silent, analyze};
//!
//! let folder = PathBuf::from("samples/delay-load-zlibwapi");
//! let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("{} mistakes in rules", mistakes.len()))?;
//! let report = analyze(&[folder], &rules, &Options::default(), &Silent);
//! for judged in &report.incidents {
//!     println!("{}: {}", judged.verdict.cause, judged.verdict.sentence);
//! }
//! assert_eq!(report.incidents[0].verdict.cause, "missing-dependency");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`analyze`] makes a [`Report`] of files and folders; [`analyze_by_each`] makes one for each of several rule sets.
//! - [`inspect`] returns the facts of each incident, as rules see them, without judging them.
//! - [`merge()`] makes one report of the evidence in several; [`mod@gather`] reads files without joining them, for engines that
//!   spread files over many computers.
//! - [`RuleSet`] is the loaded rules, built-in or your own; [`Knowledge`] the names and meanings of codes.
//! - [`Options`] selects what a run does; [`Progress`] receives its progress, and [`Silent`] ignores it.
//! - [`mod@formats`] print a report; [`explain()`] explains codes without any evidence.
//! - [`run_program`] is the program `crashsift` itself, for programs that carry it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod cli;
mod explain;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::thread;

use cli::Exit;

pub use crash_dump::{Symbols, SymbolsError};
pub use evidence::FORMAT as EVIDENCE_FORMAT;
pub use explain::{CodeFinding, Explained, Explanation, KnownRule, KnownSubCode, Reading, explain};
pub use pipeline::archive::Passwords;
pub use pipeline::{Options, Progress, Silent, analyze, analyze_by_each, gather, inspect, inspect_and_analyze, merge};
pub use report::inspected::Inspected;
pub use report::{Artifact, Limits, Report};
pub use rules::RuleSet;
pub use spanned_yaml::Diagnostic;
pub use untrusted::HeadAndTail;
pub use windows_codes::Knowledge;

/// The formats that print reports and facts.
pub mod formats {
    #[cfg(feature = "parquet")]
    pub use report::parquet;
    pub use report::text::TextOptions;
    pub use report::{WriteError, csv, inspected, json, jsonl, page, schema, text};
}

/// Stack of a thread that reads artifacts, bytes. Readers recurse as deep as their formats nest, and the main thread of a
/// Windows program has only 1 MiB.
pub const STACK: usize = 8 << 20;

/// The environment variable for the log on standard error: `info`, `debug`, or a filter such as `pipeline=debug`.
const LOG: &str = "CRASHSIFT_LOG";

/// Runs the program `crashsift` with its command line (the first argument is the program's name) in this process, and returns
/// its exit code. Results go to standard output and notes to standard error. `file` is the file that holds this code, on
/// which kept answers depend; `None` for that of the process. The panic hook of the process is replaced.
pub fn run_program(arguments: impl IntoIterator<Item = OsString>, file: Option<PathBuf>) -> u8 {
    if std::env::var_os(LOG).is_some() {
        // Where the process has a log already, that one is used.
        let _ = env_logger::Builder::from_env(env_logger::Env::new().filter(LOG)).format_timestamp_millis().try_init();
    }
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let run = || cli::run(arguments.clone(), file.as_deref());
    let exit = thread::scope(|scope| match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run) {
        // The panic hook has noted the panic.
        Ok(worker) => worker.join().unwrap_or(Exit::Internal),
        // Without another thread, this one does the work.
        Err(_) => run(),
    });
    // The process may go on without the end of a Rust program, which writes what is left. A failure was noted before.
    let _ = std::io::stdout().flush();
    exit as u8
}

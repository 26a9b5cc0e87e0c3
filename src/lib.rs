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
//! - [`merge()`] makes one report of the evidence in several.
//! - [`RuleSet`] is the loaded rules, built-in or your own; [`Knowledge`] the names and meanings of codes.
//! - [`Options`] selects what a run does; [`Progress`] receives its progress, and [`Silent`] ignores it.

pub use pipeline::{Options, Progress, Silent, analyze, analyze_by_each, inspect, inspect_and_analyze, merge};
pub use report::Report;
pub use rules::RuleSet;
pub use windows_codes::Knowledge;

//! Offline analysis of Windows crash evidence: minidumps, event logs, WER reports, kernel dumps and pasted text in,
//! causes with their evidence out.
//!
//! A crash travels through these crates, in this order:
//!
//! 1. [`pipeline::discover`] finds files and tells what each is by its content; [`pipeline::archive`] gives the files in
//!    archives.
//! 2. [`crash_dump`], [`windows_events`], `wer` and `pasted_text` read one format each, and
//!    [`pipeline::read`] calls the right one and turns failures into statuses.
//! 3. [`evidence`] is what readers give: typed facts with their places.
//! 4. [`incident`] joins evidence of the same crash, and names fault site and suspect.
//! 5. [`facts`] is an incident as rules see it.
//! 6. [`rules`] judge the facts; [`pipeline::judge`] makes their findings a verdict. What they know is data in `rules/`;
//!    [`windows_codes`] is the part of it that the program itself looks up.
//! 7. [`report`] says what many incidents have in common, what the artifacts could not show, what is new against an
//!    earlier report, and has the formats that print all of it.
//!
//! [`sigma`] is beside it: rules of another language over the records of event logs, whose matches are evidence.
//! [`rules_workbench`] is for those who write rules. [`windows_codes::explain`] says what a code is when there is nothing else.
//!
//! ```no_run
//! use crashsift::{Knowledge, Options, RuleSet, Silent, analyze};
//!
//! let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("{} mistakes", mistakes.len()))?;
//! let knowledge = Knowledge::builtin();
//! let report = analyze(&["crashes".into()], &rules, &knowledge, &Options::default(), &Silent);
//! for judged in &report.incidents {
//!     println!("{}: {}", judged.verdict.cause, judged.verdict.sentence);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use pipeline::{Options, Progress, Silent, analyze, analyze_by_each, inspect, inspect_and_analyze, merge};
pub use report::Report;
pub use rules::RuleSet;
pub use windows_codes::Knowledge;

//! Offline analysis of Windows crash evidence: minidumps, event logs, WER reports, kernel dumps and pasted text in,
//! causes with their evidence out.
//!
//! A crash travels through the modules in this order:
//!
//! 1. [`discover`] finds files and tells what each is by its content; [`archive`] gives the files in archives.
//! 2. [`artifact`] has a reader for each format; [`read`] calls the right one and turns failures into statuses.
//! 3. [`evidence`] is what readers give: typed facts with their places.
//! 4. [`incident`] joins evidence of the same crash, and names fault site and suspect.
//! 5. [`facts`] is an incident as rules see it, with what [`mod@patterns`] says of it among the others.
//! 6. [`rules`] judge the facts; [`mod@judge`] makes their findings a verdict. What they know is data in `rules/`;
//!    [`knowledge`] is the part of it that the program itself looks up.
//! 7. [`groups`] says what many incidents have in common.
//! 8. [`mod@coverage`] says what the artifacts could not show, and what to collect because of it.
//! 9. [`report`] holds the finished values and the formats that print them; [`mod@merge`] makes one report of several, and
//!    [`mod@compare`] says what is new against an earlier one.
//!
//! [`sigma`] is beside it: rules of another language over the records of event logs, whose matches are evidence.
//!
//! [`mod@expectations`] tests a rule set from files to verdicts. [`analyze`] is all of it. [`explain`] says what a code is
//! when there is nothing else, and [`mod@draft`] makes a rule of incidents for which there is none.
//!
//! ```no_run
//! use crashsift::{Options, Silent, analyze, knowledge::Knowledge, rules::RuleSet};
//!
//! let rules = RuleSet::load(true, &[]).map_err(|mistakes| format!("{} mistakes", mistakes.len()))?;
//! let knowledge = Knowledge::builtin();
//! let report = analyze(&["crashes".into()], &rules, &knowledge, &Options::default(), &Silent);
//! for judged in &report.incidents {
//!     println!("{}: {}", judged.verdict.cause, judged.verdict.sentence);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod archive;
pub mod artifact;
pub mod cli;
pub mod compare;
pub mod coverage;
pub mod discover;
pub mod draft;
pub mod evidence;
pub mod expectations;
pub mod explain;
pub mod facts;
pub mod groups;
pub mod incident;
pub mod judge;
pub mod knowledge;
pub mod merge;
pub mod patterns;
pub mod read;
pub mod report;
pub mod rules;
pub mod sigma;
pub mod yaml;

mod analysis;

pub use analysis::{
    Inspected, Options, Progress, Silent, analyze, analyze_by_each, inspect, inspect_and_analyze, merge,
};

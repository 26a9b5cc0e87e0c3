//! Scores the rules on labelled crash reports.
//!
//! A case is a folder with an `expected.json`, which contains the final cause, and either a `ticket.txt`, which a support
//! engineer received, or artifacts of the machine: dumps, event logs, reports. A [`Score`] summarizes all cases: how often the first answer is right, how often one of the first
//! three is, how often a sure one is wrong, and whether answers are right as often as their confidence states.

pub mod accuracy;
mod answer;
mod case;
pub mod leads;
pub mod noise;
mod score;
mod table;

pub use answer::{Answer, answers};
pub use case::{Case, read, read_list};
pub use score::{Band, CauseScore, Score, Scored};

use pipeline::{Options, Silent, analyze};
use rules::RuleSet;

/// From this confidence on, an answer asks to be acted on; if it is not accepted, it is confidently wrong.
pub const SURE: f64 = 0.8;
/// For a case whose cause was never found, an answer below this confidence is right.
pub const DOUBTFUL: f64 = 0.5;

/// Analyzes every case as a whole and scores the answers.
#[must_use]
pub fn score(cases: Vec<Case>, rules: &RuleSet) -> Score {
    let scored = cases.into_iter().map(|case| {
        let report = analyze(&case.artifacts, rules, &Options::default(), &Silent);
        let answers = answers(&report, &case);
        Scored::new(case, answers)
    });
    Score { cases: scored.collect() }
}

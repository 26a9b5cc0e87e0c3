//! Judging incidents by rules.
//!
//! A rule set is loaded once, from the built-in rules and whatever folders the user adds. Loading reads every file of
//! the user to its end, checks everything that can be checked without an incident, and gives either a [`RuleSet`] or
//! all mistakes at once. Judging an incident then can't fail. The built-in rules were read by the build and checked by
//! its tests; of them, a run reads what it needs.
//!
//! The language of rules is described in `rules/README.md`.

mod asked_others;
mod asking;
mod causes;
mod collect;
mod compare;
mod confidence;
mod counting;
mod entries;
mod evaluate;
mod expected;
mod explain;
mod finding;
mod given_sets;
mod guarantee;
mod impossible_entries;
mod judging;
pub mod language;
mod line_list;
mod lint;
mod list;
mod list_entries;
mod log_coverage;
mod modifier;
mod mutants;
mod needed_version;
mod outcome;
mod overlay;
mod parse;
mod pattern;
mod pattern_error;
mod prefilter;
mod quantifier;
mod question;
mod required;
mod rule;
mod rule_set;
mod run_tests;
mod selection;
mod self_test;
mod sequence;
pub mod slips;
mod source;
mod subject;
mod supersede;
mod test_file;
#[cfg(test)]
mod testing;
mod trace;
pub mod unfinished;
mod unknown;
mod value;
mod view;
mod weigh;

pub use asking::Wanted;
pub use causes::{Cause, Causes, UNDETERMINED};
pub use confidence::{rounded, write_rounded};
pub use evaluate::Truth;
pub use expected::{ExpectedFolder, ExpectedIncident};
pub use finding::{Audience, Finding, Judgement, Remediation, Severity, Skipped, Suppressed};
pub use line_list::{ExampleFailure, ExampleOutcome};
pub use list::ModuleList;
pub use list_entries::{Entries, ListEntry, NamedEntries};
pub use mutants::{LeftOut, Mutant, Mutants};
pub use outcome::Outcome;
pub use overlay::{Change, Occasion, Ruling, SuppressedBy};
pub use question::Question;
pub use rule::{Effect, Example, Rule};
pub use rule_set::{RuleSet, RuleSetInfo};
pub use rule_syntax::mistakes::closest;
pub use self_test::{TestFailure, TestOutcome};
pub use trace::{AdjustmentTrace, ConfidenceTrace, Missing, SelectionTrace, TermTrace, Trace};

/// What a rule may refer to while it is read.
struct LoadContext<'a> {
    causes: &'a Causes,
    lists: &'a list::Lists,
    /// Whether the rules are those inside the program, which were checked when it was tested.
    proven: bool,
}

//! Judging incidents by rules.
//!
//! A rule set is loaded once, from the built-in rules and whatever folders the user adds. Loading reads every file of
//! the user to its end, checks everything that can be checked without an incident, and gives either a [`RuleSet`] or
//! all mistakes at once. Judging an incident then can't fail. The built-in rules were read by the build and checked by
//! its tests; of them, a run reads what it needs.
//!
//! The folders build on one another in the order in which a rule passes through them: `language` has what rules say as
//! data, `reading` makes it of files, `evaluating` decides it over facts, `prefilter` skips rules that can't match,
//! `loading` has the rules of all sets, `judging` makes findings, and `checking` lints and tests rules.
//!
//! The language of rules is described in `rules/README.md`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod checking;
mod evaluating;
mod judging;
pub mod language;
mod loading;
mod prefilter;
mod reading;
#[cfg(test)]
mod testing;

pub use checking::{ExpectedFolder, ExpectedIncident, LeftOut, Mutant, Mutants};
pub use evaluating::{Entries, ListEntry, NamedEntries};
pub use judging::{AdjustmentTrace, ConfidenceTrace, Missing, SelectionTrace, TermTrace, Trace};
pub use judging::{Finding, Judgement, Question, Skipped, Suppressed, Wanted, rounded, write_rounded};
pub use language::{
    Audience, Cost, Effect, ExampleFailure, ExampleOutcome, ListedModule, ModuleIndex, ModuleList, Outcome,
    Remediation, Risk, Severity, Truth,
};
pub use language::{slips, unfinished};
pub use loading::{Change, Example, Occasion, Rule, RuleSet, RuleSetInfo, Ruling, SuppressedBy};
pub use reading::source::BUILTIN;
pub use reading::{Cause, Causes, Family, TestFailure, TestOutcome, UNDETERMINED, read_with};
pub use rule_syntax::mistakes::closest;

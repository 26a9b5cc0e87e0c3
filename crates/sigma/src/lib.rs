//! Sigma rules over the records of event logs.
//!
//! A rule of this language describes one record of a log that somebody should look at. A match is evidence of the machine,
//! in its timeline; only this program's own rules name causes. Rules are read exactly by the specification (version 2.1); a
//! rule that needs anything else, or fields that logs don't have, is not loaded, and is reported with file, line and reason.
//!
//! - `source` finds the files, and `document` tells rules from other documents in them;
//! - `logsource` finds the records that a rule is about, by the table `rules/data/sigma-logsources.yaml`;
//! - `detection` reads selections: `modifiers` of a field, its values as `pattern`, `test` or encoded text (`encode`);
//! - `condition` reads how selections are joined;
//! - `record` is a record as rules see it, on which `evaluate` decides;
//! - `needles` are texts without which a rule can't match, and `index` uses them to evaluate few rules for a record;
//! - `rejected` has the documents that were not loaded, by reason.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod condition;
mod detection;
mod document;
mod encode;
mod evaluate;
mod index;
mod logsource;
mod modifiers;
mod needles;
mod pattern;
mod record;
mod rejected;
mod source;
mod test;

/// The prefix of the name of a set of Sigma rules, beside other rule sets.
pub const PREFIX: &str = "sigma:";

pub use index::Records;
pub use logsource::check_logsources;
pub use record::Record;
pub use rejected::{About, Fault, Rejected};
pub use source::{LoadError, LoadFailure, RuleEntry, SigmaRules};

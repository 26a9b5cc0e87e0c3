//! Sigma rules over the records of event logs.
//!
//! A rule of this language describes one record of a log that somebody should look at. What it matches is evidence of
//! the machine, in its timeline: a cause is only what this program's own rules make of it. What is read is exactly what
//! the specification says (version 2.1); a rule that asks for anything else, or for what logs don't hold, is not loaded,
//! and the reason is told with its file and line.
//!
//! - `source` finds the files, and `document` tells rules from other documents in them;
//! - `logsource` says which records a rule is about, by the table `rules/data/sigma-logsources.yaml`;
//! - `detection` reads selections: `modifiers` of a field, its values as `pattern`, `test` or encoded text (`encode`);
//! - `condition` reads how selections go together;
//! - `record` is a record as rules see it, on which `evaluate` decides;
//! - `needles` are texts without which a rule can't match, and `index` uses them to look at few rules for a record;
//! - `rejected` is what was not loaded, by reason.

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

/// What the name of a set of Sigma rules begins with, where it stands beside other rule sets.
pub const PREFIX: &str = "sigma:";

pub use index::Records;
pub use logsource::check_logsources;
pub use record::Record;
pub use rejected::{About, Fault, Rejected};
pub use source::{Listed, SigmaRules};

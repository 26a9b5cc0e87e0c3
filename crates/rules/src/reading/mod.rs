//! Reading rule sets: files are found, and become what rules say. Every mistake is reported, not only the first.

mod asked_last;
pub(crate) mod causes;
mod comparisons;
mod entry_filters;
mod found;
pub(crate) mod given_sets;
pub(crate) mod guarantee;
mod impossible_entries;
mod known_lists;
mod line_lists;
mod lists;
mod load_context;
mod needed_version;
mod quantifiers;
pub(crate) mod references;
mod requests;
pub(crate) mod required;
pub(crate) mod rule_file;
pub(crate) mod selections;
mod self_test;
mod sequences;
pub(crate) mod source;
mod table_files;
pub(crate) mod templates;
mod test_file;

pub use causes::{Cause, Causes, Family, UNDETERMINED};
pub(crate) use found::{OverlayFile, Read, Superseding, Unfinished};
pub(crate) use known_lists::{Known, List, Lists};
pub(crate) use lists::Own;
pub(crate) use load_context::LoadContext;
pub(crate) use rule_file::ReadRule;
pub(crate) use self_test::{SelfTest, Tests};
pub use self_test::{TestFailure, TestOutcome};
pub(crate) use source::SetSource;
pub(crate) use templates::{FactValues, Templates, kind_of_fact_in, without_facts, without_templates};

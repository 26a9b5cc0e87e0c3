//! Everything that one run says: the values of a report, what is concluded of all its incidents together, and the formats.
//!
//! [`model`] has the values: [`Report`] as the pipeline makes it, and [`model::Document`], which the JSON formats write and
//! other commands read. [`groups`], [`mod@coverage`] and [`mod@compare`] conclude what is true of the whole. The formats only
//! print: [`text`] and [`page`] (HTML, Markdown) are for people, [`mod@csv`] is for spreadsheets, [`json`] and [`jsonl`] are
//! for programs; `docs/report.md` describes every key of the latter two, and [`schema`] says the same to programs.

pub mod compare;
pub mod confidence;
pub mod coverage;
mod formats;
pub mod groups;
pub mod model;
#[cfg(test)]
mod tests {
    pub(crate) mod sample;
}

pub use formats::{csv, inspected, json, jsonl, page, schema, text};
pub use model::{Artifact, ArtifactStatus, Asked, Judged, Limits, Report, Summary, Verdict};
pub use rules::{RuleSetInfo, UNDETERMINED};

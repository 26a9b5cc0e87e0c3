//! The report of one run: its values, the conclusions from all its incidents together, and the formats that print it.
//!
//! [`model`] has the values: [`Report`] as the pipeline makes it, and [`model::Document`], which the JSON formats write and
//! other commands read. [`groups`], [`mod@coverage`] and [`mod@compare`] conclude what is true of the whole report. The
//! formats only print: [`text`], [`brief`] and [`page`] (HTML, Markdown) are for people, [`mod@csv`] is for spreadsheets,
//! [`json`] and [`jsonl`] are for programs, and [`junit`], [`sarif`], [`github`], [`gitlab`], [`prometheus`] and [`ecs`] for
//! pipelines, monitoring and log stores (`docs/outputs.md`); with the feature `parquet`, [`parquet`] are tables for queries
//! over many incidents (`docs/lake.md`). `docs/report.md` describes every key of the latter two, [`schema`] has them as JSON Schema.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![allow(
    clippy::arithmetic_side_effects,
    reason = "counts of values in memory: no number of a file is calculated with"
)]

mod account;
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
mod wording;

#[cfg(feature = "parquet")]
pub use formats::parquet;
pub use formats::{WriteError, csv, inspected, json, jsonl, page, schema, screen, text};
pub use formats::{brief, ecs, github, gitlab, junit, local_time, prometheus, sarif};
pub use model::{
    Artifact, ArtifactStatus, GapRequest, Judged, Lead, Limits, Measured, Report, Selected, Summary, Verdict,
};
pub use rules::{RuleSetInfo, UNDETERMINED};
pub use wording::{counted, counted_as};

//! Analyzes Windows crash evidence: from paths of artifacts to a report.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod analysis;
pub mod archive;
pub mod bundle;
pub mod discover;
pub mod gather;
pub mod judge;
pub mod leads;
pub mod measured;
pub mod merge;
pub mod patterns;
pub mod read;
pub mod read_context;
mod read_error;
mod redaction;
pub mod sigma_matches;

pub use analysis::*;

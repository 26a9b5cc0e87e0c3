//! Tools for authors of rules: drafts of new rules, checks of a rule set against folders of artifacts, and the schema of
//! rule files for editors.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod draft;
pub mod expectations;
mod json_schema;

pub use json_schema::json_schema;

//! Working on rules: drafts of new ones, what a rule set makes of folders of artifacts, and the schema of rule files for
//! editors.

pub mod draft;
pub mod expectations;
mod json_schema;

pub use json_schema::json_schema;

//! Working on rules: drafts of new ones, and what a rule set makes of folders of artifacts.

pub mod draft;
pub mod expectations;

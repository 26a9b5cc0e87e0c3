//! Tools for authors of rules: drafts of new rules, and checks of a rule set against folders of artifacts.

pub mod draft;
pub mod expectations;

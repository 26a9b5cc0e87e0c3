//! The built-in rules as the build leaves them: read from YAML once and taken apart, so that a run decodes only what
//! it asks for.
//!
//! Trees of nodes are encoded on their own. Whoever wants one decodes it; all others are bytes that nobody looks at.

use serde::{Deserialize, Serialize};

use crate::yaml::Span;

/// All rules and data files.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Prepared<'a> {
    /// By id.
    #[serde(borrow)]
    pub rules: Vec<PreparedRule<'a>>,
    /// The files that are no rules, by their path in the rule set, each with its encoded tree.
    #[serde(borrow)]
    pub files: Vec<(&'a str, &'a [u8])>,
}

/// One rule.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PreparedRule<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its file's path in the rule set.
    pub file: &'a str,
    /// Where it stands.
    pub span: Span,
    /// Where its id stands.
    pub id_span: Span,
    /// What it needs one fact to be.
    #[serde(borrow)]
    pub needed: Option<(&'a str, Vec<&'a str>)>,
    /// The mapping of its selections and its condition, encoded.
    pub logic: &'a [u8],
    /// The mapping of everything else but its tests, encoded.
    pub texts: &'a [u8],
    /// The list of its tests, encoded.
    pub tests: &'a [u8],
}

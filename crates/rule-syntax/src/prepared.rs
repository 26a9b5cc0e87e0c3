//! The built-in rules as the build leaves them: read from YAML once and taken apart, so that a run decodes only what
//! it asks for.
//!
//! Trees of nodes are encoded on their own, and stand together after the index that says where. Whoever wants one
//! decodes it; all others are bytes that nobody looks at.

use serde::{Deserialize, Serialize};

use super::needed::Need;
use spanned_yaml::Span;

/// All rules and data files: the index.
#[derive(Debug, Serialize, Deserialize)]
pub struct Prepared<'a> {
    /// By id.
    #[serde(borrow)]
    pub rules: Vec<PreparedRule<'a>>,
    /// The files that are no rules, by their path in the rule set, each with its tree.
    #[serde(borrow)]
    pub files: Vec<(&'a str, Part)>,
}

/// One rule.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedRule<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its file's path in the rule set.
    pub file: &'a str,
    /// Where it stands.
    pub span: Span,
    /// Where its id stands.
    pub id_span: Span,
    /// What it needs to match.
    #[serde(borrow)]
    pub needs: Vec<Need<'a>>,
    /// The mapping of its selections, its condition and what it requires.
    pub logic: Part,
    /// The mapping of everything else but its tests.
    pub texts: Part,
    /// The path of the file that its tests stand in, and the list of them.
    pub tests: Part,
}

/// The place of an encoded tree among all of them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Part {
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

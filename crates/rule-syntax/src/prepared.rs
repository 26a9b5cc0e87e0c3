//! The encoding of the built-in rules: the build reads the YAML once and encodes its parts, so that a run decodes only the
//! parts that it needs.
//!
//! Trees of nodes are encoded each by itself, behind the index with their places.

use serde::{Deserialize, Serialize};

use super::needed::Need;
use spanned_yaml::Span;

/// All rules and data files: the index.
#[derive(Debug, Serialize, Deserialize)]
pub struct Prepared<'a> {
    /// The rules, sorted by id.
    #[serde(borrow)]
    pub rules: Vec<PreparedRule<'a>>,
    /// The other files, by their paths.
    #[serde(borrow)]
    pub files: Vec<PreparedFile<'a>>,
}

/// A file without rules.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedFile<'a> {
    /// Its path in the rule set.
    pub path: &'a str,
    /// Its tree.
    pub tree: Part,
    /// What its list holds, if it is one.
    pub list: Option<ListKind>,
}

/// What a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListKind {
    /// Names of modules.
    Modules,
    /// Expressions for lines of texts.
    Lines,
}

/// One rule.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedRule<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its file's path in the rule set.
    pub file: &'a str,
    /// Its place in that file.
    pub span: Span,
    /// The place of its id.
    pub id_span: Span,
    /// The facts that it needs to match.
    #[serde(borrow)]
    pub needs: Vec<Need<'a>>,
    /// The mapping of its selections, its condition and the facts that it requires.
    pub logic: Part,
    /// The mapping of its other keys, without its tests.
    pub texts: Part,
    /// The path of the file with its tests, and their list.
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

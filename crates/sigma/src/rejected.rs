//! Documents that were not loaded, with the reasons.

use std::collections::BTreeMap;
use std::sync::Arc;

use spanned_yaml::{Code, Diagnostic, Node, Span, YamlText};

/// Title, id and level of a document, as far as they can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Its title.
    pub title: Option<String>,
    /// Its id.
    pub id: Option<String>,
    /// Its level, whatever it is.
    pub level: Option<String>,
}

impl About {
    /// Reads those of a document.
    pub(super) fn read(node: &Node) -> Self {
        let text = |key: &str| text_under(node, key).map(str::to_owned);
        Self { title: text("title"), id: text("id"), level: text("level") }
    }
}

/// The text under a key of a document, without blanks around it; `None` where it is empty.
pub(super) fn text_under<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.get(key).and_then(Node::text).map(str::trim).filter(|text| !text.is_empty())
}

/// A document that was not loaded.
#[derive(Debug)]
pub struct Rejected {
    /// Its title, id and level.
    pub about: About,
    /// The reasons, in the order of the file; never none.
    pub faults: Vec<Fault>,
}

/// A reason not to load a rule.
#[derive(Debug)]
pub struct Fault {
    /// The reason in words that many rules can share, as they follow a number of rules: "for the log source `dns`".
    pub reason: String,
    /// Whether the rule breaks the specification; else it needs something that is not supported.
    pub broken: bool,
    /// The place, and what would be right.
    pub diagnostic: Diagnostic,
}

/// How many documents were not loaded, by their first reason, the commonest first.
pub(super) fn by_reason(rejected: &[Rejected]) -> Vec<(usize, &str)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in rejected.iter().filter_map(|rejected| rejected.faults.first()) {
        let count = counts.entry(&fault.reason).or_default();
        *count = count.saturating_add(1);
    }
    let mut counts: Vec<(usize, &str)> = counts.into_iter().map(|(reason, count)| (count, reason)).collect();
    counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    counts
}

/// The reason of all mistakes.
const MISTAKEN: &str = "not written as the specification asks";

/// Collects the faults of one rule.
#[derive(Debug)]
pub(super) struct Faults<'f> {
    pub(super) file: &'f Arc<YamlText>,
    pub(super) found: Vec<Fault>,
}

impl<'f> Faults<'f> {
    pub(super) fn new(file: &'f Arc<YamlText>) -> Self {
        Self { file, found: Vec::new() }
    }

    /// Adds a fault: something breaks the specification.
    pub(super) fn broken(&mut self, span: Span, message: impl Into<String>) {
        let diagnostic = Diagnostic::error(Code::S001, self.file, span, message);
        self.found.push(Fault { reason: MISTAKEN.to_owned(), broken: true, diagnostic });
    }

    /// Adds a fault: the rule needs something that is not supported.
    pub(super) fn unsupported(&mut self, span: Span, reason: impl Into<String>, message: impl Into<String>) {
        let diagnostic = Diagnostic::warning(Code::S002, self.file, span, message);
        self.found.push(Fault { reason: reason.into(), broken: false, diagnostic });
    }
}

impl From<Diagnostic> for Fault {
    /// The fault of a file that can't be read, or is not YAML.
    fn from(diagnostic: Diagnostic) -> Self {
        Self { reason: "not readable".to_owned(), broken: true, diagnostic }
    }
}

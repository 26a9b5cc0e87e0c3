//! What is read from rule files beside the rules themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::language::Superseded;
use crate::language::keys::OVERLAY_KEYS;
use spanned_yaml::{Node, Span, YamlText};

/// What is read from rule files beside the rules themselves.
#[derive(Default)]
pub(crate) struct Read {
    /// Their overlays of other sets' rules.
    pub overlays: Vec<OverlayFile>,
    /// The ids of all rules, also of those with mistakes and of those that are left out.
    pub written: BTreeSet<String>,
    /// Rules with mistakes.
    pub unfinished: Vec<Unfinished>,
    /// The ids that rules supersede, also of rules with mistakes.
    pub superseding: Vec<Superseding>,
    /// Files that could not be read, so that not even the ids of their rules are known.
    pub unread: Vec<Arc<YamlText>>,
}

impl Read {
    /// Whether a rule of this id was written. A file that could not be read counts as having every rule whose id is in
    /// its text.
    pub fn has(&self, id: &str) -> bool {
        self.written.contains(id) || self.unread.iter().any(|file| file.text.contains(id))
    }
}

/// The id of a rule with mistakes.
pub(crate) struct Unfinished {
    pub id: String,
    pub file: Arc<YamlText>,
    pub span: Span,
    pub set: usize,
}

/// The changes of one file to rules of the sets before it.
#[derive(Debug)]
pub(crate) struct OverlayFile {
    /// The file.
    pub text: Arc<YamlText>,
    /// The set that it belongs to, by index.
    pub set: usize,
    /// The lists under [`OVERLAY_KEYS`], in that order.
    pub entries: [Option<Node>; OVERLAY_KEYS.len()],
}

impl OverlayFile {
    /// The overlays of a rule file, if it has any.
    pub fn read(root: &Node, text: &Arc<YamlText>, set: usize) -> Option<Self> {
        let entries = OVERLAY_KEYS.map(|key| root.get(key).cloned());
        let some = entries.iter().any(Option::is_some);
        some.then(|| Self { text: Arc::clone(text), set, entries })
    }
}

/// What a rule supersedes, as it is written.
pub(crate) struct Superseding {
    /// The id of the rule, if it has one.
    pub rule: Option<String>,
    pub file: Arc<YamlText>,
    pub named: Vec<Superseded>,
}

impl Superseding {
    /// What the rule at a node supersedes, if it supersedes anything.
    pub fn read(rule: &Node, file: &Arc<YamlText>) -> Option<Self> {
        let items = rule.get("supersedes")?.items()?;
        let mut named: Vec<Superseded> = Vec::new();
        for item in items.iter().filter(|item| !item.is_nothing()) {
            let Some(id) = item.text().filter(|id| !id.trim().is_empty()) else { continue };
            // What is named twice is told as such.
            if !named.iter().any(|known| known.id == id) {
                named.push(Superseded { id: id.to_owned(), span: item.span });
            }
        }
        let rule = rule.get("id").and_then(Node::text).map(str::to_owned);
        Some(Self { rule, file: Arc::clone(file), named }).filter(|superseding| !superseding.named.is_empty())
    }
}

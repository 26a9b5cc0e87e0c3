//! Overlays: what a rule set changes in the rules of sets that are loaded before it.
//!
//! Rules of others are not copied to be changed. An overlay names them, says what is different and why, and everything
//! else stays as it is and goes on being updated with the set that it belongs to.

mod apply;
mod suppression;

use std::sync::Arc;

use serde::Serialize;
use serde_with::skip_serializing_none;

pub use suppression::{Occasion, Ruling, SuppressedBy};

pub(super) use apply::{Target, apply};
pub(super) use suppression::{FilePlace, Suppressions};

use spanned_yaml::{Node, YamlText};

/// The keys of a rule file that hold overlays.
pub(super) const OVERLAY_KEYS: [&str; 3] = ["override", "disable", "suppress"];
/// The keys of a rule that an override can give anew. All others, such as its selections and its cause, make it the rule
/// that it is.
pub const OVERRIDABLE: [&str; 7] =
    ["title", "confidence", "severity", "explanation", "remediation", "collect", "references"];

/// What one file says about rules of the sets before it.
#[derive(Debug)]
pub(super) struct OverlayFile {
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

/// What a later rule set did to a rule.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The rule set's name.
    pub by: String,
    /// The keys of the rule that it gives anew, in the order of the file; of a rule that is disabled none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<&'static str>,
    /// Why.
    pub reason: Option<String>,
    /// The file that says so.
    pub file: String,
    /// Its line.
    pub line: u32,
}

impl Change {
    /// By whom and why, in words that follow "disabled" or "overridden".
    #[must_use]
    pub fn says(&self) -> String {
        let why = self.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("by {}{why}", self.by)
    }
}

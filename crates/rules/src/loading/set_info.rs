//! What is told of a rule set.

use serde::{Deserialize, Serialize};

/// A rule set that takes part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSetInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How many rules it has.
    pub rules: usize,
    /// How many rules of earlier sets it overrides.
    #[serde(default, skip_serializing_if = "facts::is_zero")]
    pub overrides: usize,
    /// How many it disables.
    #[serde(default, skip_serializing_if = "facts::is_zero")]
    pub disables: usize,
    /// How many suppressions it has.
    #[serde(default, skip_serializing_if = "facts::is_zero")]
    pub suppressions: usize,
    /// How many lists of modules it adds to the built-in ones.
    #[serde(default, skip_serializing_if = "facts::is_zero")]
    pub lists: usize,
}

impl RuleSetInfo {
    /// A count of its rules and of what it changes in other sets: `3 rules, 1 override, 2 rules disabled`.
    #[must_use]
    pub fn contents(&self) -> String {
        let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let more = [(self.overrides, "override"), (self.suppressions, "suppression"), (self.lists, "list")];
        let mut all = vec![counted(self.rules, "rule")];
        all.extend(more.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(count, noun)));
        if self.disables > 0 {
            all.push(format!("{} disabled", counted(self.disables, "rule")));
        }
        all.join(", ")
    }

    /// A set of Sigma rules, of which this many are loaded. They have no version.
    pub fn of_sigma(name: String, rules: usize) -> Self {
        Self { name, version: "0".to_owned(), rules, ..Self::default() }
    }

    /// Whether the set contains rules, changes to rules, suppressions or lists, and thus affects verdicts.
    pub(crate) fn takes_part(&self) -> bool {
        [self.rules, self.overrides, self.disables, self.suppressions, self.lists].iter().any(|count| *count > 0)
    }
}

//! What a report is about, where that was chosen.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the incidents of a report are about, and what was not read for it: patterns as the user wrote them, each list empty
/// where nothing was chosen by it. An incident fits a list when it fits one of its patterns, and is reported when it fits
/// every list that is not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selected {
    /// Computers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
    /// Programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub process: Vec<String>,
    /// Modules: faulting or suspected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub module: Vec<String>,
    /// Causes of verdicts, or families of causes; no patterns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cause: Vec<String>,
    /// Files that were not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
}

impl Selected {
    /// Whether incidents were chosen: what was not read is another matter.
    #[must_use]
    pub fn has_incidents(&self) -> bool {
        [&self.host, &self.process, &self.module, &self.cause].into_iter().any(|list| !list.is_empty())
    }

    /// Whether nothing was chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.has_incidents() && self.exclude.is_empty()
    }

    /// The same choice of incidents, whatever was not read.
    #[must_use]
    pub fn of_incidents(&self) -> Self {
        Self { exclude: Vec::new(), ..self.clone() }
    }
}

/// The choice of incidents in words: `of computer PC-7 or PC-8, of process python.exe`.
impl fmt::Display for Selected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("of computer", &self.host),
            ("of process", &self.process),
            ("in module", &self.module),
            ("with cause", &self.cause),
        ];
        let words = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let words: Vec<String> = words.map(|(what, list)| format!("{what} {}", list.join(" or "))).collect();
        f.write_str(&words.join(", "))
    }
}

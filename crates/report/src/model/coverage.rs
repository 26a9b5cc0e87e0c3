//! What the artifacts could not show, and what to collect because of it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// What the artifacts of a run could not show.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// The gaps, first those whose closing would help most undetermined incidents.
    pub gaps: Vec<Gap>,
    /// What to collect, in the same order.
    pub collect_next: Vec<CollectRequest>,
}

/// Something that the artifacts could not show.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Its kind, as `docs/report.md` lists them.
    pub kind: Cow<'static, str>,
    /// The customer that it concerns, where folders are customers.
    #[serde(default)]
    pub party: Option<Arc<str>>,
    /// The computer; absent where no artifact names it, or where the gap concerns all computers.
    pub host: Option<Arc<str>>,
    /// The channel of the log, of gaps in logs.
    pub log: Option<Arc<str>>,
    /// How many incidents, dumps or artifacts are missing or concerned; `kind` decides which.
    pub count: usize,
    /// How many there are in all, missing or not.
    pub of: Option<usize>,
    /// How many of the incidents that the missing artifact would help have an undetermined verdict.
    pub undetermined: usize,
    /// The time at which the gap begins, or the log does.
    pub first: Option<Timestamp>,
    /// The time at which the gap ends, or the log does.
    pub last: Option<Timestamp>,
    /// The gap in a sentence.
    pub says: String,
}

impl Gap {
    /// Whether it is about artifacts that were not read, and not about evidence that no artifact has.
    #[must_use]
    pub fn is_of_artifacts(&self) -> bool {
        matches!(&*self.kind, "archive-not-opened" | "artifact-not-readable" | "artifact-read-in-part")
    }

    /// Whether it is a warning that reports show first.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.kind == crate::coverage::SAME_NAME
    }

    /// A gap without numbers and times.
    pub(crate) fn new(kind: &'static str, host: Option<&Arc<str>>, says: String) -> Self {
        Self { kind: Cow::Borrowed(kind), host: host.cloned(), says, ..Self::default() }
    }
}

/// Something to collect, for all incidents that ask for it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectRequest {
    /// Its id in `rules/data/collect.yaml`.
    pub id: Cow<'static, str>,
    /// The customer whose incidents ask for it, where folders are customers.
    #[serde(default)]
    pub party: Option<Arc<str>>,
    /// How many incidents ask for it.
    pub incidents: usize,
    /// How many of these have an undetermined verdict.
    pub undetermined: usize,
    /// A phrase for it, with the names of the programs or computers concerned: `System log of PC-3`.
    #[serde(default)]
    pub short: String,
    /// What to do: a command, a registry value or a folder.
    pub says: String,
    /// The sentences of verdicts that it replaces.
    #[serde(skip)]
    pub replaces: BTreeSet<String>,
}

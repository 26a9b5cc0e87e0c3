//! What the artifacts could not show, and what to collect because of it: of each machine and of the folder as a whole.
//!
//! Everything is concluded of incidents, logs and artifacts as they are kept, so that a merged report says the same as one
//! of the whole folder. A sentence stands only where artifacts prove it.

mod artifacts;
mod collect;
mod dumps;
mod logs;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use collect::Request;
pub use dumps::Shown;
pub(crate) use logs::rough;

use crate::{Artifact, Judged};
use incident::Machine;

/// What a run could not see.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// What is missing, first what would help most undetermined incidents.
    pub gaps: Vec<Gap>,
    /// What to collect, in the same order.
    pub collect_next: Vec<Request>,
}

/// Something that the artifacts could not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What is missing: one of [`Gap::KINDS`].
    pub kind: Cow<'static, str>,
    /// The computer; absent where no artifact names it, or where it is about all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Arc<str>>,
    /// The log's channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Arc<str>>,
    /// How many things are missing or concerned: incidents, dumps or artifacts, as `kind` says.
    pub count: usize,
    /// Of so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
    /// How many of the incidents that it would help have an undetermined verdict.
    pub undetermined: usize,
    /// From when on nothing is shown, or until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Timestamp>,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// All of this in a sentence.
    pub says: String,
}

impl Gap {
    /// The kinds, the ones that say most first.
    pub const KINDS: &'static [&'static str] = &[
        "no-dump",
        "no-kernel-dump",
        "no-log",
        "log-begins-after-incidents",
        "log-ends-before-incidents",
        "log-begins-shortly-before",
        "log-cleared",
        "log-hole",
        "log-holds-few-days",
        "log-silent",
        "dump-without-exception",
        "dump-without-modules",
        "dump-by-64-bit-tool",
        "kernel-dump-of-header",
        "archive-not-opened",
        "artifact-not-readable",
        "artifact-read-in-part",
    ];

    /// Whether it is about artifacts and not about what they are about.
    #[must_use]
    pub fn is_of_artifacts(&self) -> bool {
        matches!(&*self.kind, "archive-not-opened" | "artifact-not-readable" | "artifact-read-in-part")
    }

    fn new(kind: &'static str, host: Option<&Arc<str>>, says: String) -> Self {
        Self {
            kind: Cow::Borrowed(kind),
            host: host.cloned(),
            log: None,
            count: 0,
            of: None,
            undetermined: 0,
            first: None,
            last: None,
            says,
        }
    }
}

/// Concludes it, and adds to each machine what concerns it. `shown` is what the evidence of each of `incidents` holds.
#[must_use]
pub fn coverage(
    artifacts: &[Artifact],
    machines: &mut [Machine],
    incidents: &[Judged],
    shown: &[Shown],
    knowledge: &windows_codes::Knowledge,
) -> Coverage {
    let hosts = by_host(incidents, shown);
    let mut gaps = Vec::new();
    for of_host in hosts.values() {
        dumps::gaps(of_host, &mut gaps);
    }
    let no_incidents = Host::default();
    let mut with_machine = Vec::new();
    for machine in machines.iter() {
        let key = machine.host.to_lowercase();
        let of_host = hosts.get(&Some(key.clone())).unwrap_or(&no_incidents);
        logs::gaps(&machine.host, &machine.logs, of_host, &mut gaps);
        logs::cleared(machine, of_host, &mut gaps);
        with_machine.push(key);
    }
    with_machine.sort_unstable();
    for (key, of_host) in &hosts {
        // Computers that only texts name.
        if let (Some(key), Some(name)) = (key, &of_host.name)
            && with_machine.binary_search(key).is_err()
        {
            logs::gaps(name, &[], of_host, &mut gaps);
        }
    }
    artifacts::gaps(artifacts, &mut gaps);
    gaps.sort_by_cached_key(|gap| {
        let kind = Gap::KINDS.iter().position(|kind| *kind == gap.kind);
        let host = gap.host.as_deref().map(str::to_lowercase);
        (Reverse(gap.undetermined), kind, Reverse(gap.count), host.is_none(), host, gap.log.clone(), gap.says.clone())
    });
    add_to(machines, &gaps);
    Coverage { gaps, collect_next: collect::requests(incidents, knowledge) }
}

/// The sentences about each machine, behind what its logs cover.
fn add_to(machines: &mut [Machine], gaps: &[Gap]) {
    let index: BTreeMap<String, usize> =
        machines.iter().enumerate().map(|(index, machine)| (machine.host.to_lowercase(), index)).collect();
    for gap in gaps {
        let Some(host) = &gap.host else { continue };
        if let Some(machine) = index.get(&host.to_lowercase()).and_then(|index| machines.get_mut(*index)) {
            machine.coverage.push(gap.says.clone());
        }
    }
}

/// The incidents of one computer.
#[derive(Debug, Default)]
struct Host<'i> {
    /// Its name, where one is known.
    name: Option<Arc<str>>,
    incidents: Vec<(&'i Judged, &'i Shown)>,
}

/// The incidents by computer, its name in lower case; those that name none together. A text that tells of one of several is
/// none of its own.
fn by_host<'i>(incidents: &'i [Judged], shown: &'i [Shown]) -> BTreeMap<Option<String>, Host<'i>> {
    let mut hosts: BTreeMap<Option<String>, Host<'i>> = BTreeMap::new();
    for (judged, shown) in incidents.iter().zip(shown).filter(|(judged, _)| judged.incident.may_be_of.is_empty()) {
        let name = &judged.incident.host;
        let host = hosts.entry(name.as_ref().map(|name| name.to_lowercase())).or_default();
        host.name = host.name.take().or_else(|| name.clone());
        host.incidents.push((judged, shown));
    }
    hosts
}

/// How many of these have an undetermined verdict.
fn undetermined<'i>(incidents: impl Iterator<Item = &'i Judged>) -> usize {
    incidents.filter(|judged| judged.verdict.is_undetermined()).count()
}

/// `1 crash`, `2 crashes`: a number with its noun.
fn counted(number: usize, singular: &str, plural: &str) -> String {
    if number == 1 { format!("1 {singular}") } else { format!("{number} {plural}") }
}

/// ` of PC-7`, or nothing where the computer is not known.
fn of(host: Option<&Arc<str>>) -> String {
    host.map_or_else(String::new, |host| format!(" of {host}"))
}

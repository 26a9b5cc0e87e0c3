//! Finds what the artifacts could not show, and what to collect because of it: of each machine and of the folder as a whole.
//!
//! Everything is concluded from incidents, logs and artifacts as reports for merging keep them, so that a merged report has
//! the same gaps as one of the whole folder. Only gaps that the artifacts prove are listed.

mod artifacts;
mod collect;
mod dumps;
mod logs;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use collect::LAST;
pub use dumps::EvidenceSummary;

use crate::model::{Artifact, Coverage, Gap, Judged};
use incident::Machine;

/// The kind of the gap that event logs in several folders name one computer, which may be several computers of one name.
pub const SAME_NAME: &str = "same-name-in-several-folders";

/// The kinds of gaps, the most important first; behind those of dumps the sentence for one dump and the one for several.
fn kinds() -> impl Iterator<Item = (&'static str, Option<(&'static str, &'static str)>)> {
    include_str!("kinds.tsv").lines().map(|line| match line.split_once('\t') {
        Some((kind, sentences)) => (kind, sentences.split_once('\t')),
        None => (line, None),
    })
}

/// The coverage of a run. Adds to each machine the sentences that concern it. `shown` is what the evidence of each of
/// `incidents` shows, in the same order.
#[must_use]
pub fn coverage(
    artifacts: &[Artifact],
    machines: &mut [Machine],
    incidents: &[Judged],
    shown: &[EvidenceSummary],
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
        // Computers that no log names, only texts.
        if let (Some(key), Some(name)) = (key, &of_host.name)
            && with_machine.binary_search(key).is_err()
        {
            logs::gaps(name, &[], of_host, &mut gaps);
        }
    }
    artifacts::gaps(artifacts, &mut gaps);
    dumps::with_all_memory(shown, &mut gaps);
    gaps.sort_by_cached_key(|gap| {
        let kind = kinds().position(|(kind, _)| kind == gap.kind);
        let host = gap.host.as_deref().map(str::to_lowercase);
        (Reverse(gap.undetermined), kind, Reverse(gap.count), host.is_none(), host, gap.log.clone(), gap.says.clone())
    });
    add_to(machines, &gaps);
    Coverage { gaps, collect_next: collect::requests(incidents) }
}

/// Adds the sentences about each machine behind what its logs cover.
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

impl Gap {
    /// The gap with the number of the incidents that the missing artifact would help.
    fn helping<'i>(self, incidents: impl Iterator<Item = &'i Judged> + Clone) -> Self {
        let undetermined = incidents.clone().filter(|judged| judged.verdict.is_undetermined()).count();
        Self { count: incidents.count(), undetermined, ..self }
    }
}

/// The incidents of one computer.
#[derive(Debug, Default)]
struct Host<'i> {
    /// Its name, where one is known.
    name: Option<Arc<str>>,
    incidents: Vec<(&'i Judged, &'i EvidenceSummary)>,
}

/// The incidents by computer, its name in lower case; those without computer together. Texts that fit several incidents are
/// left out.
fn by_host<'i>(incidents: &'i [Judged], shown: &'i [EvidenceSummary]) -> BTreeMap<Option<String>, Host<'i>> {
    let mut hosts: BTreeMap<Option<String>, Host<'i>> = BTreeMap::new();
    for (judged, shown) in incidents.iter().zip(shown).filter(|(judged, _)| judged.incident.may_be_of.is_empty()) {
        let name = &judged.incident.host;
        let host = hosts.entry(name.as_ref().map(|name| name.to_lowercase())).or_default();
        host.name = host.name.take().or_else(|| name.clone());
        host.incidents.push((judged, shown));
    }
    hosts
}

//! Groups of alike incidents, the attributes that each has far more often than the rest, and the changes before it began.

mod attributes;
mod changes;
mod over_represented;
mod statistics;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

pub use attributes::{Attributes, IncidentAttributes};
#[cfg(test)]
pub(crate) use {attributes::Attribute, over_represented::Unit, statistics::Counts};

use crate::confidence::Level;
use crate::model::{Artifact, CauseCount, Group, Judged, OverRepresented};
use changes::MachinesBySignature;
use incident::{Incident, short_host};
use over_represented::{Members, over_represented};

/// Groups the incidents, largest group first, ties by signature. Incidents must come in the report's order, and
/// `of_incidents`, their attributes, in the same; `machines` have the timelines of the machines, `artifacts` those of the
/// run.
#[must_use]
pub fn groups(
    incidents: &[Judged],
    of_incidents: &[IncidentAttributes],
    attributes: &Attributes,
    machines: &HashMap<String, facts::Surroundings<'_>>,
    artifacts: &[Artifact],
) -> Vec<Group> {
    let mut by_signature: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    // A text that fits several incidents is in no group.
    for (index, judged) in incidents.iter().enumerate().filter(|(_, judged)| judged.incident.may_be_of.is_empty()) {
        by_signature.entry(&judged.incident.signature.coarse).or_default().push(index);
    }
    let by_signature: Vec<(&str, Vec<usize>)> = by_signature.into_iter().collect();
    let members: Vec<Members<'_>> = by_signature
        .iter()
        .map(|(_, members)| Members {
            incidents: members,
            named: named(members.first().and_then(|one| incidents.get(*one))),
        })
        .collect();
    let over_represented = over_represented(&members, of_incidents, attributes);
    let machines = MachinesBySignature::new(machines.values());
    let mut groups: Vec<Group> = by_signature
        .par_iter()
        .zip(over_represented)
        .map(|((signature, members), over_represented)| {
            let members: Vec<&Judged> = members.iter().filter_map(|index| incidents.get(*index)).collect();
            group(signature, &members, over_represented, &machines, artifacts)
        })
        .collect();
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    groups
}

fn group(
    signature: &str,
    members: &[&Judged],
    over_represented: Vec<OverRepresented>,
    machines: &MachinesBySignature<'_, '_>,
    artifacts: &[Artifact],
) -> Group {
    let incidents = || members.iter().map(|judged| &judged.incident);
    let representative = representative(members);
    let cause = representative.map(|judged| &judged.verdict).filter(|verdict| !verdict.is_undetermined());
    let (changes_before, changes_unknown) =
        representative.map(|representative| machines.before(signature, representative, artifacts)).unwrap_or_default();
    let hosts: BTreeSet<String> = incidents().filter_map(|incident| incident.host.as_deref()).map(short_host).collect();
    Group {
        signature: signature.to_owned(),
        incidents: incidents().map(|incident| incident.id.clone()).collect(),
        first: incidents().filter_map(|incident| incident.time).min(),
        last: incidents().filter_map(|incident| incident.time).max(),
        hosts: hosts.len(),
        representative: representative.map(|judged| judged.incident.id.clone()).unwrap_or_default(),
        cause: cause.map(|verdict| verdict.cause.clone()),
        causes: causes(members),
        over_represented,
        changes_before,
        changes_unknown,
    }
}

/// How many incidents have each cause, the most frequent first, ties by name.
#[must_use]
pub(crate) fn causes(members: &[&Judged]) -> Vec<CauseCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for judged in members {
        *counts.entry(&judged.verdict.cause).or_default() += 1;
    }
    let mut causes: Vec<CauseCount> =
        counts.into_iter().map(|(cause, incidents)| CauseCount { cause: cause.to_owned(), incidents }).collect();
    causes.sort_by_key(|count| Reverse(count.incidents));
    causes
}

/// The incident that represents a group: its verdict is the group's.
///
/// Its cause is the one that can be acted on, before one that is only likely, and so on; of causes that are equally
/// sure the most frequent, then the surest, then the first by name. Incidents of a group often differ in how much
/// evidence they left: one with a dump proves more than nine with a log record. The incident itself is the surest of
/// that cause, the earliest of them on a tie.
#[must_use]
pub(crate) fn representative<'j>(members: &[&'j Judged]) -> Option<&'j Judged> {
    // How often each cause is a verdict, and how sure the surest is.
    let mut causes: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for judged in members.iter().filter(|judged| !judged.verdict.is_undetermined()) {
        let (count, surest) = causes.entry(&judged.verdict.cause).or_default();
        *count += 1;
        *surest = surest.max(judged.verdict.confidence);
    }
    let cause = causes.into_iter().max_by(|(name_a, (count_a, surest_a)), (name_b, (count_b, surest_b))| {
        let levels = Level::of(*surest_a).cmp(&Level::of(*surest_b));
        levels.then(count_a.cmp(count_b)).then(surest_a.total_cmp(surest_b)).then(name_b.cmp(name_a))
    });
    let of_cause = members.iter().copied().filter(|judged| match cause {
        Some((cause, _)) => judged.verdict.cause == cause,
        // Where no verdict names a cause, the incident with the most evidence stands for the group.
        None => true,
    });
    let weight = |judged: &Judged| {
        let Judged { incident, findings, .. } = judged;
        (findings.len(), incident.suspect.is_some(), incident.evidence.len())
    };
    of_cause.reduce(|best, next| {
        let surer = match cause {
            Some(_) => next.verdict.confidence > best.verdict.confidence,
            None => weight(next) > weight(best),
        };
        if surer { next } else { best }
    })
}

/// The modules that an incident's signature names, in lower case.
fn named(judged: Option<&Judged>) -> BTreeSet<String> {
    let Some(Judged { incident: Incident { process, fault_site, suspect, .. }, .. }) = judged else {
        return BTreeSet::new();
    };
    let process = process.as_ref().and_then(|process| process.name.as_deref());
    let site = fault_site.as_ref().map(|site| &*site.module);
    let suspect = suspect.as_ref().map(|suspect| &*suspect.module);
    [process, site, suspect].into_iter().flatten().map(str::to_lowercase).collect()
}

//! What many incidents say together: groups of alike ones, and what each has far more often than the rest.

mod attributes;
mod changes;
mod over_represented;
mod statistics;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use attributes::{Attribute, Attributes, Surroundings};
pub use changes::{BearsOn, Before, ChangeBefore};
pub use over_represented::{OverRepresented, Unit};
pub use statistics::Counts;

use crate::Judged;
use crate::confidence::Level;
use changes::ByName;
use incident::{Incident, short_host};
use over_represented::{Members, over_represented};

/// Incidents that share a coarse signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The coarse signature.
    pub signature: String,
    /// Ids of the incidents, in the report's order.
    pub incidents: Vec<String>,
    /// The earliest.
    pub first: Option<Timestamp>,
    /// The latest.
    pub last: Option<Timestamp>,
    /// Different computers among them.
    pub hosts: usize,
    /// The incident that stands for the group: its verdict is the group's.
    pub speaker: String,
    /// That verdict's cause; `None` when no incident's verdict names one.
    pub cause: Option<String>,
    /// The causes of its incidents' verdicts, `undetermined` among them: the most frequent first, ties by name.
    pub causes: Vec<CauseCount>,
    /// What it has far more often than the rest of the folder.
    pub over_represented: Vec<OverRepresented>,
    /// What was changed on its machines before the first, whether or not the report holds that one.
    pub before: Before,
}

/// How many of a group's incidents have a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseCount {
    /// The cause; `undetermined` where none is named.
    pub cause: String,
    /// How many have it.
    pub incidents: usize,
}

/// Groups the incidents, largest group first, ties by signature. Incidents must come in the report's order, and
/// `surroundings` in the same; `machines` have the timelines of the machines.
#[must_use]
pub fn groups(
    incidents: &[Judged],
    surroundings: &[Surroundings],
    attributes: &Attributes,
    machines: &HashMap<String, facts::Surroundings<'_>>,
) -> Vec<Group> {
    let mut by_signature: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    // What tells of another incident is none of its own.
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
    let over_represented = over_represented(&members, surroundings, attributes);
    let by_name = ByName::new(machines.values());
    let mut groups: Vec<Group> = by_signature
        .par_iter()
        .zip(over_represented)
        .map(|((signature, members), over_represented)| {
            let members: Vec<&Judged> = members.iter().filter_map(|index| incidents.get(*index)).collect();
            group(signature, &members, over_represented, &by_name)
        })
        .collect();
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    groups
}

fn group(
    signature: &str,
    members: &[&Judged],
    over_represented: Vec<OverRepresented>,
    machines: &ByName<'_, '_>,
) -> Group {
    let incidents = || members.iter().map(|judged| &judged.incident);
    let speaker = speaker(members);
    let cause = speaker.map(|judged| &judged.verdict).filter(|verdict| !verdict.is_undetermined());
    let hosts: BTreeSet<String> = incidents().filter_map(|incident| incident.host.as_deref()).map(short_host).collect();
    Group {
        signature: signature.to_owned(),
        incidents: incidents().map(|incident| incident.id.clone()).collect(),
        first: incidents().filter_map(|incident| incident.time).min(),
        last: incidents().filter_map(|incident| incident.time).max(),
        hosts: hosts.len(),
        speaker: speaker.map(|judged| judged.incident.id.clone()).unwrap_or_default(),
        cause: cause.map(|verdict| verdict.cause.clone()),
        causes: causes(members),
        over_represented,
        before: speaker.map(|speaker| machines.before(signature, speaker)).unwrap_or_default(),
    }
}

/// How many incidents have which cause.
#[must_use]
pub fn causes(members: &[&Judged]) -> Vec<CauseCount> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for judged in members {
        let count = counts.entry(&judged.verdict.cause).or_default();
        *count = count.saturating_add(1);
    }
    let mut causes: Vec<CauseCount> =
        counts.into_iter().map(|(cause, incidents)| CauseCount { cause: cause.to_owned(), incidents }).collect();
    causes.sort_by_key(|count| Reverse(count.incidents));
    causes
}

/// The incident that stands for a group, the only one that says what its cause is.
///
/// Its cause is the one that can be acted on, before one that is only likely, and so on; of causes that are equally
/// sure the most frequent, then the surest, then the first by name. Incidents of a group often differ in how much
/// evidence they left: one with a dump says more than nine with a log record. The incident itself is the surest of
/// that cause, the earliest of them on a tie.
#[must_use]
pub fn speaker<'j>(members: &[&'j Judged]) -> Option<&'j Judged> {
    // How often each cause is a verdict, and how sure the surest is.
    let mut causes: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for judged in members.iter().filter(|judged| !judged.verdict.is_undetermined()) {
        let (count, surest) = causes.entry(&judged.verdict.cause).or_default();
        *count = count.saturating_add(1);
        *surest = surest.max(judged.verdict.confidence);
    }
    let cause = causes.into_iter().max_by(|(name_a, (count_a, surest_a)), (name_b, (count_b, surest_b))| {
        let levels = Level::of(*surest_a).cmp(&Level::of(*surest_b));
        levels.then(count_a.cmp(count_b)).then(surest_a.total_cmp(surest_b)).then(name_b.cmp(name_a))
    });
    let of_cause = members.iter().copied().filter(|judged| match cause {
        Some((cause, _)) => judged.verdict.cause == cause,
        // Where none names a cause, what was seen most of is shown.
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

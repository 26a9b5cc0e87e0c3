//! What many incidents say together: groups of alike ones, and what each has far more often than the rest.

mod attributes;
mod over_represented;
mod statistics;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

pub use attributes::{Attribute, Attributes, Surroundings};
pub use over_represented::{OverRepresented, Unit};
pub use statistics::Counts;

use crate::incident::Incident;
use crate::report::Judged;
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
    /// The most frequent verdict's cause.
    pub cause: Option<String>,
    /// What it has far more often than the rest of the folder.
    pub over_represented: Vec<OverRepresented>,
}

/// Groups the incidents, largest group first, ties by signature. Incidents must come in the report's order, and
/// `surroundings` in the same.
#[must_use]
pub fn groups(incidents: &[Judged], surroundings: &[Surroundings], attributes: &Attributes) -> Vec<Group> {
    let mut by_signature: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, judged) in incidents.iter().enumerate() {
        by_signature.entry(&judged.incident.signature.coarse).or_default().push(index);
    }
    let members: Vec<Members<'_>> = by_signature
        .values()
        .map(|members| Members {
            incidents: members,
            named: named(members.first().and_then(|one| incidents.get(*one))),
        })
        .collect();
    let over_represented = over_represented(&members, surroundings, attributes);
    let mut groups: Vec<Group> = by_signature
        .iter()
        .zip(over_represented)
        .map(|((signature, members), over_represented)| {
            let members: Vec<&Judged> = members.iter().filter_map(|index| incidents.get(*index)).collect();
            group(signature, &members, over_represented)
        })
        .collect();
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    groups
}

fn group(signature: &str, members: &[&Judged], over_represented: Vec<OverRepresented>) -> Group {
    let incidents = || members.iter().map(|judged| &judged.incident);
    // How often each cause is a verdict, and how sure the surest is.
    let mut causes: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for judged in members {
        let (count, surest) = causes.entry(&judged.verdict.cause).or_default();
        *count = count.saturating_add(1);
        *surest = surest.max(judged.verdict.confidence);
    }
    // The most frequent verdict; of equally frequent ones the surest, then the first by name.
    let order = |a: &(&&str, &(usize, f64)), b: &(&&str, &(usize, f64))| {
        let ((name_a, (count_a, surest_a)), (name_b, (count_b, surest_b))) = (a, b);
        count_a.cmp(count_b).then(surest_a.total_cmp(surest_b)).then(name_b.cmp(name_a))
    };
    let cause = causes.iter().max_by(order).map(|(cause, _)| *cause);
    let hosts: BTreeSet<String> =
        incidents().filter_map(|incident| incident.host.as_deref()).map(str::to_lowercase).collect();
    Group {
        signature: signature.to_owned(),
        incidents: incidents().map(|incident| incident.id.clone()).collect(),
        first: incidents().filter_map(|incident| incident.time).min(),
        last: incidents().filter_map(|incident| incident.time).max(),
        hosts: hosts.len(),
        cause: cause.map(str::to_owned),
        over_represented,
    }
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

//! Groups of incidents that share a coarse signature.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, Incident};

/// Groups the incidents, largest group first, ties by signature. Incidents must come in the report's order.
#[must_use]
pub fn groups<'i>(incidents: impl Iterator<Item = &'i Incident>) -> Vec<Group> {
    let mut by_signature: BTreeMap<&str, Vec<&Incident>> = BTreeMap::new();
    for incident in incidents {
        by_signature.entry(&incident.signature.coarse).or_default().push(incident);
    }
    let mut groups: Vec<Group> = by_signature
        .into_iter()
        .map(|(signature, members)| Group {
            signature: signature.to_owned(),
            incidents: members.iter().map(|incident| incident.id.clone()).collect(),
            first: members.iter().filter_map(|incident| incident.time).min(),
            last: members.iter().filter_map(|incident| incident.time).max(),
            hosts: members
                .iter()
                .filter_map(|incident| incident.host.as_deref())
                .map(str::to_lowercase)
                .collect::<BTreeSet<_>>()
                .len(),
        })
        .collect();
    groups.sort_by(|a, b| b.incidents.len().cmp(&a.incidents.len()).then_with(|| a.signature.cmp(&b.signature)));
    groups
}

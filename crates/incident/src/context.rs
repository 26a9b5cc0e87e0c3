//! Evidence of no incident by itself that belongs to those around it: texts that describe the machine, and events that
//! were pasted together with a crash.

use std::collections::{BTreeMap, BTreeSet};

use super::environment::card::as_stated;
use super::environment::version_parts::{nvidia_release, with_patch};
use super::host_names::short_host;
use super::incident::JoinedBy;
use super::join::key::JoinKey;
use super::join::sets::JoinedSightings;
use super::joined_evidence::JoinedEvidence;
use super::sighting::Sighting;
use super::sourced_evidence::SourcedEvidence;
use evidence::{Inventory, Observation, Place, Ticket};
use windows_codes::Knowledge;

/// For each group of sightings the indices of the context items that belong to it.
///
/// A text describes the machine of all incidents with evidence in its folder; pasted text, of all incidents. When it names
/// the computer, the incident's must be the same; when not, the incidents may name no two.
pub(super) fn contexts(groups: &[JoinedSightings<'_>], items: &[SourcedEvidence]) -> Vec<Vec<usize>> {
    let mut contexts = vec![Vec::new(); groups.len()];
    let sighted: BTreeSet<usize> = groups.iter().flat_map(|group| &group.members).map(|one| one.item).collect();
    let loose: Vec<(usize, &SourcedEvidence)> =
        items.iter().enumerate().filter(|(index, item)| is_context(item, sighted.contains(index))).collect();
    if loose.is_empty() {
        return contexts;
    }
    let summaries: Vec<JoinedSummary<'_>> = groups.iter().map(JoinedSummary::new).collect();
    for (index, item) in loose {
        let belongs = match &item.observation {
            Observation::Ticket(ticket) => described_by(ticket, item, index, &summaries),
            _ => summaries.iter().map(|group| group.texts.contains(&item.artifact)).collect(),
        };
        for (context, _) in contexts.iter_mut().zip(belongs).filter(|(_, belongs)| *belongs) {
            context.push(index);
        }
    }
    contexts
}

/// What joins a context item to an incident's first evidence: the machine, or the text that both are in.
pub(super) fn joined_by(item: &SourcedEvidence) -> JoinedBy {
    let key = match item.observation {
        Observation::Event(_) => JoinKey::SameText,
        _ => JoinKey::Machine,
    };
    JoinedBy { key, strength: key.strength(), to: 0 }
}

/// Whether an item is a text without a crash that describes a machine, or a pasted event without an incident.
fn is_context(item: &SourcedEvidence, sighted: bool) -> bool {
    match &item.observation {
        Observation::Ticket(ticket) => !ticket.inventory.is_empty() && !ticket.reports_a_crash(),
        Observation::Event(_) => !sighted && matches!(item.place, Place::Lines(_)),
        _ => false,
    }
}

/// What a group's members have in common.
struct JoinedSummary<'g> {
    /// Indices of their evidence.
    items: BTreeSet<usize>,
    folders: BTreeSet<&'g str>,
    /// Artifacts that are texts.
    texts: BTreeSet<usize>,
    /// The computer, short and lower case.
    host: Option<String>,
}

impl<'g> JoinedSummary<'g> {
    fn new(group: &JoinedSightings<'g>) -> Self {
        let members = || group.members.iter();
        let is_pasted =
            |sighting: &&&Sighting<'_>| sighting.is_text() || matches!(sighting.evidence.place, Place::Lines(_));
        Self {
            items: members().map(|sighting| sighting.item).collect(),
            folders: members().map(|sighting| &*sighting.evidence.folder).collect(),
            texts: members().filter(is_pasted).map(|sighting| sighting.evidence.artifact).collect(),
            host: members().find_map(|sighting| sighting.host.as_deref()).map(short_host),
        }
    }
}

/// Which groups happened on the machine that `ticket` describes.
fn described_by(ticket: &Ticket, item: &SourcedEvidence, index: usize, groups: &[JoinedSummary<'_>]) -> Vec<bool> {
    let near = |group: &JoinedSummary<'_>| {
        !group.items.contains(&index) && (item.folder.is_empty() || group.folders.contains(&*item.folder))
    };
    let hosts: BTreeSet<&String> =
        groups.iter().filter(|group| near(group)).filter_map(|group| group.host.as_ref()).collect();
    let fits = |group: &JoinedSummary<'_>| match ticket.computer.as_deref().map(short_host) {
        Some(computer) => group.host.as_ref().is_none_or(|host| *host == computer),
        None => hosts.len() <= 1,
    };
    groups.iter().map(|group| near(group) && fits(group)).collect()
}

/// Adds to an incident's card what texts state, where nothing better is known.
pub(super) fn add_stated(card: &mut BTreeMap<&'static str, String>, evidence: &JoinedEvidence<'_>) {
    for (_, ticket) in evidence.all_tickets() {
        // Of drivers' versions the card has what all texts state.
        for (key, value) in inventory_card(&ticket.inventory).filter(|(key, _)| *key != "gpu_driver") {
            card.entry(key).or_insert_with(|| as_stated(&value));
        }
    }
}

/// What the output of a tool in a text states of the machine, by the keys of the card.
pub(super) fn inventory_card<'k>(inventory: &Inventory) -> impl Iterator<Item = (&'static str, String)> + use<'k> {
    let os = inventory.os_build.map(|build| match Knowledge.windows_release(build) {
        Some(release) => format!("{release} (build {build})"),
        None => format!("Windows build {build}"),
    });
    let gpus: Vec<&str> = inventory.gpus.iter().map(|gpu| &**gpu).collect();
    [
        ("gpu", (!gpus.is_empty()).then(|| gpus.join(", "))),
        ("gpu_driver", inventory.nvidia_driver.map(nvidia_release)),
        ("memory", inventory.memory.map(|bytes| format!("{} MiB", bytes >> 20))),
        ("model", inventory.model.as_deref().map(str::to_owned)),
        ("bios", inventory.bios.as_deref().map(str::to_owned)),
        ("os", os),
        ("python", inventory.python.map(with_patch)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
}

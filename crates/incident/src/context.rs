//! What tells of no incident by itself and belongs to those around it: texts that describe the machine, and events that
//! were pasted together with a crash.

use std::collections::{BTreeMap, BTreeSet};

use super::JoinedBy;
use super::environment::as_stated;
use super::gathered::Gathered;
use super::join::{self, JoinKey};
use super::sighting::{Item, Sighting};
use evidence::{Inventory, Observation, Place, Ticket, Version};
use windows_codes::Knowledge;

/// For each group of sightings the items that belong to it, too.
///
/// A text describes the machine of all incidents whose evidence lies in its folder; pasted text, of all incidents. When
/// it names the computer, the incident's must be the same; when not, they may name no two.
pub(super) fn contexts(groups: &[join::Group], sightings: &[Sighting], items: &[Item]) -> Vec<Vec<usize>> {
    let mut contexts = vec![Vec::new(); groups.len()];
    let sighted: BTreeSet<usize> = sightings.iter().map(|sighting| sighting.item).collect();
    let loose = items.iter().enumerate().filter(|(index, item)| belongs_elsewhere(item, sighted.contains(index)));
    let loose: Vec<(usize, &Item)> = loose.collect();
    if loose.is_empty() {
        return contexts;
    }
    let about: Vec<Group> = groups.iter().map(|group| Group::of(&group.members, sightings, items)).collect();
    for (index, item) in loose {
        let describes = match &item.observation {
            Observation::Ticket(ticket) => described_by(ticket, item, index, &about),
            _ => about.iter().map(|group| group.texts.contains(&item.artifact)).collect(),
        };
        for (context, _) in contexts.iter_mut().zip(&describes).filter(|(_, describes)| **describes) {
            context.push(index);
        }
    }
    contexts
}

/// By what such an item belongs to an incident's first evidence: the machine, or the text that both stand in.
pub(super) fn joined_by(item: &Item) -> JoinedBy {
    let key = match item.observation {
        Observation::Event(_) => JoinKey::SameText,
        _ => JoinKey::Machine,
    };
    JoinedBy { key, strength: key.strength(), to: 0 }
}

/// Whether an item is a text without a crash that describes a machine, or a pasted event without an incident.
fn belongs_elsewhere(item: &Item, sighted: bool) -> bool {
    match &item.observation {
        Observation::Ticket(ticket) => !ticket.inventory.is_empty() && !ticket.tells_of_a_crash(),
        Observation::Event(_) => !sighted && matches!(item.place, Place::Lines(_)),
        _ => false,
    }
}

/// What a group's members have in common.
struct Group {
    members: BTreeSet<usize>,
    folders: BTreeSet<String>,
    /// Artifacts that are texts.
    texts: BTreeSet<usize>,
    host: Option<String>,
}

impl Group {
    fn of(group: &[usize], sightings: &[Sighting], items: &[Item]) -> Self {
        let sightings = || group.iter().filter_map(|index| sightings.get(*index));
        let items = || sightings().filter_map(|sighting| items.get(sighting.item));
        let texts = items()
            .filter(|item| matches!(item.observation, Observation::Ticket(_)) || matches!(item.place, Place::Lines(_)));
        Self {
            members: sightings().map(|sighting| sighting.item).collect(),
            folders: items().map(|item| item.folder.to_string()).collect(),
            texts: texts.map(|item| item.artifact).collect(),
            host: sightings().find_map(|sighting| sighting.host.as_ref()).map(|host| short(host)),
        }
    }
}

/// Which groups happened on the machine that `ticket` describes.
fn described_by(ticket: &Ticket, item: &Item, index: usize, groups: &[Group]) -> Vec<bool> {
    let near = |group: &Group| {
        let own = group.members.contains(&index);
        !own && (item.folder.is_empty() || group.folders.contains(&*item.folder))
    };
    let hosts: BTreeSet<&String> =
        groups.iter().filter(|group| near(group)).filter_map(|group| group.host.as_ref()).collect();
    let fits = |group: &Group| match ticket.computer.as_deref().map(short) {
        Some(computer) => group.host.as_ref().is_none_or(|host| *host == computer),
        None => hosts.len() <= 1,
    };
    groups.iter().map(|group| near(group) && fits(group)).collect()
}

/// A computer's name without its domain, lower case.
#[must_use]
pub fn short(host: &str) -> String {
    host.split('.').next().unwrap_or(host).to_lowercase()
}

/// The card of an incident with what texts say, where nothing better is known.
pub(super) fn described(
    mut card: BTreeMap<&'static str, String>,
    gathered: &Gathered<'_>,
    knowledge: &Knowledge,
) -> BTreeMap<&'static str, String> {
    for (_, ticket) in gathered.described() {
        // Of drivers' versions the card has what all texts state.
        for (key, value) in inventory(&ticket.inventory, knowledge).filter(|(key, _)| *key != "gpu_driver") {
            card.entry(key).or_insert_with(|| as_stated(&value));
        }
    }
    card
}

/// What the output of a tool in a text says of the machine, as a card has it.
pub(super) fn inventory<'k>(
    inventory: &Inventory,
    knowledge: &'k Knowledge,
) -> impl Iterator<Item = (&'static str, String)> + use<'k> {
    let two_parts = |version: Version| {
        let [major, minor, ..] = version.0;
        (major, minor)
    };
    let os = inventory.os_build.map(|build| match knowledge.windows_release(build) {
        Some(release) => format!("{release} (build {build})"),
        None => format!("Windows build {build}"),
    });
    let gpus: Vec<&str> = inventory.gpus.iter().map(|gpu| &**gpu).collect();
    [
        ("gpu", (!gpus.is_empty()).then(|| gpus.join(", "))),
        ("gpu_driver", inventory.nvidia_driver.map(two_parts).map(|(major, minor)| format!("{major}.{minor:02}"))),
        ("memory", inventory.memory.map(|bytes| format!("{} MiB", bytes >> 20))),
        ("model", inventory.model.as_deref().map(str::to_owned)),
        ("bios", inventory.bios.as_deref().map(str::to_owned)),
        ("os", os),
        ("python", inventory.python.map(two_parts).map(|(major, minor)| format!("{major}.{minor}"))),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
}

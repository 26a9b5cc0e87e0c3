//! Disjoint sets of sightings, with what joined them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::compare::differ;
use super::key::{JoinKey, JoinStrength};
use crate::incident::JoinedBy;
use crate::sighting::Sighting;

/// The sightings of one incident.
#[derive(Debug)]
pub struct JoinedSightings<'s> {
    /// By rank, then in the order of their items.
    pub members: Vec<&'s Sighting<'s>>,
    /// For each of `members`, at the same index: what it has in common with another member, for which it was joined; `None`
    /// for the first.
    pub joined_by: Vec<Option<JoinedBy>>,
    /// For texts that fit several other groups: a sighting of each of these groups.
    pub fits: Vec<&'s Sighting<'s>>,
}

/// Disjoint sets of sightings, each with the one computer that its members name. A set is found by its root, the index of
/// its first sighting.
pub(super) struct Sets<'s> {
    sightings: &'s [Sighting<'s>],
    /// The way from each sighting to the root of its set, which is its own parent.
    parents: Vec<usize>,
    /// At each root what is known of its set.
    sets: Vec<Set>,
    /// Which two sightings were joined, and by what. Within a set the links form a tree.
    links: Vec<(usize, usize, JoinKey, JoinStrength)>,
}

/// What is known of a set.
#[derive(Default)]
struct Set {
    /// The computer that its members name, lower case.
    host: Option<Arc<str>>,
    /// The computer whose event logs are in the folder of a member, lower case.
    folder_host: Option<Arc<str>>,
    /// Whether members are in the folders of different computers: then the folders prove nothing.
    folders_differ: bool,
    /// How many sightings were joined to the first.
    joined: usize,
}

impl<'s> Sets<'s> {
    /// A set for each sighting.
    pub(super) fn new(sightings: &'s [Sighting<'s>]) -> Self {
        let mut lower_case: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut lower_case = |host: &'s Option<Arc<str>>| {
            let host: &'s str = host.as_deref()?;
            Some(Arc::clone(lower_case.entry(host).or_insert_with(|| host.to_lowercase().into())))
        };
        let set = |sighting: &'s Sighting<'s>| Set {
            host: lower_case(&sighting.host),
            folder_host: lower_case(&sighting.folder_host),
            ..Set::default()
        };
        let (parents, sets) = ((0..sightings.len()).collect(), sightings.iter().map(set).collect());
        Self { sightings, parents, sets, links: Vec::new() }
    }

    /// The root of a sighting's set: equal for two sightings that were joined.
    pub(super) fn root(&mut self, sighting: &Sighting<'_>) -> usize {
        let mut index = sighting.index;
        while let Some(parent) = self.parents.get(index).copied()
            && parent != index
        {
            // Halve the path, so that it stays short.
            let grandparent = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(index) {
                *slot = grandparent;
            }
            index = grandparent;
        }
        index
    }

    fn set(&mut self, sighting: &Sighting<'_>) -> Option<&Set> {
        let root = self.root(sighting);
        self.sets.get(root)
    }

    /// Whether nothing has been joined to a sighting.
    pub(super) fn is_alone(&mut self, sighting: &Sighting<'_>) -> bool {
        self.set(sighting).is_none_or(|set| set.joined == 0)
    }

    /// The computer that a sighting's set names, lower case.
    pub(super) fn named_host(&mut self, sighting: &Sighting<'_>) -> Option<Arc<str>> {
        self.set(sighting)?.host.clone()
    }

    /// The computer that a sighting's set names, or whose event logs are in its folder, lower case.
    pub(super) fn host(&mut self, sighting: &Sighting<'_>) -> Option<Arc<str>> {
        let set = self.set(sighting)?;
        set.host.clone().or_else(|| set.folder_host.clone().filter(|_| !set.folders_differ))
    }

    /// Joins all members to the first; see [`Sets::join`].
    pub(super) fn join_all(&mut self, members: &[&Sighting<'_>], key: JoinKey) {
        let Some((first, rest)) = members.split_first() else { return };
        rest.iter().for_each(|other| self.join(first, other, key));
    }

    /// Joins the sets of two sightings, unless they name different computers. The computer of the folder counts as well,
    /// except for an id that was made for one report.
    pub(super) fn join(&mut self, one: &Sighting<'_>, other: &Sighting<'_>, key: JoinKey) {
        self.join_as(one, other, key, key.strength());
    }

    /// Does the same with another strength than the key's own.
    pub(super) fn join_as(&mut self, one: &Sighting<'_>, other: &Sighting<'_>, key: JoinKey, strength: JoinStrength) {
        if !differ(self.named_host(one), self.named_host(other))
            && (key == JoinKey::ReportId || !differ(self.host(one), self.host(other)))
        {
            self.unite(one, other, key, strength);
        }
    }

    /// Joins two sets, whatever computers they name.
    pub(super) fn unite(&mut self, one: &Sighting<'_>, other: &Sighting<'_>, key: JoinKey, strength: JoinStrength) {
        let (a, b) = (self.root(one), self.root(other));
        let (low, high) = (a.min(b), a.max(b));
        if low == high {
            return;
        }
        self.links.push((one.index, other.index, key, strength));
        let absorbed = self.sets.get_mut(high).map(std::mem::take).unwrap_or_default();
        if let (Some(set), Some(parent)) = (self.sets.get_mut(low), self.parents.get_mut(high)) {
            *parent = low;
            set.folders_differ |=
                absorbed.folders_differ || differ(set.folder_host.as_ref(), absorbed.folder_host.as_ref());
            set.host = set.host.take().or(absorbed.host);
            set.folder_host = set.folder_host.take().or(absorbed.folder_host);
            set.joined = set.joined.saturating_add(absorbed.joined).saturating_add(1);
        }
    }

    /// The sets, in the order of their first sightings.
    pub(super) fn groups(mut self) -> Vec<JoinedSightings<'s>> {
        let mut groups: BTreeMap<usize, Vec<&'s Sighting<'s>>> = BTreeMap::new();
        for sighting in self.sightings {
            groups.entry(self.root(sighting)).or_default().push(sighting);
        }
        let mut linked: Vec<Vec<(usize, JoinKey, JoinStrength)>> = vec![Vec::new(); self.sightings.len()];
        for (one, other, key, strength) in self.links {
            for (from, to) in [(one, other), (other, one)] {
                linked.get_mut(from).into_iter().for_each(|links| links.push((to, key, strength)));
            }
        }
        let mut positions = vec![0; self.sightings.len()];
        let group = |mut members: Vec<&'s Sighting<'s>>| {
            members.sort_by_key(|sighting| (sighting.rank, *sighting));
            for (position, member) in members.iter().enumerate() {
                positions.get_mut(member.index).into_iter().for_each(|slot| *slot = position);
            }
            let joined_by = joined_from_first(&members, &linked, &positions);
            JoinedSightings { members, joined_by, fits: Vec::new() }
        };
        groups.into_values().map(group).collect()
    }
}

/// For each member the link on the way from the first member to it, `None` for the first. `linked` has the links of each
/// sighting and `positions` its position among its members.
fn joined_from_first(
    members: &[&Sighting<'_>],
    linked: &[Vec<(usize, JoinKey, JoinStrength)>],
    positions: &[usize],
) -> Vec<Option<JoinedBy>> {
    let mut joined_by: Vec<Option<JoinedBy>> = vec![None; members.len()];
    // Beside each sighting the one that it was reached from: a tree has one way to each.
    let mut next: VecDeque<(usize, Option<usize>)> =
        members.first().map(|first| (first.index, None)).into_iter().collect();
    while let Some((member, from)) = next.pop_front() {
        let Some(here) = positions.get(member) else { continue };
        for (to, key, strength) in linked.get(member).into_iter().flatten().filter(|(to, ..)| Some(*to) != from) {
            if let Some(slot) = positions.get(*to).and_then(|position| joined_by.get_mut(*position)) {
                *slot = Some(JoinedBy { key: *key, strength: *strength, to: *here });
            }
            next.push_back((*to, Some(member)));
        }
    }
    joined_by
}

/// Joins the members of each bucket, unless they name several computers and some name none: then only members that name
/// the same computer are joined, and those in the folder of one of the computers are likely to be of it.
pub(super) fn join_unambiguous<'s>(
    buckets: impl Iterator<Item = Vec<&'s Sighting<'s>>>,
    key: JoinKey,
    sets: &mut Sets<'_>,
) {
    let mut buckets: Vec<Vec<&Sighting<'_>>> = buckets.filter(|bucket| bucket.len() > 1).collect();
    buckets.sort();
    for bucket in buckets {
        let mut by_host: BTreeMap<Option<Arc<str>>, Vec<&Sighting<'_>>> = BTreeMap::new();
        for sighting in bucket {
            by_host.entry(sets.named_host(sighting)).or_default().push(sighting);
        }
        let nameless = by_host.remove(&None).unwrap_or_default();
        for members in by_host.values() {
            sets.join_all(members, key);
        }
        if by_host.len() <= 1 {
            let all: Vec<&Sighting<'_>> = by_host.into_values().flatten().chain(nameless).collect();
            join_by_folder(&all, key, sets);
            continue;
        }
        let mut rest = Vec::new();
        for sighting in nameless {
            let named = sets.host(sighting).and_then(|host| by_host.get(&Some(host))?.first());
            match named {
                Some(first) => sets.join_as(first, sighting, key, JoinStrength::Likely),
                None => rest.push(sighting),
            }
        }
        join_by_folder(&rest, key, sets);
    }
}

/// Joins members that name no two computers. Where they are in the folders of several computers, only those of one folder
/// are joined.
fn join_by_folder(members: &[&Sighting<'_>], key: JoinKey, sets: &mut Sets<'_>) {
    let mut firsts: BTreeMap<Option<Arc<str>>, &Sighting<'_>> = BTreeMap::new();
    for sighting in members {
        firsts.entry(sets.host(sighting)).or_insert(sighting);
    }
    // What is in the folder of no computer belongs to the only one, or is joined to its like.
    if firsts.keys().flatten().count() <= 1 || key == JoinKey::ReportId {
        sets.join_all(members, key);
        return;
    }
    for sighting in members {
        if let Some(first) = firsts.get(&sets.host(sighting)) {
            sets.join(first, sighting, key);
        }
    }
}

//! Disjoint sets of sightings, with what joined them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{Group, JoinKey};
use crate::sighting::Sighting;
use crate::{JoinStrength, JoinedBy};

/// Disjoint sets of sightings, each with the one computer that its members name.
pub(super) struct Sets<'s> {
    sightings: &'s [Sighting],
    parent: Vec<usize>,
    /// The computer of each set, lower case, at its root.
    host: Vec<Option<Arc<str>>>,
    /// The computer that the folder of a member stands for, lower case, at the root.
    folder_host: Vec<Option<Arc<str>>>,
    /// Whether members lie in folders that stand for different computers, at the root: then none of them counts.
    torn: Vec<bool>,
    /// What each set was joined by: two sightings each. Within a set they form a tree.
    links: Vec<(usize, usize, JoinKey, JoinStrength)>,
    /// How many members each set has, at its root.
    size: Vec<usize>,
}

impl<'s> Sets<'s> {
    pub(super) fn new(sightings: &'s [Sighting]) -> Self {
        let mut folded: BTreeMap<&str, Arc<str>> = BTreeMap::new();
        let mut fold = |host: &'s Option<Arc<str>>| {
            let host: &'s str = host.as_deref()?;
            Some(Arc::clone(folded.entry(host).or_insert_with(|| host.to_lowercase().into())))
        };
        let host = sightings.iter().map(|sighting| fold(&sighting.host)).collect();
        let folder_host = sightings.iter().map(|sighting| fold(&sighting.folder_host)).collect();
        Self {
            sightings,
            parent: (0..sightings.len()).collect(),
            host,
            folder_host,
            torn: vec![false; sightings.len()],
            links: Vec::new(),
            size: vec![1; sightings.len()],
        }
    }

    pub(super) fn root(&mut self, mut index: usize) -> usize {
        while let Some(parent) = self.parent.get(index).copied()
            && parent != index
        {
            // Halve the path, so that it stays short.
            let grandparent = self.parent.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parent.get_mut(index) {
                *slot = grandparent;
            }
            index = grandparent;
        }
        index
    }

    /// Whether nothing has been joined to it.
    pub(super) fn is_alone(&mut self, index: usize) -> bool {
        let root = self.root(index);
        self.size.get(root).is_none_or(|size| *size == 1)
    }

    /// The computer that the set of `index` names, lower case.
    pub(super) fn named_host(&mut self, index: usize) -> Option<Arc<str>> {
        let root = self.root(index);
        self.host.get(root)?.clone()
    }

    /// The computer that the set of `index` names or that its folder stands for, lower case.
    pub(super) fn host(&mut self, index: usize) -> Option<Arc<str>> {
        let root = self.root(index);
        let torn = self.torn.get(root).copied().unwrap_or_default();
        self.named_host(root).or_else(|| self.folder_host.get(root).filter(|_| !torn)?.clone())
    }

    /// Joins all members to the first; see [`Sets::join`].
    pub(super) fn join_all(&mut self, members: &[usize], key: JoinKey) {
        let Some((first, rest)) = members.split_first() else { return };
        for other in rest {
            self.join(*first, *other, key);
        }
    }

    /// Joins the sets of two sightings, but not two that name different computers. What the folder stands for counts as
    /// well, unless the key is an id that was made for one report.
    pub(super) fn join(&mut self, one: usize, other: usize, key: JoinKey) {
        self.join_as(one, other, key, key.strength());
    }

    /// The same with another strength than the key's own.
    pub(super) fn join_as(&mut self, one: usize, other: usize, key: JoinKey, strength: JoinStrength) {
        let (a, b) = (self.root(one), self.root(other));
        if a == b
            || differ(self.named_host(a), self.named_host(b))
            || (key != JoinKey::ReportId && differ(self.host(a), self.host(b)))
        {
            return;
        }
        self.unite(one, other, key, strength);
    }

    /// Joins two sets that name no computer, also where they lie in the folders of two.
    pub(super) fn join_whatever_folder(&mut self, one: usize, other: usize, key: JoinKey) {
        if self.root(one) != self.root(other) && self.named_host(one).is_none() && self.named_host(other).is_none() {
            self.unite(one, other, key, key.strength());
        }
    }

    /// Joins two sets of one computer that they give two names.
    pub(super) fn join_whatever_host(&mut self, one: usize, other: usize, key: JoinKey) {
        if self.root(one) != self.root(other) {
            self.unite(one, other, key, key.strength());
        }
    }

    fn unite(&mut self, one: usize, other: usize, key: JoinKey, strength: JoinStrength) {
        let (a, b) = (self.root(one), self.root(other));
        self.links.push((one, other, key, strength));
        let (low, high) = (a.min(b), a.max(b));
        let torn = |set: usize| self.torn.get(set).copied().unwrap_or_default();
        let of_folder = |set: usize| self.folder_host.get(set).cloned().flatten();
        let is_torn = torn(low) || torn(high) || differ(of_folder(low), of_folder(high));
        if let Some(slot) = self.torn.get_mut(low) {
            *slot = is_torn;
        }
        for hosts in [&mut self.host, &mut self.folder_host] {
            let host = hosts.get(low).cloned().flatten().or_else(|| hosts.get(high).cloned().flatten());
            if let Some(slot) = hosts.get_mut(low) {
                *slot = host;
            }
        }
        let size = self.size.get(high).copied().unwrap_or_default();
        if let Some(slot) = self.size.get_mut(low) {
            *slot = slot.saturating_add(size);
        }
        if let Some(slot) = self.parent.get_mut(high) {
            *slot = low;
        }
    }

    pub(super) fn groups(mut self) -> Vec<Group> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.sightings.len() {
            let root = self.root(index);
            groups.entry(root).or_default().push(index);
        }
        let mut linked: Vec<Vec<(usize, JoinKey, JoinStrength)>> = vec![Vec::new(); self.sightings.len()];
        for (one, other, key, strength) in &self.links {
            for (from, to) in [(one, other), (other, one)] {
                if let Some(links) = linked.get_mut(*from) {
                    links.push((*to, *key, *strength));
                }
            }
        }
        let sightings = self.sightings;
        let mut position = vec![0; sightings.len()];
        groups
            .into_values()
            .map(|mut members| {
                members.sort_by_key(|index| sightings.get(*index).map(|sighting| (sighting.rank, *index)));
                for (place, member) in members.iter().enumerate() {
                    if let Some(slot) = position.get_mut(*member) {
                        *slot = place;
                    }
                }
                let joined_by = seen_from_first(&members, &linked, &position);
                Group { members, joined_by, fits: Vec::new() }
            })
            .collect()
    }
}

fn differ(a: Option<Arc<str>>, b: Option<Arc<str>>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a != b)
}

/// What joined each member, along the tree that begins with the first.
fn seen_from_first(
    members: &[usize],
    linked: &[Vec<(usize, JoinKey, JoinStrength)>],
    position: &[usize],
) -> Vec<Option<JoinedBy>> {
    let mut joined_by: Vec<Option<JoinedBy>> = vec![None; members.len()];
    // Beside each sighting the one that it was reached from: a tree has one way to each.
    let mut next: VecDeque<(usize, Option<usize>)> = members.first().map(|first| (*first, None)).into_iter().collect();
    while let Some((member, from)) = next.pop_front() {
        for (to, key, strength) in linked.get(member).into_iter().flatten() {
            if Some(*to) == from {
                continue;
            }
            let (Some(place), Some(here)) = (position.get(*to), position.get(member)) else { continue };
            if let Some(slot) = joined_by.get_mut(*place) {
                *slot = Some(JoinedBy { key: *key, strength: *strength, to: *here });
            }
            next.push_back((*to, Some(member)));
        }
    }
    joined_by
}

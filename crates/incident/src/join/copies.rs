//! What was given twice: one record in two logs, as when a log was exported twice or saved in parts that overlap, and
//! one dump, report or text in two files.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::Timestamp;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::{JoinKey, Sets};
use crate::JoinStrength;
use crate::sighting::{Item, Sighting};
use evidence::{Event, Observation};

/// By what a record is known again: the name that its computer had then, its moment to 100 ns, what wrote it, and all it says. An artifact may
/// hold the like of it more than once: then the first is the other's first, the second its second.
type Record<'i> = (Arc<str>, Timestamp, &'i str, u32, &'i str);

/// Joins copies. Gives those that lie in the folders of two computers: whether they are one or two of the like is only
/// known when all other keys have been tried.
pub(super) fn by_copy(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) -> Vec<(usize, usize)> {
    let mut apart = Vec::new();
    let mut records = Numbered::default();
    let mut others: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(item) = items.get(sighting.item) else { continue };
        let record = match &item.observation {
            Observation::Event(event) => record(event, item.former_host.as_ref()),
            _ => None,
        };
        match record {
            Some(record) => {
                if let Some(first) = records.first_like(record, item, index) {
                    // One log may tell that the computer got another name later, and the other not.
                    let of_first = sightings.get(first).and_then(|sighting| items.get(sighting.item));
                    if [of_first, Some(item)].into_iter().flatten().any(|item| item.former_host.is_some()) {
                        sets.join_whatever_host(first, index, JoinKey::SameRecord);
                    } else {
                        sets.join(first, index, JoinKey::SameRecord);
                    }
                }
            }
            None => others.entry(at_a_glance(sighting, item)).or_default().push(index),
        }
    }
    let mut others: Vec<Vec<usize>> = others.into_values().filter(|alike| alike.len() > 1).collect();
    others.sort_unstable();
    let records = Pasted::of(sightings, items, &others);
    for alike in others {
        let mut whole = Numbered::default();
        let mut told = Told::default();
        for index in alike {
            let Some(item) = sightings.get(index).and_then(|sighting| items.get(sighting.item)) else { continue };
            let Some(digest) = digest(&item.observation) else { continue };
            // A text does not name its computer, and what two people wrote of two can be the same.
            let (folder, about, strength) = match &item.observation {
                Observation::Ticket(_) => (
                    item.folder_host.as_deref().map(str::to_lowercase),
                    told.number(digest, records.beside(item)),
                    JoinStrength::Likely,
                ),
                _ => (None, 0, JoinKey::Copy.strength()),
            };
            if let Some(first) = whole.first_like((folder, digest, about), item, index) {
                sets.join_as(first, index, JoinKey::Copy, strength);
                apart.push((first, index));
            }
        }
    }
    apart.retain(|(first, index)| sets.root(*first) != sets.root(*index));
    apart
}

/// Joins copies in the folders of several computers, if nothing else names the computer of any: machines of one image
/// can have equal dumps, but then each has a record of its own.
pub(super) fn across_folders(apart: Vec<(usize, usize)>, sets: &mut Sets<'_>) {
    for (first, index) in apart {
        sets.join_whatever_folder(first, index, JoinKey::Copy);
    }
}

/// What stands pasted in texts that may be copies: digests of the records, by artifact.
#[derive(Default)]
struct Pasted(HashMap<usize, Vec<u128>>);

impl Pasted {
    fn of(sightings: &[Sighting], items: &[Item], alike: &[Vec<usize>]) -> Self {
        let item_of = |index: usize| sightings.get(index).and_then(|sighting| items.get(sighting.item));
        let is_text = |item: &&Item| matches!(item.observation, Observation::Ticket(_));
        let texts = alike.iter().flatten().filter_map(|index| item_of(*index)).filter(is_text);
        let mut pasted: HashMap<usize, Vec<u128>> = texts.map(|text| (text.artifact, Vec::new())).collect();
        if pasted.is_empty() {
            return Self::default();
        }
        for item in sightings.iter().filter_map(|sighting| items.get(sighting.item)).filter(|item| !is_text(item)) {
            if let Some(records) = pasted.get_mut(&item.artifact) {
                records.extend(digest(&item.observation));
            }
        }
        Self(pasted)
    }

    /// The records in the text that an item is of.
    fn beside(&self, item: &Item) -> &[u128] {
        self.0.get(&item.artifact).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Which of the texts with the same words tell of the same: those that have a record in common, or none. A form letter
/// has the same words around every record that is pasted into it.
#[derive(Default)]
struct Told {
    by_record: HashMap<(u128, u128), usize>,
    count: usize,
}

impl Told {
    /// A number that texts with these words share when they tell of the same. Of texts without a record it is 0.
    fn number(&mut self, words: u128, records: &[u128]) -> usize {
        if records.is_empty() {
            return 0;
        }
        let known = records.iter().find_map(|record| self.by_record.get(&(words, *record)).copied());
        let number = known.unwrap_or_else(|| {
            self.count = self.count.saturating_add(1);
            self.count
        });
        for record in records {
            self.by_record.entry((words, *record)).or_insert(number);
        }
        number
    }
}

/// The first sighting of each thing, and of each that is alike within one artifact.
struct Numbered<K> {
    seen: HashMap<(K, usize), usize>,
    alike: HashMap<(usize, K), usize>,
}

impl<K> Default for Numbered<K> {
    fn default() -> Self {
        Self { seen: HashMap::new(), alike: HashMap::new() }
    }
}

impl<K: Clone + Eq + Hash> Numbered<K> {
    /// The first of which this is a copy; else this is the first.
    fn first_like(&mut self, key: K, item: &Item, index: usize) -> Option<usize> {
        let count = self.alike.entry((item.artifact, key.clone())).or_insert(0);
        let number = *count;
        *count = count.saturating_add(1);
        let first = *self.seen.entry((key, number)).or_insert(index);
        (first != index).then_some(first)
    }
}

fn record<'i>(event: &'i Event, former: Option<&Arc<str>>) -> Option<Record<'i>> {
    let computer = former.or(event.computer.as_ref())?.to_lowercase().into();
    Some((computer, event.time?, &event.content.provider, event.content.id, event.content.fields.values()))
}

/// What copies have in common without looking closely.
fn at_a_glance(sighting: &Sighting, item: &Item) -> u64 {
    let lines = match &item.observation {
        Observation::Ticket(ticket) => ticket.lines.len(),
        _ => 0,
    };
    let stop = sighting.bugcheck.map(|(code, parameters)| (code.0, parameters));
    let mut hash = Xxh3Default::new();
    std::mem::discriminant(&item.observation).hash(&mut hash);
    (sighting.time, sighting.pid, &sighting.process, &sighting.report_id, stop, lines).hash(&mut hash);
    hash.finish()
}

/// A hash of everything that was read.
fn digest(observation: &Observation) -> Option<u128> {
    Some(xxh3_128(&postcard::to_allocvec(observation).ok()?))
}

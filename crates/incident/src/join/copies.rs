//! What was given twice: one record in two logs, as when a log was exported twice or saved in parts that overlap, and
//! one dump, report or text in two files.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::Timestamp;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use super::key::{JoinKey, JoinStrength};
use super::sets::Sets;
use crate::sighting::Sighting;
use evidence::{Event, Observation};

/// What identifies a record: the name that its computer had then, its time to 100 ns, provider, event id and values. An
/// artifact may hold several such records: then the first is a copy of the other's first, the second of its second.
type Record<'i> = (Arc<str>, Timestamp, &'i str, u32, &'i str);

/// Joins copies. Gives pairs of copies in the folders of two computers: whether they are one or two of the like is only
/// known when all other keys have been tried.
pub(super) fn by_copy<'s>(
    sightings: &'s [Sighting<'s>],
    sets: &mut Sets<'_>,
) -> Vec<(&'s Sighting<'s>, &'s Sighting<'s>)> {
    let mut apart = Vec::new();
    let mut records = Firsts { seen: HashMap::new(), alike: HashMap::new() };
    let mut others: HashMap<u64, Vec<&Sighting<'_>>> = HashMap::new();
    for sighting in sightings {
        let record = match &sighting.evidence.observation {
            Observation::Event(event) => record(event, sighting.evidence.former_host.as_ref()),
            _ => None,
        };
        let Some(record) = record else {
            others.entry(quick_hash(sighting)).or_default().push(sighting);
            continue;
        };
        if let Some(first) = records.first_like(record, sighting) {
            // One log may show that the computer got another name later, and the other not.
            if [first, sighting].into_iter().any(|one| one.evidence.former_host.is_some()) {
                sets.unite(first, sighting, JoinKey::SameRecord, JoinKey::SameRecord.strength());
            } else {
                sets.join(first, sighting, JoinKey::SameRecord);
            }
        }
    }
    let mut others: Vec<Vec<&Sighting<'_>>> = others.into_values().filter(|alike| alike.len() > 1).collect();
    others.sort_unstable();
    let pasted = pasted_records(sightings, &others);
    for alike in others {
        let mut whole = Firsts { seen: HashMap::new(), alike: HashMap::new() };
        let mut letters = Letters::default();
        for sighting in alike {
            let Some(digest) = digest(&sighting.evidence.observation) else { continue };
            // A text does not name its computer, and what two people wrote of two can be the same.
            let (folder, records, strength) = if sighting.is_text() {
                let records = pasted.get(&sighting.evidence.artifact).map(Vec::as_slice).unwrap_or_default();
                let folder = sighting.evidence.folder_host.as_deref().map(str::to_lowercase);
                (folder, letters.number(digest, records), JoinStrength::Likely)
            } else {
                (None, 0, JoinKey::Copy.strength())
            };
            if let Some(first) = whole.first_like((folder, digest, records), sighting) {
                sets.join_as(first, sighting, JoinKey::Copy, strength);
                apart.push((first, sighting));
            }
        }
    }
    apart.retain(|(first, copy)| sets.root(first) != sets.root(copy));
    apart
}

/// Joins copies in the folders of several computers, if nothing else names the computer of any: machines of one image
/// can have equal dumps, but then each has a record of its own.
pub(super) fn across_folders(apart: Vec<(&Sighting<'_>, &Sighting<'_>)>, sets: &mut Sets<'_>) {
    for (first, copy) in apart {
        if sets.named_host(first).is_none() && sets.named_host(copy).is_none() {
            sets.unite(first, copy, JoinKey::Copy, JoinKey::Copy.strength());
        }
    }
}

/// Digests of the records that are pasted in texts which may be copies, by the artifacts of the texts.
fn pasted_records(sightings: &[Sighting<'_>], alike: &[Vec<&Sighting<'_>>]) -> HashMap<usize, Vec<u128>> {
    let texts = alike.iter().flatten().filter(|sighting| sighting.is_text());
    let mut pasted: HashMap<usize, Vec<u128>> = texts.map(|text| (text.evidence.artifact, Vec::new())).collect();
    if !pasted.is_empty() {
        for sighting in sightings.iter().filter(|sighting| !sighting.is_text()) {
            if let Some(records) = pasted.get_mut(&sighting.evidence.artifact) {
                records.extend(digest(&sighting.evidence.observation));
            }
        }
    }
    pasted
}

/// Texts with the same words, distinguished by the records that are pasted into them: a form letter has the same words around
/// every record. Texts that have a record in common, or none, are of the same incident.
#[derive(Default)]
struct Letters {
    by_record: HashMap<(u128, u128), usize>,
    count: usize,
}

impl Letters {
    /// A number that texts with these words share when they are of the same incident; 0 for texts without a record.
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

/// The first sighting of each thing. Equal things within one artifact are counted, and each number has its own first.
struct Firsts<'s, K> {
    seen: HashMap<(K, usize), &'s Sighting<'s>>,
    alike: HashMap<(usize, K), usize>,
}

impl<'s, K: Clone + Eq + Hash> Firsts<'s, K> {
    /// The sighting that this one is a copy of; `None` for the first.
    fn first_like(&mut self, key: K, sighting: &'s Sighting<'s>) -> Option<&'s Sighting<'s>> {
        let count = self.alike.entry((sighting.evidence.artifact, key.clone())).or_insert(0);
        let number = *count;
        *count = count.saturating_add(1);
        let first = *self.seen.entry((key, number)).or_insert(sighting);
        (first != sighting).then_some(first)
    }
}

fn record<'i>(event: &'i Event, former: Option<&Arc<str>>) -> Option<Record<'i>> {
    let computer = former.or(event.computer.as_ref())?.to_lowercase().into();
    Some((computer, event.time?, &event.content.provider, event.content.id, event.content.fields.values()))
}

/// A hash of a few facts, which copies share.
fn quick_hash(sighting: &Sighting<'_>) -> u64 {
    let observation = &sighting.evidence.observation;
    let lines = match observation {
        Observation::Ticket(ticket) => ticket.lines.len(),
        _ => 0,
    };
    let stop = sighting.bugcheck.map(|(code, parameters)| (code.0, parameters));
    let mut hash = Xxh3Default::new();
    std::mem::discriminant(observation).hash(&mut hash);
    (sighting.time, sighting.pid, &sighting.process, &sighting.report_id, stop, lines).hash(&mut hash);
    hash.finish()
}

/// A hash of everything that was read.
fn digest(observation: &Observation) -> Option<u128> {
    Some(xxh3_128(&postcard::to_allocvec(observation).ok()?))
}

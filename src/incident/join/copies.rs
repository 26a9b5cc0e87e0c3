//! One record in two files: a log that was exported twice, or saved in parts that overlap.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::{JoinKey, Sets};
use crate::evidence::{Event, Observation};
use crate::incident::sighting::{Item, Sighting};

/// By what a record is known again: its computer, its moment to 100 ns, what wrote it, and all it says. A log may hold
/// the like of it more than once: then the first is the other log's first, the second its second.
type Record<'i> = (Arc<str>, Timestamp, &'i str, u32, &'i str);

pub(super) fn by_copy(sightings: &[Sighting], items: &[Item], sets: &mut Sets<'_>) {
    let mut seen: HashMap<(Record<'_>, usize), usize> = HashMap::new();
    let mut alike: HashMap<(usize, Record<'_>), usize> = HashMap::new();
    for (index, sighting) in sightings.iter().enumerate() {
        let Some(item) = items.get(sighting.item) else { continue };
        let Observation::Event(event) = &item.observation else { continue };
        let Some(record) = record(event) else { continue };
        let count = alike.entry((item.artifact, record.clone())).or_insert(0);
        let numbered = (record, *count);
        *count = count.saturating_add(1);
        match seen.get(&numbered) {
            Some(first) => sets.join(*first, index, JoinKey::SameRecord),
            None => {
                seen.insert(numbered, index);
            }
        }
    }
}

fn record(event: &Event) -> Option<Record<'_>> {
    let computer = event.computer.as_ref()?.to_lowercase().into();
    Some((computer, event.time?, &event.provider, event.id, event.fields.values()))
}

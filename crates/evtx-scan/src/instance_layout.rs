//! Where provider, event id, channel and computer are among the values of a template's instances.
//!
//! Records of one template mostly have values of the same types and sizes up to those parts: the offsets of the parts are
//! worked out once for each such layout. Templates of many chunks have the parts in the same values, and share layouts.

use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::system::{GUARDS, Part, System};
use super::binary_xml::value::{Slot, Values, kind};

/// The most values up to the last part that are compared. Windows' own templates have the provider at index 14 and the channel
/// at 16.
const LONGEST_LAYOUT: usize = 24;
/// How many layouts are remembered of templates that share them: a power of two. A layout that another one replaced is
/// worked out again.
const LAYOUTS: usize = 64;
/// How many groups of templates that share layouts are remembered before all are forgotten: damaged logs can have any
/// number of them.
const MOST_SHARED: usize = 64;

/// The layouts of the templates met so far.
#[derive(Debug, Default)]
pub(crate) struct Layouts(Vec<SharedLayouts>);

/// The layouts of templates that have the parts in the same values.
#[derive(Debug)]
struct SharedLayouts {
    parts: PartValues,
    /// The number of values up to the last part, with it.
    length: usize,
    /// The index of the layout that was used last.
    latest: usize,
    /// Layouts, by a hash of the descriptors.
    known: Vec<Layout>,
}

/// The indices of the values that are event id, provider, channel and computer, and of those without which parts are left
/// out.
type PartValues = [u8; PARTS];

/// The number of the four parts and of the values without which parts are left out.
const PARTS: usize = 4 + GUARDS;
/// Stands for a part that is no value.
const NO_VALUE: u8 = u8::MAX;

fn part_values(system: &System) -> PartValues {
    let index = |index: Option<usize>| match index {
        // A greater index is the same as the limit: no layout reaches that far.
        Some(index) => u8::try_from(index).unwrap_or(NO_VALUE).min(LONGEST_LAYOUT as u8),
        None => NO_VALUE,
    };
    let mut values = [NO_VALUE; PARTS];
    let parts = indices(system).into_iter().chain(system.guards);
    values.iter_mut().zip(parts).for_each(|(value, part)| *value = index(part));
    values
}

/// The indices of the values that event id, provider, channel and computer are.
fn indices(system: &System) -> [Option<usize>; 4] {
    [system.event_id, system.provider, system.channel, system.computer].map(|part| match part {
        Part::Value(index) => Some(index),
        _ => None,
    })
}

/// The number of values up to the last one that is a part, or without which a part is left out.
fn length(system: &System) -> usize {
    let last = indices(system).into_iter().chain(system.guards).flatten().max();
    last.map_or(0, |last| last.saturating_add(1))
}

impl Layouts {
    /// Forgets all layouts when they are many. Numbers from [`number_of`](Self::number_of) are only valid within a chunk.
    pub(crate) fn begin_chunk(&mut self) {
        if self.0.len() > MOST_SHARED {
            self.0.clear();
        }
    }

    /// The number of the layouts of a template with this `System`.
    pub(crate) fn number_of(&mut self, system: &System) -> usize {
        let parts = part_values(system);
        if let Some(known) = self.0.iter().position(|shared| shared.parts == parts) {
            return known;
        }
        self.0.push(SharedLayouts { parts, length: length(system), latest: 0, known: Vec::new() });
        self.0.len().saturating_sub(1)
    }

    /// Where the parts are in the instance with these values.
    ///
    /// # Errors
    /// When the instance is of an unusual shape.
    #[inline]
    pub(crate) fn fitting(&mut self, number: usize, values: &Values<'_>, system: &System) -> Result<&Places, Unusual> {
        const UNKNOWN: Unusual = Unusual("a template of another chunk");

        let shared = self.0.get_mut(number).ok_or(UNKNOWN)?;
        if !shared.known.get(shared.latest).is_some_and(|layout| layout.fits(values)) {
            shared.find(values, system)?;
        }
        shared.known.get(shared.latest).map(|layout| &layout.places).ok_or(UNKNOWN)
    }
}

impl SharedLayouts {
    /// Makes the layout of the instance with these values the latest one: finds it, or works it out.
    fn find(&mut self, values: &Values<'_>, system: &System) -> Result<(), Unusual> {
        let descriptors = values.descriptors;
        let table = descriptors.get(..self.length).unwrap_or(descriptors);
        // Multiplied with 2^32 divided by the golden ratio, so that the upper bits depend on all descriptors.
        let mixed = table.iter().fold(0_u32, |hash, descriptor| {
            (hash.rotate_left(5) ^ u32::from_le_bytes(*descriptor)).wrapping_mul(0x9E37_79B9)
        });
        self.latest = (mixed >> 16) as usize % LAYOUTS;
        if self.known.is_empty() {
            self.known.resize_with(LAYOUTS, Layout::default);
        }
        match self.known.get_mut(self.latest) {
            Some(layout) if !layout.fits(values) => layout.learn(values, system),
            _ => Ok(()),
        }
    }
}

/// Where the parts are in an instance whose table begins with these descriptors.
#[derive(Debug, Default)]
struct Layout {
    descriptors: [[u8; 4]; LONGEST_LAYOUT],
    /// The number of descriptors that are compared; `None` when the places are of no use for another record.
    length: Option<usize>,
    places: Places,
}

/// Offsets and sizes of the parts that are values, bytes from the first value on; `None` for a part that is no value, or is
/// left out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Places {
    pub(crate) event_id: Option<usize>,
    pub(crate) provider: Option<(usize, usize)>,
    pub(crate) channel: Option<(usize, usize)>,
    pub(crate) computer: Option<(usize, usize)>,
    /// The offset of a security identifier in front of the parts, and its number of sub-authorities, on which its size depends.
    sid: Option<(usize, u8)>,
    /// Where the last part ends.
    end: usize,
}

/// Where a text is in the chunk: of `size` bytes, `place` bytes behind the beginning of the first of `values`.
#[inline]
pub(crate) fn text(values: &Values<'_>, (place, size): (usize, usize)) -> Range<usize> {
    let start = values.start.saturating_add(place);
    start..start.saturating_add(size)
}

impl Layout {
    /// Whether an instance with these values has this layout.
    #[inline]
    fn fits(&self, values: &Values<'_>) -> bool {
        let Some(length) = self.length else { return false };
        let (Some(known), Some(table)) = (self.descriptors.get(..length), values.descriptors.get(..length)) else {
            return false;
        };
        let at = |place: usize| values.start.saturating_add(place);
        are_same(known, table)
            && at(self.places.end) <= values.bytes.len()
            && self.places.sid.is_none_or(|(sid, parts)| values.bytes.get(at(sid.saturating_add(1))) == Some(&parts))
    }

    /// Works out the places in the instance with these values.
    #[cold]
    fn learn(&mut self, values: &Values<'_>, system: &System) -> Result<(), Unusual> {
        self.length = None;
        self.places = Places::default();
        let [event_id, provider, channel, computer] = indices(system);
        let length = length(system);
        let mut table = [Slot::default(); LONGEST_LAYOUT];
        let used = table.get_mut(..length).ok_or(Unusual("a system far behind in the values"))?;
        values.beginning(used)?;
        let used = &*used;
        for guard in system.guards.into_iter().flatten() {
            // A channel or computer that is the missing value itself may be left out, and no other part.
            let is_part = Some(guard) == channel || Some(guard) == computer;
            let absent = used.get(guard).is_none_or(|slot| slot.is_null());
            if absent && !is_part {
                return Err(Unusual("a part of the system is left out"));
            }
        }
        let place = |slot: &Slot| {
            let range = slot.range();
            (range.start.saturating_sub(values.start), range.len())
        };
        let text = |index: Option<usize>| {
            let slot = used.get(index?)?;
            (slot.kind == kind::STRING).then(|| place(slot))
        };
        if let Some(slot) = event_id.and_then(|index| used.get(index)) {
            if slot.kind != kind::UINT16 {
                return Err(Unusual("an event id of another type"));
            }
            self.places.event_id = Some(place(slot).0);
        }
        self.places.provider = text(provider);
        if provider.is_some() && self.places.provider.is_none() {
            return Err(Unusual("a provider that is no text"));
        }
        self.places.channel = text(channel);
        self.places.computer = text(computer);
        self.places.end = used.last().map_or(0, |last| place(last).0.saturating_add(place(last).1));
        let mut own_sizes = used.iter().filter(|slot| kind::has_own_size(slot.kind));
        if let Some(sid) = own_sizes.next() {
            let (place, _) = place(sid);
            let parts = values.bytes.get(values.start.saturating_add(place).saturating_add(1)).copied();
            self.places.sid = parts.filter(|_| sid.kind == kind::SID).map(|parts| (place, parts));
            if self.places.sid.is_none() || own_sizes.next().is_some() {
                return Ok(());
            }
        }
        if let (Some(known), Some(table)) = (self.descriptors.get_mut(..length), values.descriptors.get(..length)) {
            known.copy_from_slice(table);
            self.length = Some(length);
        }
        Ok(())
    }
}

/// Whether two tables of one length are equal. Most have 15 to 20 descriptors: comparing the first 14 as one array needs no
/// call.
#[inline]
fn are_same(known: &[[u8; 4]], table: &[[u8; 4]]) -> bool {
    match (known.split_first_chunk::<14>(), table.split_first_chunk::<14>()) {
        (Some((known, known_rest)), Some((table, table_rest))) => {
            known == table && known_rest.iter().zip(table_rest).all(|(known, descriptor)| known == descriptor)
        }
        _ => known == table,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use samplekit::event_log::patch::chunk_range;
    use samplekit::event_log::{Event, EventLog, Provider};
    use samplekit::{FileTime, Guid};

    use super::super::catalogue::testing::CATALOGUE;
    use super::super::chunk::Chunk;
    use super::super::coverage::ChannelSpans;
    use super::super::records::{Found, live};
    use super::super::scan::{Decision, Scanner};
    use super::super::selection::Selection;
    use super::LAYOUTS;

    #[test]
    fn records_of_more_layouts_than_are_remembered_are_told_apart() {
        let channels: Vec<String> = (1..=LAYOUTS + 20).map(|length| "c".repeat(length)).collect();
        let guid = Guid::new(0x0a1b_2c3d, 0x1111, 0x2222, 0x3333, 0x4444_5555_6666);
        let mut log = EventLog::new("System", "PC-01");
        for channel in channels.iter().chain(&channels) {
            for provider in ["Microsoft-Windows-Kernel-Power", "Microsoft-Windows-Kernel-Powerless"] {
                let event = Event::new(Provider::manifest(provider, guid), 41).at(FileTime::utc(2024, 5, 6, 7, 8, 9));
                log.add(event.channel(channel).named([("A", "b")]));
            }
        }
        let bytes = log.to_bytes();
        let (selection, mut scanner, mut spans) =
            (Selection::wanted(Arc::clone(&CATALOGUE)), Scanner::default(), ChannelSpans::default());
        let mut taken = Vec::new();
        for chunk in (0..).map(chunk_range).map_while(|range| bytes.get(range)) {
            scanner.begin_chunk(&CATALOGUE);
            for found in live(Chunk::parse(chunk).expect("a chunk")) {
                let Found::Record(record) = found else { panic!("{found:?}") };
                taken.push(match scanner.decide(chunk, &record, &selection, &mut spans) {
                    Decision::Unwanted => false,
                    Decision::Wanted(_) => true,
                    Decision::Unknown => panic!("a usual record"),
                });
            }
        }
        assert_eq!(taken, [true, false].repeat(2 * channels.len()));
        let mut covered: Vec<(String, u64)> =
            spans.finish().finish(None).into_iter().map(|log| (log.channel.to_string(), log.records)).collect();
        covered.sort();
        assert_eq!(covered, channels.into_iter().map(|channel| (channel, 4)).collect::<Vec<_>>());
    }
}

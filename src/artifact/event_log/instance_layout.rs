//! Where provider, event id, channel and computer lie in the values of a template's instances.
//!
//! Records of one template mostly have values of the same types and sizes up to those parts: where they lie is worked
//! out once for each such layout.

use std::ops::Range;

use super::binary_xml::Unusual;
use super::binary_xml::system::{Part, System};
use super::binary_xml::value::{Slot, Values, kind};

/// How many values in front of the last part of a system are compared at most. Windows' own templates have the
/// provider at 14 and the channel at 16.
const LONGEST_LAYOUT: usize = 24;

/// Where the parts lie in an instance whose table begins with these descriptors.
#[derive(Debug, Default)]
pub(super) struct Layout {
    descriptors: [[u8; 4]; LONGEST_LAYOUT],
    /// How many of them count; `None` when the places are of no use for another record.
    length: Option<usize>,
    places: Places,
}

/// Places from the first value on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Places {
    pub(super) event_id: Option<usize>,
    pub(super) provider: Option<(usize, usize)>,
    pub(super) channel: Option<(usize, usize)>,
    pub(super) computer: Option<(usize, usize)>,
    /// A security identifier in front of them, and its count of parts, on which its size depends.
    sid: Option<(usize, u8)>,
    /// Where the last of them ends.
    end: usize,
}

/// Where the parts lie in the instance with these values.
#[inline]
pub(super) fn fitting<'l>(
    layouts: &'l mut [Layout; 2],
    values: &Values<'_>,
    system: &System,
) -> Result<&'l Places, Unusual> {
    let [layout, other] = layouts;
    if !layout.fits(values) {
        std::mem::swap(layout, other);
        if !layout.fits(values) {
            layout.learn(values, system)?;
        }
    }
    Ok(&layout.places)
}

/// Where a text at a place of the values stands.
#[inline]
pub(super) fn text(values: &Values<'_>, (place, size): (usize, usize)) -> Range<usize> {
    let start = values.start().saturating_add(place);
    start..start.saturating_add(size)
}

impl Layout {
    /// Whether the places are those of an instance with these values.
    #[inline]
    fn fits(&self, values: &Values<'_>) -> bool {
        let Some(length) = self.length else { return false };
        let (Some(known), Some(table)) = (self.descriptors.get(..length), values.descriptors().get(..length)) else {
            return false;
        };
        let at = |place: usize| values.start().saturating_add(place);
        are_same(known, table)
            && at(self.places.end) <= values.bytes().len()
            && self.places.sid.is_none_or(|(sid, parts)| values.bytes().get(at(sid.saturating_add(1))) == Some(&parts))
    }

    /// Works out the places in the instance with these values.
    #[cold]
    fn learn(&mut self, values: &Values<'_>, system: &System) -> Result<(), Unusual> {
        self.length = None;
        self.places = Places::default();
        let index = |part| match part {
            Part::Value(index) => Some(index),
            _ => None,
        };
        let [event_id, provider, channel, computer] =
            [system.event_id, system.provider, system.channel, system.computer].map(index);
        let last = [event_id, provider, channel, computer].into_iter().chain(system.guards).flatten().max();
        let length = last.map_or(0, |last| last.saturating_add(1));
        let mut table = [Slot::default(); LONGEST_LAYOUT];
        let used = table.get_mut(..length).ok_or(Unusual("a system far behind in the values"))?;
        values.beginning(used)?;
        let used = &*used;
        for guard in system.guards.into_iter().flatten() {
            // An optional channel or computer that is a value of its own may be absent; whatever else is, is unusual.
            let is_part = Some(guard) == channel || Some(guard) == computer;
            let absent = used.get(guard).is_none_or(|slot| slot.is_null());
            if absent && !is_part {
                return Err(Unusual("a part of the system is left out"));
            }
        }
        let place = |slot: &Slot| {
            let range = slot.range();
            (range.start.saturating_sub(values.start()), range.len())
        };
        let text = |index: Option<usize>| {
            let slot = used.get(index?)?;
            (slot.kind() == kind::STRING).then(|| place(slot))
        };
        if let Some(slot) = event_id.and_then(|index| used.get(index)) {
            if slot.kind() != kind::UINT16 {
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
        let mut own_sizes = used.iter().filter(|slot| kind::has_own_size(slot.kind()));
        if let Some(sid) = own_sizes.next() {
            let (place, _) = place(sid);
            let parts = values.bytes().get(values.start().saturating_add(place).saturating_add(1)).copied();
            self.places.sid = parts.filter(|_| sid.kind() == kind::SID).map(|parts| (place, parts));
            if self.places.sid.is_none() || own_sizes.next().is_some() {
                return Ok(());
            }
        }
        if let (Some(known), Some(table)) = (self.descriptors.get_mut(..length), values.descriptors().get(..length)) {
            known.copy_from_slice(table);
            self.length = Some(length);
        }
        Ok(())
    }
}

/// Whether two tables of one length are the same. Most are of 15 to 20 descriptors: a comparison of that fixed size
/// needs no call.
#[inline]
fn are_same(known: &[[u8; 4]], table: &[[u8; 4]]) -> bool {
    match (known.split_first_chunk::<14>(), table.split_first_chunk::<14>()) {
        (Some((known, known_rest)), Some((table, table_rest))) => {
            known == table && known_rest.iter().zip(table_rest).all(|(known, descriptor)| known == descriptor)
        }
        _ => known == table,
    }
}

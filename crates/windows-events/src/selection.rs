//! Which records are read in full, decided by event id and provider name as the binary record holds them.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::binary_xml::value::until_nul;
use super::catalogue::{self, WantedIds};
use super::channel_ids::ChannelIds;
use super::fields::WrittenFields;

/// Number of event ids: a record holds them in 16 bits.
const IDS: usize = 1 << 16;
/// How many provider names are remembered before all are forgotten. Damaged logs may hold any number of names.
const MOST_REMEMBERED: usize = 4096;
/// The longest name that is remembered, bytes. Windows allows 255 characters.
const LONGEST_REMEMBERED: usize = 512;

/// Which records of an event log are read in full.
#[derive(Clone)]
pub struct Selection {
    kind: Kind,
    /// Ids that some provider is asked for by number.
    ids: Box<[u64; IDS / 64]>,
    /// First letters, without regard to case, of the providers of which every id is wanted.
    starts: [u64; 2],
    /// Other records, which are wanted too.
    more: Option<Arc<ChannelIds>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Those that the catalogue lists.
    Catalogue,
    /// These many of 100,000, by record id.
    Share(u32),
}

/// All records, in the unit of [`Selection::share`].
const WHOLE: u32 = 100_000;

impl fmt::Debug for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Selection {
    /// The records that the [`catalogue`] lists.
    #[must_use]
    pub fn catalogue() -> Self {
        let mut ids = Box::new([0; IDS / 64]);
        let mut starts = [0_u64; 2];
        for id in catalogue::numbered_ids().flatten() {
            set(&mut *ids, id);
        }
        for name in catalogue::whole_providers() {
            if let Some(letter) = name.bytes().next() {
                set(&mut starts, u32::from(letter.to_ascii_lowercase()));
                set(&mut starts, u32::from(letter.to_ascii_uppercase()));
            }
        }
        Self { kind: Kind::Catalogue, ids, starts, more: None }
    }

    /// Every record.
    #[must_use]
    pub fn everything() -> Self {
        Self::share(WHOLE)
    }

    /// About `per_100_000` of every 100,000 records, whatever they are; which ones depends on their ids alone.
    #[must_use]
    pub fn share(per_100_000: u32) -> Self {
        let (ids, starts) = (Box::new([u64::MAX; IDS / 64]), [u64::MAX; 2]);
        Self { kind: Kind::Share(per_100_000.min(WHOLE)), ids, starts, more: None }
    }

    /// The same, and these records.
    #[must_use]
    pub fn and(self, more: ChannelIds) -> Self {
        Self { more: Some(Arc::new(more)), ..self }
    }

    /// The records that are wanted by their channels.
    pub(super) fn more(&self) -> Option<&ChannelIds> {
        self.more.as_deref()
    }

    /// Whether the record is wanted by its channel.
    pub(super) fn takes_by_channel(&self, channel: Option<&str>, id: u32) -> bool {
        self.more.as_ref().is_some_and(|more| more.has(channel, id))
    }

    /// Whether the selection asks for provider and id, and for nothing else.
    pub(super) fn asks_by_event(&self) -> bool {
        self.kind == Kind::Catalogue
    }

    /// Whether the record with this id is selected, as far as the selection asks for that.
    pub(super) fn takes_record(&self, record: u64) -> bool {
        match self.kind {
            Kind::Catalogue => true,
            // Neighbouring ids are spread by the multiplication (Knuth's multiplicative method).
            Kind::Share(share) => {
                let spread = record.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                spread.checked_rem(u64::from(WHOLE)).is_some_and(|place| place < u64::from(share))
            }
        }
    }

    /// Whether some provider is asked for this event id by number.
    #[inline]
    pub(super) fn may_take_id(&self, id: u16) -> bool {
        has(&*self.ids, u32::from(id))
    }

    /// Whether a provider whose name begins with this UTF-16 unit may be one of which every id is wanted.
    #[inline]
    pub(super) fn may_take_all_of(&self, first: u16) -> bool {
        has(&self.starts, u32::from(first))
    }

    /// Whether the event is selected, by its provider's name and its id.
    pub(super) fn takes(&self, provider: &str, id: u32) -> bool {
        self.kind != Kind::Catalogue || catalogue::find(provider, id).is_some()
    }

    /// Whether the event is selected by its data, as far as the selection asks for those; provider and id were decided
    /// about before.
    #[inline]
    pub(super) fn takes_data(&self, provider: &str, id: u32, fields: &WrittenFields) -> bool {
        self.kind != Kind::Catalogue
            || !catalogue::MAY_BE_QUIET.contains(&id)
            || catalogue::wants(provider, id, fields.iter())
    }
}

fn set(bits: &mut [u64], index: u32) {
    if let Some(word) = bits.get_mut(index as usize / 64) {
        *word |= 1 << (index % 64);
    }
}

#[inline]
fn has(bits: &[u64], index: u32) -> bool {
    bits.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
}

/// Event ids that are wanted of the providers seen so far, by their names as records hold them.
#[derive(Debug, Default)]
pub(super) struct Providers {
    known: HashMap<Box<[u8]>, WantedIds, BuildHasherDefault<NameHasher>>,
}

/// Hashes short byte strings fast. How many names there can be is bounded, so that names made to collide cost little.
#[derive(Debug, Default)]
pub(super) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Providers {
    /// What is wanted of the provider with this name, UTF-16. As where it is decoded, a NUL ends it.
    pub(super) fn wanted(&mut self, utf16: &[u8]) -> WantedIds {
        if let Some(known) = self.known.get(utf16) {
            return *known;
        }
        if self.known.len() >= MOST_REMEMBERED {
            self.known.clear();
        }
        let name = until_nul(utf16);
        let units: Vec<u16> = name.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let wanted = catalogue::wanted_ids(&String::from_utf16_lossy(&units));
        if utf16.len() <= LONGEST_REMEMBERED {
            self.known.insert(utf16.into(), wanted);
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_first_letters_let_every_catalogued_event_through() {
        let selection = Selection::catalogue();
        assert!(selection.may_take_id(1000) && selection.may_take_id(41) && !selection.may_take_id(4624));
        for letter in [b'n', b'N', b'a', b'i'] {
            assert!(selection.may_take_all_of(u16::from(letter)), "{letter}");
        }
        assert!(!selection.may_take_all_of(u16::from(b'M')) && !selection.may_take_all_of(0x4E2D));
    }

    #[test]
    fn a_share_is_about_that_share() {
        for (share, least, most) in [(0, 0, 0), (1_000, 80, 120), (10_000, 900, 1100), (100_000, 10_000, 10_000)] {
            let selection = Selection::share(share);
            let taken = (0..10_000).filter(|record| selection.takes_record(*record)).count();
            assert!((least..=most).contains(&taken), "{share}: {taken}");
        }
    }

    #[test]
    fn providers_are_known_by_their_names_without_regard_to_case() {
        let utf16 = |name: &str| -> Vec<u8> { name.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let mut providers = Providers::default();
        for _ in 0..2 {
            assert!(providers.wanted(&utf16("application error")).has(1000));
            assert!(!providers.wanted(&utf16("Application Error")).has(1001));
            assert!(providers.wanted(&utf16("nvlddmkm\0")).has(9999));
            assert!(providers.wanted(&utf16("nvlddmkm\0and more")).has(9999));
            assert!(!providers.wanted(&utf16("Chatter")).has(1000));
        }
    }
}

//! Which records are read in full.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::binary_xml::value::until_nul;
use super::catalogue::{Catalogue, ProviderRows};
use super::channel_ids::ChannelIds;
use super::fields::WrittenFields;

/// How many provider names are remembered before all are forgotten. Damaged logs may hold any number of names.
const MOST_REMEMBERED: usize = 4096;
/// The longest name that is remembered, bytes. Windows allows 255 characters.
const LONGEST_REMEMBERED: usize = 512;

/// Which records of an event log are read in full.
#[derive(Debug, Clone)]
pub struct Selection {
    catalogue: Arc<Catalogue>,
    /// These many of 100,000, by record id, in place of those of the catalogue.
    share: Option<u32>,
    /// Other records, which are wanted too.
    more: Option<Arc<ChannelIds>>,
}

/// All records, in the unit of [`Selection::share`].
const WHOLE: u32 = 100_000;

impl Selection {
    /// The records that `catalogue` wants.
    #[must_use]
    pub fn wanted(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, share: None, more: None }
    }

    /// Every record.
    #[must_use]
    pub fn everything() -> Self {
        Self::share(WHOLE)
    }

    /// About `per_100_000` of every 100,000 records, whatever they are; which ones depends on their ids alone.
    #[must_use]
    pub fn share(per_100_000: u32) -> Self {
        Self { catalogue: Arc::default(), share: Some(per_100_000.min(WHOLE)), more: None }
    }

    /// The same, and these records.
    #[must_use]
    pub fn and(self, more: ChannelIds) -> Self {
        Self { more: Some(Arc::new(more)), ..self }
    }

    /// What is wanted by provider and event id.
    #[inline]
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        &self.catalogue
    }

    /// The records that are wanted by their channels.
    #[inline]
    pub(crate) fn more(&self) -> Option<&ChannelIds> {
        self.more.as_deref()
    }

    /// Whether the record is wanted by its channel.
    pub(crate) fn takes_by_channel(&self, channel: Option<&str>, id: u32) -> bool {
        self.more.as_ref().is_some_and(|more| more.has(channel, id))
    }

    /// Whether the selection asks for provider and id, and for nothing else.
    #[inline]
    pub(crate) fn asks_by_event(&self) -> bool {
        self.share.is_none()
    }

    /// Whether the record with this id is selected, as far as the selection asks for that.
    pub(crate) fn takes_record(&self, record: u64) -> bool {
        match self.share {
            None => true,
            // Neighbouring ids are spread by the multiplication (Knuth's multiplicative method).
            Some(share) => {
                let spread = record.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                spread.checked_rem(u64::from(WHOLE)).is_some_and(|place| place < u64::from(share))
            }
        }
    }

    /// Whether the event is selected, by its provider's name and its id.
    pub(crate) fn takes(&self, provider: &str, id: u32) -> bool {
        self.share.is_some() || self.catalogue.find(provider, id).is_some()
    }

    /// Whether the event is selected by its data, as far as the selection asks for those; provider and id were decided
    /// about before.
    #[inline]
    pub(crate) fn takes_data(&self, provider: &str, id: u32, fields: &WrittenFields) -> bool {
        self.share.is_some() || self.catalogue.wants_data(provider, id, fields)
    }
}

/// What a catalogue wants of the providers seen so far, by their names as records hold them.
#[derive(Debug)]
pub(crate) struct Providers {
    catalogue: Arc<Catalogue>,
    known: HashMap<Box<[u8]>, WantedIds, BuildHasherDefault<NameHasher>>,
    /// Each thing that is wanted of some provider, once: there are no more than what the catalogue can make of them.
    rows: Vec<ProviderRows>,
}

/// What is wanted of one provider: which of the rows that its [`Providers`] have.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedIds(usize);

impl WantedIds {
    /// Nothing.
    pub(crate) const NOTHING: Self = Self(0);
}

/// Hashes short byte strings fast. How many names there can be is bounded, so that names made to collide cost little.
#[derive(Debug, Default)]
pub(crate) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Providers {
    /// None seen yet.
    pub(crate) fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, known: HashMap::default(), rows: vec![ProviderRows::default()] }
    }

    /// Whether they are those of `catalogue`.
    pub(crate) fn are_of(&self, catalogue: &Arc<Catalogue>) -> bool {
        Arc::ptr_eq(&self.catalogue, catalogue)
    }

    /// What is wanted of the provider with this name, UTF-16. As where it is decoded, a NUL ends it.
    pub(crate) fn wanted(&mut self, utf16: &[u8]) -> WantedIds {
        if let Some(known) = self.known.get(utf16) {
            return *known;
        }
        if self.known.len() >= MOST_REMEMBERED {
            self.known.clear();
        }
        let name = until_nul(utf16);
        let units: Vec<u16> = name.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let rows = self.catalogue.of_provider(&String::from_utf16_lossy(&units));
        let place = self.rows.iter().position(|known| *known == rows).unwrap_or_else(|| {
            self.rows.push(rows);
            self.rows.len().saturating_sub(1)
        });
        let wanted = WantedIds(place);
        if utf16.len() <= LONGEST_REMEMBERED {
            self.known.insert(utf16.into(), wanted);
        }
        wanted
    }

    /// The first row of the catalogue that wants this id of the provider.
    #[inline]
    pub(crate) fn row(&self, wanted: WantedIds, id: u16) -> Option<usize> {
        self.rows.get(wanted.0)?.row(id)
    }

    /// Whether every id is wanted of the provider.
    pub(crate) fn want_all(&self, wanted: WantedIds) -> bool {
        self.rows.get(wanted.0).is_some_and(|rows| rows.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::testing::CATALOGUE;
    use super::*;

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
        let mut providers = Providers::new(Arc::clone(&CATALOGUE));
        let mut has = |name: &str, id| {
            let wanted = providers.wanted(&utf16(name));
            providers.row(wanted, id).is_some()
        };
        for _ in 0..2 {
            assert!(has("application error", 1000) && !has("Application Error", 1001));
            assert!(has("nvlddmkm\0", 9999) && has("nvlddmkm\0and more", 9999) && !has("Chatter", 1000));
        }
        assert_eq!(providers.wanted(&utf16("Chatter")), WantedIds::NOTHING);
    }
}

//! Which records of a log are read in full.

use std::sync::Arc;

use super::catalogue::{Catalogue, ProviderRows};
use super::channel_ids::ChannelIds;
use super::fields::RecordFields;
use super::utf16_names::ByName;

/// Which records of an event log are read in full.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The events that are wanted by provider and event id.
    pub(crate) catalogue: Arc<Catalogue>,
    /// A share of all records, by record id, in place of the catalogue's: how many of 100,000.
    share: Option<u64>,
    /// Records that are wanted by channel and event id, too.
    by_channel: Option<Arc<ChannelIds>>,
}

/// All records, in the unit of [`Selection::share`].
const WHOLE: u64 = 100_000;

impl Selection {
    /// The records that `catalogue` wants.
    #[must_use]
    pub fn wanted(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, share: None, by_channel: None }
    }

    /// Every record.
    #[must_use]
    pub fn everything() -> Self {
        Self { share: Some(WHOLE), ..Self::share(0) }
    }

    /// About `per_100_000` of every 100,000 records of any kind. Which ones depends on their ids alone.
    #[must_use]
    pub fn share(per_100_000: u32) -> Self {
        Self { catalogue: Arc::default(), share: Some(u64::from(per_100_000).min(WHOLE)), by_channel: None }
    }

    /// This selection and the records with these channels and ids.
    #[must_use]
    pub fn and(self, more: ChannelIds) -> Self {
        Self { by_channel: Some(Arc::new(more)), ..self }
    }

    /// The records that are wanted by channel and event id.
    #[inline]
    pub(crate) fn by_channel(&self) -> Option<&ChannelIds> {
        self.by_channel.as_deref()
    }

    /// Whether a record is selected by its channel and event id.
    pub(crate) fn selects_by_channel(&self, channel: Option<&str>, id: u32) -> bool {
        self.by_channel().is_some_and(|wanted| wanted.has(channel, id))
    }

    /// Whether records are selected by provider and event id, and not by record id.
    #[inline]
    pub(crate) fn is_by_event(&self) -> bool {
        self.share.is_none()
    }

    /// Whether the record with this record id is selected. True where records are selected by event.
    pub(crate) fn selects_record(&self, record: u64) -> bool {
        match self.share {
            None => true,
            // Neighbouring ids are spread by the multiplication (Knuth's multiplicative method).
            Some(share) => {
                let spread = record.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                spread % WHOLE < share
            }
        }
    }

    /// Whether the event is selected, by its provider's name and its id. True where records are selected by record id.
    pub(crate) fn selects_event(&self, provider: &str, id: u32) -> bool {
        self.share.is_some() || self.catalogue.find(provider, id).is_some()
    }

    /// Whether a record of a selected event is selected by its fields. True where records are selected by record id.
    #[inline]
    pub(crate) fn selects_fields(&self, provider: &str, id: u32, fields: &RecordFields) -> bool {
        self.share.is_some() || self.catalogue.wants_fields(provider, id, fields)
    }
}

/// The events that a catalogue wants of the providers met so far.
#[derive(Debug)]
pub(crate) struct Providers {
    pub(crate) catalogue: Arc<Catalogue>,
    by_name: ByName<WantedIds>,
    /// The different sets of events that are wanted of providers; bounded by what the catalogue's rows can be combined to.
    rows: Vec<ProviderRows>,
}

/// The events that are wanted of one provider: an index into [`Providers::rows`].
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WantedIds(usize);

impl WantedIds {
    /// No events.
    pub(crate) const NOTHING: Self = Self(0);
}

impl Providers {
    /// The providers of `catalogue`, none met yet.
    pub(crate) fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue, by_name: ByName::default(), rows: vec![ProviderRows::default()] }
    }

    /// The events that are wanted of the provider with this name, UTF-16. The name ends at a NUL, as where it is decoded.
    pub(crate) fn wanted(&mut self, utf16: &[u8]) -> WantedIds {
        let Self { catalogue, by_name, rows } = self;
        let learn = |name: String| {
            let wanted = catalogue.rows_of(&name);
            let place = rows.iter().position(|known| *known == wanted);
            WantedIds(place.unwrap_or_else(|| {
                rows.push(wanted);
                rows.len().saturating_sub(1)
            }))
        };
        by_name.with(utf16, learn, |wanted| *wanted)
    }

    /// The number of the first row of the catalogue that wants this id of the provider.
    #[inline]
    pub(crate) fn row(&self, wanted: WantedIds, id: u16) -> Option<usize> {
        self.rows.get(wanted.0)?.row(id)
    }

    /// Whether every id is wanted of the provider.
    pub(crate) fn wants_every_id(&self, wanted: WantedIds) -> bool {
        self.rows.get(wanted.0).is_some_and(|rows| rows.any_id)
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
            let taken = (0..10_000).filter(|record| selection.selects_record(*record)).count();
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

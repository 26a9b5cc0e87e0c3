//! The other incidents that a fact counts, so that a finding can name what it rests on.

use std::sync::Arc;

use serde::Serialize;
use strum::EnumMessage;

/// The most incidents that a finding names for one relation.
pub const NAMED: usize = 10;

/// The relation of other incidents to one, with its word in reports and a description that completes "incidents ...".
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr, strum::EnumMessage,
)]
#[serde(into = "&str")]
#[cfg_attr(test, derive(strum::VariantArray))]
pub enum Relation {
    /// The first incident of each other machine with the same signature.
    #[strum(serialize = "same-signature-on-other-machines")]
    #[strum(message = "with the same signature on other machines (the first of each)")]
    SameSignatureElsewhere,
    /// The first incident of each other machine at the same place.
    #[strum(serialize = "same-place-on-other-machines")]
    #[strum(message = "at the same place on other machines (the first of each)")]
    SamePlaceElsewhere,
    /// Earlier incidents of the machine at the same place.
    #[strum(serialize = "same-place-before", message = "at the same place of this machine before")]
    SamePlaceBefore,
    /// Earlier incidents of the machine with the same signature.
    #[strum(serialize = "same-signature-before", message = "with the same signature on this machine before")]
    SameSignatureBefore,
    /// Earlier incidents of the machine with the same signature, within the 24 hours before.
    #[strum(serialize = "same-signature-within-a-day")]
    #[strum(message = "with the same signature on this machine within the 24 hours before")]
    SameSignatureWithinADay,
    /// Incidents with the same signature of which it is known how long the process ran; the shortest and longest of these
    /// times are facts. Incidents without a known time are left out.
    #[strum(serialize = "same-signature")]
    #[strum(message = "with the same signature, of which it is known how long the process ran")]
    SameSignature,
    /// Crashes and blue screens of the machine within 15 days before and after.
    #[strum(serialize = "machine-within-15-days", message = "of this machine within 15 days before and after")]
    MachineAround,
    /// Incidents of the same burst.
    #[strum(serialize = "burst", message = "of the same burst")]
    Burst,
    /// The earlier incidents of the same burst.
    #[strum(serialize = "burst-before", message = "of the same burst, before")]
    BurstBefore,
    /// Incidents of the machine within the 24 hours before.
    #[strum(serialize = "machine-day-before", message = "of this machine within the 24 hours before")]
    Before,
    /// Incidents that fit what a rule asks of others.
    #[strum(serialize = "others-that-fit", message = "that fit what the rule asks of others")]
    Other,
}

impl Relation {
    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// What the incidents are, for people: `of the same burst`.
    #[must_use]
    pub fn description(self) -> &'static str {
        self.get_message().unwrap_or_default()
    }
}

/// Other incidents: a part of a list of ids in the order of their times, which many incidents share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedIncidents {
    /// The relation that these incidents have to the one that the finding is about.
    pub relation: Relation,
    list: Arc<[Arc<str>]>,
    from: usize,
    to: usize,
    /// The position of the incident itself in the list, or the one that it would have.
    at: usize,
    /// Whether it is in the list.
    listed: bool,
}

impl RelatedIncidents {
    /// The incidents at `from..to` of the list around the one at `at`, which is not counted itself.
    #[must_use]
    pub fn around(relation: Relation, list: &Arc<[Arc<str>]>, (from, to): (usize, usize), at: usize) -> Self {
        Self { relation, list: Arc::clone(list), from, to, at, listed: (from..to).contains(&at) }
    }

    /// The incidents at `from..to` of the list, all of them before the incident itself.
    #[must_use]
    pub fn before(relation: Relation, list: &Arc<[Arc<str>]>, from: usize, to: usize) -> Self {
        Self { relation, list: Arc::clone(list), from, to, at: to, listed: false }
    }

    /// One incident.
    #[must_use]
    pub fn one(relation: Relation, id: Arc<str>) -> Self {
        Self { relation, list: Arc::from([id]), from: 0, to: 1, at: 1, listed: false }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.min(self.list.len()).saturating_sub(self.from).saturating_sub(usize::from(self.listed))
    }

    /// The ids of the nearest incidents and the number of the others; `None` if there are none.
    #[must_use]
    pub fn named(&self) -> Option<NamedIncidents> {
        let part = self.list.get(self.from..self.to.min(self.list.len()))?;
        let at = self.at.saturating_sub(self.from).min(part.len());
        let (earlier, later) = part.split_at_checked(at)?;
        let later = later.get(usize::from(self.listed)..).unwrap_or_default();
        // Half of them before, half after, and more of one side where the other has fewer.
        let of_later = later.len().min(NAMED.saturating_sub(earlier.len().min(NAMED / 2)));
        let of_earlier = earlier.len().min(NAMED.saturating_sub(of_later));
        let skipped = earlier.len().saturating_sub(of_earlier);
        let ids: Vec<Arc<str>> = earlier.iter().skip(skipped).chain(later.iter().take(of_later)).cloned().collect();
        let more = self.count().saturating_sub(ids.len());
        (!ids.is_empty()).then_some(NamedIncidents { relation: self.relation, ids, more })
    }
}

/// Other incidents by their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedIncidents {
    /// The relation that these incidents have to the one that the finding is about.
    pub relation: Relation,
    /// Their ids, in time.
    pub ids: Vec<Arc<str>>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// Whether a count is zero: a JSON report has no key for it then.
#[must_use]
pub fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use strum::VariantArray;

    use super::*;

    fn named(others: &RelatedIncidents) -> (Vec<usize>, usize) {
        let named = others.named().expect("some");
        (named.ids.iter().map(|id| id.parse().expect("a number")).collect(), named.more)
    }

    #[test]
    fn the_nearest_are_named_and_the_rest_is_counted() {
        let list: Arc<[Arc<str>]> = (0..30).map(|id: usize| Arc::from(id.to_string())).collect();
        let around = |range, at| RelatedIncidents::around(Relation::Burst, &list, range, at);
        assert_eq!(named(&around((0, 4), 1)), (vec![0, 2, 3], 0));
        assert_eq!(named(&around((0, 30), 15)), (vec![10, 11, 12, 13, 14, 16, 17, 18, 19, 20], 19));
        assert_eq!(named(&around((0, 30), 0)), ((1..=10).collect(), 19));
        assert_eq!(named(&around((5, 30), 29)), ((19..29).collect(), 14));
        assert_eq!(named(&RelatedIncidents::before(Relation::Burst, &list, 2, 20)), ((10..20).collect(), 8));
        assert_eq!(around((3, 4), 3).named(), None);
        assert_eq!(RelatedIncidents::before(Relation::Burst, &list, 3, 3).named(), None);
        assert_eq!(named(&RelatedIncidents::one(Relation::Before, "7".into())), (vec![7], 0));
    }

    #[test]
    fn each_relation_has_its_own_word() {
        let words: std::collections::BTreeSet<_> = Relation::VARIANTS.iter().map(|relation| relation.word()).collect();
        assert_eq!(words.len(), Relation::VARIANTS.len());
    }
}

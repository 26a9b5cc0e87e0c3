//! The other incidents that a fact counts, so that a finding can name what it rests on.

use std::sync::Arc;

/// How many are named of each relation.
pub const NAMED: usize = 10;

/// What other incidents are to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The first of each other machine with the same signature.
    SameSignatureElsewhere,
    /// The first of each other machine at the same place.
    SamePlaceElsewhere,
    /// Earlier ones of the machine at the same place.
    SamePlaceBefore,
    /// Earlier ones of the machine with the same signature.
    SameSignatureBefore,
    /// Of these, those within a day.
    SameSignatureWithinADay,
    /// With the same signature, and of processes of which it is known how long they ran.
    SameSignature,
    /// Crashes and stops of the machine within 15 days.
    MachineAround,
    /// Those of the burst.
    Burst,
    /// Of these, the earlier ones.
    BurstBefore,
    /// Those on the machine within the day before.
    Before,
    /// Those that fit what a rule asks of others.
    Other,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::SameSignatureElsewhere,
        Self::SamePlaceElsewhere,
        Self::SamePlaceBefore,
        Self::SameSignatureBefore,
        Self::SameSignatureWithinADay,
        Self::SameSignature,
        Self::MachineAround,
        Self::Burst,
        Self::BurstBefore,
        Self::Before,
        Self::Other,
    ];

    /// The word for it in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::SameSignatureElsewhere => "same-signature-on-other-machines",
            Self::SamePlaceElsewhere => "same-place-on-other-machines",
            Self::SamePlaceBefore => "same-place-before",
            Self::SameSignatureBefore => "same-signature-before",
            Self::SameSignatureWithinADay => "same-signature-within-a-day",
            Self::SameSignature => "same-signature",
            Self::MachineAround => "machine-within-15-days",
            Self::Burst => "burst",
            Self::BurstBefore => "burst-before",
            Self::Before => "machine-day-before",
            Self::Other => "others-that-fit",
        }
    }

    /// What they are, for people.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::SameSignatureElsewhere => "with the same signature on other machines (the first of each)",
            Self::SamePlaceElsewhere => "at the same place on other machines (the first of each)",
            Self::SamePlaceBefore => "at the same place of this machine before",
            Self::SameSignatureBefore => "with the same signature on this machine before",
            Self::SameSignatureWithinADay => "with the same signature on this machine within the 24 hours before",
            Self::SameSignature => "with the same signature, of which it is known how long the process ran",
            Self::MachineAround => "of this machine within 15 days before and after",
            Self::Burst => "of the same burst",
            Self::BurstBefore => "of the same burst, before",
            Self::Before => "of this machine within the 24 hours before",
            Self::Other => "that fit what the rule asks of others",
        }
    }
}

/// Other incidents: a part of a list of ids in the order of their times, which many incidents share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Others {
    relation: Relation,
    list: Arc<[Arc<str>]>,
    from: usize,
    to: usize,
    /// Where the incident itself stands or would stand.
    at: usize,
    /// Whether it is in the list.
    listed: bool,
}

impl Others {
    /// Those from one place of the list to before another, around the one `at` a place, which is in the list.
    #[must_use]
    pub fn around(relation: Relation, list: &Arc<[Arc<str>]>, (from, to): (usize, usize), at: usize) -> Self {
        Self { relation, list: Arc::clone(list), from, to, at, listed: (from..to).contains(&at) }
    }

    /// Those of the list from one place on and before another, where the incident itself is not among them.
    #[must_use]
    pub fn before(relation: Relation, list: &Arc<[Arc<str>]>, from: usize, to: usize) -> Self {
        Self { relation, list: Arc::clone(list), from, to, at: to, listed: false }
    }

    /// One incident.
    #[must_use]
    pub fn one(relation: Relation, id: Arc<str>) -> Self {
        Self { relation, list: Arc::from([id]), from: 0, to: 1, at: 1, listed: false }
    }

    /// What they are.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.min(self.list.len()).saturating_sub(self.from).saturating_sub(usize::from(self.listed))
    }

    /// Names them, if there are any; of many those that stand nearest.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedIncidents {
    /// What they are.
    pub relation: Relation,
    /// Their ids, in time.
    pub ids: Vec<Arc<str>>,
    /// How many more there are.
    pub more: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(others: &Others) -> (Vec<usize>, usize) {
        let named = others.named().expect("some");
        (named.ids.iter().map(|id| id.parse().expect("a number")).collect(), named.more)
    }

    #[test]
    fn the_nearest_are_named_and_the_rest_is_counted() {
        let list: Arc<[Arc<str>]> = (0..30).map(|id: usize| Arc::from(id.to_string())).collect();
        let around = |range, at| Others::around(Relation::Burst, &list, range, at);
        assert_eq!(named(&around((0, 4), 1)), (vec![0, 2, 3], 0));
        assert_eq!(named(&around((0, 30), 15)), (vec![10, 11, 12, 13, 14, 16, 17, 18, 19, 20], 19));
        assert_eq!(named(&around((0, 30), 0)), ((1..=10).collect(), 19));
        assert_eq!(named(&around((5, 30), 29)), ((19..29).collect(), 14));
        assert_eq!(named(&Others::before(Relation::Burst, &list, 2, 20)), ((10..20).collect(), 8));
        assert_eq!(around((3, 4), 3).named(), None);
        assert_eq!(Others::before(Relation::Burst, &list, 3, 3).named(), None);
        assert_eq!(named(&Others::one(Relation::Before, "7".into())), (vec![7], 0));
    }

    #[test]
    fn each_relation_has_its_own_word() {
        let words: std::collections::BTreeSet<_> = Relation::ALL.iter().map(|relation| relation.word()).collect();
        assert_eq!(words.len(), Relation::ALL.len());
    }
}

//! Which events are wanted: by provider and event id, but for records that a field marks as uninteresting.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::fields::RecordFields;
use untrusted::notation::number_u32;

/// Number of event ids: a record holds its id in 16 bits.
const IDS: usize = 1 << 16;

/// Events that are wanted: any of the ids, logged by any of the providers.
#[derive(Debug, Clone)]
pub struct Row {
    /// The providers that log them. Without any, the row wants nothing.
    pub providers: Vec<Provider>,
    /// Their event ids.
    pub ids: Ids,
    /// Which of their records are not wanted after all.
    pub quiet: Option<Quiet>,
}

/// The providers whose events are wanted. Names are compared without regard to the case of ASCII letters.
#[derive(Debug, Clone)]
pub enum Provider {
    /// The provider with this name.
    Named(Cow<'static, str>),
    /// All providers whose names begin with this text, such as a vendor's drivers with one name a generation. Every name
    /// begins with the empty text.
    Family(Cow<'static, str>),
}

/// Event ids.
#[derive(Debug, Clone)]
pub enum Ids {
    /// Every id that the provider logs.
    Any,
    /// The ids in these ranges.
    These(Vec<RangeInclusive<u16>>),
}

/// Marks records of wanted events that are not wanted, by one of their fields. Of some events, logs hold millions of records
/// and only a few matter: the others are not decoded when the field is at a place that the scan knows.
#[derive(Debug, Clone)]
pub struct Quiet {
    /// Name of the field.
    pub field: Cow<'static, str>,
    /// The values of the field in records that are not wanted.
    pub when: QuietWhen,
}

/// The values of a field in records that are not wanted. A record whose field is missing or of another form is wanted.
#[derive(Debug, Clone)]
pub enum QuietWhen {
    /// Numbers, decimal or hexadecimal with `0x`, for which the function returns true.
    Number(fn(u32) -> bool),
    /// Texts that contain this text, which is ASCII.
    Contains(Cow<'static, str>),
}

impl Provider {
    /// Whether `name` is the provider's name, or the name of one of the family.
    #[must_use]
    pub fn includes(&self, name: &str) -> bool {
        match self {
            Self::Named(own) => own.eq_ignore_ascii_case(name),
            Self::Family(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        }
    }
}

/// Wanted events, prepared for looking them up.
#[derive(Debug)]
pub struct Catalogue {
    rows: Vec<Row>,
    /// The numbers of the rows that list an id, by the id.
    by_id: BTreeMap<u16, Vec<usize>>,
    /// The numbers of the rows that want every id.
    with_any_id: Vec<usize>,
    /// For every event id, whether some row lists it.
    listed_ids: Vec<bool>,
    /// For every event id, whether a row that wants it marks some of its records as quiet (of no interest).
    quiet_ids: Vec<bool>,
    /// For every ASCII character, whether a row wants all ids of a provider whose name begins with it; case is ignored.
    first_letters: Vec<bool>,
    /// Whether a row may want all ids of a provider whose name begins with another character.
    any_first_letter: bool,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new([])
    }
}

impl Catalogue {
    /// The catalogue of the events that `rows` want. Where several rows want an event, [`find`](Self::find) finds the first of
    /// them, which decides whether a record is quiet.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut catalogue = Self {
            rows: rows.into_iter().collect(),
            by_id: BTreeMap::new(),
            with_any_id: Vec::new(),
            listed_ids: vec![false; IDS],
            quiet_ids: vec![false; IDS],
            first_letters: vec![false; 128],
            any_first_letter: false,
        };
        let add = |set: &mut Vec<bool>, number: usize| set.get_mut(number).into_iter().for_each(|has| *has = true);
        for (number, row) in catalogue.rows.iter().enumerate() {
            let Ids::These(ranges) = &row.ids else {
                catalogue.with_any_id.push(number);
                if row.quiet.is_some() {
                    catalogue.quiet_ids.fill(true);
                }
                for Provider::Named(name) | Provider::Family(name) in &row.providers {
                    match name.bytes().next() {
                        Some(letter) if letter.is_ascii() => {
                            add(&mut catalogue.first_letters, usize::from(letter.to_ascii_lowercase()));
                            add(&mut catalogue.first_letters, usize::from(letter.to_ascii_uppercase()));
                        }
                        _ => catalogue.any_first_letter = true,
                    }
                }
                continue;
            };
            for id in ranges.iter().cloned().flatten() {
                let rows = catalogue.by_id.entry(id).or_default();
                if rows.last() != Some(&number) {
                    rows.push(number);
                }
                add(&mut catalogue.listed_ids, usize::from(id));
                if row.quiet.is_some() {
                    add(&mut catalogue.quiet_ids, usize::from(id));
                }
            }
        }
        catalogue
    }

    /// All rows, in their order.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The number of the first row, counted from 0, that wants the event with this id of this provider.
    #[must_use]
    pub fn find(&self, provider: &str, id: u32) -> Option<usize> {
        let listing = u16::try_from(id).ok().and_then(|id| self.by_id.get(&id));
        let listing = listing.and_then(|rows| self.first_of_provider(rows, provider));
        let with_any_id = self.first_of_provider(&self.with_any_id, provider);
        listing.into_iter().chain(with_any_id).min()
    }

    /// The first of the rows with these numbers that wants events of the provider.
    fn first_of_provider(&self, rows: &[usize], provider: &str) -> Option<usize> {
        rows.iter().copied().find(|row| self.rows.get(*row).is_some_and(|row| row.is_of_provider(provider)))
    }

    /// Whether a record with these fields is wanted: some row wants its event, and the record is not quiet.
    #[must_use]
    pub fn wants(&self, provider: &str, id: u32, fields: &RecordFields) -> bool {
        self.find(provider, id).is_some_and(|row| !self.is_quiet(row, fields))
    }

    /// Whether a record of a wanted event is wanted itself.
    #[inline]
    pub(crate) fn wants_fields(&self, provider: &str, id: u32, fields: &RecordFields) -> bool {
        let may_be_quiet = usize::try_from(id).is_ok_and(|id| self.quiet_ids.get(id) == Some(&true));
        !may_be_quiet || self.wants(provider, id, fields)
    }

    fn is_quiet(&self, row: usize, fields: &RecordFields) -> bool {
        let Some(Quiet { field, when }) = self.quiet(row) else { return false };
        let value = fields.iter().find(|(name, _)| *name == Some(field)).map(|(_, value)| value);
        value.is_some_and(|value| match when {
            QuietWhen::Number(is_quiet) => number_u32(value).is_some_and(is_quiet),
            QuietWhen::Contains(part) => value.contains(&**part),
        })
    }

    /// What marks quiet records of the row with this number.
    #[inline]
    pub(crate) fn quiet(&self, row: usize) -> Option<&Quiet> {
        self.rows.get(row)?.quiet.as_ref()
    }

    /// Whether some row lists this id.
    #[inline]
    pub(crate) fn lists(&self, id: u16) -> bool {
        self.listed_ids.get(usize::from(id)) == Some(&true)
    }

    /// Whether every id may be wanted of a provider whose name begins with this UTF-16 unit.
    #[inline]
    pub(crate) fn may_want_all_of(&self, first: u16) -> bool {
        self.any_first_letter || self.first_letters.get(usize::from(first)) == Some(&true)
    }

    /// The wanted events of the provider with this name.
    pub(crate) fn rows_of(&self, provider: &str) -> ProviderRows {
        let mut rows = ProviderRows::default();
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| row.is_of_provider(provider)) {
            match &row.ids {
                Ids::Any => {
                    rows.any_id = true;
                    rows.ids.push((0..=u16::MAX, number));
                }
                Ids::These(ids) => rows.ids.extend(ids.iter().map(|ids| (ids.clone(), number))),
            }
        }
        rows
    }
}

/// The events of one provider that a catalogue wants.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProviderRows {
    /// Ids, and the number of the row that wants them.
    ids: Vec<(RangeInclusive<u16>, usize)>,
    /// Whether some row wants every id.
    pub(crate) any_id: bool,
}

impl ProviderRows {
    /// The number of the first row that wants this id.
    #[inline]
    pub(crate) fn row(&self, id: u16) -> Option<usize> {
        self.ids.iter().find(|(ids, _)| ids.contains(&id)).map(|(_, row)| *row)
    }
}

impl Row {
    /// Whether the row wants events of the provider with this name.
    #[must_use]
    pub fn is_of_provider(&self, name: &str) -> bool {
        self.providers.iter().any(|provider| provider.includes(name))
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::{Arc, LazyLock};

    use crate::catalogue::{Catalogue, Ids, Provider, Quiet, QuietWhen, Row};

    /// A catalogue for tests: crashes, a family of storage drivers, every event of a display driver, and quiet records.
    pub(crate) static CATALOGUE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        let row = |providers, ids: &[_]| Row { providers, ids: Ids::These(ids.to_vec()), quiet: None };
        let quiet = |field: &'static str, when| Some(Quiet { field: field.into(), when });
        let zero = quiet("State", QuietWhen::Number(|state| state == 0));
        let named = |name: &'static str| vec![Provider::Named(name.into())];
        Arc::new(Catalogue::new([
            row(named("Application Error"), &[1000..=1000, 1005..=1005]),
            row(vec![Provider::Named("storahci".into()), Provider::Family("iaStor".into())], &[11..=11, 129..=129]),
            Row { providers: named("nvlddmkm"), ids: Ids::Any, quiet: None },
            row(named("Microsoft-Windows-Kernel-Power"), &[41..=41]),
            Row { quiet: zero, ..row(named("Mounts"), &[98..=98]) },
            Row {
                quiet: quiet("Status", QuietWhen::Number(|code| !(0xC000_0000..=0xCFFF_FFFF).contains(&code))),
                ..row(named("Microsoft-Windows-Security-Auditing"), &[4689..=4689])
            },
            Row { quiet: quiet("Title", QuietWhen::Contains("KB2267602".into())), ..row(named("Updates"), &[19..=20]) },
            row(named("Hardware"), &[19..=19]),
        ]))
    });
}

#[cfg(test)]
mod tests {
    use super::testing::CATALOGUE;
    use super::*;

    #[test]
    fn ids_and_first_letters_let_every_wanted_event_through() {
        assert!(CATALOGUE.lists(1000) && CATALOGUE.lists(41) && !CATALOGUE.lists(4624));
        for letter in [b'n', b'N'] {
            assert!(CATALOGUE.may_want_all_of(u16::from(letter)), "{letter}");
        }
        assert!(!CATALOGUE.may_want_all_of(u16::from(b'M')) && !CATALOGUE.may_want_all_of(0x4E2D));
        for provider in [Provider::Family("".into()), Provider::Named("Ödland".into())] {
            let catalogue = Catalogue::new([Row { providers: vec![provider], ids: Ids::Any, quiet: None }]);
            assert!(catalogue.may_want_all_of(0x4E2D) && !catalogue.lists(1));
        }
    }

    #[test]
    fn an_event_is_wanted_by_provider_and_id_together() {
        let of = |provider, id| CATALOGUE.find(provider, id);
        assert_eq!([of("Application Error", 1000), of("application error", 1005)], [Some(0), Some(0)]);
        assert_eq!([of("Application Error", 41), of("Nobody", 1000), of("", 1000)], [None; 3]);
        assert_eq!([of("iaStorAC", 129), of("IASTORVD", 11), of("storahci2", 11)], [Some(1), Some(1), None]);
        assert_eq!([of("nvlddmkm", 0), of("nvlddmkm", 70_000), of("storahci", 70_000)], [Some(2), Some(2), None]);
    }

    #[test]
    fn the_first_row_counts_and_rows_are_as_many_as_they_may_be() {
        let row = |provider, ids| Row { providers: vec![provider], ids, quiet: None };
        let rows = (0..1000).map(|id| row(Provider::Named("Many".into()), Ids::These(vec![id..=id])));
        let whole = row(Provider::Family("Ma".into()), Ids::Any);
        let catalogue = Catalogue::new(rows.chain([whole]));
        assert_eq!([7, 999, 1000].map(|id| catalogue.find("many", id)), [Some(7), Some(999), Some(1000)]);
        let many = catalogue.rows_of("Many");
        assert_eq!([7, 999, 1000].map(|id| many.row(id)), [Some(7), Some(999), Some(1000)]);
        assert!(many.any_id && catalogue.rows_of("M").ids.is_empty());
    }

    #[test]
    fn quiet_records_are_not_wanted() {
        let wants = |provider: &str, id, field: &str, value: &str| {
            CATALOGUE.wants(provider, id, &[(Some("Other"), "1"), (Some(field), value)].into_iter().collect())
        };
        assert!(!wants("Mounts", 98, "State", "0") && wants("Mounts", 98, "State", "2"));
        assert!(wants("Mounts", 98, "Other", "0") && wants("Mounts", 98, "State", "?"));
        assert!(!wants("Updates", 20, "Title", "Update - KB2267602 (1.2)") && wants("Updates", 20, "Title", "KB1"));
        assert!(wants("Hardware", 19, "Title", "KB2267602") && !wants("Nobody", 98, "State", "2"));
    }
}

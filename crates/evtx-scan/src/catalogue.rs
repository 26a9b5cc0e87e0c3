//! What is wanted of a log: the providers, the ids of their events, and which records of those are quiet.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use crate::fields::WrittenFields;
use untrusted::notation::number_u32;

/// Number of event ids: a record holds them in 16 bits.
const IDS: usize = 1 << 16;

/// Some events that are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// Who logs them. Empty for nobody.
    pub providers: &'r [Provider<'r>],
    /// Their ids.
    pub ids: Ids<'r>,
    /// Which of their records are not wanted after all.
    pub quiet: Option<Quiet<'r>>,
}

/// Whose events are wanted. Names are compared without regard to the case of ASCII letters.
#[derive(Debug, Clone, Copy)]
pub enum Provider<'r> {
    /// The provider of this name.
    Named(&'r str),
    /// All whose names begin so, such as a vendor's drivers with one name a generation. Every name begins with `""`.
    Family(&'r str),
}

/// Event ids.
#[derive(Debug, Clone, Copy)]
pub enum Ids<'r> {
    /// Every id that the provider logs.
    Any,
    /// Those in one of these ranges.
    These(&'r [RangeInclusive<u16>]),
}

/// Records that are not wanted, by one of their fields. Some events stand in logs by the million and only a few of their
/// records matter: those are not decoded when the field lies where the scan can see it.
#[derive(Debug, Clone, Copy)]
pub struct Quiet<'r> {
    /// Name of the field.
    pub field: &'r str,
    /// What it holds in a record that is not wanted.
    pub when: QuietWhen<'r>,
}

/// What a field holds in a record that is not wanted. A field that can't be read so never makes its record unwanted.
#[derive(Debug, Clone, Copy)]
pub enum QuietWhen<'r> {
    /// A number, decimal or hexadecimal with `0x`, of which this is true.
    Number(fn(u32) -> bool),
    /// A text with this part, which is ASCII.
    Contains(&'r str),
}

impl Provider<'_> {
    /// Whether it is, or includes, the provider of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Named(own) => own.eq_ignore_ascii_case(name),
            Self::Family(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        }
    }
}

/// The events that are wanted, made ready to be looked up.
pub struct Catalogue {
    rows: Vec<OwnRow>,
    /// The numbers of the rows that list an id, by the id.
    by_id: Vec<(u16, Vec<usize>)>,
    /// The numbers of the rows that want every id.
    whole: Vec<usize>,
    /// The ids that some row lists.
    listed: Bits<{ IDS / 64 }>,
    /// The ids of which some records may be quiet.
    quiet: Bits<{ IDS / 64 }>,
    /// First letters, in both cases, of the providers of which every id is wanted.
    first_letters: Bits<2>,
    /// Whether every id may be wanted of a provider with another first letter.
    whole_by_any_letter: bool,
}

/// A [`Row`] of its own.
struct OwnRow {
    providers: Vec<(Box<str>, bool)>,
    /// `None` for every id.
    ids: Option<Vec<RangeInclusive<u16>>>,
    quiet: Option<OwnQuiet>,
}

/// A [`Quiet`] of its own.
struct OwnQuiet {
    field: Box<str>,
    when: OwnWhen,
}

enum OwnWhen {
    Number(fn(u32) -> bool),
    Contains(Box<str>),
}

/// A set of small numbers.
struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    const NONE: Self = Self([0; WORDS]);
    const ALL: Self = Self([u64::MAX; WORDS]);

    fn add(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    #[inline]
    fn has(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 != 0)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new([])
    }
}

impl Catalogue {
    /// The events that `rows` want. Where several rows want an event, the first of them decides whether its record is
    /// quiet, and is what [`find`](Self::find) finds.
    pub fn new<'r>(rows: impl IntoIterator<Item = Row<'r>>) -> Self {
        let mut catalogue = Self {
            rows: Vec::new(),
            by_id: Vec::new(),
            whole: Vec::new(),
            listed: Bits::NONE,
            quiet: Bits::NONE,
            first_letters: Bits::NONE,
            whole_by_any_letter: false,
        };
        let mut by_id: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for (number, row) in rows.into_iter().enumerate() {
            match row.ids {
                Ids::Any => catalogue.add_whole(number, &row),
                Ids::These(ranges) => {
                    for id in ranges.iter().cloned().flatten() {
                        let rows = by_id.entry(id).or_default();
                        if rows.last() != Some(&number) {
                            rows.push(number);
                        }
                        catalogue.listed.add(usize::from(id));
                        if row.quiet.is_some() {
                            catalogue.quiet.add(usize::from(id));
                        }
                    }
                }
            }
            catalogue.rows.push(OwnRow::of(&row));
        }
        catalogue.by_id = by_id.into_iter().collect();
        catalogue
    }

    fn add_whole(&mut self, number: usize, row: &Row<'_>) {
        self.whole.push(number);
        if row.quiet.is_some() {
            self.quiet = Bits::ALL;
        }
        for provider in row.providers {
            let (Provider::Named(name) | Provider::Family(name)) = provider;
            match name.bytes().next() {
                Some(letter) if letter.is_ascii() => {
                    self.first_letters.add(usize::from(letter.to_ascii_lowercase()));
                    self.first_letters.add(usize::from(letter.to_ascii_uppercase()));
                }
                _ => self.whole_by_any_letter = true,
            }
        }
    }

    /// The number of the first row, counted from 0, that wants the event that `provider` logs as `id`.
    #[must_use]
    pub fn find(&self, provider: &str, id: u32) -> Option<usize> {
        let numbered = u16::try_from(id).ok().and_then(|id| {
            let place = self.by_id.binary_search_by_key(&id, |(numbered, _)| *numbered).ok()?;
            self.first_of(&self.by_id.get(place)?.1, provider)
        });
        let whole = self.first_of(&self.whole, provider);
        match (numbered, whole) {
            (Some(numbered), Some(whole)) => Some(numbered.min(whole)),
            (numbered, whole) => numbered.or(whole),
        }
    }

    /// The first of these rows that wants something of the provider.
    fn first_of(&self, rows: &[usize], provider: &str) -> Option<usize> {
        rows.iter().copied().find(|row| self.rows.get(*row).is_some_and(|row| row.is_logged_by(provider)))
    }

    /// Whether a record is wanted: some row wants its event, and it is not quiet.
    #[must_use]
    pub fn wants(&self, provider: &str, id: u32, fields: &WrittenFields) -> bool {
        self.find(provider, id).is_some_and(|row| !self.is_quiet(row, fields))
    }

    /// Whether a record of an event that is wanted is wanted itself.
    #[inline]
    pub(crate) fn wants_data(&self, provider: &str, id: u32, fields: &WrittenFields) -> bool {
        !self.may_be_quiet(id) || self.wants(provider, id, fields)
    }

    fn may_be_quiet(&self, id: u32) -> bool {
        usize::try_from(id).is_ok_and(|id| self.quiet.has(id))
    }

    fn is_quiet(&self, row: usize, fields: &WrittenFields) -> bool {
        let Some(QuietField { field, when, .. }) = self.quiet_field(row) else { return false };
        let value = fields.iter().find(|(name, _)| *name == Some(field)).map(|(_, value)| value);
        value.is_some_and(|value| match when {
            QuietWhen::Number(is_quiet) => number_u32(value).is_some_and(is_quiet),
            QuietWhen::Contains(part) => value.contains(part),
        })
    }

    /// By what a record of this row is quiet.
    #[inline]
    pub(crate) fn quiet_field(&self, row: usize) -> Option<QuietField<'_>> {
        let OwnQuiet { field, when } = self.rows.get(row)?.quiet.as_ref()?;
        let when = match when {
            OwnWhen::Number(is_quiet) => QuietWhen::Number(*is_quiet),
            OwnWhen::Contains(part) => QuietWhen::Contains(part),
        };
        Some(QuietField { row, field, when })
    }

    /// Whether some row lists this id.
    #[inline]
    pub(crate) fn lists(&self, id: u16) -> bool {
        self.listed.has(usize::from(id))
    }

    /// Whether a provider whose name begins with this UTF-16 unit may be one of which every id is wanted.
    #[inline]
    pub(crate) fn may_want_all_of(&self, first: u16) -> bool {
        self.whole_by_any_letter || self.first_letters.has(usize::from(first))
    }

    /// What is wanted of the provider with this name.
    pub(crate) fn of_provider(&self, provider: &str) -> ProviderRows {
        let mut rows = ProviderRows::default();
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| row.is_logged_by(provider)) {
            match &row.ids {
                None => {
                    rows.whole = true;
                    rows.ids.push((0..=u16::MAX, number));
                }
                Some(ids) => rows.ids.extend(ids.iter().map(|ids| (ids.clone(), number))),
            }
        }
        rows
    }
}

/// A [`Quiet`], and the number of its row, by which it is told from others.
#[derive(Clone, Copy)]
pub(crate) struct QuietField<'c> {
    pub(crate) row: usize,
    pub(crate) field: &'c str,
    pub(crate) when: QuietWhen<'c>,
}

/// What a catalogue wants of one provider.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProviderRows {
    /// Ids, and the number of the row that wants them.
    ids: Vec<(RangeInclusive<u16>, usize)>,
    /// Whether some row wants every id.
    pub(crate) whole: bool,
}

impl ProviderRows {
    /// The first row that wants this id.
    #[inline]
    pub(crate) fn row(&self, id: u16) -> Option<usize> {
        self.ids.iter().find(|(ids, _)| ids.contains(&id)).map(|(_, row)| *row)
    }
}

impl OwnRow {
    fn of(row: &Row<'_>) -> Self {
        let provider = |provider: &Provider<'_>| match provider {
            Provider::Named(name) => (Box::from(*name), false),
            Provider::Family(start) => (Box::from(*start), true),
        };
        Self {
            providers: row.providers.iter().map(provider).collect(),
            ids: match row.ids {
                Ids::Any => None,
                Ids::These(ids) => Some(ids.to_vec()),
            },
            quiet: row.quiet.map(|quiet| OwnQuiet {
                field: quiet.field.into(),
                when: match quiet.when {
                    QuietWhen::Number(is_quiet) => OwnWhen::Number(is_quiet),
                    QuietWhen::Contains(part) => OwnWhen::Contains(part.into()),
                },
            }),
        }
    }

    fn is_logged_by(&self, provider: &str) -> bool {
        let is_it = |(name, is_family): &(Box<str>, bool)| {
            let known = if *is_family { Provider::Family(name) } else { Provider::Named(name) };
            known.has(provider)
        };
        self.providers.iter().any(is_it)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::{Arc, LazyLock};

    use super::*;

    /// A catalogue for tests: crashes, a family of storage drivers, every event of a display driver, and quiet records.
    pub(crate) static CATALOGUE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
        let row = |providers, ids| Row { providers, ids: Ids::These(ids), quiet: None };
        let quiet = |field, when| Some(Quiet { field, when });
        let zero = quiet("State", QuietWhen::Number(|state| state == 0));
        let named = |name| [Provider::Named(name)];
        Arc::new(Catalogue::new([
            row(&named("Application Error"), &[1000..=1000, 1005..=1005]),
            row(&[Provider::Named("storahci"), Provider::Family("iaStor")], &[11..=11, 129..=129]),
            Row { providers: &named("nvlddmkm"), ids: Ids::Any, quiet: None },
            row(&named("Microsoft-Windows-Kernel-Power"), &[41..=41]),
            Row { quiet: zero, ..row(&named("Mounts"), &[98..=98]) },
            Row {
                quiet: quiet("Status", QuietWhen::Number(|code| !(0xC000_0000..=0xCFFF_FFFF).contains(&code))),
                ..row(&named("Microsoft-Windows-Security-Auditing"), &[4689..=4689])
            },
            Row { quiet: quiet("Title", QuietWhen::Contains("KB2267602")), ..row(&named("Updates"), &[19..=20]) },
            row(&named("Hardware"), &[19..=19]),
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
        for providers in [&[Provider::Family("")], &[Provider::Named("Ödland")]] {
            let catalogue = Catalogue::new([Row { providers, ids: Ids::Any, quiet: None }]);
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
        let ids: Vec<RangeInclusive<u16>> = (0..1000).map(|id| id..=id).collect();
        let rows =
            ids.chunks(1).map(|ids| Row { providers: &[Provider::Named("Many")], ids: Ids::These(ids), quiet: None });
        let whole = Row { providers: &[Provider::Family("Ma")], ids: Ids::Any, quiet: None };
        let catalogue = Catalogue::new(rows.chain([whole]));
        assert_eq!([7, 999, 1000].map(|id| catalogue.find("many", id)), [Some(7), Some(999), Some(1000)]);
        let many = catalogue.of_provider("Many");
        assert_eq!([7, 999, 1000].map(|id| many.row(id)), [Some(7), Some(999), Some(1000)]);
        assert!(many.whole && catalogue.of_provider("M").ids.is_empty());
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

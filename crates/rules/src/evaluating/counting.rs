//! Counting entries of a list: all that fit, those in the span of time that holds the most of them, or their different
//! values.

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluating::entries::Lack;
use crate::evaluating::{Compared, Row};
use crate::language::{Count, EntryFilter, Field, Quantifier, Truth, Window};

impl Quantifier {
    /// The fitting entries that the quantifier counts.
    pub fn counted<'r, 'v>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> Vec<&'r Row<'v>> {
        match self {
            Self::Any | Self::None => fitting.collect(),
            Self::Count(count) => count.counted(fitting),
        }
    }

    /// Whether as many entries fit as it asks for; undecided where entries that can't be decided would change the answer.
    /// `more`: whether there may be entries that the list lacks.
    pub fn truth<'r, 'v: 'r>(
        self,
        rows: impl Iterator<Item = &'r Row<'v>> + Clone,
        entries: &EntryFilter,
        more: impl Fn() -> bool,
    ) -> Truth {
        let any = || match Truth::any(rows.clone().map(|row| entries.truth(row))) {
            Truth::False if more() => Truth::Undecided,
            decided => decided,
        };
        match self {
            Self::Any => any(),
            Self::None => any().not(),
            Self::Count(count) => {
                let (certain, at_most) = count.range(&rows, entries);
                // More of them would change nothing where there are too many already.
                let at_most = if certain <= count.most && more() { u64::MAX } else { at_most };
                let asked = count.least..=count.most;
                match (asked.contains(&certain), asked.contains(&at_most)) {
                    (true, true) => Truth::True,
                    (false, false) if at_most < count.least || certain > count.most => Truth::False,
                    _ => Truth::Undecided,
                }
            }
        }
    }
}

/// An entry that counts, alone or together with others.
#[derive(Debug, Clone, Copy)]
struct CountedEntry<'r, 'v> {
    row: &'r Row<'v>,
    /// The value that it shares with entries that are counted together with it as one; `None` if it is counted alone.
    of: Option<CommonValue<'r>>,
}

/// A value whose entries are counted as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CommonValue<'r> {
    /// The field's value, where different values are counted.
    Value(Compared<'r>),
    /// The incident that the entries report.
    Incident(Compared<'r>),
}

impl Count {
    /// The least and the greatest number of entries that count, over all values that unknown fields could have.
    pub fn range<'r, 'v: 'r>(
        self,
        rows: &(impl Iterator<Item = &'r Row<'v>> + Clone),
        entries: &EntryFilter,
    ) -> (u64, u64) {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let fitting = || rows.clone().filter(|row| entries.fits(row));
        let possible = || rows.clone().filter(|row| entries.truth(row) != Truth::False);
        let certain = different(&self.span_of(fitting().filter_map(|row| self.certain_entry(row))));
        // Several of which nobody knows the value may all have the same.
        let unknown =
            |row: &Row<'_>| self.distinct.is_some_and(|field| matches!(value_of(field, row), EntryValue::Unknown));
        let placed = |row: &Row<'_>| self.within.is_none_or(|window| window.time(row).is_some());
        let certain = if fitting().any(|row| unknown(row) && placed(row)) { certain.max(1) } else { certain };
        let at_most = different(&self.span_of(possible().filter_map(|row| self.possible_entry(row))));
        // Entries whose time is not known may all lie in that span.
        let unplaced = |row: &&Row<'_>| self.within.is_some_and(|window| window.may_be_anywhere(row));
        (number(certain), number(at_most.saturating_add(possible().filter(unplaced).count())))
    }

    /// A fitting entry as it is certainly counted; `None` if it is not.
    fn certain_entry<'r, 'v>(self, row: &'r Row<'v>) -> Option<CountedEntry<'r, 'v>> {
        let of = match self.distinct.map(|field| value_of(field, row)) {
            None => self.incident.and_then(|field| row.field(field)).map(CommonValue::Incident),
            Some(EntryValue::Known(value)) => Some(CommonValue::Value(value)),
            Some(EntryValue::Nothing | EntryValue::Unknown) => return None,
        };
        Some(CountedEntry { row, of })
    }

    /// A fitting entry as it may be counted: an unknown value may differ from all others.
    fn possible_entry<'r, 'v>(self, row: &'r Row<'v>) -> Option<CountedEntry<'r, 'v>> {
        match self.distinct.map(|field| value_of(field, row)) {
            Some(EntryValue::Unknown) => Some(CountedEntry { row, of: None }),
            _ => self.certain_entry(row),
        }
    }

    /// The entries that count, of those that fit: of several records of one incident the first one in the span; where
    /// different values are counted, every entry that has one.
    pub fn counted<'r, 'v>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> Vec<&'r Row<'v>> {
        let held = self.span_of(fitting.filter_map(|row| self.certain_entry(row)));
        let mut told = BTreeSet::new();
        let counts = |one: &CountedEntry<'r, 'v>| match one.of {
            Some(incident @ CommonValue::Incident(_)) => told.insert(incident),
            _ => true,
        };
        held.into_iter().filter(counts).map(|one| one.row).collect()
    }

    /// The different values of the entries that fit, as they compare, sorted; nothing where entries count.
    pub fn values<'r, 'v: 'r>(self, fitting: impl Iterator<Item = &'r Row<'v>>) -> Option<Vec<Compared<'r>>> {
        let distinct = self.distinct?;
        let values = self.counted(fitting).into_iter().filter_map(|row| match value_of(distinct, row) {
            EntryValue::Known(value) => Some(value),
            EntryValue::Nothing | EntryValue::Unknown => None,
        });
        let values: BTreeSet<Compared<'r>> = values.collect();
        Some(values.into_iter().collect())
    }

    /// All entries, or with a window those of the span of time with the most entries.
    fn span_of<'r, 'v>(self, counted: impl Iterator<Item = CountedEntry<'r, 'v>>) -> Vec<CountedEntry<'r, 'v>> {
        match self.within {
            None => counted.collect(),
            Some(window) => window.fullest(counted),
        }
    }
}

/// The value of a field of an entry.
enum EntryValue<'r> {
    Known(Compared<'r>),
    /// There is no such thing.
    Nothing,
    Unknown,
}

/// The value that an entry has in a field.
fn value_of<'r>(field: Field, row: &'r Row<'_>) -> EntryValue<'r> {
    match row.field(field.index) {
        Some(value) => EntryValue::Known(value),
        None => match field.lack(row) {
            Lack::Unknown => EntryValue::Unknown,
            Lack::Nothing => EntryValue::Nothing,
            Lack::False => EntryValue::Known(Compared::Flag(false)),
        },
    }
}

/// How many entries these are, where entries with a common value count once.
fn different(counted: &[CountedEntry<'_, '_>]) -> usize {
    let of: BTreeSet<CommonValue<'_>> = counted.iter().filter_map(|one| one.of).collect();
    of.len().saturating_add(counted.iter().filter(|one| one.of.is_none()).count())
}

impl Window {
    /// When an entry was: seconds after the incident.
    fn time(self, row: &Row<'_>) -> Option<i128> {
        let distance = |field: usize| match row.field(field)? {
            Compared::Number(seconds) => Some(i128::from(seconds)),
            _ => None,
        };
        distance(self.before.index).and_then(i128::checked_neg).or_else(|| distance(self.after?))
    }

    /// Whether nobody knows when an entry was.
    fn may_be_anywhere(self, row: &Row<'_>) -> bool {
        self.time(row).is_none() && self.before.lack(row) == Lack::Unknown
    }

    /// The entries of the span in which the most count; of several spans the earliest. Both of its ends count.
    fn fullest<'r, 'v>(self, counted: impl Iterator<Item = CountedEntry<'r, 'v>>) -> Vec<CountedEntry<'r, 'v>> {
        let mut timed: Vec<(i128, CountedEntry<'r, 'v>)> =
            counted.filter_map(|one| Some((self.time(one.row)?, one))).collect();
        timed.sort_by_key(|(time, _)| *time);
        let mut alike: BTreeMap<CommonValue<'r>, usize> = BTreeMap::new();
        let mut leaving = timed.iter();
        let (mut first, mut alone, mut most, mut fullest) = (0_usize, 0_usize, 0_usize, 0..0);
        for (last, (time, one)) in timed.iter().enumerate() {
            match one.of {
                Some(of) => {
                    let count = alike.entry(of).or_default();
                    *count = count.saturating_add(1);
                }
                None => alone = alone.saturating_add(1),
            }
            while let Some((left, gone)) = leaving.as_slice().first()
                && time.saturating_sub(*left) > i128::from(self.seconds)
            {
                leaving.next();
                first = first.saturating_add(1);
                match gone.of {
                    Some(of) => {
                        if let Some(count) = alike.get_mut(&of) {
                            *count = count.saturating_sub(1);
                            if *count == 0 {
                                alike.remove(&of);
                            }
                        }
                    }
                    None => alone = alone.saturating_sub(1),
                }
            }
            let held = alike.len().saturating_add(alone);
            if held > most {
                (most, fullest) = (held, first..last.saturating_add(1));
            }
        }
        timed.get(fullest).unwrap_or_default().iter().map(|(_, one)| *one).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::passes;

    #[test]
    fn different_values_count_once_each() {
        let asked = "modules|count: {where: {path|contains: temp}, distinct: name, gte: 2}";
        let of = |names: &[&str]| {
            let entries: Vec<String> =
                names.iter().map(|name| format!("{{name: {name}, path: 'C:\\temp\\x'}}")).collect();
            format!("modules: [{}]", entries.join(", "))
        };
        let (two, case, one) = (of(&["a.dll", "b.dll"]), of(&["a.dll", "A.DLL"]), of(&["a.dll", "a.dll"]));
        passes(asked, "it", &[(&two, "match"), (&case, "no-match"), (&one, "no-match")]);
    }

    #[test]
    fn an_entry_without_the_field_may_or_may_not_add_a_value() {
        let asked = "modules|count: {where: {name|startswith: a}, distinct: version, gte: 2}";
        let facts = |versions: &[&str]| {
            let entries: Vec<String> = versions.iter().map(|version| format!("{{name: a.dll{version}}}")).collect();
            format!("modules: [{}]", entries.join(", "))
        };
        let (two, one) = (facts(&[", version: 1.0", ", version: 2.0", ""]), facts(&[", version: 1.0", ""]));
        let (unknown, same) = (facts(&["", ""]), facts(&[", version: 1.0", ", version: 1.0"]));
        passes(asked, "it", &[(&two, "match"), (&one, "skipped"), (&unknown, "skipped"), (&same, "no-match")]);
        let least_one = "modules|count: {where: {name|startswith: a}, distinct: version, gte: 1}";
        passes(least_one, "it", &[(&unknown, "match"), ("modules: []", "no-match")]);
        let at_most = "modules|count: {where: {name|startswith: a}, distinct: version, lte: 1}";
        passes(at_most, "it", &[(&two, "no-match"), (&one, "skipped"), (&same, "match")]);
    }

    #[test]
    fn a_value_that_does_not_exist_is_none_of_them() {
        let asked = "timeline|count: {where: {kind: [hardware-error, crash]}, distinct: component, gte: 2}";
        let of = |entries: &str| format!("timeline: [{entries}]");
        let two = of("{kind: hardware-error, component: memory}, {kind: hardware-error, component: pcie}");
        let one = of("{kind: hardware-error, component: memory}, {kind: crash}");
        passes(asked, "it", &[(&two, "match"), (&one, "no-match")]);
    }

    #[test]
    fn different_values_can_have_to_lie_close_to_each_other() {
        let asked = "timeline|count: {where: {kind: crash}, distinct: id, gte: 2, within: 1 min}";
        let of = |entries: &[(u32, u32)]| {
            let entries =
                entries.iter().map(|(id, before)| format!("{{kind: crash, id: {id}, seconds_before: {before}}}"));
            format!("timeline: [{}]", entries.collect::<Vec<_>>().join(", "))
        };
        let (close, far) = (of(&[(1, 10), (1, 20), (2, 60)]), of(&[(1, 10), (1, 20), (2, 90)]));
        passes(asked, "it", &[(&close, "match"), (&far, "no-match")]);
    }

    #[test]
    fn an_incident_counts_in_every_span_that_holds_a_record_of_it() {
        let asked = "timeline|count: {where: {kind: driver-reset}, gte: 2, within: 1 min}";
        let of = |entries: &[(u32, u32)]| {
            let entries = entries.iter().map(|(incident, before)| {
                format!("{{kind: driver-reset, incident: {incident}, seconds_before: {before}}}")
            });
            format!("timeline: [{}]", entries.collect::<Vec<_>>().join(", "))
        };
        // The first record of the first incident lies far from the second incident, its last one close to it.
        let (close, far) = (of(&[(1, 900), (1, 100), (2, 60)]), of(&[(1, 900), (1, 170), (2, 60)]));
        let twice = of(&[(1, 100), (1, 60)]);
        passes(asked, "it", &[(&close, "match"), (&far, "no-match"), (&twice, "no-match")]);
        let most = "timeline|count: {where: {kind: driver-reset}, lte: 1, within: 1 min}";
        passes(most, "it", &[(&close, "no-match"), (&far, "match"), (&twice, "match")]);
    }

    #[test]
    fn an_entry_whose_time_nobody_knows_may_lie_in_the_span() {
        let asked = "incidents_before|count: {where: {kind: crash}, gte: 2, within: 1 min}";
        let facts = "incidents_before: [{kind: crash, seconds_before: 10}, {kind: crash}]";
        let two = "incidents_before: [{kind: crash, seconds_before: 10}, {kind: crash, seconds_before: 20}]";
        let one = "incidents_before: [{kind: crash, seconds_before: 10}]";
        passes(asked, "it", &[(facts, "skipped"), (two, "match"), (one, "no-match")]);
    }
}

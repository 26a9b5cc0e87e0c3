//! The entries of a list that a term found, as reports show them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::evaluating::{Row, View};
use crate::language::{Test, Truth};
use facts::schema::FactDefinition;
use facts::{Record, Value, quoted, schema};

/// How many entries of a list a report shows.
const NAMED: usize = 3;
/// Longer values, in characters, are cut where entries are written on a line.
///
/// The longest path that most programs can open (`MAX_PATH`).
const LONGEST: usize = 260;

/// Some entries of a list: the first of them, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries {
    /// The first of them, in the list's order.
    pub first: Vec<ListEntry>,
    /// How many more there are.
    pub more: usize,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The list's name.
    pub list: &'static str,
    /// Its fields.
    pub record: Record,
    /// The id of the incident that the entry describes; only in lists of incidents.
    pub incident: Option<Arc<str>>,
}

/// Entries of a list that a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedEntries {
    /// The list's name.
    pub list: &'static str,
    /// The first of them, written as in the tests of rules.
    pub says: Vec<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "facts::is_zero")]
    pub more: usize,
}

impl NamedEntries {
    /// The entries at these places of a list, which goes by its index in the schema.
    pub(crate) fn at_places(index: usize, places: &BTreeSet<usize>, view: &View<'_>) -> Option<Self> {
        let list = schema::LISTS.get(index)?.name;
        let Entries { first, more } = Entries::at(list, places.iter().copied(), view);
        Some(Self { list, says: first.iter().map(ListEntry::written).collect(), more })
    }
}

impl ListEntry {
    /// The fields that it has, in the order of the list's definition.
    pub fn fields(&self) -> impl Iterator<Item = (&'static FactDefinition, &Value)> {
        let fields = schema::list(self.list).map(|list| list.fields).unwrap_or_default();
        fields.iter().filter_map(|field| Some((field, self.record.get(field.path)?)))
    }

    /// The entry as the tests of rules write it, long values cut: `{name: msvcp140.dll, version: 14.29.30139.0}`.
    #[must_use]
    pub fn written(&self) -> String {
        let fields = self.fields().map(|(field, value)| {
            let value = value.display(field.kind);
            let value = match value.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}...", value.get(..end).unwrap_or_default()),
                None => value,
            };
            format!("{}: {}", field.path, quoted(&value))
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }
}

impl Entries {
    /// The entries that fit a term, and those that may fit. Of the steps of a sequence, the entries that were found in
    /// their order; where none were, those that fit some step.
    pub(crate) fn found_by(test: &Test, view: &View<'_>) -> (Self, Self) {
        match test {
            Test::List { index, list, entries, .. } => {
                let rows = view.list(*index).unwrap_or_default();
                let truths: Vec<Truth> = rows.iter().map(|row| entries.truth(row)).collect();
                let of = |wanted| {
                    let so = truths.iter().enumerate().filter(|(_, truth)| **truth == wanted);
                    Self::at(list.name, so.map(|(place, _)| place), view)
                };
                (of(Truth::True), of(Truth::Undecided))
            }
            Test::Sequence { index, list, sequence } => {
                let rows = view.list(*index).unwrap_or_default();
                let found = sequence.found(rows);
                let is_found = |row: &Row<'_>| found.is_empty() || found.iter().any(|one| std::ptr::addr_eq(*one, row));
                let fits = |row: &Row<'_>| sequence.steps.iter().any(|step| step.fits(row)) && is_found(row);
                let fitting = rows.iter().enumerate().filter(|(_, row)| fits(row));
                (Self::at(list.name, fitting.map(|(place, _)| place), view), Self::default())
            }
            Test::Fact { .. } | Test::FactKnown { .. } | Test::ListKnown { .. } => Default::default(),
        }
    }

    /// The entries with these indices of a list. `view` must leave no entries out, so that its rows and the facts'
    /// records have the same indices.
    fn at(list: &'static str, places: impl Iterator<Item = usize>, view: &View<'_>) -> Self {
        let mut places = places.peekable();
        if places.peek().is_none() {
            return Self::default();
        }
        let (records, others) = (view.facts().list(list).unwrap_or_default(), view.facts().related_incidents(list));
        let entry = |place: usize| {
            let incident = others.get(place).and_then(|other| other.named()?.ids.into_iter().next());
            Some(ListEntry { list, record: records.get(place)?.clone(), incident })
        };
        let first = places.by_ref().take(NAMED).filter_map(entry).collect();
        Self { first, more: places.count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rule;
    use facts::FactSet;

    fn module(name: &str, path: &str) -> Record {
        let text = |text: &str| Value::Text(text.into());
        let version = Value::Version("14.29.1".parse().expect("a version"));
        Record { fields: vec![("name", text(name)), ("path", text(path)), ("version", version)], from: None }
    }

    #[test]
    fn the_entries_that_fit_are_named_and_those_that_may_fit() {
        let tests = [("modules: [{name: a.dll, version: 14.29}]", "match"), ("modules: []", "no-match")];
        let rules = rule("it: {modules|any: {name: a.dll, version|lt: 14.40}}", "it", &tests);
        let mut facts = FactSet::default();
        let old = |number: u32| module("a.dll", &format!(r"C:\{number}\a.dll"));
        let unknown = Record { fields: vec![("name", Value::Text("a.dll".into()))], from: None };
        let modules = [module("b.dll", r"C:\b.dll"), old(1), old(2), unknown, old(3), old(4), old(5)];
        facts.set_list("modules", modules.into());
        let trace = rules.trace("t/rule", &facts).expect("a rule");
        let term = trace.deciding_terms().next().expect("a term");
        let written: Vec<String> = term.fits.first.iter().map(ListEntry::written).collect();
        let expected = |number: u32| format!(r"{{name: a.dll, path: 'C:\{number}\a.dll', version: 14.29.1.0}}");
        assert_eq!(written, [expected(1), expected(2), expected(3)]);
        assert_eq!(term.fits.more, 2);
        let written: Vec<String> = term.may_fit.first.iter().map(ListEntry::written).collect();
        assert_eq!((written.as_slice(), term.may_fit.more), (&["{name: a.dll}".to_owned()][..], 0));
    }

    #[test]
    fn a_long_value_is_cut() {
        let record = Record { fields: vec![("line", Value::Text("ä".repeat(300).into()))], from: None };
        let written = ListEntry { list: "text", record, incident: None }.written();
        assert_eq!(written, format!("{{line: '{}...'}}", "ä".repeat(LONGEST)));
    }

    #[test]
    fn the_entries_of_a_sequence_are_those_in_its_order() {
        let both = "incidents_before: [{kind: hang, seconds_before: 9}, {kind: crash, seconds_before: 5}]";
        let tests = [(both, "match"), ("incidents_before: []", "no-match")];
        let rules = rule("it: {incidents_before|sequence: [{kind: hang}, {kind: crash}]}", "it", &tests);
        let record = |kind: &str, before: u64| Record {
            fields: vec![("kind", Value::Text(kind.into())), ("seconds_before", Value::Number(before))],
            from: None,
        };
        let said = |records: Vec<Record>| {
            let mut facts = FactSet::default();
            facts.set_list("incidents_before", records);
            let trace = rules.trace("t/rule", &facts).expect("a rule");
            let term = trace.deciding_terms().next().expect("a term").clone();
            term.fits.first.iter().map(ListEntry::written).collect::<Vec<_>>().join(" ")
        };
        let in_order = said(vec![record("crash", 90), record("hang", 9), record("crash", 5)]);
        assert_eq!(in_order, "{kind: hang, seconds_before: 9} {kind: crash, seconds_before: 5}");
        let other_order = said(vec![record("hang", 3), record("crash", 5), record("exit", 9)]);
        assert_eq!(other_order, "{kind: hang, seconds_before: 3} {kind: crash, seconds_before: 5}");
    }
}

//! What the named groups of a rule's expressions find in the evidence that it rests on.

use std::collections::BTreeMap;

use crate::evaluating::{Row, View};
use crate::language::{Compare, EntryFilter, Logic, Test, found_path};
use facts::{FieldValue, OTHER_FIELDS, TIMELINE_FIELDS, Value};

/// The most characters of one of them.
const LONGEST: usize = 200;

/// What the groups find, by the paths by which texts print it: in facts, and in the entries of lists that fit a term; of
/// several the first, in the order of the rule and of the list.
pub(crate) fn found(logic: &Logic, view: &View<'_>) -> Vec<(&'static str, Value)> {
    let mut found: BTreeMap<&'static str, String> = BTreeMap::new();
    let mut look = |compare: &Compare, text: &str| {
        for (name, part) in compare.expressions().flat_map(|pattern| pattern.found(text)) {
            if let Some(path) = found_path(name)
                && !part.trim().is_empty()
            {
                found.entry(path).or_insert_with(|| part.trim().chars().take(LONGEST).collect());
            }
        }
    };
    for term in logic.terms() {
        match &term.test {
            Test::Fact { index, compare, .. } => {
                if let Some(text) = view.scalar(*index).and_then(|seen| seen.value.text()) {
                    look(compare, text);
                }
            }
            Test::List { index, .. } | Test::Sequence { index, .. } => {
                let filters = term.test.entries().filter(|filter| has_groups(filter));
                for filter in filters {
                    for row in that_fit(filter, *index, view) {
                        for field in filter.alternatives.iter().flatten() {
                            if let (Some(compare), Some(text)) = (field.test.compare(), written(row, field.field.index))
                            {
                                look(compare, text);
                            }
                        }
                    }
                }
            }
            Test::FactKnown { .. } | Test::ListKnown { .. } => {}
        }
    }
    found.into_iter().map(|(path, text)| (path, Value::Text(text.into()))).collect()
}

/// Whether an expression of a filter has named groups.
fn has_groups(filter: &EntryFilter) -> bool {
    let compares = filter.alternatives.iter().flatten().filter_map(|field| field.test.compare());
    compares.flat_map(Compare::expressions).any(|pattern| pattern.names().next().is_some())
}

/// The entries of a list that fit a filter.
fn that_fit<'v, 'a>(filter: &EntryFilter, list: usize, view: &'v View<'a>) -> Vec<&'v Row<'a>> {
    let rows = view.list(list).unwrap_or_default();
    let may_fit = filter.that_may_fit(list, view);
    let rows = rows.iter().enumerate();
    let rows = rows.filter(|(place, row)| may_fit.as_ref().is_none_or(|few| few.contains(place)) && filter.fits(row));
    rows.map(|(_, row)| row).collect()
}

/// The text of a field of an entry, as it was read.
fn written<'r>(row: &'r Row<'_>, field: usize) -> Option<&'r str> {
    let value = match row {
        Row::Fields(fields, _) => return fields.get(field)?.as_ref()?.value.text(),
        Row::Nearby(entry) => (TIMELINE_FIELDS.get(field)?.1)(entry)?,
        Row::Other(entry) => (OTHER_FIELDS.get(field)?.1)(entry)?,
    };
    match value {
        FieldValue::Text { written, .. } => Some(written),
        FieldValue::Word(_) | FieldValue::Number(_) | FieldValue::Flag(_) => None,
    }
}

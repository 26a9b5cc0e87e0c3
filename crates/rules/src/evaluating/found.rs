//! What the named groups of a rule's expressions find in the evidence that it rests on.

use std::collections::BTreeMap;

use crate::evaluating::evaluate::RestsOn;
use crate::evaluating::{Row, View};
use crate::language::{Compare, Logic, Test, found_path};
use facts::Value;

/// The most characters of one of them.
const LONGEST: usize = 200;

/// What the groups find, by the paths by which texts print it, in facts and in the entries of lists on which a match rests; of
/// several the first, in the order of the rule.
pub(crate) fn found(logic: &Logic, on: &RestsOn, view: &View<'_>) -> Vec<(&'static str, Value)> {
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
                let rows = view.list(*index).unwrap_or_default();
                let places = on.entries.get(index).into_iter().flatten();
                for row in places.filter_map(|place| rows.get(*place)) {
                    for field in term.test.field_terms() {
                        if let (Some(compare), Some(text)) = (field.test.compare(), written(row, field.field.index)) {
                            look(compare, text);
                        }
                    }
                }
            }
            Test::FactKnown { .. } | Test::ListKnown { .. } => {}
        }
    }
    found.into_iter().map(|(path, text)| (path, Value::Text(text.into()))).collect()
}

/// The text of a field of an entry, as it was read.
fn written<'r>(row: &'r Row<'_>, field: usize) -> Option<&'r str> {
    match row {
        Row::Fields(fields, _) => fields.get(field)?.as_ref()?.value.text(),
        Row::Nearby(_) | Row::Other(_) => None,
    }
}

//! Whether the logs cover the part of the timeline that a test asks for.

use super::compare::Compare;
use super::modifier::Order;
use super::selection::{EntryFilter, FieldTerm, FieldTest};
use facts::schema::TIMELINE_KINDS;
use facts::{Needed, Recorded, TimelinePart, Value};
use incident::SIGMA;

/// What a Sigma rule says of itself: fields of its matches alone.
const SIGMA_FIELDS: [&str; 4] = ["sigma_id", "sigma_title", "sigma_level", "sigma_tags"];

/// What is needed, and not there, to know that no other entry fits; `before`: of those before the incident
/// alone.
pub(super) fn lacking(entries: &EntryFilter, before: bool, recorded: &Recorded) -> Option<Needed> {
    if entries.alternatives.is_empty() {
        return of_terms(&[], before, recorded);
    }
    entries.alternatives.iter().find_map(|terms| of_terms(terms, before, recorded))
}

/// The same for entries that have to be all of this.
fn of_terms(terms: &[FieldTerm], only_before: bool, recorded: &Recorded) -> Option<Needed> {
    let field = |name: &str| field(terms, name);
    let (before, after, first) = (field("seconds_before"), field("seconds_after"), field("seconds_before_first"));
    // What has a time before has none after, and the other way round.
    let is_before = only_before
        || before.is_some_and(FieldTest::needs_field)
        || after.is_some_and(|test| !test.needs_field())
        || first.is_some();
    let is_after = after.is_some_and(FieldTest::needs_field) || before.is_some_and(|test| !test.needs_field());
    let asked = |kind| TimelinePart {
        kind,
        before: if is_after { Some(0) } else { before.and_then(at_most) },
        after: if is_before { Some(0) } else { after.and_then(at_most) },
        before_first: first.and_then(at_most),
    };
    kinds(terms).into_iter().find_map(|kind| recorded.lacking(asked(kind)))
}

/// What is asked of a field of the timeline's entries.
fn field<'t>(terms: &'t [FieldTerm], name: &str) -> Option<&'t FieldTest> {
    terms.iter().find(|term| term.field.definition.path == name).map(|term| &term.test)
}

/// The kinds of entries that can be all of this.
fn kinds(terms: &[FieldTerm]) -> Vec<&str> {
    let texts = |name: &str| match field(terms, name)? {
        FieldTest::Value(Compare::Equal(values)) => Some(values.iter().filter_map(Value::text).collect::<Vec<_>>()),
        _ => None,
    };
    // Only matches of Sigma rules have what those say of themselves. Beside others, a match is a second entry of a
    // record that is there anyway.
    let of_sigma = || SIGMA_FIELDS.into_iter().any(|name| field(terms, name).is_some_and(FieldTest::needs_field));
    let of_providers = || {
        let of_providers = texts("provider")?.into_iter().flat_map(Recorded::kinds_of);
        Some(of_providers.collect())
    };
    if let Some(kinds) = texts("kind") {
        return kinds;
    }
    if of_sigma() {
        return vec![SIGMA];
    }
    of_providers().unwrap_or_else(|| TIMELINE_KINDS.iter().copied().filter(|kind| *kind != SIGMA).collect())
}

/// Whether nothing but matches of Sigma rules can fit.
pub(super) fn is_of_sigma(entries: &EntryFilter) -> bool {
    !entries.alternatives.is_empty() && entries.alternatives.iter().all(|terms| kinds(terms) == [SIGMA])
}

/// The most that a field may be.
fn at_most(test: &FieldTest) -> Option<u64> {
    match test {
        FieldTest::Value(Compare::Order { order: Order::Less | Order::AtMost, bound: Value::Number(bound) }) => {
            Some(*bound)
        }
        FieldTest::Value(Compare::Equal(values)) => {
            values.iter().map(|value| if let Value::Number(number) = value { Some(*number) } else { None }).max()?
        }
        _ => None,
    }
}

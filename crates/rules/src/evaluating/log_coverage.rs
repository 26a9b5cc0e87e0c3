//! Whether the logs cover the part of the timeline that a test asks for.

use crate::language::{EntryFilter, FieldTerm, FieldTest, tests_of};
use facts::schema::TIMELINE_KINDS;
use facts::{NeededInput, Recorded, TimelinePart, Value};
use incident::SIGMA;

/// Fields that describe a Sigma rule; only entries of Sigma matches have them.
const SIGMA_FIELDS: [&str; 4] = ["sigma_id", "sigma_title", "sigma_level", "sigma_tags"];

/// The log (or Sigma rules) that is missing to be certain that no further entry fits; with `before`, no further entry
/// before the incident.
pub(crate) fn lacking(entries: &EntryFilter, before: bool, recorded: &Recorded) -> Option<NeededInput> {
    if entries.alternatives.is_empty() {
        return of_terms(&[], before, recorded);
    }
    entries.alternatives.iter().find_map(|terms| of_terms(terms, before, recorded))
}

/// The missing log (or Sigma rules) for entries that must fit all these terms.
fn of_terms(terms: &[FieldTerm], only_before: bool, recorded: &Recorded) -> Option<NeededInput> {
    let field = |name| tests_of(terms, name).next();
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

/// The kinds of entries that can be all of this.
fn kinds(terms: &[FieldTerm]) -> Vec<&str> {
    let field = |name| tests_of(terms, name).next();
    let texts = |name| Some(field(name)?.one_of()?.iter().filter_map(Value::text).collect::<Vec<_>>());
    // Only matches of Sigma rules have what those say of themselves. Beside others, a match is a second entry of a
    // record that is there anyway.
    let of_sigma = || SIGMA_FIELDS.into_iter().any(|name| field(name).is_some_and(FieldTest::needs_field));
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
pub(crate) fn is_of_sigma(entries: &EntryFilter) -> bool {
    !entries.alternatives.is_empty() && entries.alternatives.iter().all(|terms| kinds(terms) == [SIGMA])
}

/// The most that a field may be.
fn at_most(test: &FieldTest) -> Option<u64> {
    let number = |value: &Value| if let Value::Number(number) = value { Some(*number) } else { None };
    test.at_most().or_else(|| test.one_of()?.iter().map(number).max()?)
}

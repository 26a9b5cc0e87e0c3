//! Times and numbers beyond what rules are told.

use super::{Linted, fields};
use crate::facts::schema::{INCIDENT_KINDS, ListDefinition, OTHER_INCIDENTS};
use crate::facts::{FactType, MOST_OF_A_KIND, MOST_OTHERS, Value, reach_seconds};
use crate::patterns::MOST_BEFORE;
use crate::rules::compare::{Compare, Order};
use crate::rules::quantifier::{Count, Quantifier};
use crate::rules::selection::{EntryFilter, FieldTerm, FieldTest, Term, Test};
use crate::rules::sequence::Along;
use crate::yaml::Diagnostic;

/// `R086`: a look further back than rules see, a count of more entries or values than there are, and a sequence after the
/// incident.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        if let Test::List { list, entries, quantifier: Quantifier::Count(count), .. } = &term.test {
            too_many(rule, term, list, entries, *count, found);
        }
        match term.test.path() {
            "timeline" => timeline(rule, term, found),
            "incidents_before" => {
                let day = crate::patterns::REACH_BEFORE.as_secs().unsigned_abs();
                let help = "`other_incidents` has those of the machine further back, too";
                too_far(rule, term, "other incidents of the machine", day, help, found);
            }
            _ => {}
        }
        if let Test::Sequence { list, sequence, .. } = &term.test
            && matches!(sequence.along, Along::Time { .. })
            && fields(&term.test).iter().any(|(path, field)| *path == "seconds_after" && is_there(field))
        {
            let message = format!("this never holds: a sequence over `{}` ends with the incident", list.name);
            rule.warn("R086", term.span, message, "ask with `any` for what was after it", found);
        }
    }
}

/// Whether a field has to be there for its term to hold.
fn is_there(term: &FieldTerm) -> bool {
    !matches!(term.test, FieldTest::Known(false))
}

/// A count of more entries, or different values, than there can be.
fn too_many(
    rule: &Linted<'_>,
    term: &Term,
    list: &ListDefinition,
    entries: &EntryFilter,
    count: Count,
    found: &mut Vec<Diagnostic>,
) {
    let kinds = words(entries, list, "kind");
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let most = match list.name {
        "timeline" => kinds.as_ref().map(|kinds| {
            let most = number(kinds.len().saturating_mul(MOST_OF_A_KIND));
            (most, format!("rules see the {most} nearest entries of that kind"))
        }),
        "incidents_before" => {
            let most = kinds.as_ref().map_or(INCIDENT_KINDS.len(), Vec::len).saturating_mul(MOST_BEFORE);
            Some((number(most), format!("of each kind rules see the last {MOST_BEFORE} incidents")))
        }
        OTHER_INCIDENTS => Some((number(MOST_OTHERS), format!("rules see {MOST_OTHERS} other incidents at most"))),
        _ => None,
    };
    let values = count.distinct.and_then(|distinct| {
        let field = list.fields.get(distinct.field)?;
        let asked = words(entries, list, field.path).map(|words| words.len());
        let all = match field.kind {
            FactType::Word(words) => Some(words.len()),
            FactType::Flag => Some(2),
            _ => None,
        };
        let most = number(asked.into_iter().chain(all).min()?);
        Some((most, format!("`{}` has no more than {most} different values there", field.path)))
    });
    if let Some((_, why)) = values.into_iter().chain(most).find(|(most, _)| count.least > *most) {
        rule.warn("R086", term.span, format!("this never holds: {why}"), "ask for fewer", found);
    }
}

/// A look further back on the timeline than it goes.
fn timeline(rule: &Linted<'_>, term: &Term, found: &mut Vec<Diagnostic>) {
    let (Test::List { list, .. } | Test::Sequence { list, .. }) = &term.test else { return };
    let of_each: Option<Vec<Vec<String>>> = term.test.entries().map(|entries| words(entries, list, "kind")).collect();
    let reach = match of_each.map(|kinds| kinds.concat()).filter(|kinds| !kinds.is_empty()) {
        None => reach_seconds(None),
        Some(kinds) => kinds.iter().map(|kind| reach_seconds(Some(kind.as_str()))).max().unwrap_or_default(),
    };
    let help = "what was installed or blocked is seen 7 days before, all else 24 hours";
    too_far(rule, term, "the timeline", reach, help, found);
}

/// A look further back than rules see: so many seconds.
fn too_far(rule: &Linted<'_>, term: &Term, what: &str, reach: u64, help: &str, found: &mut Vec<Diagnostic>) {
    let hours = reach.checked_div(60 * 60).unwrap_or_default();
    for (_, field) in fields(&term.test).into_iter().filter(|(path, _)| *path == "seconds_before") {
        let FieldTest::Value(Compare::Order { order, bound: Value::Number(bound) }) = &field.test else { continue };
        let message = match order {
            Order::Less | Order::AtMost if *bound > reach => {
                format!("rules see {hours} hours of {what} before an incident, and not so much")
            }
            Order::Greater | Order::AtLeast if *bound >= reach => {
                format!("this never holds: rules see {hours} hours of {what} before an incident")
            }
            _ => continue,
        };
        rule.warn("R086", term.span, message, help, found);
    }
}

/// The values that a field of entries must have, if all that can fit say one.
fn words(entries: &EntryFilter, list: &ListDefinition, field: &str) -> Option<Vec<String>> {
    let definition = list.fields.iter().find(|known| known.path == field)?;
    let index = list.fields.iter().position(|known| known.path == field)?;
    let of = |terms: &Vec<FieldTerm>| {
        terms.iter().find_map(|term| match &term.test {
            FieldTest::Value(Compare::Equal(values)) if term.field == index => {
                Some(values.iter().map(|value| value.display(definition.kind)).collect::<Vec<_>>())
            }
            _ => None,
        })
    };
    let all: Option<Vec<Vec<String>>> = entries.alternatives.iter().map(of).collect();
    let mut words = all?.concat();
    words.sort_unstable();
    words.dedup();
    (!words.is_empty()).then_some(words)
}

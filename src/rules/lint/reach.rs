//! Times and numbers beyond what rules are told.

use super::{Linted, fields};
use crate::facts::schema::INCIDENT_KINDS;
use crate::facts::{MOST_OF_A_KIND, Value, reach_seconds};
use crate::patterns::MOST_BEFORE;
use crate::rules::compare::{Compare, Order};
use crate::rules::selection::{EntryFilter, FieldTest, Quantifier, Test};
use crate::yaml::Diagnostic;

/// `R086`: a look further back on the timeline than it goes, or a count of more entries than it holds.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms().filter(|term| term.test.path() == "incidents_before") {
        let Test::List { entries, quantifier: Quantifier::Count(count), .. } = &term.test else { continue };
        let kinds = kinds(entries, &term.test).map_or(INCIDENT_KINDS.len(), |kinds| kinds.len());
        let most = u64::try_from(kinds.saturating_mul(MOST_BEFORE)).unwrap_or(u64::MAX);
        if count.least > most {
            let message = format!("this never holds: of each kind rules see the last {MOST_BEFORE} incidents");
            rule.warn("R086", term.span, message, "ask for fewer", found);
        }
    }
    for term in rule.terms().filter(|term| term.test.path() == "timeline") {
        let Test::List { entries, quantifier, .. } = &term.test else { continue };
        let kinds = kinds(entries, &term.test);
        let reach = kinds.as_ref().map_or_else(
            || reach_seconds(None),
            |kinds| kinds.iter().map(|kind| reach_seconds(Some(kind.as_str()))).max().unwrap_or_default(),
        );
        let hours = reach.checked_div(60 * 60).unwrap_or_default();
        let asked = fields(&term.test).into_iter().filter(|(path, _)| *path == "seconds_before");
        for (_, field) in asked {
            let FieldTest::Value(Compare::Order { order, bound: Value::Number(bound) }) = &field.test else { continue };
            let message = match order {
                Order::Less | Order::AtMost if *bound > reach => {
                    format!("rules see {hours} hours of the timeline before an incident, and not so much")
                }
                Order::Greater | Order::AtLeast if *bound >= reach => {
                    format!("this never holds: rules see {hours} hours of the timeline before an incident")
                }
                _ => continue,
            };
            let help = "what was installed or blocked is seen 7 days before, all else 24 hours";
            rule.warn("R086", term.span, message, help, found);
        }
        let most = kinds.map(|kinds| u64::try_from(kinds.len().saturating_mul(MOST_OF_A_KIND)).unwrap_or(u64::MAX));
        if let (Quantifier::Count(count), Some(most)) = (quantifier, most)
            && count.least > most
        {
            let message = format!("this never holds: rules see the {most} nearest entries of that kind");
            rule.warn("R086", term.span, message, "ask for fewer", found);
        }
    }
}

/// The kinds that entries must have, if all that can fit say one.
fn kinds(entries: &EntryFilter, test: &Test) -> Option<Vec<String>> {
    let Test::List { list, .. } = test else { return None };
    let kind = list.fields.iter().position(|field| field.path == "kind")?;
    let of = |terms: &Vec<crate::rules::selection::FieldTerm>| {
        terms.iter().find_map(|term| match &term.test {
            FieldTest::Value(Compare::Equal(values)) if term.field == kind => {
                Some(values.iter().filter_map(|value| value.text().map(str::to_owned)).collect::<Vec<_>>())
            }
            _ => None,
        })
    };
    let all: Option<Vec<Vec<String>>> = entries.alternatives.iter().map(of).collect();
    let mut kinds = all?.concat();
    kinds.sort_unstable();
    kinds.dedup();
    (!kinds.is_empty()).then_some(kinds)
}

//! R086: times and numbers beyond what rules see.

use super::linted::Linted;
use crate::language::{Along, Compare, Count, EntryFilter, FieldTerm, FieldTest, Order, Quantifier, Term, Test};
use facts::schema::{INCIDENT_KINDS, ListDefinition, OTHER_INCIDENTS};
use facts::{FactType, MOST_BEFORE, MOST_OF_A_KIND, MOST_OTHERS, Value, reach_seconds};
use spanned_yaml::{Code, Diagnostic};

/// `R086`: a look further back than rules see, a count of more entries or values than there are, and a sequence after
/// the incident.
pub(super) fn look(rule: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for term in rule.terms() {
        if let Test::List { list, entries, quantifier: Quantifier::Count(count), .. } = &term.test {
            too_many(rule, term, list, entries, *count, found);
        }
        match term.test.path() {
            "timeline" => timeline(rule, term, found),
            "incidents_before" => {
                let day = facts::REACH_BEFORE.as_secs().unsigned_abs();
                let help = "`other_incidents` has those of the machine further back, too";
                too_far(rule, term, "other incidents of the machine", |_| day, help, found);
            }
            _ => {}
        }
        if let Test::Sequence { list, sequence, .. } = &term.test
            && matches!(sequence.along, Along::Time { .. })
        {
            let help = "ask with `any` for what was after it";
            let is_after =
                |terms: &Vec<FieldTerm>| of_field(terms, "seconds_after").any(|term| term.test.needs_field());
            if let Some(what) = dead(sequence.steps.iter(), is_after) {
                let message = format!("{what}: a sequence over `{}` ends with the incident", list.name);
                rule.warn(Code::R086, term.span, message, help, found);
            }
        }
    }
}

/// The consequence of alternatives that no entry can fit, if there are any: the whole term never holds where all
/// alternatives of one filter are so.
fn dead<'e>(
    mut filters: impl Iterator<Item = &'e EntryFilter> + Clone,
    is_dead: impl Fn(&'e Vec<FieldTerm>) -> bool,
) -> Option<&'static str> {
    let all = |entries: &'e EntryFilter| !entries.alternatives.is_empty() && entries.alternatives.iter().all(&is_dead);
    let any = |entries: &'e EntryFilter| entries.alternatives.iter().any(&is_dead);
    let one = filters.clone().any(any);
    one.then(|| if filters.any(all) { "this never holds" } else { "one of the alternatives never fits" })
}

/// The terms that ask for a field.
fn of_field<'t>(terms: &'t [FieldTerm], field: &str) -> impl Iterator<Item = &'t FieldTerm> {
    terms.iter().filter(move |term| term.field.definition.path == field)
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
    let kinds = words(entries, "kind");
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
        let field = distinct.definition;
        let asked = words(entries, field.path).map(|words| words.len());
        let all = match field.kind {
            FactType::Word(words) => Some(words.len()),
            FactType::Flag => Some(2),
            _ => None,
        };
        let most = number(asked.into_iter().chain(all).min()?);
        Some((most, format!("`{}` has no more than {most} different values there", field.path)))
    });
    if let Some((_, why)) = values.into_iter().chain(most).find(|(most, _)| count.least > *most) {
        rule.warn(Code::R086, term.span, format!("this never holds: {why}"), "ask for fewer", found);
    }
}

/// A look further back on the timeline than it goes: each alternative of each step by its own kinds.
fn timeline(rule: &Linted<'_>, term: &Term, found: &mut Vec<Diagnostic>) {
    let help = "what was installed or blocked is seen 7 days before, all else 24 hours";
    let reach = |terms: &Vec<FieldTerm>| match words_of(terms, "kind") {
        None => reach_seconds(None),
        Some(kinds) => kinds.iter().map(|kind| reach_seconds(Some(kind.as_str()))).max().unwrap_or_default(),
    };
    too_far(rule, term, "the timeline", reach, help, found);
}

/// Warns about a term that looks further back from the incident than `reach`, the seconds that rules see.
fn too_far(
    rule: &Linted<'_>,
    term: &Term,
    what: &str,
    reach: impl Fn(&Vec<FieldTerm>) -> u64,
    help: &str,
    found: &mut Vec<Diagnostic>,
) {
    let is_beyond = |terms: &Vec<FieldTerm>| {
        let reach = reach(terms);
        bounds(terms).any(|(order, bound)| matches!(order, Order::Greater | Order::AtLeast) && bound >= reach)
    };
    let is_wide = |terms: &Vec<FieldTerm>| {
        let reach = reach(terms);
        bounds(terms).any(|(order, bound)| matches!(order, Order::Less | Order::AtMost) && bound > reach)
    };
    let hours = |of: &dyn Fn(&Vec<FieldTerm>) -> bool| {
        let mut alternatives = term.test.entries().flat_map(|entries| &entries.alternatives);
        let first = alternatives.find(|terms| of(terms)).map(&reach);
        first.and_then(|seconds| seconds.checked_div(60 * 60)).unwrap_or_default()
    };
    let filters: Vec<&EntryFilter> = term.test.entries().collect();
    if let Some(dead) = dead(filters.iter().copied(), is_beyond) {
        let message = format!("{dead}: rules see {} hours of {what} before an incident", hours(&is_beyond));
        rule.warn(Code::R086, term.span, message, help, found);
    }
    if filters.iter().flat_map(|entries| &entries.alternatives).any(is_wide) {
        let message = format!("rules see {} hours of {what} before an incident, and not so much", hours(&is_wide));
        rule.warn(Code::R086, term.span, message, help, found);
    }
}

/// How far before the incident entries must be, or may be.
fn bounds(terms: &[FieldTerm]) -> impl Iterator<Item = (Order, u64)> {
    of_field(terms, "seconds_before").filter_map(|field| match &field.test {
        FieldTest::Value(Compare::Order { order, bound: Value::Number(bound) }) => Some((*order, *bound)),
        _ => None,
    })
}

/// The values that a field must have in entries that fit; `None` if some alternative does not restrict the field.
fn words(entries: &EntryFilter, field: &str) -> Option<Vec<String>> {
    let all: Option<Vec<Vec<String>>> = entries.alternatives.iter().map(|terms| words_of(terms, field)).collect();
    let mut words = all?.concat();
    words.sort_unstable();
    words.dedup();
    (!words.is_empty()).then_some(words)
}

/// The values that a field must have in entries that fit one alternative.
fn words_of(terms: &[FieldTerm], field: &str) -> Option<Vec<String>> {
    of_field(terms, field).find_map(|term| match &term.test {
        FieldTest::Value(Compare::Equal(values)) => {
            Some(values.iter().map(|value| value.display(term.field.definition.kind)).collect())
        }
        _ => None,
    })
}

//! The traces as JSON: `docs/rules.md` describes every key.

use serde::Serialize;
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use super::Answer;
use report::inspected::value;
use report::model::Made;
use rules::{ConfidenceTrace, Entries, ListEntry, Missing, RuleSet, SuppressedBy, TermTrace, Trace, Truth};

#[derive(Serialize)]
pub(super) struct Shape<'a> {
    #[serde(flatten)]
    made: Made,
    incidents: Vec<ShapedIncident<'a>>,
}

#[derive(Serialize)]
struct ShapedIncident<'a> {
    incident: &'a str,
    kind: &'static str,
    rules: Vec<ShapedRule<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ShapedRule<'a> {
    rule: &'a str,
    cause: &'a str,
    file: &'a str,
    line: u32,
    outcome: &'static str,
    by: Option<&'a str>,
    reason: Option<&'a str>,
    suppression_ended: Option<&'a SuppressedBy>,
    superseded_by: Option<&'a str>,
    error: Option<&'a str>,
    confidence: Option<&'a ConfidenceTrace>,
    #[serde(skip_serializing_if = "<[Missing]>::is_empty")]
    missing: &'a [Missing],
    selections: Vec<ShapedSelection<'a>>,
}

#[derive(Serialize)]
struct ShapedSelection<'a> {
    name: &'a str,
    holds: Truth,
    decisive: bool,
    terms: Vec<ShapedTerm<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize)]
struct ShapedTerm<'a> {
    term: &'a str,
    line: u32,
    holds: Truth,
    fact: &'static str,
    found: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fits: Vec<Map<String, Value>>,
    more_fit: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    may_fit: Vec<Map<String, Value>>,
    more_may_fit: Option<usize>,
}

pub(super) fn shape<'a>(answers: &'a [Answer<'_>], rules: &'a RuleSet) -> Shape<'a> {
    let of_rule = |answer: &'a Answer<'_>, trace: &'a Trace| {
        let rule = rules.rule(&trace.rule);
        let disabled = rule.and_then(|rule| rule.disabled());
        let suppressed = answer.suppressed.get(&trace.rule);
        ShapedRule {
            rule: &trace.rule,
            cause: rule.map_or("", |rule| rule.cause()),
            file: rule.map_or("", |rule| rule.file()),
            line: rule.map_or(0, |rule| rule.line()),
            outcome: answer.outcome(trace, rules).word(),
            by: disabled.map(|change| &*change.by).or_else(|| suppressed.map(|suppressed| &*suppressed.by)),
            reason: disabled
                .and_then(|change| change.reason.as_deref())
                .or_else(|| suppressed.map(|suppressed| &*suppressed.reason)),
            suppression_ended: answer.shown_again.get(&trace.rule),
            superseded_by: trace.superseded_by.as_deref(),
            error: trace.error.as_deref(),
            confidence: trace.confidence.as_ref(),
            missing: &trace.missing,
            selections: trace
                .selections
                .iter()
                .enumerate()
                .map(|(index, selection)| ShapedSelection {
                    name: &selection.name,
                    holds: selection.holds,
                    decisive: trace.decisive.contains(&index),
                    terms: selection.terms.iter().map(of_term).collect(),
                })
                .collect(),
        }
    };
    let of_incident = |answer: &'a Answer<'_>| ShapedIncident {
        incident: &answer.incident.id,
        kind: answer.incident.kind.word(),
        rules: answer.traces.iter().map(|trace| of_rule(answer, trace)).collect(),
    };
    Shape { made: Made::NOW, incidents: answers.iter().map(of_incident).collect() }
}

fn of_term(term: &TermTrace) -> ShapedTerm<'_> {
    ShapedTerm {
        term: &term.written,
        line: term.line,
        holds: term.holds,
        fact: term.fact,
        found: term.found.as_deref(),
        fits: entries(&term.fits),
        more_fit: Some(term.fits.more).filter(|more| *more > 0),
        may_fit: entries(&term.may_fit),
        more_may_fit: Some(term.may_fit.more).filter(|more| *more > 0),
    }
}

/// Entries of a list with the fields that `inspect` shows; entries that are incidents with their ids.
fn entries(entries: &Entries) -> Vec<Map<String, Value>> {
    let entry = |entry: &ListEntry| {
        let incident = entry.incident.as_ref().map(|id| ("incident_id".to_owned(), Value::from(&**id)));
        let fields = entry.fields().map(|(field, of)| (field.path.to_owned(), value(of, field.kind)));
        incident.into_iter().chain(fields).collect()
    };
    entries.first.iter().map(entry).collect()
}

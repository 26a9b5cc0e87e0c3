//! Kinds of records in the timeline before each of the incidents of a draft, with the longest time before an incident.

use super::candidates::Candidate;
use super::fact_table::Strength;
use super::material::{Material, Subject};
use super::private::Private;
use super::term::DraftTerm;
use facts::Value;

/// Spans of time that people name, in seconds. The last is as far back as rules see installations.
const SPANS: [u64; 9] = [60, 300, 900, 3600, 6 * 3600, 12 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600];
/// Kinds that have many different records.
const VAGUE: [&str; 3] = ["other", "report", "sigma"];
/// The most kinds that a draft names.
const MOST: usize = 5;
/// How many become selections.
const MOST_SELECTIONS: usize = 2;
/// The fewest other incidents that must lack a kind of record before it sets the incidents apart.
const ENOUGH_OTHERS: usize = 5;
/// Fields with the seconds between a record and the incident, and between a record and the first incident of the signature
/// on that machine, which all incidents of a group have in common.
const BEFORE: &str = "seconds_before";
const BEFORE_FIRST: &str = "seconds_before_first";

/// The kinds of records before each of the incidents, those that the other incidents lack first.
pub(super) fn recorded(material: &Material<'_>, private: &Private) -> Vec<Candidate> {
    let Some(first) = material.of.first() else { return Vec::new() };
    let mut kinds: Vec<&str> = Vec::new();
    for record in first.facts.list("timeline").unwrap_or_default() {
        let kind = record.get("kind").and_then(Value::text);
        kinds.extend(kind.filter(|kind| !VAGUE.contains(kind) && !kinds.contains(kind)));
    }
    let mut found: Vec<Candidate> = kinds.into_iter().filter_map(|kind| candidate(kind, material, private)).collect();
    // Stable: what is nearest to the incident stays first among equals.
    found.sort_by_key(|candidate| candidate.strength);
    for candidate in found.iter_mut().skip(MOST_SELECTIONS) {
        candidate.strength = Strength::Hint;
    }
    found.truncate(MOST);
    found
}

/// A kind of record, where each of the incidents has one before it.
fn candidate(kind: &str, material: &Material<'_>, private: &Private) -> Option<Candidate> {
    let name = facts::schema::TIMELINE_KINDS.iter().copied().find(|known| *known == kind)?;
    let term = [BEFORE_FIRST, BEFORE].into_iter().find_map(|field| {
        let nearest: Option<Vec<u64>> = material.of.iter().map(|subject| nearest(subject, kind, field)).collect();
        let farthest = nearest?.into_iter().max()?;
        DraftTerm::recorded(kind, field, *SPANS.iter().find(|span| farthest <= **span)?)
    })?;
    let question = term.question()?;
    let known: Vec<bool> = material.others.iter().filter_map(|subject| question.holds(subject.facts)).collect();
    let change = material.changes.iter().find(|change| change.kind == kind);
    let bears_on = change.and_then(|change| change.bears_on);
    let group = material.of.len() > 1;
    let apart = !known.is_empty() && !known.contains(&true) && (bears_on.is_some() || known.len() >= ENOUGH_OTHERS);
    let strength = if group && apart { Strength::Named } else { Strength::Hint };
    let mut what = "what was recorded before".to_owned();
    if let Some(change) = change.filter(|change| private.allows(&change.says)) {
        // What follows a device's path is of one machine, and so is the path.
        let says: Vec<&str> = change.says.split(", ").take_while(|part| !part.contains('\\')).collect();
        what.push_str(&format!(", such as: {}", says.join(", ").trim_end_matches('.')));
        if let Some(bears_on) = bears_on {
            what.push_str(&format!(" (bears on: {bears_on})"));
        }
    }
    Some(Candidate { name, term, strength, what: what.into() })
}

/// The seconds between an incident and the nearest record of a kind before it.
fn nearest(subject: &Subject<'_>, kind: &str, field: &str) -> Option<u64> {
    let records = subject.facts.list("timeline")?.iter();
    let of_kind = records.filter(|record| record.get("kind").and_then(Value::text) == Some(kind));
    let before = of_kind.filter_map(|record| record.get(field)).filter_map(|value| match value {
        Value::Number(before) => Some(*before),
        _ => None,
    });
    before.min()
}

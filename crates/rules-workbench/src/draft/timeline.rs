//! What was recorded before the incidents of a draft: what all of them have, and how long before at most.

use super::asked::Asked;
use super::candidates::{Candidate, Strength};
use super::private::Private;
use super::{Material, Subject};
use facts::Value;

/// Spans of time that people name, seconds. The last is as far back as rules see what was installed.
const SPANS: [u64; 9] = [60, 300, 900, 3600, 6 * 3600, 12 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600];
/// Kinds that say nothing of what it was.
const VAGUE: [&str; 3] = ["other", "report", "sigma"];
/// More of them are no help.
const MOST: usize = 5;
/// How many become selections.
const MOST_SELECTIONS: usize = 2;
/// Of so many other incidents none has it: then it is what sets these apart.
const ENOUGH_OTHERS: usize = 5;
/// How long before the incident, and how long before the first one of its signature on that machine: this one all of a
/// group have in common, however late they came.
const BEFORE: &str = "seconds_before";
const BEFORE_FIRST: &str = "seconds_before_first";

/// The kinds of records that stand before each of the incidents, those that the others lack first.
pub(super) fn recorded(material: &Material<'_>, private: &Private) -> Vec<Candidate> {
    let Some(first) = material.of.first() else { return Vec::new() };
    let mut kinds: Vec<&str> = Vec::new();
    for record in first.facts.list("timeline").unwrap_or_default() {
        if let Some(Value::Text(kind)) = record.get("kind")
            && !VAGUE.contains(&&**kind)
            && !kinds.contains(&&**kind)
        {
            kinds.push(kind);
        }
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

/// A kind of record that stands before each of the incidents.
fn candidate(kind: &str, material: &Material<'_>, private: &Private) -> Option<Candidate> {
    let name = facts::schema::TIMELINE_KINDS.iter().copied().find(|known| *known == kind)?;
    let asked = [BEFORE_FIRST, BEFORE].into_iter().find_map(|field| {
        let nearest: Option<Vec<u64>> = material.of.iter().map(|subject| nearest(subject, kind, field)).collect();
        let farthest = nearest?.into_iter().max()?;
        Asked::recorded(kind, field, *SPANS.iter().find(|span| farthest <= **span)?)
    })?;
    let question = asked.question()?;
    let told: Vec<bool> = material.others.iter().filter_map(|subject| question.holds(subject.facts)).collect();
    let change = material.changes.iter().find(|change| change.kind == kind);
    let bears_on = change.and_then(|change| change.bears_on);
    let group = material.of.len() > 1;
    let apart = !told.is_empty() && !told.contains(&true) && (bears_on.is_some() || told.len() >= ENOUGH_OTHERS);
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
    Some(Candidate { name, asked, strength, what: what.into() })
}

/// How long before an incident the nearest record of a kind is, seconds.
fn nearest(subject: &Subject<'_>, kind: &str, field: &str) -> Option<u64> {
    let records = subject.facts.list("timeline")?.iter();
    let of_kind = records.filter(|record| matches!(record.get("kind"), Some(Value::Text(other)) if &**other == kind));
    of_kind
        .filter_map(|record| match record.get(field) {
            Some(Value::Number(before)) => Some(*before),
            _ => None,
        })
        .min()
}

//! What the incidents of a group have in common with incidents of other machines, and within which time.

use std::collections::BTreeSet;

use super::candidates::Candidate;
use super::fact_table::Strength;
use super::material::{Material, Subject};
use super::term::DraftTerm;
use facts::schema::OTHER_INCIDENTS;
use facts::{Record, Shared, Value};

/// Spans of time that people name, seconds.
const SPANS: [u64; 4] = [24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600, 365 * 24 * 3600];
/// What incidents of other machines can have in common, the strongest first.
const IN_COMMON: [Shared; 2] = [Shared::Site, Shared::Signature];
/// The fewest incidents of a group.
const GROUP: usize = 2;

/// The number of other machines on which the same happened, the least of all incidents of the group, as a hint: the author
/// decides whether to ask for it, as the next incident may be the first of its kind.
pub(super) fn elsewhere(material: &Material<'_>) -> Option<Candidate> {
    if material.of.len() < GROUP {
        return None;
    }
    IN_COMMON.into_iter().find_map(|shared| {
        let (within, hosts) = SPANS.into_iter().find_map(|within| {
            let least = material.of.iter().map(|subject| machines(subject, shared, within)).min()?;
            (least > 0).then_some((within, least))
        })?;
        let what = match shared {
            Shared::Site => "the same place on other machines, within the shortest time that holds for all of them",
            _ => "the same signature on other machines, within the shortest time that holds for all of them",
        };
        let term = DraftTerm::Elsewhere(shared.field(), within, hosts);
        Some(Candidate { name: "elsewhere", term, strength: Strength::Hint, what: what.into() })
    })
}

/// The number of other machines on which the same happened within a time in seconds.
fn machines(subject: &Subject<'_>, shared: Shared, within: u64) -> usize {
    let records = subject.facts.list(OTHER_INCIDENTS).unwrap_or_default();
    let is = |record: &Record, field: &str, flag: bool| record.get(field) == Some(&Value::Flag(flag));
    let is_near = |record: &Record| matches!(record.get("seconds_away"), Some(Value::Number(away)) if *away <= within);
    let elsewhere = records.iter().filter(|record| {
        is(record, shared.field(), true) && is(record, Shared::Host.field(), false) && is_near(record)
    });
    elsewhere.filter_map(|record| Some(record.get("host")?.text()?.to_lowercase())).collect::<BTreeSet<_>>().len()
}

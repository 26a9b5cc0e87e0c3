//! What incidents of a group have in common with those of other machines, and within what time.

use std::collections::BTreeSet;

use super::asked::Asked;
use super::candidates::{Candidate, Strength};
use super::{Material, Subject};
use facts::schema::OTHER_INCIDENTS;
use facts::{Record, Shared, Value};

/// Spans of time that people name, seconds.
const SPANS: [u64; 4] = [24 * 3600, 7 * 24 * 3600, 30 * 24 * 3600, 365 * 24 * 3600];
/// What other machines can have in common that says something, the strongest first.
const IN_COMMON: [Shared; 2] = [Shared::Site, Shared::Signature];
/// From so many incidents on there is a group.
const GROUP: usize = 2;

/// The other machines on which the same happened, as far as each of the incidents has them. To ask for it is the author's to
/// decide: the next incident may be the first of its machines.
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
        let asked = Asked::Elsewhere(shared.field(), within, hosts);
        Some(Candidate { name: "elsewhere", asked, strength: Strength::Hint, what: what.into() })
    })
}

/// On how many other machines the same happened within a time.
fn machines(subject: &Subject<'_>, shared: Shared, within: u64) -> usize {
    let records = subject.facts.list(OTHER_INCIDENTS).unwrap_or_default();
    let is = |record: &Record, field: &str, flag: bool| record.get(field) == Some(&Value::Flag(flag));
    let is_near = |record: &Record| matches!(record.get("seconds_away"), Some(Value::Number(away)) if *away <= within);
    let elsewhere = records.iter().filter(|record| {
        is(record, shared.field(), true) && is(record, Shared::Host.field(), false) && is_near(record)
    });
    elsewhere.filter_map(|record| Some(record.get("host")?.text()?.to_lowercase())).collect::<BTreeSet<_>>().len()
}

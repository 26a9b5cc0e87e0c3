//! A group of incidents, and what it has that others have not.

use jiff::Timestamp;
use serde::Serialize;

use super::Shown;
use crate::Report;
use crate::groups;
use evidence::Place;

#[derive(Serialize)]
pub struct Group<'a> {
    signature: &'a str,
    incidents: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Shown<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Shown<Timestamp>>,
    hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
    causes: Vec<CauseCount<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    over_represented: Vec<OverRepresented<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_before: Option<Vec<ChangeBefore<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_unknown: Option<&'a str>,
}

impl<'a> Group<'a> {
    pub(crate) fn of(report: &'a Report, group: &'a groups::Group) -> Self {
        let changes = group.before.changes.as_ref();
        Self {
            signature: &group.signature,
            incidents: &group.incidents,
            first: group.first.map(Shown),
            last: group.last.map(Shown),
            hosts: group.hosts,
            cause: group.cause.as_deref(),
            causes: group
                .causes
                .iter()
                .map(|count| CauseCount { cause: &count.cause, incidents: count.incidents })
                .collect(),
            over_represented: group.over_represented.iter().map(OverRepresented::of).collect(),
            changes_before: changes
                .map(|changes| changes.iter().map(|change| ChangeBefore::of(report, change)).collect()),
            changes_unknown: group.before.unknown.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct CauseCount<'a> {
    cause: &'a str,
    incidents: usize,
}

#[derive(Serialize)]
struct ChangeBefore<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bears_on: Option<&'static str>,
    host: &'a str,
    time: Shown<Timestamp>,
    seconds_before: u64,
    says: &'a str,
    hosts: usize,
    of_hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<&'a str>,
    place: Shown<&'a Place>,
}

impl<'a> ChangeBefore<'a> {
    fn of(report: &'a Report, change: &'a groups::ChangeBefore) -> Self {
        Self {
            kind: change.kind,
            bears_on: change.bears_on.map(groups::BearsOn::word),
            host: &change.host,
            time: Shown(change.time),
            seconds_before: change.seconds_before,
            says: &change.says,
            hosts: change.hosts,
            of_hosts: change.of_hosts,
            artifact: report.artifact_path(change.artifact),
            place: Shown(&change.place),
        }
    }
}

#[derive(Serialize)]
struct OverRepresented<'a> {
    kind: &'static str,
    value: &'a str,
    unit: &'static str,
    in_group: u64,
    of_group: u64,
    elsewhere: u64,
    of_elsewhere: u64,
    difference: [f64; 2],
    p: f64,
    q: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    together_with: Vec<String>,
    may_be_the_program: bool,
    says: String,
}

impl<'a> OverRepresented<'a> {
    fn of(found: &'a groups::OverRepresented) -> Self {
        let counts = found.counts;
        let (least, most) = found.difference;
        Self {
            kind: found.attribute.kind,
            value: &found.attribute.value,
            unit: found.unit.word(),
            in_group: counts.a,
            of_group: counts.n,
            elsewhere: counts.c,
            of_elsewhere: counts.m,
            difference: [two_digits(least), two_digits(most)],
            p: two_digits(found.p),
            q: two_digits(found.q),
            together_with: found.together_with.iter().map(ToString::to_string).collect(),
            may_be_the_program: found.may_be_the_program,
            says: found.says(),
        }
    }
}

/// A number by its first two digits: no more of a statistic means anything, and they don't depend on how a processor
/// rounds the last ones.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

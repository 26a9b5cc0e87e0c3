//! A group of incidents, and what it has that others have not.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Text, shown};
use crate::Report;
use crate::groups::{self, BearsOn, CauseCount};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Group<'a> {
    pub(crate) signature: Text<'a>,
    incidents: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Timestamp>,
    hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Text<'a>>,
    causes: Cow<'a, [CauseCount]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    over_represented: Vec<OverRepresented<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_before: Option<Vec<ChangeBefore<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_unknown: Option<Text<'a>>,
}

impl<'a> Group<'a> {
    pub(super) fn of(report: &'a Report, group: &'a groups::Group) -> Self {
        let changes = group.before.changes.as_ref();
        Self {
            signature: Cow::Borrowed(&group.signature),
            incidents: Cow::Borrowed(&group.incidents),
            first: group.first,
            last: group.last,
            hosts: group.hosts,
            cause: group.cause.as_deref().map(Cow::Borrowed),
            causes: Cow::Borrowed(&group.causes),
            over_represented: group.over_represented.iter().map(OverRepresented::of).collect(),
            changes_before: changes
                .map(|changes| changes.iter().map(|change| ChangeBefore::of(report, change)).collect()),
            changes_unknown: group.before.unknown.as_deref().map(Cow::Borrowed),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct ChangeBefore<'a> {
    kind: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bears_on: Option<Text<'a>>,
    host: Text<'a>,
    time: Timestamp,
    seconds_before: u64,
    says: Text<'a>,
    hosts: usize,
    of_hosts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Text<'a>>,
    place: Text<'a>,
}

impl<'a> ChangeBefore<'a> {
    fn of(report: &'a Report, change: &'a groups::ChangeBefore) -> Self {
        Self {
            kind: Cow::Borrowed(change.kind),
            bears_on: change.bears_on.map(BearsOn::word).map(Cow::Borrowed),
            host: Cow::Borrowed(&change.host),
            time: change.time,
            seconds_before: change.seconds_before,
            says: Cow::Borrowed(&change.says),
            hosts: change.hosts,
            of_hosts: change.of_hosts,
            artifact: report.artifact_path(change.artifact).map(Cow::Borrowed),
            place: shown(&change.place),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct OverRepresented<'a> {
    kind: Text<'a>,
    value: Text<'a>,
    unit: Text<'a>,
    in_group: u64,
    of_group: u64,
    elsewhere: u64,
    of_elsewhere: u64,
    difference: [f64; 2],
    p: f64,
    q: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    together_with: Vec<String>,
    may_be_the_program: bool,
    says: String,
}

impl<'a> OverRepresented<'a> {
    fn of(found: &'a groups::OverRepresented) -> Self {
        let counts = found.counts;
        let (least, most) = found.difference;
        Self {
            kind: Cow::Borrowed(found.attribute.kind),
            value: Cow::Borrowed(&found.attribute.value),
            unit: Cow::Borrowed(found.unit.word()),
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

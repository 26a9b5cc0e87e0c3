//! Sigma rules that matched.

use jiff::Timestamp;
use serde::Serialize;

use super::{Shown, Text};
use crate::Report;
use evidence::{Place, SigmaRule};
use facts::SigmaNearby;

/// What a rule says of itself.
#[derive(Serialize)]
pub(crate) struct Sigma<'a> {
    title: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'static str>,
    tags: Vec<Text<'a>>,
    file: Text<'a>,
}

impl<'a> Sigma<'a> {
    pub(crate) fn of(rule: &'a SigmaRule) -> Self {
        Self {
            title: Text(&rule.title),
            id: rule.id.as_deref().map(Text),
            level: rule.level,
            tags: rule.tags.split("; ").filter(|tag| !tag.is_empty()).map(Text).collect(),
            file: Text(&rule.file),
        }
    }
}

/// A rule that matched around an incident.
#[derive(Serialize)]
pub(super) struct Nearby<'a> {
    #[serde(flatten)]
    rule: Sigma<'a>,
    time: Shown<Timestamp>,
    seconds_after: i64,
    matches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Text<'a>>,
    place: Shown<&'a Place>,
}

impl<'a> Nearby<'a> {
    pub(super) fn of(report: &'a Report, nearby: &'a SigmaNearby) -> Self {
        Self {
            rule: Sigma::of(&nearby.rule),
            time: Shown(nearby.time),
            seconds_after: nearby.seconds,
            matches: nearby.matches,
            artifact: report.artifact_path(nearby.artifact).map(Text),
            place: Shown(&nearby.place),
        }
    }
}

//! Sigma rules that matched.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Text, shown};
use crate::Report;
use evidence::SigmaRule;
use facts::SigmaNearby;

/// What a rule says of itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sigma<'a> {
    title: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Text<'a>>,
    tags: Vec<Text<'a>>,
    file: Text<'a>,
}

impl<'a> Sigma<'a> {
    pub(super) fn of(rule: &'a SigmaRule) -> Self {
        let tags = rule.tags.split("; ").filter(|tag| !tag.is_empty());
        Self {
            title: Cow::Borrowed(&rule.title),
            id: rule.id.as_deref().map(Cow::Borrowed),
            level: rule.level.map(Cow::Borrowed),
            tags: tags.map(Cow::Borrowed).collect(),
            file: Cow::Borrowed(&rule.file),
        }
    }
}

/// A rule that matched around an incident.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Nearby<'a> {
    #[serde(flatten)]
    rule: Sigma<'a>,
    time: Timestamp,
    seconds_after: i64,
    matches: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Text<'a>>,
    place: Text<'a>,
}

impl<'a> Nearby<'a> {
    pub(super) fn of(report: &'a Report, nearby: &'a SigmaNearby) -> Self {
        Self {
            rule: Sigma::of(&nearby.rule),
            time: nearby.time,
            seconds_after: nearby.seconds,
            matches: nearby.matches,
            artifact: report.artifact_path(nearby.artifact).map(Cow::Borrowed),
            place: shown(&nearby.place),
        }
    }
}

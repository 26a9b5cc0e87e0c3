//! Sigma rules that matched, in a document.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::report::Report;
use super::text::{Text, shown};
use evidence::SigmaRule;
use facts::SigmaNearby;

/// The description of a rule.
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sigma<'a> {
    title: Text<'a>,
    id: Option<Text<'a>>,
    level: Option<Text<'a>>,
    tags: Vec<Text<'a>>,
    file: Text<'a>,
}

impl<'a> From<&'a SigmaRule> for Sigma<'a> {
    fn from(rule: &'a SigmaRule) -> Self {
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
#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Nearby<'a> {
    #[serde(flatten)]
    rule: Sigma<'a>,
    time: Timestamp,
    seconds_after: i64,
    matches: usize,
    artifact: Option<Text<'a>>,
    place: Text<'a>,
}

impl<'a> Nearby<'a> {
    pub(super) fn new(report: &'a Report, nearby: &'a SigmaNearby) -> Self {
        Self {
            rule: Sigma::from(&*nearby.rule),
            time: nearby.time,
            seconds_after: nearby.seconds,
            matches: nearby.matches,
            artifact: report.artifact_path(nearby.artifact).map(Cow::Borrowed),
            place: shown(&nearby.place),
        }
    }
}

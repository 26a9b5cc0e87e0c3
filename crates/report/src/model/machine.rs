//! A machine of a document, with its timeline.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::list::List;
use super::part::Part;
use super::report::Report;
use super::sigma::Sigma;
use super::text::{Text, shown};
use incident::EarlierValue;

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Machine<'a> {
    host: Text<'a>,
    party: Option<Text<'a>>,
    environment: Part<'a, BTreeMap<&'static str, String>>,
    environment_earlier: Part<'a, [EarlierValue]>,
    pub(super) timeline: List<'a, TimelineEntry<'a>>,
    coverage: Cow<'a, [String]>,
}

#[skip_serializing_none]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TimelineEntry<'a> {
    time: Timestamp,
    kind: Text<'a>,
    incident: Option<Text<'a>>,
    provider: Option<Text<'a>>,
    event_id: Option<u32>,
    says: Text<'a>,
    sigma: Option<Sigma<'a>>,
    pub(super) artifact: Option<Text<'a>>,
    place: Text<'a>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(report: &'a Report, machine: &'a incident::Machine) -> Self {
        Self {
            host: Cow::Borrowed(&machine.host),
            party: machine.party.as_deref().map(Cow::Borrowed),
            environment: Part::Made(&machine.environment),
            environment_earlier: Part::Made(&machine.earlier),
            timeline: List::made(move || machine.timeline.iter().map(move |entry| TimelineEntry::new(report, entry))),
            coverage: Cow::Borrowed(&machine.coverage),
        }
    }
}

impl<'a> TimelineEntry<'a> {
    fn new(report: &'a Report, entry: &'a incident::TimelineEntry) -> Self {
        let provider = Some(&*entry.provider).filter(|provider| !provider.is_empty());
        Self {
            time: entry.time,
            kind: Cow::Borrowed(entry.kind),
            incident: entry.incident.as_deref().map(Cow::Borrowed),
            provider: provider.map(Cow::Borrowed),
            event_id: provider.map(|_| entry.id),
            says: Cow::Borrowed(&entry.sentence),
            sigma: entry.sigma.as_deref().map(Sigma::from),
            artifact: report.artifact_path(entry.artifact).map(Cow::Borrowed),
            place: shown(&entry.place),
        }
    }
}

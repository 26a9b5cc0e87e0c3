//! A machine with its timeline.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::sigma::Sigma;
use super::{Environment, Shown, Text};
use crate::evidence::Place;
use crate::incident;
use crate::report::Report;

#[derive(Serialize)]
pub(in crate::report) struct Machine<'a> {
    host: &'a str,
    environment: &'a Environment,
    environment_earlier: Vec<EarlierValue<'a>>,
    timeline: Timeline<'a>,
    coverage: &'a [String],
}

#[derive(Serialize)]
struct EarlierValue<'a> {
    key: &'static str,
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Shown<Timestamp>>,
}

impl<'a> EarlierValue<'a> {
    fn of(earlier: &'a incident::EarlierValue) -> Self {
        Self { key: earlier.key, value: &earlier.value, time: earlier.time.map(Shown) }
    }
}

/// A machine's timeline. Its entries are made one by one as they are written: there are tens of thousands.
struct Timeline<'a> {
    report: &'a Report,
    entries: &'a [incident::TimelineEntry],
}

impl Serialize for Timeline<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.entries.iter().map(|entry| TimelineEntry::of(self.report, entry)))
    }
}

#[derive(Serialize)]
struct TimelineEntry<'a> {
    time: Shown<Timestamp>,
    kind: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incident: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_id: Option<u32>,
    says: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sigma: Option<Sigma<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<Text<'a>>,
    place: Shown<&'a Place>,
}

impl<'a> TimelineEntry<'a> {
    fn of(report: &'a Report, entry: &'a incident::TimelineEntry) -> Self {
        let of_event = !entry.provider.is_empty();
        Self {
            time: Shown(entry.time),
            kind: Text(entry.kind),
            incident: entry.incident.as_deref(),
            provider: of_event.then_some(Text(&entry.provider)),
            event_id: of_event.then_some(entry.id),
            says: Text(&entry.says),
            sigma: entry.sigma.as_deref().map(Sigma::of),
            artifact: report.artifact_path(entry.artifact).map(Text),
            place: Shown(&entry.place),
        }
    }
}

impl<'a> Machine<'a> {
    pub(in crate::report) fn of(report: &'a Report, machine: &'a incident::Machine) -> Self {
        Self {
            host: &machine.host,
            environment: &machine.environment,
            environment_earlier: machine.earlier.iter().map(EarlierValue::of).collect(),
            timeline: Timeline { report, entries: &machine.timeline },
            coverage: &machine.coverage,
        }
    }
}

//! What belongs to a machine and not to one process: its timeline, and what its logs cover.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::says;
use super::sighting::{Item, report_kind};
use super::{IncidentKind, Machine, TimelineEntry};
use crate::artifact::LogCoverage;
use crate::artifact::event_log::catalogue;
use crate::evidence::{Event, EventBody, Observation};
use crate::knowledge::Knowledge;

/// The machines that event logs tell of, by name, with their timelines.
#[must_use]
pub fn machines(items: &[Item], coverage: &[LogCoverage], knowledge: &Knowledge) -> Vec<Machine> {
    let mut by_host: BTreeMap<String, Machine> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let Observation::Event(event) = &item.observation else { continue };
        let (Some(host), Some(time)) = (&event.computer, event.time) else { continue };
        let machine = machine_of(&mut by_host, host);
        machine.timeline.push(TimelineEntry {
            time,
            kind: timeline_kind(event),
            provider: Arc::clone(&event.provider),
            id: event.id,
            says: says::of_event(event, knowledge),
            item: index,
            artifact: item.artifact,
            place: item.place.clone(),
        });
    }
    for log in coverage {
        machine_of(&mut by_host, &log.computer).logs.push(log.clone());
    }
    let mut machines: Vec<Machine> = by_host.into_values().collect();
    for machine in &mut machines {
        machine.timeline.sort_by(|a, b| {
            (a.time, &a.provider, a.id, a.artifact, &a.place).cmp(&(b.time, &b.provider, b.id, b.artifact, &b.place))
        });
        machine.coverage = covered(machine);
    }
    machines
}

fn machine_of<'m>(by_host: &'m mut BTreeMap<String, Machine>, host: &Arc<str>) -> &'m mut Machine {
    by_host.entry(host.to_lowercase()).or_insert_with(|| Machine {
        host: Arc::clone(host),
        environment: BTreeMap::new(),
        timeline: Vec::new(),
        logs: Vec::new(),
        coverage: Vec::new(),
    })
}

/// The values of an event as rules search them.
#[must_use]
pub fn values(event: &Event) -> Arc<str> {
    match &event.body {
        EventBody::DisplayDriver { text: Some(text), .. }
        | EventBody::OpenGlDriver { text, .. }
        | EventBody::DotNet { text, .. }
        | EventBody::Other { text } => Arc::clone(text),
        _ => Arc::from(event.fields.iter().map(|(_, value)| &**value).collect::<Vec<_>>().join("; ")),
    }
}

/// What kind of timeline entry an event is: one of [`crate::facts::schema::TIMELINE_KINDS`]. The catalogue says it,
/// but for records whose content decides.
#[must_use]
pub fn timeline_kind(event: &Event) -> &'static str {
    match &event.body {
        EventBody::Wer(report) => match report_kind(report) {
            Some(IncidentKind::Crash) => "crash",
            Some(IncidentKind::Hang) => "hang",
            Some(IncidentKind::GpuReset) => "driver-reset",
            Some(IncidentKind::Bugcheck) => "bugcheck",
            _ => "report",
        },
        EventBody::FileSystem { damaged: false, .. } => "other",
        _ => catalogue::timeline_kind(event).unwrap_or("other"),
    }
}

/// What a machine's logs cover, and which of the two that matter is missing.
fn covered(machine: &Machine) -> Vec<String> {
    let mut by_channel: BTreeMap<&str, (jiff::Timestamp, jiff::Timestamp)> = BTreeMap::new();
    for log in &machine.logs {
        let span = by_channel.entry(&log.channel).or_insert((log.first, log.last));
        *span = (span.0.min(log.first), span.1.max(log.last));
    }
    let mut sentences: Vec<String> = by_channel
        .iter()
        .map(|(channel, (first, last))| format!("the {channel} log covers {first} to {last}"))
        .collect();
    for channel in ["Application", "System"] {
        if !by_channel.keys().any(|known| known.eq_ignore_ascii_case(channel)) {
            sentences.push(format!("no {channel} log of this machine was given"));
        }
    }
    sentences
}

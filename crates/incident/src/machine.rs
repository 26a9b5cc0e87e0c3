//! What belongs to a machine and not to one process: its timeline, and what its logs cover.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::says;
use super::sighting::{ByPlace, Item, report_kind};
use super::{Cleared, IncidentKind, Machine, SIGMA, TimelineEntry};
use evidence::LogCoverage;
use evidence::{Event, EventBody, EventContent, Observation, SigmaMatch, SigmaRule, Stretches};
use windows_codes::Knowledge;
use windows_events::catalogue;

/// The event in the Security log that it was cleared.
const SECURITY_CLEARED: u32 = 1102;

/// The machines that event logs tell of, by name, with their timelines.
#[must_use]
pub fn machines(items: &[Item], coverage: &[LogCoverage], knowledge: &Knowledge) -> Vec<Machine> {
    let mut known = Known::default();
    let mut sentences = Sentences::default();
    for (index, item) in items.iter().enumerate() {
        if let Observation::Sigma(found) = &item.observation
            && let (Some(host), Some(time)) = (&found.computer, found.time)
            && let Some(machine) = known.machine(host)
        {
            machine.timeline.push(of_sigma(found, time, index, item, sentences.of_sigma(found)));
        }
        let Observation::Event(event) = &item.observation else { continue };
        let (Some(host), Some(time)) = (&event.computer, event.time) else { continue };
        let Some(machine) = known.machine(host) else { continue };
        machine.cleared.extend(cleared(event).map(|channel| Cleared { channel: channel.into(), time }));
        let (kind, says) = sentences.of(event, knowledge);
        machine.timeline.push(TimelineEntry {
            time,
            kind,
            provider: Arc::clone(&event.content.provider),
            id: event.content.id,
            says,
            sigma: None,
            incident: None,
            item: index,
            artifact: item.artifact,
            place: item.place.clone(),
        });
    }
    for log in coverage {
        if let Some(machine) = known.machine(&log.computer) {
            machine.logs.push(log.clone());
        }
    }
    let mut machines = known.by_name();
    machines.par_iter_mut().for_each(|machine| {
        sort_in_time(&mut machine.timeline);
        leave_out_copies(&mut machine.timeline);
        machine.cleared.sort_by(|a, b| (a.time, &a.channel).cmp(&(b.time, &b.channel)));
        machine.cleared.dedup();
        machine.coverage = covered(machine);
    });
    machines
}

/// The entry that a match of a Sigma rule makes.
fn of_sigma(found: &SigmaMatch, time: Timestamp, index: usize, item: &Item, says: Arc<str>) -> TimelineEntry {
    TimelineEntry {
        time,
        kind: SIGMA,
        provider: Arc::clone(&found.provider),
        id: found.event_id,
        says,
        sigma: Some(Arc::clone(&found.rule)),
        incident: None,
        item: index,
        artifact: item.artifact,
        place: item.place.clone(),
    }
}

/// What was said of events, by what they share. Logs say most of what they say many times.
#[derive(Default)]
struct Sentences {
    /// Kind and sentence of events, which share their content.
    said: ByPlace<*const EventContent, (&'static str, Arc<str>)>,
    /// Of matches by rule, provider and id.
    matched: HashMap<(*const SigmaRule, *const u8, u32), Arc<str>>,
}

impl Sentences {
    /// The kind of timeline entry that an event is, and its sentence.
    fn of(&mut self, event: &Event, knowledge: &Knowledge) -> (&'static str, Arc<str>) {
        let said = || (timeline_kind(event), says::of_event(event, knowledge).into());
        let (kind, says) = self.said.entry(Arc::as_ptr(&event.content)).or_insert_with(said);
        (*kind, Arc::clone(says))
    }

    fn of_sigma(&mut self, found: &SigmaMatch) -> Arc<str> {
        let key = (Arc::as_ptr(&found.rule), Arc::as_ptr(&found.provider).cast(), found.event_id);
        Arc::clone(self.matched.entry(key).or_insert_with(|| says::of_sigma(found).into()))
    }
}

/// The order of timelines.
pub(super) fn in_time(a: &TimelineEntry, b: &TimelineEntry) -> Ordering {
    (a.time, &a.provider, a.id, a.artifact, &a.place).cmp(&(b.time, &b.provider, b.id, b.artifact, &b.place))
}

/// Sorts a timeline; entries that are equal in that order stay in the order in which they stand. Entries are large: what is
/// sorted are their times, and each entry is moved once.
fn sort_in_time(timeline: &mut Vec<TimelineEntry>) {
    let mut order: Vec<(Timestamp, usize)> = timeline.iter().map(|entry| entry.time).zip(0..).collect();
    order.sort_unstable_by(|(time_a, a), (time_b, b)| {
        let entries = || Some(in_time(timeline.get(*a)?, timeline.get(*b)?));
        time_a.cmp(time_b).then_with(|| entries().unwrap_or(Ordering::Equal)).then(a.cmp(b))
    });
    let mut entries: Vec<Option<TimelineEntry>> = std::mem::take(timeline).into_iter().map(Some).collect();
    timeline.extend(order.into_iter().filter_map(|(_, index)| entries.get_mut(index)?.take()));
}

/// Leaves out what another artifact tells just so, as the copy of a log does: counted twice, it would look like two
/// events. Equal records of one artifact are several events. The entries are in the order of timelines.
fn leave_out_copies(timeline: &mut Vec<TimelineEntry>) {
    let mut stays = Vec::with_capacity(timeline.len());
    for alike in timeline.chunk_by(|a, b| (a.time, &a.provider, a.id) == (b.time, &b.provider, b.id)) {
        // Which artifact tells it first.
        let mut told: HashMap<&str, usize> = HashMap::new();
        match alike {
            [_] => stays.push(true),
            _ => stays
                .extend(alike.iter().map(|entry| *told.entry(&entry.says).or_insert(entry.artifact) == entry.artifact)),
        }
    }
    let mut stays = stays.into_iter();
    timeline.retain(|_| stays.next().unwrap_or(true));
}

/// The machines that are known so far.
#[derive(Default)]
struct Known<'h> {
    machines: Vec<Machine>,
    /// Where in that list a machine is, by its name in lower case.
    by_host: BTreeMap<String, usize>,
    /// The name that was asked for last: a log names one machine thousands of times.
    last: Option<(&'h str, usize)>,
}

impl<'h> Known<'h> {
    /// The machine of that name, whatever its case; never `None`.
    fn machine(&mut self, host: &'h Arc<str>) -> Option<&mut Machine> {
        let index = match self.last {
            Some((name, index)) if *name == **host => index,
            _ => *self.by_host.entry(host.to_lowercase()).or_insert_with(|| {
                self.machines.push(Machine {
                    host: Arc::clone(host),
                    environment: BTreeMap::new(),
                    earlier: Vec::new(),
                    timeline: Vec::new(),
                    logs: Vec::new(),
                    cleared: Vec::new(),
                    coverage: Vec::new(),
                });
                self.machines.len().saturating_sub(1)
            }),
        };
        self.last = Some((host, index));
        self.machines.get_mut(index)
    }

    fn by_name(self) -> Vec<Machine> {
        let mut machines: Vec<Option<Machine>> = self.machines.into_iter().map(Some).collect();
        self.by_host.into_values().filter_map(|index| machines.get_mut(index)?.take()).collect()
    }
}

/// The values of an event as rules search them.
#[must_use]
pub fn values(event: &Event) -> Arc<str> {
    match &event.content.body {
        EventBody::DisplayDriver { text: Some(text), .. }
        | EventBody::OpenGlDriver { text, .. }
        | EventBody::DotNet { text, .. }
        | EventBody::Other { text } => Arc::clone(text),
        _ => Arc::clone(event.content.fields.values()),
    }
}

/// What kind of timeline entry an event is: one of `facts::schema::TIMELINE_KINDS`. The catalogue says it,
/// but for records whose content decides.
#[must_use]
pub fn timeline_kind(event: &Event) -> &'static str {
    match &event.content.body {
        EventBody::Wer(report) => match report_kind(report) {
            Some(IncidentKind::Crash) => "crash",
            Some(IncidentKind::Hang) => "hang",
            Some(IncidentKind::GpuReset) => "driver-reset",
            Some(IncidentKind::Bugcheck) => "bugcheck",
            _ => "report",
        },
        // Audit records say what would have been refused; the image was loaded.
        EventBody::FileSystem { damaged: false, .. } | EventBody::ImageRefused { blocked: false, .. } => "other",
        // A drive that is only hot is not failing.
        EventBody::DriveHealth(health) if health.is_only_hot() => "thermal",
        _ => catalogue::timeline_kind(event).unwrap_or("other"),
    }
}

/// The log that was cleared, if an event says so. The record in the Security log is always about itself, and names none.
fn cleared(event: &Event) -> Option<&str> {
    if catalogue::timeline_kind(event) != Some("log-cleared") {
        return None;
    }
    let channel = event.content.fields.iter().find(|(name, _)| *name == "Channel").map(|(_, channel)| channel.trim());
    channel.filter(|channel| !channel.is_empty()).or((event.content.id == SECURITY_CLEARED).then_some("Security"))
}

/// What a machine's logs cover, in sentences.
fn covered(machine: &Machine) -> Vec<String> {
    let mut by_channel: BTreeMap<&str, Vec<&LogCoverage>> = BTreeMap::new();
    for log in &machine.logs {
        by_channel.entry(&log.channel).or_default().push(log);
    }
    let covered = |(channel, logs): (&str, Vec<&LogCoverage>)| {
        let stretches = Stretches::of(logs.into_iter());
        let spans: Vec<String> = stretches.list().iter().map(|(first, last)| format!("{first} to {last}")).collect();
        format!("the {channel} log covers {}", spans.join(" and "))
    };
    by_channel.into_iter().map(covered).collect()
}

//! Machines with what belongs to them and to no process: the timeline, and what the logs cover.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;
use serde::Serialize;
use serde_with::skip_serializing_none;

use super::incident::IncidentKind;
use super::kinds::report_kind;
use super::sentence::{event_sentence, sigma_sentence};
use super::sourced_evidence::{NumberMap, SourcedEvidence};
use evidence::{CoveredTimes, Event, EventBody, EventContent, LogCoverage, Observation, Place, SigmaMatch, SigmaRule};
use windows_events::catalogue;

/// The event in the Security log that it was cleared.
const SECURITY_CLEARED: u32 = 1102;

/// A machine with what its logs recorded.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// The computer's name.
    pub host: Arc<str>,
    /// The customer whose computer it is, where folders are customers.
    pub party: Option<Arc<str>>,
    /// What is known of it, by the keys [`OF_MACHINE`](super::OF_MACHINE), from the cards of its incidents, texts and logs.
    /// Of several values the latest.
    pub environment: BTreeMap<&'static str, String>,
    /// The other values that evidence has for the same keys, by key, the latest first.
    pub earlier: Vec<EarlierValue>,
    /// What its logs recorded, earliest first.
    pub timeline: Vec<TimelineEntry>,
    /// The event logs that were given, by channel and time.
    pub logs: Vec<LogCoverage>,
    /// The logs that were cleared, by their own record, earliest first.
    pub cleared: Vec<Cleared>,
    /// What the artifacts could not show, in sentences.
    pub coverage: Vec<String>,
}

/// A value of a machine's environment that differs from the current one: it is older, or its time is not known.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierValue {
    /// The key of the environment.
    pub key: &'static str,
    /// The value.
    pub value: String,
    /// The last time at which evidence shows it.
    pub time: Option<Timestamp>,
}

/// A log that was cleared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cleared {
    /// The log's channel.
    pub channel: Arc<str>,
    /// When it was cleared.
    pub time: Timestamp,
}

/// The kind of the timeline entries for records that a Sigma rule matches.
pub const SIGMA: &str = "sigma";

/// One thing that a machine's log recorded, or an incident.
#[derive(Debug, Clone)]
pub struct TimelineEntry {
    /// When it was logged; of an incident, when it happened.
    pub time: Timestamp,
    /// Its kind: one of `facts::schema::TIMELINE_KINDS`.
    pub kind: &'static str,
    /// Provider of the event; empty for an incident without an event.
    pub provider: Arc<str>,
    /// Event id.
    pub id: u32,
    /// Its content, in a sentence.
    pub sentence: Arc<str>,
    /// The Sigma rule that matches the record, of entries of the kind [`SIGMA`].
    pub sigma: Option<Arc<SigmaRule>>,
    /// The id of the incident that the entry reports.
    pub incident: Option<String>,
    /// What it was made of: index into the run's evidence.
    pub item: usize,
    /// Index into the run's artifact list.
    pub artifact: usize,
    /// Where in the artifact.
    pub place: Place,
}

/// The machines that event logs name, by name, with their timelines.
#[must_use]
pub fn machines(items: &[SourcedEvidence], coverage: &[LogCoverage]) -> Vec<Machine> {
    let mut known = MachinesByHost::default();
    let mut sentences = Sentences::default();
    for (index, item) in items.iter().enumerate() {
        let (computer, time) = match &item.observation {
            Observation::Sigma(found) => (&found.computer, found.time),
            Observation::Event(event) => (&event.computer, event.time),
            _ => continue,
        };
        let (Some(host), Some(time)) = (computer, time) else { continue };
        let Some(machine) = known.machine(host) else { continue };
        let (provider, id, kind, sentence, sigma) = match &item.observation {
            Observation::Sigma(found) => {
                (&found.provider, found.event_id, SIGMA, sentences.match_sentence(found), Some(Arc::clone(&found.rule)))
            }
            Observation::Event(event) => {
                machine.cleared.extend(cleared(event).map(|channel| Cleared { channel: channel.into(), time }));
                let (kind, sentence) = sentences.kind_and_sentence(event);
                (&event.content.provider, event.content.id, kind, sentence, None)
            }
            _ => continue,
        };
        machine.timeline.push(TimelineEntry {
            time,
            kind,
            provider: Arc::clone(provider),
            id,
            sentence,
            sigma,
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
        sort_by_time(&mut machine.timeline);
        leave_out_copies(&mut machine.timeline);
        machine.cleared.sort_by(|a, b| (a.time, &a.channel).cmp(&(b.time, &b.channel)));
        machine.cleared.dedup();
        machine.coverage = covered(machine);
    });
    machines
}

/// The sentences that were made, by the parts that events share. Most records of a log repeat the content of others.
#[derive(Default)]
struct Sentences {
    /// The kind of timeline entry and the sentence made for each event's content. The key is the content's address: events
    /// that share their content share the sentence.
    events: NumberMap<*const EventContent, (&'static str, Arc<str>)>,
    /// Sentences of matches, by rule, provider and event id.
    matches: HashMap<(*const SigmaRule, *const u8, u32), Arc<str>>,
}

impl Sentences {
    /// The kind of an event's timeline entry, and its sentence.
    fn kind_and_sentence(&mut self, event: &Event) -> (&'static str, Arc<str>) {
        let made = || (timeline_kind(event), event_sentence(event).into());
        let (kind, sentence) = self.events.entry(Arc::as_ptr(&event.content)).or_insert_with(made);
        (*kind, Arc::clone(sentence))
    }

    fn match_sentence(&mut self, found: &SigmaMatch) -> Arc<str> {
        let key = (Arc::as_ptr(&found.rule), Arc::as_ptr(&found.provider).cast(), found.event_id);
        Arc::clone(self.matches.entry(key).or_insert_with(|| sigma_sentence(found).into()))
    }
}

/// The order of timelines: time, provider, event id, artifact, place.
pub(super) fn timeline_order(a: &TimelineEntry, b: &TimelineEntry) -> Ordering {
    (a.time, &a.provider, a.id, a.artifact, &a.place).cmp(&(b.time, &b.provider, b.id, b.artifact, &b.place))
}

/// Sorts a timeline, stably. Entries are large: their times are sorted, and each entry is moved once.
fn sort_by_time(timeline: &mut Vec<TimelineEntry>) {
    let mut order: Vec<(Timestamp, usize)> = timeline.iter().map(|entry| entry.time).zip(0..).collect();
    order.sort_unstable_by(|(time_a, a), (time_b, b)| {
        let entries = || Some(timeline_order(timeline.get(*a)?, timeline.get(*b)?));
        time_a.cmp(time_b).then_with(|| entries().unwrap_or(Ordering::Equal)).then(a.cmp(b))
    });
    let mut entries: Vec<Option<TimelineEntry>> = std::mem::take(timeline).into_iter().map(Some).collect();
    timeline.extend(order.into_iter().filter_map(|(_, index)| entries.get_mut(index)?.take()));
}

/// Leaves out entries that another artifact has too, as the copy of a log does: counted twice, they would look like two
/// events. Equal records of one artifact are several events. The entries are in the order of timelines.
fn leave_out_copies(timeline: &mut Vec<TimelineEntry>) {
    let mut stays = Vec::with_capacity(timeline.len());
    for alike in timeline.chunk_by(|a, b| (a.time, &a.provider, a.id) == (b.time, &b.provider, b.id)) {
        // By sentence: the first artifact that has it.
        let mut first: HashMap<&str, usize> = HashMap::new();
        match alike {
            [_] => stays.push(true),
            _ => stays.extend(
                alike.iter().map(|entry| *first.entry(&entry.sentence).or_insert(entry.artifact) == entry.artifact),
            ),
        }
    }
    let mut stays = stays.into_iter();
    timeline.retain(|_| stays.next().unwrap_or(true));
}

/// The machines that are known so far.
#[derive(Default)]
struct MachinesByHost<'h> {
    machines: Vec<Machine>,
    /// Where in that list a machine is, by its name in lower case.
    by_host: BTreeMap<String, usize>,
    /// The name that was looked up last, with its place: a log names one machine thousands of times.
    last: Option<(&'h str, usize)>,
}

impl<'h> MachinesByHost<'h> {
    /// The machine with this name (case is ignored), which is added if it is not known yet; never `None`.
    fn machine(&mut self, host: &'h Arc<str>) -> Option<&mut Machine> {
        let index = match self.last {
            Some((name, index)) if *name == **host => index,
            _ => *self.by_host.entry(host.to_lowercase()).or_insert_with(|| {
                self.machines.push(Machine { host: Arc::clone(host), ..Machine::default() });
                self.machines.len().saturating_sub(1)
            }),
        };
        self.last = Some((host, index));
        self.machines.get_mut(index)
    }

    fn by_name(mut self) -> Vec<Machine> {
        self.machines.sort_by_cached_key(|machine| machine.host.to_lowercase());
        self.machines
    }
}

/// The values of an event as rules search them.
#[must_use]
pub fn searched_text(event: &Event) -> &Arc<str> {
    match &event.content.body {
        EventBody::DisplayDriver { text: Some(text), .. }
        | EventBody::OpenGlDriver { text, .. }
        | EventBody::DotNet { text, .. }
        | EventBody::Other { text } => text,
        _ => event.content.fields.values(),
    }
}

/// The kind of an event's timeline entry: one of `facts::schema::TIMELINE_KINDS`. The catalogue has it, except for records
/// whose content decides.
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
        // Audit records name what would have been refused; the image was loaded.
        EventBody::FileSystem { damaged: false, .. } | EventBody::ImageRefused { blocked: false, .. } => "other",
        // A drive that is only hot is not failing.
        EventBody::DriveHealth(health) if health.is_only_hot() => "thermal",
        _ => catalogue::timeline_kind(event).unwrap_or("other"),
    }
}

/// The channel that an event reports as cleared. The record in the Security log is about that log, and names none.
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
    let sentence = |(channel, logs): (&str, Vec<&LogCoverage>)| {
        let stretches = CoveredTimes::from_logs(logs.into_iter());
        let spans: Vec<String> = stretches.list().iter().map(|(first, last)| format!("{first} to {last}")).collect();
        format!("the {channel} log covers {}", spans.join(" and "))
    };
    by_channel.into_iter().map(sentence).collect()
}

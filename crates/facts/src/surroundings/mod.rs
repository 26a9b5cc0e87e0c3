//! What a machine's logs recorded around an incident.
//!
//! Many incidents on one machine see the same records, and rules ask little of most of them: what is made of a record
//! is made once, and what only some rule would ask for is made when the first one does.

mod around;
mod changes;
mod drive;
mod named;
mod nearby;
mod reach;
mod recorded;
mod sigma;

pub use around::{Around, MOST_OF_A_KIND};
pub use changes::{BeforeFirst, Change};
pub use nearby::{Nearby, TIMELINE_FIELDS};
pub use reach::{TIMELINE_AFTER, reach_seconds};
pub use recorded::{NeededInput, Recorded, TimelinePart};
pub use sigma::SigmaNearby;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};

use self::reach::INSTALLS;
use self::recorded::{APPLICATION, SYSTEM};
use evidence::{CoverageAt, CoveredTimes, Event, EventContent, LogCoverage, Observation};
use incident::{Incident, IncidentKind, JoinedIncident, Machine, NumberMap, SourcedEvidence, TimelineEntry};

/// How much of the time before an incident the logs must cover before a missing record counts as "did not happen".
const LEAST_COVERED: SignedDuration = SignedDuration::from_hours(24);

/// The event fields with the name of what was installed; each event about an installation has one of them.
const INSTALLED: &[&str] = &["Product", "PackageIdentifier", "updateTitle", "DriverName", "ServiceName"];
/// Records about one thing that was installed, no farther apart than this, report one installation: a setup writes one
/// for each of its steps, a driver one for each device that it serves.
const ONE_INSTALLATION: SignedDuration = SignedDuration::from_secs(60);

/// A machine with its timeline as the incidents on it see it.
#[derive(Debug)]
pub struct Surroundings<'i> {
    /// The machine.
    pub machine: &'i Machine,
    /// In the order of the machine's timeline.
    logged: Vec<Logged<'i>>,
    /// The positions in `logged` of the entries of each kind, without repeats of an installation.
    by_kind: BTreeMap<&'static str, Vec<usize>>,
    /// The System logs by their first record, each with the last record of all up to it.
    system_logs: Vec<(Timestamp, Timestamp)>,
    /// What the logs of each channel cover, by its name in lower case.
    by_channel: BTreeMap<String, CoveredTimes>,
    /// By item of evidence, the number of the incident that it reports.
    incident_of: NumberMap<usize, u32>,
    /// When incidents of a signature first happened.
    first_of: HashMap<String, Timestamp>,
    /// Whether Sigma rules were matched with the logs.
    sigma: bool,
}

/// The texts of a Sigma rule as they compare, each made when a rule first asks.
#[derive(Debug, Default)]
struct FoldedSigma {
    id: OnceLock<Box<str>>,
    title: OnceLock<Box<str>>,
    tags: OnceLock<Box<str>>,
}

/// An entry of a machine's timeline, as rules compare it.
#[derive(Debug)]
struct Logged<'i> {
    entry: &'i TimelineEntry,
    event: Option<&'i Event>,
    provider: OnceLock<Box<str>>,
    text: OnceLock<Box<str>>,
    sigma: OnceLock<Box<FoldedSigma>>,
    /// Whether it reports a display driver.
    of_display: OnceLock<bool>,
    /// Whether it reports firmware.
    of_firmware: OnceLock<bool>,
    /// The nearest entry before it that is the same record in another copy of the log.
    copy_of: Option<usize>,
}

impl<'i> Surroundings<'i> {
    /// Prepares the timeline of a machine, whose entries refer to `items`. `sigma`: whether Sigma rules were matched
    /// with its logs.
    #[must_use]
    pub fn new(machine: &'i Machine, items: &'i [SourcedEvidence], sigma: bool) -> Self {
        let (logged, by_kind) = rayon::join(|| logged(machine, items), || by_kind(machine, items));
        let system_logs = machine.logs.iter().filter(|log| log.channel.eq_ignore_ascii_case(SYSTEM));
        let mut system_logs: Vec<(Timestamp, Timestamp)> = system_logs.map(|log| (log.first, log.last)).collect();
        system_logs.sort_unstable();
        let mut latest = Timestamp::MIN;
        for (_, last) in &mut system_logs {
            latest = latest.max(*last);
            *last = latest;
        }
        let mut by_channel: BTreeMap<String, Vec<&LogCoverage>> = BTreeMap::new();
        for log in &machine.logs {
            by_channel.entry(log.channel.to_lowercase()).or_default().push(log);
        }
        let by_channel =
            by_channel.into_iter().map(|(name, logs)| (name, CoveredTimes::from_logs(logs.into_iter()))).collect();
        let (incident_of, first_of) = (NumberMap::default(), HashMap::new());
        Self { machine, logged, by_kind, system_logs, by_channel, incident_of, first_of, sigma }
    }

    /// Adds an incident on this machine under its number: the records that report it, and its time if it is the first with
    /// its signature.
    pub fn note(&mut self, number: usize, joined: &JoinedIncident<'_>) {
        if let Ok(number) = u32::try_from(number) {
            self.incident_of.extend(joined.evidence.sightings.iter().map(|sighting| (sighting.item, number)));
        }
        let incident = &joined.incident;
        let Some(time) = incident.time else { return };
        let first = self.first_of.entry(incident.signature.coarse.clone()).or_insert(time);
        *first = (*first).min(time);
    }

    /// When an incident with the signature of this one first happened on the machine, and since when, without a hole,
    /// the log has been kept in which it would have been recorded before.
    fn first_like(&self, incident: &Incident) -> Option<(Timestamp, Option<Timestamp>)> {
        let first = *self.first_of.get(&incident.signature.coarse)?;
        match self.covered(log_of(incident.kind), first) {
            CoverageAt::Since(since) => Some((first, Some(since))),
            _ => Some((first, None)),
        }
    }

    /// What the logs cover around an incident.
    fn recorded(&self, incident: &Incident) -> Option<Recorded> {
        let first = self.first_of.get(&incident.signature.coarse).copied();
        Some(Recorded::new(incident.time?, first, self.by_channel.iter(), self.sigma))
    }

    /// Whether an Application log of the machine was given.
    #[must_use]
    pub fn has_application_log(&self) -> bool {
        self.by_channel.contains_key(&APPLICATION.to_ascii_lowercase())
    }

    /// Whether a System log of the machine was given.
    #[must_use]
    pub fn has_system_log(&self) -> bool {
        !self.system_logs.is_empty()
    }

    /// What the logs of a channel cover of a time.
    fn covered(&self, channel: &str, time: Timestamp) -> CoverageAt {
        self.by_channel.get(&channel.to_ascii_lowercase()).map_or(CoverageAt::Never, |covered| covered.at(time))
    }

    /// Whether a System log of the machine would know what happened at a time.
    fn covers(&self, time: Timestamp) -> bool {
        let begun = self.system_logs.partition_point(|(first, _)| *first <= time);
        let latest = begun.checked_sub(1).and_then(|index| self.system_logs.get(index));
        latest.is_some_and(|(_, last)| time.duration_since(*last) <= TIMELINE_AFTER)
    }
}

/// The log that records incidents of a kind.
fn log_of(kind: IncidentKind) -> &'static str {
    if matches!(kind, IncidentKind::Crash | IncidentKind::Hang) { APPLICATION } else { SYSTEM }
}

/// The event of which an entry was made.
fn event<'i>(entry: &TimelineEntry, items: &'i [SourcedEvidence]) -> Option<&'i Event> {
    match &items.get(entry.item)?.observation {
        Observation::Event(event) => Some(event),
        _ => None,
    }
}

/// The entries of a machine's timeline with their events, and which of them are copies.
fn logged<'i>(machine: &'i Machine, items: &'i [SourcedEvidence]) -> Vec<Logged<'i>> {
    let mut logged: Vec<Logged<'i>> = Vec::with_capacity(machine.timeline.len());
    let at_once = |a: &TimelineEntry, b: &TimelineEntry| (a.time, a.id) == (b.time, b.id) && a.provider == b.provider;
    for alike in machine.timeline.chunk_by(at_once) {
        let mut places = BTreeMap::new();
        for entry in alike {
            // What a Sigma rule says of a record is another entry than what the record says.
            let rule = entry.sigma.as_ref().map(|rule| (&rule.file, &rule.title));
            let copy_of = if alike.len() > 1 { places.insert((&entry.place, rule), logged.len()) } else { None };
            logged.push(Logged {
                entry,
                event: event(entry, items),
                provider: OnceLock::new(),
                text: OnceLock::new(),
                sigma: OnceLock::new(),
                of_display: OnceLock::new(),
                of_firmware: OnceLock::new(),
                copy_of,
            });
        }
    }
    logged
}

/// Indices of a machine's timeline entries by kind, without repeated records of one installation.
fn by_kind(machine: &Machine, items: &[SourcedEvidence]) -> BTreeMap<&'static str, Vec<usize>> {
    let mut by_kind: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    let mut installed = Installed::default();
    for (index, entry) in machine.timeline.iter().enumerate() {
        if !installed.repeats(entry, items) {
            by_kind.entry(entry.kind).or_default().push(index);
        }
    }
    by_kind
}

/// One installation of a product, package or driver: provider, event id, and its name.
type Installation<'i> = (&'i Arc<str>, u32, &'i str);

/// The installations in the timeline so far.
#[derive(Default)]
struct Installed<'i> {
    /// When each was recorded last, by its number.
    last: Vec<Timestamp>,
    /// The number of each installation: its index in `last`.
    numbers: HashMap<Installation<'i>, usize>,
    /// The same numbers by the events' content, which equal records share; `None` for content that names no installed
    /// thing.
    of_content: NumberMap<*const EventContent, Option<usize>>,
}

impl<'i> Installed<'i> {
    /// Whether an entry is another record of an installation that was just recorded.
    fn repeats(&mut self, entry: &TimelineEntry, items: &'i [SourcedEvidence]) -> bool {
        if !INSTALLS.contains(&entry.kind) {
            return false;
        }
        let Some(event) = event(entry, items) else { return false };
        let Self { last, numbers, of_content } = self;
        let number = *of_content.entry(Arc::as_ptr(&event.content)).or_insert_with(|| {
            let what = installed_by(event)?;
            Some(*numbers.entry((&event.content.provider, event.content.id, what)).or_insert_with(|| {
                last.push(Timestamp::MIN);
                last.len().saturating_sub(1)
            }))
        });
        let Some(last) = number.and_then(|number| last.get_mut(number)) else { return false };
        let before = std::mem::replace(last, entry.time);
        entry.time.duration_since(before) < ONE_INSTALLATION
    }
}

/// The name of the installed product, package or driver: the value of the first field of [`INSTALLED`] that the record
/// has.
fn installed_by(event: &Event) -> Option<&str> {
    let rank = |field: &str| INSTALLED.iter().position(|name| *name == field);
    let ranked = event.content.fields.iter().filter_map(|(field, value)| Some((rank(field)?, value)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, value)| value)
}

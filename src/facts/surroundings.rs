//! What a machine's logs recorded around an incident.
//!
//! Many incidents on one machine see the same records, and rules ask little of most of them: what is made of a record
//! is made once, and what only some rule would ask for is made when the first one does.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jiff::{SignedDuration, Timestamp};

use super::from_incident::{evidence, word};
use super::{EvidenceRef, Record, Value};
use crate::artifact::notation::number_u32;
use crate::evidence::{Event, EventBody, NtStatus, Observation, base_name};
use crate::incident::{Built, Item, Machine, TimelineEntry, values};

/// How far back the timeline that rules see goes.
const TIMELINE_BEFORE: SignedDuration = SignedDuration::from_hours(24);
/// How far it goes on after the incident: records about a stop are written at the next start.
const TIMELINE_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// How far back those go that tell what was installed or blocked: what they did may show days later.
const CHANGES_BEFORE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The kinds of those entries.
const CHANGES: &[&str] = &["driver-install", "update", "software-install", "security-block", "image-refused"];
/// Most of them that lie farther back than the others; the nearest count.
const MOST_CHANGES: usize = 128;

/// The field in which AppLocker names a process by its id.
const TARGET_PROCESS: &str = "TargetProcessId";

/// Most timeline entries that rules see, the nearest to the incident. A machine that logs more than this in a day
/// repeats itself.
const MOST_ENTRIES: usize = 512;

/// How many entries on each side of the incident are looked at for those: some are the incident's own, or stand in two
/// copies of a log.
const LOOKED_AT: usize = 1024;

/// A machine with its timeline as the incidents on it see it.
#[derive(Debug)]
pub struct Surroundings<'i> {
    machine: &'i Machine,
    /// In the order of the machine's timeline.
    logged: Vec<Logged<'i>>,
    /// Where in it stands what was installed or blocked, copies left out.
    changes: Vec<usize>,
    /// The System logs by their first record, each with the last record of all up to it.
    system_logs: Vec<(Timestamp, Timestamp)>,
    /// Whether there is an Application log.
    has_application_log: bool,
}

/// An entry of a machine's timeline, as rules compare it.
#[derive(Debug)]
struct Logged<'i> {
    entry: &'i TimelineEntry,
    event: Option<&'i Event>,
    provider: OnceLock<Box<str>>,
    text: OnceLock<Box<str>>,
    /// The nearest entry before it that is the same record in another copy of the log.
    copy_of: Option<usize>,
}

impl<'i> Surroundings<'i> {
    /// Prepares the timeline of a machine whose entries were made of `items`.
    #[must_use]
    pub fn new(machine: &'i Machine, items: &'i [Item]) -> Self {
        let mut logged: Vec<Logged<'i>> = Vec::with_capacity(machine.timeline.len());
        let at_once =
            |a: &TimelineEntry, b: &TimelineEntry| (a.time, a.id) == (b.time, b.id) && a.provider == b.provider;
        for alike in machine.timeline.chunk_by(at_once) {
            let mut places = BTreeMap::new();
            for entry in alike {
                let copy_of = if alike.len() > 1 { places.insert(&entry.place, logged.len()) } else { None };
                let event = items.get(entry.item).and_then(|item| match &item.observation {
                    Observation::Event(event) => Some(&**event),
                    _ => None,
                });
                logged.push(Logged { entry, event, provider: OnceLock::new(), text: OnceLock::new(), copy_of });
            }
        }
        let is = |channel: &str, wanted: &str| channel.eq_ignore_ascii_case(wanted);
        let mut system_logs: Vec<(Timestamp, Timestamp)> =
            machine.logs.iter().filter(|log| is(&log.channel, "System")).map(|log| (log.first, log.last)).collect();
        system_logs.sort_unstable();
        let mut latest = Timestamp::MIN;
        for (_, last) in &mut system_logs {
            latest = latest.max(*last);
            *last = latest;
        }
        let is_change = |logged: &Logged<'_>| logged.copy_of.is_none() && CHANGES.contains(&logged.entry.kind);
        let changes =
            logged.iter().enumerate().filter(|(_, logged)| is_change(logged)).map(|(index, _)| index).collect();
        let has_application_log = machine.logs.iter().any(|log| is(&log.channel, "Application"));
        Self { machine, logged, changes, system_logs, has_application_log }
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &'i Machine {
        self.machine
    }

    /// Whether an Application log of the machine was given.
    #[must_use]
    pub fn has_application_log(&self) -> bool {
        self.has_application_log
    }

    /// Whether a System log of the machine was given.
    #[must_use]
    pub fn has_system_log(&self) -> bool {
        !self.system_logs.is_empty()
    }

    /// Whether a System log of the machine would know what happened at a time.
    fn covers(&self, time: Timestamp) -> bool {
        let begun = self.system_logs.partition_point(|(first, _)| *first <= time);
        let latest = begun.checked_sub(1).and_then(|index| self.system_logs.get(index));
        latest.is_some_and(|(_, last)| time.duration_since(*last) <= TIMELINE_AFTER)
    }
}

/// The timeline around one incident, put together when somebody asks for it.
#[derive(Debug)]
pub struct Around<'m> {
    built: &'m Built<'m>,
    surroundings: Option<&'m Surroundings<'m>>,
    entries: OnceCell<Option<Vec<Nearby<'m>>>>,
    kinds: OnceCell<Vec<&'static str>>,
}

impl<'m> Around<'m> {
    /// The timeline around `built`; `surroundings` are those of the machine it happened on, when its logs were given.
    #[must_use]
    pub fn new(built: &'m Built<'m>, surroundings: Option<&'m Surroundings<'m>>) -> Self {
        Self { built, surroundings, entries: OnceCell::new(), kinds: OnceCell::new() }
    }

    /// The entries, the nearest first. They have evidence numbers that follow the incident's own. Known when something
    /// was recorded, or when the System log of the machine covers the moment: an empty list must mean that nothing was
    /// recorded.
    pub fn entries(&self) -> Option<&[Nearby<'m>]> {
        self.entries.get_or_init(|| nearby(self.built, self.surroundings?)).as_deref()
    }

    /// Whether one of the entries is of this kind; rules mostly ask for kinds that hardly any machine records.
    #[must_use]
    pub fn has_kind(&self, kind: &str) -> bool {
        let kinds = self.kinds.get_or_init(|| {
            let mut kinds: Vec<&'static str> = Vec::new();
            for entry in self.entries().unwrap_or_default() {
                let kind = entry.entry().kind;
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            kinds
        });
        kinds.contains(&kind)
    }

    /// The entries that were asked for: none if nobody did.
    pub fn asked_for(&self) -> &[Nearby<'m>] {
        self.entries.get().and_then(Option::as_deref).unwrap_or_default()
    }
}

/// An entry of the timeline around an incident.
#[derive(Debug)]
pub struct Nearby<'m> {
    built: &'m Built<'m>,
    logged: &'m Logged<'m>,
    seconds: u64,
    after: bool,
    /// The number that it has in findings.
    pub from: Option<EvidenceRef>,
}

impl<'m> Nearby<'m> {
    /// The entry as the machine's timeline has it.
    #[must_use]
    pub fn entry(&self) -> &'m TimelineEntry {
        self.logged.entry
    }

    /// Its distance to the incident in seconds, when it lies before it.
    #[must_use]
    pub fn seconds_before(&self) -> Option<u64> {
        (!self.after).then_some(self.seconds)
    }

    /// Its distance to the incident in seconds, when it lies after it.
    #[must_use]
    pub fn seconds_after(&self) -> Option<u64> {
        self.after.then_some(self.seconds)
    }

    /// Its provider in the form in which texts compare, which `fold` gives.
    pub fn folded_provider(&self, fold: impl FnOnce(&str) -> Cow<'_, str>) -> &'m str {
        self.logged.provider.get_or_init(|| Box::from(fold(&self.logged.entry.provider)))
    }

    /// The values of its record in the form in which texts compare, which `fold` gives.
    pub fn folded_text(&self, fold: impl FnOnce(&str) -> Cow<'_, str>) -> Option<&'m str> {
        let event = self.logged.event?;
        Some(self.logged.text.get_or_init(|| Box::from(fold(&values(event)))))
    }

    /// How a request to a drive or a file ended, where the record says it.
    #[must_use]
    pub fn status(&self) -> Option<NtStatus> {
        match &self.logged.event?.body {
            EventBody::Storage { status, .. } | EventBody::InPageError { status, .. } => *status,
            _ => None,
        }
    }

    /// What of the incident the record names, in a word of [`NAMED_PARTS`](super::schema::NAMED_PARTS): whether one of
    /// its values is the file name, or a path to a file of the name, of the program or of a module that the program
    /// lacked or died in; or, for a refused file, the id of the running process.
    #[must_use]
    pub fn names(&self) -> Option<&'static str> {
        let event = self.logged.event?;
        let incident = &self.built.incident;
        let is_named = |file: &str| {
            let parts = event.fields.iter().flat_map(|(_, value)| value.split(';'));
            parts.map(|part| base_name(part.trim().trim_matches('"'))).any(|name| name.eq_ignore_ascii_case(file))
        };
        let program = incident.process.as_ref().and_then(|process| process.name.as_deref());
        if program.is_some_and(is_named) || self.names_process_id(event) {
            return Some("program");
        }
        let site = incident.fault_site.as_ref().map(|site| &*site.module);
        let suspect = incident.suspect.as_ref().map(|suspect| &*suspect.module);
        let lacked = self.built.gathered.events().flat_map(|(_, event)| match &event.body {
            EventBody::Popup { dlls, .. } => dlls.as_slice(),
            _ => &[],
        });
        let delayed = self.built.gathered.dump().and_then(|(_, dump)| dump.delay_load.as_ref()?.module.as_deref());
        let mut modules = site.into_iter().chain(suspect).chain(delayed).chain(lacked.map(|dll| &**dll));
        modules.any(is_named).then_some("module")
    }

    /// Whether the record is a refusal by process id, as AppLocker's, and the id is the incident's process, which was
    /// running then.
    fn names_process_id(&self, event: &Event) -> bool {
        let Some(process) = &self.built.incident.process else { return false };
        let (Some(pid), Some(started)) = (process.pid, process.started) else { return false };
        let while_it_ran = self.logged.entry.time >= started && !self.after;
        let refused = matches!(event.body, EventBody::ImageRefused { .. });
        let mut fields = event.fields.iter();
        refused
            && while_it_ran
            && fields.any(|(name, value)| name == TARGET_PROCESS && number_u32(value).is_some_and(|id| id == pid))
    }

    /// The entry as a fact.
    #[must_use]
    pub fn record(&self) -> Record {
        let entry = self.logged.entry;
        let side = if self.after { "seconds_after" } else { "seconds_before" };
        let mut fields = vec![
            ("kind", word(entry.kind)),
            ("provider", Value::Text(entry.provider.clone())),
            ("id", Value::Number(u64::from(entry.id))),
            (side, Value::Number(self.seconds)),
        ];
        fields.extend(self.logged.event.map(|event| ("text", Value::Text(values(event)))));
        fields.extend(self.status().map(|status| ("status", Value::Number(u64::from(status.0)))));
        fields.extend(self.names().map(|part| ("names", word(part))));
        Record { fields, from: self.from }
    }
}

fn nearby<'m>(built: &'m Built<'m>, surroundings: &'m Surroundings<'m>) -> Option<Vec<Nearby<'m>>> {
    let time = built.incident.time?;
    if built.gathered.sightings.iter().all(|sighting| sighting.logged_later) {
        // What happened around the time of a late report says nothing about what it reports.
        return None;
    }
    let logged = surroundings.logged.as_slice();
    let start = logged.partition_point(|logged| time.duration_since(logged.entry.time) > TIMELINE_BEFORE);
    // The nearest lie on both sides of the moment. Looking no further than they can be keeps a machine that crashes
    // thousands of times a day from being looked through thousands of times.
    let moment = logged.partition_point(|logged| logged.entry.time <= time);
    let from = start.max(moment.saturating_sub(LOOKED_AT));
    let after = logged.get(moment..).unwrap_or_default();
    let after = after.get(..LOOKED_AT).unwrap_or(after);
    let after = after.partition_point(|logged| logged.entry.time.duration_since(time) <= TIMELINE_AFTER);
    let around = logged.get(from..moment.saturating_add(after)).unwrap_or_default();

    let own: BTreeSet<_> = built.incident.evidence.iter().map(|item| (item.artifact, &item.place)).collect();
    let is_own = |logged: &Logged<'_>| own.contains(&(logged.entry.artifact, &logged.entry.place));
    // The same record in a second copy of the log is no second thing that happened.
    let is_copy = |logged: &Logged<'_>| {
        let earlier = |index: usize| index.checked_sub(from).and_then(|index| around.get(index));
        let mut copies = std::iter::successors(logged.copy_of.and_then(earlier), |one| one.copy_of.and_then(earlier));
        copies.any(|copy| !is_own(copy))
    };
    let (before, after) = around.split_at_checked(moment.saturating_sub(from)).unwrap_or((around, &[]));
    let entries: Vec<(SignedDuration, &Logged<'_>)> = nearest_first(before, after, time)
        .filter(|(_, logged)| !is_own(logged) && !is_copy(logged))
        .take(MOST_ENTRIES)
        .collect();
    let earlier = surroundings.changes.partition_point(|change| {
        let change = logged.get(*change);
        change.is_some_and(|change| time.duration_since(change.entry.time) > TIMELINE_BEFORE)
    });
    let changes = surroundings.changes.get(..earlier).unwrap_or_default().iter().rev();
    let changes = changes
        .filter_map(|change| logged.get(*change))
        .map(|logged| (logged.entry.time.duration_since(time), logged))
        .take_while(|(distance, _)| distance.abs() <= CHANGES_BEFORE)
        .take(MOST_CHANGES);
    let mut changes = changes.peekable();
    if entries.is_empty() && changes.peek().is_none() && !surroundings.covers(time) {
        return None;
    }
    let first = built.incident.evidence.len();
    let numbered = (first..).zip(entries.into_iter().chain(changes)).map(|(number, (distance, logged))| Nearby {
        built,
        logged,
        seconds: distance.as_secs().unsigned_abs(),
        after: distance.is_positive(),
        from: evidence(number),
    });
    Some(numbered.collect())
}

/// The entries on both sides of a moment by their distance from it, each with that distance. Those that are equally far
/// stay in the order of the timeline.
fn nearest_first<'l, 'i>(
    before: &'l [Logged<'i>],
    after: &'l [Logged<'i>],
    time: Timestamp,
) -> impl Iterator<Item = (SignedDuration, &'l Logged<'i>)> {
    let with_distance = move |logged: &'l Logged<'i>| (logged.entry.time.duration_since(time), logged);
    let at_once = before.chunk_by(|a, b| a.entry.time == b.entry.time).rev();
    let mut before = at_once.flatten().map(with_distance).peekable();
    let mut after = after.iter().map(with_distance).peekable();
    std::iter::from_fn(move || match (before.peek(), after.peek()) {
        (Some((earlier, _)), Some((later, _))) if later < &earlier.abs() => after.next(),
        (Some(_), _) => before.next(),
        (None, _) => after.next(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Place;

    fn entry(second: i64, id: u32) -> TimelineEntry {
        TimelineEntry {
            time: Timestamp::from_second(second).expect("a time"),
            kind: "other",
            provider: "disk".into(),
            id,
            says: String::new(),
            item: 0,
            artifact: 0,
            place: Place::Record(u64::from(id)),
        }
    }

    #[test]
    fn entries_come_by_distance_and_equally_distant_ones_in_their_own_order() {
        let entries: Vec<TimelineEntry> =
            [(4, 0), (7, 1), (7, 2), (10, 3), (10, 4), (11, 5), (13, 6), (13, 7), (90, 8)]
                .map(|(s, id)| entry(s, id))
                .into();
        let logged: Vec<Logged<'_>> = entries
            .iter()
            .map(|entry| Logged { entry, event: None, provider: OnceLock::new(), text: OnceLock::new(), copy_of: None })
            .collect();
        let time = Timestamp::from_second(10).expect("a time");
        let (before, after) = logged.split_at(5);
        let found: Vec<u32> = nearest_first(before, after, time).map(|(_, logged)| logged.entry.id).collect();
        let mut expected: Vec<&TimelineEntry> = entries.iter().collect();
        expected.sort_by_key(|entry| entry.time.duration_since(time).abs());
        assert_eq!(found, expected.iter().map(|entry| entry.id).collect::<Vec<_>>());
        assert_eq!(found, [3, 4, 5, 1, 2, 6, 7, 0, 8]);
    }
}

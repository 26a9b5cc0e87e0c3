//! One entry of the timeline around an incident.

use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};

use super::reach::INSTALLS;
use super::{LEAST_COVERED, Logged, drive, named};
use crate::given::FieldValue;
use crate::schema::FactType;
use crate::value::{EvidenceRef, Record};
use evidence::{EventBody, NtStatus, SigmaRule};
use incident::{JoinedIncident, TimelineEntry, searched_text};
use windows_codes::McaStatus;

/// The fields of an entry, in the order of the list `timeline` in schema.yaml. A test of the crate `rules` compares both
/// (`fields_are_those_of_the_schema_in_its_order`).
pub const TIMELINE_FIELDS: &[(&str, OfNearby)] = &[
    ("kind", |nearby| Some(FieldValue::Word(nearby.entry().kind))),
    ("provider", |nearby| Some(text(&nearby.entry().provider, &nearby.logged.provider))),
    ("id", |nearby| Some(FieldValue::Number(nearby.entry().id.into()))),
    ("seconds_before", |nearby| (!nearby.after).then_some(FieldValue::Number(nearby.seconds))),
    ("seconds_after", |nearby| nearby.after.then_some(FieldValue::Number(nearby.seconds))),
    ("text", |nearby| Some(text(searched_text(nearby.logged.event?), &nearby.logged.text))),
    ("status", |nearby| Some(FieldValue::Number(nearby.status()?.0.into()))),
    ("names", |nearby| nearby.names().map(FieldValue::Word)),
    ("drive", |nearby| drive::drive(nearby.logged.event?, nearby.joined).map(FieldValue::Word)),
    ("component", |nearby| nearby.component().map(FieldValue::Word)),
    ("machine_check", |nearby| nearby.machine_check().map(FieldValue::Word)),
    ("seconds_before_first", |nearby| nearby.seconds_before_first().map(FieldValue::Number)),
    ("seconds_after_first", |nearby| nearby.seconds_after_first().map(FieldValue::Number)),
    ("held_by", |nearby| nearby.held_by().map(FieldValue::Word)),
    ("incident", |nearby| Some(FieldValue::Number(nearby.incident?.into()))),
    ("sigma_id", |nearby| Some(text(nearby.sigma()?.id.as_ref()?, &nearby.logged.sigma.get_or_init(Box::default).id))),
    ("sigma_title", |nearby| Some(text(&nearby.sigma()?.title, &nearby.logged.sigma.get_or_init(Box::default).title))),
    ("sigma_level", |nearby| nearby.sigma()?.level.map(FieldValue::Word)),
    ("sigma_tags", |nearby| Some(text(&nearby.sigma()?.tags, &nearby.logged.sigma.get_or_init(Box::default).tags))),
];

/// How an entry gives a field.
type OfNearby = for<'a> fn(&'a Nearby<'a>) -> Option<FieldValue<'a>>;

fn text<'a>(written: &'a Arc<str>, folded: &'a OnceLock<Box<str>>) -> FieldValue<'a> {
    FieldValue::Text { written, kind: FactType::Text, folded }
}

/// An entry of the timeline around an incident.
#[derive(Debug)]
pub struct Nearby<'m> {
    joined: &'m JoinedIncident<'m>,
    logged: &'m Logged<'m>,
    seconds: u64,
    after: bool,
    /// When the first incident like this one was, and since when such are recorded.
    first_like: Option<(Timestamp, Option<Timestamp>)>,
    /// The number, among the incidents around, of the incident that the entry reports; entries with the same number
    /// report the same one.
    incident: Option<u32>,
    /// The entry's evidence number in findings.
    pub from: Option<EvidenceRef>,
}

impl<'m> Nearby<'m> {
    /// An entry at a distance from the incident, negative before it.
    pub(super) fn new(
        joined: &'m JoinedIncident<'m>,
        logged: &'m Logged<'m>,
        distance: SignedDuration,
        first_like: Option<(Timestamp, Option<Timestamp>)>,
        incident: Option<u32>,
        from: Option<EvidenceRef>,
    ) -> Self {
        let (seconds, after) = (distance.as_secs().unsigned_abs(), distance.is_positive());
        Self { joined, logged, seconds, after, first_like, incident, from }
    }

    /// The entry as the machine's timeline has it.
    #[must_use]
    pub fn entry(&self) -> &'m TimelineEntry {
        self.logged.entry
    }

    /// How a request to a drive or a file ended, where the record contains it.
    fn status(&self) -> Option<NtStatus> {
        match &self.logged.event?.content.body {
            EventBody::Storage { status, .. } | EventBody::InPageError { status, .. } => *status,
            _ => None,
        }
    }

    /// What of the incident the record is about, in a word of the schema.
    fn names(&self) -> Option<&'static str> {
        let event = self.logged.event?;
        let started = self.joined.incident.process.as_ref().and_then(|process| process.started);
        let while_it_ran = !self.after && started.is_some_and(|started| self.logged.entry.time >= started);
        named::named(event, self.joined, while_it_ran)
    }

    /// Which part of the machine the record of a hardware error is about, in a word of the schema.
    fn component(&self) -> Option<&'static str> {
        match &self.logged.event?.content.body {
            EventBody::Hardware { component, .. } => Some(component),
            _ => None,
        }
    }

    /// What kind of error the record of a machine check reports, in a word of the schema.
    fn machine_check(&self) -> Option<&'static str> {
        match &self.logged.event?.content.body {
            EventBody::Hardware { component: "processor", status, .. } => {
                Some(McaStatus::new((*status)?)?.class().word())
            }
            _ => None,
        }
    }

    /// How many seconds before the first incident with the same signature on this machine something was installed,
    /// where the log that would hold earlier ones had begun long enough before the installation.
    fn seconds_before_first(&self) -> Option<u64> {
        let (first, recorded_since) = self.first_like?;
        let entry = self.logged.entry;
        let is_known = entry.time.duration_since(recorded_since?) >= LEAST_COVERED && entry.time <= first;
        let known = INSTALLS.contains(&entry.kind) && is_known;
        known.then(|| first.duration_since(entry.time).as_secs().unsigned_abs())
    }

    /// How many seconds after the first such incident that is known something was installed.
    fn seconds_after_first(&self) -> Option<u64> {
        let (first, _) = self.first_like?;
        let entry = self.logged.entry;
        let after = INSTALLS.contains(&entry.kind) && entry.time > first;
        after.then(|| entry.time.duration_since(first).as_secs().unsigned_abs())
    }

    /// Which holder had more than half of the exhausted memory that the record reports, in a word of the schema.
    fn held_by(&self) -> Option<&'static str> {
        let EventBody::MemoryExhausted { commit_charge, top, held, .. } = &self.logged.event?.content.body else {
            return None;
        };
        let half = (*commit_charge)? >> 1;
        let held = held.as_ref()?;
        let program = top.iter().map(|(_, _, bytes)| *bytes).max().unwrap_or(0);
        let holders = [("pool", held.pools), ("program", program), ("programs", held.processes)];
        Some(holders.into_iter().find(|(_, bytes)| *bytes > half).map_or("other", |(holder, _)| holder))
    }

    fn sigma(&self) -> Option<&'m SigmaRule> {
        self.logged.entry.sigma.as_deref()
    }

    /// The entry as a fact.
    #[must_use]
    pub fn record(&self) -> Record {
        let known = TIMELINE_FIELDS.iter().filter_map(|(name, field)| Some((*name, field(self)?.value())));
        Record { fields: known.collect(), from: self.from }
    }
}

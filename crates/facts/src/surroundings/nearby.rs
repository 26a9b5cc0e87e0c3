//! One entry of the timeline around an incident.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::reach::INSTALLS;
use super::{LEAST_COVERED, Logged, drive, named};
use crate::value::{EvidenceRef, Record, Value, word};
use evidence::{EventBody, NtStatus, SigmaRule};
use incident::{JoinedIncident, TimelineEntry, values};
use windows_codes::McaStatus;

/// The id, title and tags of a Sigma rule, in the form in which rules compare texts.
#[derive(Debug)]
pub struct FoldedSigma {
    /// Its id.
    pub id: Option<Box<str>>,
    /// Its title.
    pub title: Box<str>,
    /// Its tags.
    pub tags: Box<str>,
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
    /// The number of the incident that it reports, among those around.
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
        match &self.logged.event?.content.body {
            EventBody::Storage { status, .. } | EventBody::InPageError { status, .. } => *status,
            _ => None,
        }
    }

    /// What of the incident the record is about, in a word of the schema.
    #[must_use]
    pub fn names(&self) -> Option<&'static str> {
        let event = self.logged.event?;
        let started = self.joined.incident.process.as_ref().and_then(|process| process.started);
        let while_it_ran = !self.after && started.is_some_and(|started| self.logged.entry.time >= started);
        named::named(event, self.joined, while_it_ran)
    }

    /// Whether the record is about the drive of the incident, in a word of the schema.
    #[must_use]
    pub fn drive(&self) -> Option<&'static str> {
        drive::drive(self.logged.event?, self.joined)
    }

    /// Which part of the machine the record of a hardware error is about, in a word of the schema.
    #[must_use]
    pub fn component(&self) -> Option<&'static str> {
        match &self.logged.event?.content.body {
            EventBody::Hardware { component, .. } => Some(component),
            _ => None,
        }
    }

    /// What kind of error the record of a machine check reports, in a word of the schema.
    #[must_use]
    pub fn machine_check(&self) -> Option<&'static str> {
        match &self.logged.event?.content.body {
            EventBody::Hardware { component: "processor", status, .. } => {
                Some(McaStatus::new((*status)?)?.class().word())
            }
            _ => None,
        }
    }

    /// How many seconds before the first incident with the same signature on this machine something was installed,
    /// where the log that would hold earlier ones had begun long enough before the installation.
    #[must_use]
    pub fn seconds_before_first(&self) -> Option<u64> {
        let (first, recorded_since) = self.first_like?;
        let entry = self.logged.entry;
        let is_known = entry.time.duration_since(recorded_since?) >= LEAST_COVERED && entry.time <= first;
        let known = INSTALLS.contains(&entry.kind) && is_known;
        known.then(|| first.duration_since(entry.time).as_secs().unsigned_abs())
    }

    /// How many seconds after the first such incident that is known something was installed.
    #[must_use]
    pub fn seconds_after_first(&self) -> Option<u64> {
        let (first, _) = self.first_like?;
        let entry = self.logged.entry;
        let after = INSTALLS.contains(&entry.kind) && entry.time > first;
        after.then(|| entry.time.duration_since(first).as_secs().unsigned_abs())
    }

    /// Who held most of the memory that the record says had run out, in a word of the schema.
    #[must_use]
    pub fn held_by(&self) -> Option<&'static str> {
        let EventBody::MemoryExhausted { commit_charge, top, held, .. } = &self.logged.event?.content.body else {
            return None;
        };
        let half = (*commit_charge)? >> 1;
        let held = held.as_ref()?;
        let program = top.iter().map(|(_, _, bytes)| *bytes).max().unwrap_or(0);
        let holders = [("pool", held.pools), ("program", program), ("programs", held.processes)];
        Some(holders.into_iter().find(|(_, bytes)| *bytes > half).map_or("other", |(holder, _)| holder))
    }

    /// The number of the incident that it reports: what has one number reports one.
    #[must_use]
    pub fn incident(&self) -> Option<u32> {
        self.incident
    }

    /// The Sigma rule that it is a match of.
    #[must_use]
    pub fn sigma(&self) -> Option<&'m SigmaRule> {
        self.logged.entry.sigma.as_deref()
    }

    /// What that rule says of itself in the form in which texts compare, which `fold` gives.
    pub fn folded_sigma(&self, fold: impl Fn(&str) -> Cow<'_, str>) -> Option<&'m FoldedSigma> {
        let rule = self.sigma()?;
        let folded = || FoldedSigma {
            id: rule.id.as_deref().map(|id| Box::from(fold(id))),
            title: Box::from(fold(&rule.title)),
            tags: Box::from(fold(&rule.tags)),
        };
        Some(self.logged.sigma.get_or_init(|| Box::new(folded())))
    }

    /// The entry as a fact.
    #[must_use]
    pub fn record(&self) -> Record {
        let entry = self.logged.entry;
        let side = if self.after { "seconds_after" } else { "seconds_before" };
        let sigma = self.sigma();
        let fields = [
            ("kind", Some(word(entry.kind))),
            ("provider", Some(Arc::clone(&entry.provider).into())),
            ("id", Some(entry.id.into())),
            (side, Some(self.seconds.into())),
            ("text", self.logged.event.map(values).map(Value::Text)),
            ("status", self.status().map(|status| status.0.into())),
            ("names", self.names().map(word)),
            ("drive", self.drive().map(word)),
            ("component", self.component().map(word)),
            ("machine_check", self.machine_check().map(word)),
            ("seconds_before_first", self.seconds_before_first().map(Value::Number)),
            ("seconds_after_first", self.seconds_after_first().map(Value::Number)),
            ("held_by", self.held_by().map(word)),
            ("incident", self.incident.map(Value::from)),
            ("sigma_id", sigma.and_then(|rule| rule.id.clone()).map(Value::Text)),
            ("sigma_title", sigma.map(|rule| Arc::clone(&rule.title).into())),
            ("sigma_level", sigma.and_then(|rule| rule.level).map(word)),
            ("sigma_tags", sigma.map(|rule| Arc::clone(&rule.tags).into())),
        ];
        Record::of_known(fields, self.from)
    }
}

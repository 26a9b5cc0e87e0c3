//! The evidence of one incident, by its format.

use std::collections::BTreeSet;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::crash_record::CrashRecord;
use super::sighting::Sighting;
use super::sourced_evidence::SourcedEvidence;
use evidence::{
    BugcheckCode, Event, EventBody, KernelDump, Observation, ProcessDump, ServiceEnd, Ticket, Version, WerReport,
};

/// The joined evidence of one incident. Evidence number `n`, counted from 0, is what reports call `e(n+1)`.
#[derive(Debug, Clone)]
pub struct JoinedEvidence<'i> {
    /// The sightings, by rank.
    pub sightings: Vec<&'i Sighting<'i>>,
    /// Their evidence, in the same order. Behind it, evidence of no incident by itself that belongs to this one.
    pub items: Vec<&'i SourcedEvidence>,
    /// What the messages of events among the items state, with their evidence numbers.
    pub messages: Vec<(usize, Arc<[Ticket]>)>,
}

impl<'i> JoinedEvidence<'i> {
    /// The first process dump, with its evidence number.
    #[must_use]
    pub fn dump(&self) -> Option<(usize, &'i ProcessDump)> {
        self.all(|observation| match observation {
            Observation::Process(dump) => Some(&**dump),
            _ => None,
        })
        .next()
    }

    /// The first kernel dump, with its evidence number.
    #[must_use]
    pub fn kernel_dump(&self) -> Option<(usize, &'i KernelDump)> {
        self.all(|observation| match observation {
            Observation::Kernel(dump) => Some(&**dump),
            _ => None,
        })
        .next()
    }

    /// Hashes (XXH3) of the lines of each text about the incident, sorted, each once.
    pub(super) fn text_hashes(&self) -> BTreeSet<u64> {
        let hash = |ticket: &Ticket| {
            let mut hash = Xxh3::new();
            for line in &ticket.lines {
                hash.update(line.text.as_bytes());
                hash.update(b"\n");
            }
            hash.digest()
        };
        self.tickets().map(|(_, ticket)| hash(ticket)).collect()
    }

    /// All texts about the incident, with their evidence numbers.
    pub fn tickets(&self) -> impl Iterator<Item = (usize, &'i Ticket)> + '_ {
        let count = self.sightings.len();
        self.all_tickets().take_while(move |(number, _)| *number < count)
    }

    /// What all texts about the incident state, and all messages of its events, with their evidence numbers.
    pub fn told(&self) -> impl Iterator<Item = (usize, &Ticket)> + '_ {
        let messages =
            self.messages.iter().flat_map(|(number, tickets)| tickets.iter().map(|ticket| (*number, ticket)));
        self.tickets().chain(messages)
    }

    /// All texts, those that only describe the machine among them, with their evidence numbers.
    pub fn all_tickets(&self) -> impl Iterator<Item = (usize, &'i Ticket)> + '_ {
        self.all(|observation| match observation {
            Observation::Ticket(ticket) => Some(&**ticket),
            _ => None,
        })
    }

    /// All WER reports: files, and event 1001.
    pub(super) fn reports(&self) -> impl Iterator<Item = (usize, &'i WerReport)> + '_ {
        self.all(|observation| match observation {
            Observation::Wer(report) => Some(&**report),
            Observation::Event(event) => match &event.content.body {
                EventBody::Wer(report) => Some(&**report),
                _ => None,
            },
            _ => None,
        })
    }

    /// The first WER report that satisfies `wanted`, with its evidence number: reports of files come before events.
    #[must_use]
    pub fn report(&self, wanted: impl Fn(&WerReport) -> bool) -> Option<(usize, &'i WerReport)> {
        let is_event = |number: usize| {
            self.items.get(number).is_some_and(|item| matches!(item.observation, Observation::Event(_)))
        };
        self.reports().filter(|(_, report)| wanted(report)).min_by_key(|(number, _)| is_event(*number))
    }

    /// All events, with their evidence numbers.
    pub fn events(&self) -> impl Iterator<Item = (usize, &'i Event)> + '_ {
        self.all(|observation| match observation {
            Observation::Event(event) => Some(event),
            _ => None,
        })
    }

    /// What `pick` takes of the first event that it accepts, with the evidence number.
    pub fn event<T>(&self, pick: impl Fn(&'i EventBody) -> Option<T>) -> Option<(usize, T)> {
        self.events().find_map(|(number, event)| Some((number, pick(&event.content.body)?)))
    }

    /// The path of the dump in event 1001 of a blue screen.
    #[must_use]
    pub fn named_dump(&self) -> Option<&'i str> {
        let named = self.event(|body| match body {
            EventBody::BugCheck { dump_path, .. } => dump_path.as_deref(),
            _ => None,
        });
        named.map(|(_, path)| path)
    }

    /// The end of a service.
    #[must_use]
    pub fn ended_service(&self) -> Option<&'i ServiceEnd> {
        let ended = self.event(|body| match body {
            EventBody::ServiceEnded(end) => Some(end),
            _ => None,
        });
        ended.map(|(_, end)| end)
    }

    /// All that `pick` takes of observations, with the evidence numbers.
    fn all<T>(&self, pick: impl Fn(&'i Observation) -> Option<T>) -> impl Iterator<Item = (usize, T)> {
        self.items.iter().enumerate().filter_map(move |(number, item)| Some((number, pick(&item.observation)?)))
    }

    /// What each event, WER report and text states of the crash, with its evidence number.
    #[must_use]
    pub fn crash_records(&self) -> Vec<(usize, CrashRecord<'i>)> {
        self.all(CrashRecord::read).collect()
    }

    /// The modules that crash events, WER reports and texts name, the executable before the faulting module: evidence
    /// number, file name, path and version.
    pub fn named_modules(&self) -> impl Iterator<Item = (usize, &'i str, Option<&'i str>, Option<Version>)> + '_ {
        let records = self.all(|observation| match observation {
            Observation::Event(event) => match &event.content.body {
                EventBody::ApplicationError(_) | EventBody::Wer(_) => CrashRecord::read(observation),
                _ => None,
            },
            // The path in a text counts for the process alone.
            Observation::Ticket(_) => Some(CrashRecord { app_path: None, ..CrashRecord::read(observation)? }),
            other => CrashRecord::read(other),
        });
        records.flat_map(|(number, record)| {
            let app = record.app.map(|app| (number, app, record.app_path, record.app_version));
            let module = record.module.map(|module| (number, module, record.module_path, record.module_version));
            app.into_iter().chain(module)
        })
    }

    /// The bugcheck code with its parameters, from whichever evidence has it, with the evidence number.
    #[must_use]
    pub fn bugcheck(&self) -> Option<(usize, BugcheckCode, Vec<u64>)> {
        let exact = self.sightings.iter().enumerate().find_map(|(number, sighting)| {
            sighting.bugcheck.map(|(code, parameters)| (number, code, parameters.to_vec()))
        });
        let told = |(number, ticket): (usize, &Ticket)| {
            ticket.bugcheck.clone().map(|(code, parameters)| (number, code, parameters))
        };
        exact.or_else(|| self.tickets().find_map(told))
    }
}

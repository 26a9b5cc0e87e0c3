//! How the session before a start ended, by what the computer's logs recorded up to that start.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use rayon::prelude::*;

use super::join::limits::RESTART_WINDOW;
use super::joined_evidence::JoinedEvidence;
use super::sighting::{Family, RestartRecord, Sighting};
use super::sourced_evidence::SourcedEvidence;
use evidence::{Event, EventBody, Observation};

/// How long a start takes at most until its records are logged, where no record has the start itself: drivers log what
/// they find before Windows notes that it was not shut down.
const START_TAKES: SignedDuration = SignedDuration::from_mins(2);
/// How far from a start its last record before can be and still be near the end of the session: of most records, only those
/// that the catalogue has are known.
const LAST_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// How long a shutdown can go on behind its own record.
const SHUTDOWN_TAKES: SignedDuration = SignedDuration::from_mins(2);
/// How long the system can run on after a press of the power button that ends it: Windows writes the press down, and what
/// runs on for longer was ended by something else.
const BUTTON_TAKES: SignedDuration = SignedDuration::from_mins(5);

/// What a computer's logs recorded, in the order of time.
#[derive(Default)]
struct Records {
    all: Vec<Timestamp>,
    /// Kernel-General 12, which has the moment of the start, each with the record before it in its log.
    starts: Vec<(Timestamp, Option<Timestamp>)>,
    /// Kernel-General 13 and Kernel-Power 109: Windows shut down, or its kernel began to, which is the last thing it does.
    shutdowns: Vec<Timestamp>,
}

/// The records of the computers that were restarted without a shutdown.
pub(super) struct Sessions(BTreeMap<String, Records>);

/// How a session ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SessionEnd {
    /// The last moment that is known of it.
    pub(super) time: Option<Timestamp>,
    /// Whether Windows had finished its shutdown.
    pub(super) shut_down: bool,
}

impl Sessions {
    /// The records among `items` of the computers with sightings of a restart.
    pub(super) fn new(items: &[SourcedEvidence], sightings: &[Sighting<'_>]) -> Self {
        let restarted = sightings.iter().filter(|sighting| sighting.is_of_restart());
        let mut by_host: BTreeMap<String, Records> = restarted
            .filter_map(|sighting| Some((sighting.host.as_ref()?.to_lowercase(), Records::default())))
            .collect();
        if by_host.is_empty() {
            return Self(by_host);
        }
        for item in items {
            let Observation::Event(event) = &item.observation else { continue };
            let (Some(host), Some(time)) = (&event.computer, event.time) else { continue };
            let Some(records) = by_host.get_mut(&*host.to_lowercase()) else { continue };
            records.all.push(time);
            if let EventBody::SystemStarted { last_before, .. } = event.content.body {
                records.starts.push((time, last_before));
            }
            if is_event(event, "Microsoft-Windows-Kernel-General", 13)
                || is_event(event, "Microsoft-Windows-Kernel-Power", 109)
            {
                records.shutdowns.push(time);
            }
        }
        by_host.par_iter_mut().for_each(|(_, records)| {
            records.starts.sort_unstable();
            records.all.sort_unstable();
            records.shutdowns.sort_unstable();
        });
        Self(by_host)
    }

    /// The end of the session that the records of a restart are about; nothing where `evidence` has no such record.
    pub(super) fn end(&self, evidence: &JoinedEvidence<'_>) -> SessionEnd {
        let of_restart = || evidence.sightings.iter().filter(|sighting| sighting.is_of_restart());
        let Some(logged) = of_restart().filter_map(|sighting| sighting.time).min() else {
            return SessionEnd::default();
        };
        let host = of_restart().find_map(|sighting| sighting.host.as_ref());
        let records = host.and_then(|host| self.0.get(&host.to_lowercase()));
        let last = records.and_then(|records| records.last_before_start(logged));
        let alive = of_restart().find_map(|sighting| sighting.last_alive());
        let known = last.max(alive);
        let pressed = evidence.sightings.iter().find_map(|sighting| sighting.power_button());
        // An earlier press did not end the session.
        let pressed = pressed.filter(|pressed| {
            *pressed <= logged && known.is_none_or(|known| known.duration_since(*pressed) <= BUTTON_TAKES)
        });
        let is = |wanted: RestartRecord| of_restart().any(|sighting| sighting.family == Family::Restart(wanted));
        // EventLog writes 6008 whenever it was not stopped itself, and it is stopped in each shutdown that finishes.
        let stopped = evidence.bugcheck().is_some() || is(RestartRecord::DumpOutcome);
        let lost = stopped || is(RestartRecord::EventLog) || is(RestartRecord::Heat);
        let shutdown = records.zip(last).and_then(|(records, last)| records.shutdown_at(last)).filter(|_| !lost);
        SessionEnd { time: shutdown.or(pressed).or(known), shut_down: shutdown.is_some() }
    }
}

impl Records {
    /// The last record before the start whose records were logged from `logged` on.
    fn last_before_start(&self, logged: Timestamp) -> Option<Timestamp> {
        let latest = logged.saturating_add(START_TAKES).unwrap_or(logged);
        let count = self.starts.partition_point(|(start, _)| *start < latest);
        let begun = count.checked_sub(1).and_then(|index| self.starts.get(index));
        let begun = begun.filter(|(start, _)| logged.duration_since(*start) <= RESTART_WINDOW);
        let boot = match begun {
            Some((start, _)) => (*start).min(logged),
            None => logged.checked_sub(START_TAKES).unwrap_or(logged),
        };
        // By their order in the log, where that is known: a start can set the clock.
        let in_log = begun.and_then(|(_, last)| *last);
        let known = || before(&self.all, boot).filter(|last| boot.duration_since(*last) <= LAST_WITHIN);
        in_log.or_else(known)
    }

    /// When Windows shut down, if that was about the last thing that it recorded, at `last`.
    fn shutdown_at(&self, last: Timestamp) -> Option<Timestamp> {
        let count = self.shutdowns.partition_point(|shutdown| *shutdown <= last);
        let shutdown = *self.shutdowns.get(count.checked_sub(1)?)?;
        let started_again = self.starts.iter().any(|(start, _)| (shutdown..=last).contains(start));
        (last.duration_since(shutdown) <= SHUTDOWN_TAKES && !started_again).then_some(shutdown)
    }
}

/// The last of these times before a moment.
fn before(times: &[Timestamp], moment: Timestamp) -> Option<Timestamp> {
    let count = times.partition_point(|time| *time < moment);
    times.get(count.checked_sub(1)?).copied()
}

fn is_event(event: &Event, provider: &str, id: u32) -> bool {
    event.content.id == id
        && event.content.provider.eq_ignore_ascii_case(provider)
        && matches!(event.content.body, EventBody::Said { .. } | EventBody::Other { .. })
}

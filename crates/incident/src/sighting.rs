//! Evidence that an incident happened, with what joining compares.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Timestamp;
use rayon::prelude::*;

use super::crash_record::CrashRecord;
use super::incident::IncidentKind;
use super::kinds::{bugcheck_kind, exit_kind, popup_kind, report_kind, reports_gpu_failure, ticket_kind};
use super::sourced_evidence::SourcedEvidence;
use evidence::{BugcheckCode, Event, EventBody, EventContent, Observation, Place, WerReport, base_name};

/// One piece of evidence that an incident happened, and the facts in it by which it joins others. Sightings are equal, and
/// in order, by their index.
#[derive(Debug, Clone)]
pub struct Sighting<'i> {
    /// Index into the run's sightings.
    pub(super) index: usize,
    /// Index of the evidence in the run's list.
    pub item: usize,
    /// The evidence.
    pub evidence: &'i SourcedEvidence,
    /// What kind of incident it is of.
    pub kind: IncidentKind,
    /// The place in the order of an incident's evidence: the lower, the more the evidence knows of the incident. 0 is a dump
    /// of the failure, 1 a log's record of the failure, 2 a report about it or about the restart, 3 and 4 are records that
    /// say less of it (records beside another one, ends of processes and services, dumps of running processes), 5 is a text.
    pub rank: u8,
    /// The computer.
    pub host: Option<Arc<str>>,
    /// The computer whose event logs are beside the artifact, for artifacts that do not name theirs.
    pub folder_host: Option<Arc<str>>,
    /// When the incident happened, or, for records that are written later, when the record was logged.
    pub time: Option<Timestamp>,
    /// Whether that time is when a report was logged, which can be days after what it reports.
    pub logged_later: bool,
    /// File name of the process, lower case.
    pub process: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// When the process started.
    pub started: Option<Timestamp>,
    /// WER's id of the report.
    pub report_id: Option<Arc<str>>,
    /// The id in the report's own files, where it differs from the one in the event log.
    pub own_report_id: Option<Arc<str>>,
    /// The bugcheck code and its parameters.
    pub bugcheck: Option<(BugcheckCode, [u64; 4])>,
    /// Which other sightings of its computer it joins when they are close in time.
    pub family: Family,
}

/// Sightings that join by computer and closeness in time, when they share no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Ids join it, or its program and time; it is of no family of its own.
    Alone,
    /// A crash record of the Application log; the main one.
    Crash,
    /// A record that accompanies a crash record: .NET Runtime, Application Error 1005.
    CrashCompanion,
    /// A driver's record that names the process that it ended.
    CrashByPid,
    /// The end of a process, which its crash explains.
    Exit,
    /// The end of a service, which its process's crash explains.
    Service,
    /// A record that is written at the next start about how the session before ended.
    Restart(RestartRecord),
    /// A GPU reset; several in a burst are one incident.
    GpuReset,
    /// A file that a policy of the machine refused; several of one program in a burst are one incident.
    Refusal,
}

/// The records that Windows writes about one unclean restart: at most one of each belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartRecord {
    /// BugCheck 1001.
    BugCheck,
    /// Kernel-Power 41.
    KernelPower,
    /// EventLog 6008.
    EventLog,
    /// Kernel-Power 86.
    Heat,
    /// volmgr 161 and 162: whether the dump of a blue screen was written.
    DumpOutcome,
}

impl PartialEq for Sighting<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Sighting<'_> {}

impl PartialOrd for Sighting<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sighting<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.cmp(&other.index)
    }
}

/// The sightings among the evidence, in its order; evidence that only describes a machine is none.
#[must_use]
pub fn sightings(items: &[SourcedEvidence]) -> Vec<Sighting<'_>> {
    let sightings = items.par_iter().enumerate().filter_map(|(item, evidence)| Sighting::read(item, evidence));
    let mut sightings: Vec<Sighting<'_>> = sightings.collect();
    sightings.iter_mut().enumerate().for_each(|(index, sighting)| sighting.index = index);
    sightings
}

impl<'i> Sighting<'i> {
    fn read(item: usize, evidence: &'i SourcedEvidence) -> Option<Self> {
        let new = |kind, rank| Self::new(item, evidence, kind, rank);
        let mut sighting = match &evidence.observation {
            Observation::Process(dump) => {
                // A dump of the running process shows least of how it ended.
                let (kind, rank) =
                    if dump.exception.is_some() { (IncidentKind::Crash, 0) } else { (IncidentKind::Hang, 4) };
                Self {
                    time: dump.time,
                    process: dump.executable().map(|module| file_name(&module.path)),
                    pid: dump.pid,
                    started: dump.started,
                    ..new(kind, rank)
                }
            }
            Observation::Kernel(dump) => {
                let bugcheck = Some((dump.code, dump.parameters));
                Self { time: dump.time, bugcheck, ..new(bugcheck_kind(dump.code), 0) }
            }
            Observation::Wer(report) => {
                let rank = if report.details.metadata { 3 } else { 2 };
                Self { time: report.time, ..new(report_kind(report)?, rank).with_report(report) }
            }
            Observation::Ticket(ticket) => Self {
                // The path in a text is not compared.
                process: ticket.app.as_deref().map(file_name),
                report_id: ticket.report_id.clone(),
                host: ticket.computer.clone(),
                bugcheck: ticket
                    .bugcheck
                    .as_ref()
                    .and_then(|(code, parameters)| Some((*code, parameters.as_slice().try_into().ok()?))),
                ..new(ticket_kind(ticket), 5)
            },
            Observation::Event(event) => {
                let (kind, rank, family) = kind_of_event(&event.content)?;
                // In a text it belongs to what the text is about.
                if family == Family::Refusal && matches!(evidence.place, Place::Lines(_)) {
                    return None;
                }
                let (host, time) = (event.computer.clone(), event.time);
                Self { host, time, family, ..new(kind, rank) }.with_event(event)
            }
            Observation::Sigma(_) => return None,
        };
        // A text is where somebody saved it, which need not be its machine.
        if sighting.host.is_none() && !sighting.is_text() {
            sighting.folder_host = evidence.folder_host.clone();
        }
        Some(sighting)
    }

    /// A sighting of which only the process is known, by the evidence's crash record.
    fn new(item: usize, evidence: &'i SourcedEvidence, kind: IncidentKind, rank: u8) -> Self {
        let record = CrashRecord::read(&evidence.observation).unwrap_or_default();
        Self {
            index: 0,
            item,
            evidence,
            kind,
            rank,
            host: None,
            folder_host: None,
            time: None,
            logged_later: false,
            process: record.app_path.or(record.app).map(file_name),
            pid: record.pid,
            started: record.started,
            report_id: None,
            own_report_id: None,
            bugcheck: None,
            family: Family::Alone,
        }
    }

    /// Adds the ids and the bugcheck of a WER report.
    fn with_report(self, report: &WerReport) -> Self {
        let report_id = report.report_id.clone().or_else(|| report.own_id.clone());
        Self {
            own_report_id: report.own_id.clone().filter(|own| report_id.as_ref() != Some(own)),
            report_id,
            bugcheck: report.signature.bugcheck,
            ..self
        }
    }

    /// Adds an event's values, other than its computer, its time and the crash record.
    fn with_event(self, event: &Event) -> Self {
        match &event.content.body {
            EventBody::ApplicationError(error) => Self { report_id: error.report_id.clone(), ..self },
            EventBody::Wer(report) => Self {
                time: report.time.or(event.time),
                logged_later: report.time.is_none(),
                ..self.with_report(report)
            },
            EventBody::Hang { app, report_id, .. } => {
                Self { process: Some(file_name(app)), report_id: report_id.clone(), ..self }
            }
            EventBody::BugCheck { code, parameters, report_id, .. } => {
                Self { bugcheck: Some((*code, *parameters)), report_id: report_id.clone(), ..self }
            }
            EventBody::UncleanRestart { code, parameters, .. } => {
                Self { bugcheck: code.map(|code| (code, *parameters)), ..self }
            }
            EventBody::OpenGlDriver { pid, .. } => Self { pid: *pid, ..self },
            // AppLocker names the process that wanted a DLL by its id alone.
            EventBody::ImageRefused { .. } if self.process.is_none() => {
                let mut fields = event.content.fields.iter();
                let pid =
                    fields.find(|(name, _)| *name == "TargetProcessId").and_then(|(_, pid)| pid.trim().parse().ok());
                Self { pid, ..self }
            }
            _ => self,
        }
    }

    /// Whether it is a text that somebody pasted.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.evidence.observation, Observation::Ticket(_))
    }

    /// Whether it is a record that is written at the next start.
    pub(super) fn is_of_restart(&self) -> bool {
        matches!(self.family, Family::Restart(_))
    }

    /// The body of the event that it is.
    pub(super) fn event_body(&self) -> Option<&'i EventBody> {
        match &self.evidence.observation {
            Observation::Event(event) => Some(&event.content.body),
            _ => None,
        }
    }

    /// The last moment at which the system is known to have run, by the record that it was not shut down.
    pub(super) fn last_alive(&self) -> Option<Timestamp> {
        match self.event_body()? {
            EventBody::UncleanShutdown { last_alive } => *last_alive,
            _ => None,
        }
    }

    /// When the power button ended the session, by the record of the start after it, where that has no stop code.
    pub(super) fn power_button(&self) -> Option<Timestamp> {
        match self.event_body()? {
            EventBody::UncleanRestart { code: None, power_button, .. } => *power_button,
            _ => None,
        }
    }

    /// The bugcheck code without the flag of small dumps.
    pub(super) fn stop_code(&self) -> Option<u32> {
        self.bugcheck.map(|(code, _)| code.plain())
    }

    /// What it states of the crash.
    pub(super) fn record(&self) -> Option<CrashRecord<'i>> {
        CrashRecord::read_any(&self.evidence.observation)
    }
}

/// Kind, rank and family of the sighting that an event is; `None` for an event of no incident.
fn kind_of_event(content: &EventContent) -> Option<(IncidentKind, u8, Family)> {
    Some(match &content.body {
        EventBody::ApplicationError(_) => (IncidentKind::Crash, 1, Family::Crash),
        EventBody::InPageError { .. } => (IncidentKind::Crash, 4, Family::CrashCompanion),
        EventBody::DotNet { .. } => (IncidentKind::Crash, 3, Family::CrashCompanion),
        EventBody::Wer(report) => match report_kind(report)? {
            IncidentKind::GpuReset => (IncidentKind::GpuReset, 2, Family::GpuReset),
            kind => (kind, 2, Family::Alone),
        },
        EventBody::Hang { .. } => (IncidentKind::Hang, 1, Family::Alone),
        EventBody::SideBySide { .. } => (IncidentKind::StartFailure, 1, Family::Alone),
        EventBody::Popup { message, dlls, .. } => (popup_kind(message, dlls)?, 1, Family::Alone),
        EventBody::BugCheck { .. } => (IncidentKind::Bugcheck, 1, Family::Restart(RestartRecord::BugCheck)),
        EventBody::UncleanRestart { code, .. } => {
            let kind = if code.is_some() { IncidentKind::Bugcheck } else { IncidentKind::PowerLoss };
            (kind, 2, Family::Restart(RestartRecord::KernelPower))
        }
        EventBody::ShutDownByHeat { .. } => (IncidentKind::PowerLoss, 3, Family::Restart(RestartRecord::Heat)),
        EventBody::UncleanShutdown { .. } => (IncidentKind::PowerLoss, 3, Family::Restart(RestartRecord::EventLog)),
        EventBody::DisplayReset { .. } | EventBody::DisplayDriver { reset: true, .. } => {
            (IncidentKind::GpuReset, 1, Family::GpuReset)
        }
        // The driver need not have been reset, but it is the GPU that failed.
        EventBody::DisplayDriver { text: Some(text), .. } if reports_gpu_failure(text) => {
            (IncidentKind::GpuReset, 1, Family::GpuReset)
        }
        EventBody::OpenGlDriver { pid: Some(_), .. } => (IncidentKind::Crash, 4, Family::CrashByPid),
        EventBody::ProcessExit(exit) => (exit_kind(exit.code), 4, Family::Exit),
        EventBody::ServiceEnded(_) => (IncidentKind::Exit, 4, Family::Service),
        EventBody::Said { .. } if dump_written(content).is_some() => {
            (IncidentKind::Bugcheck, 3, Family::Restart(RestartRecord::DumpOutcome))
        }
        EventBody::ImageRefused { blocked: true, reason: "policy", .. } => {
            (IncidentKind::StartFailure, 1, Family::Refusal)
        }
        _ => return None,
    })
}

/// Whether the dump of a blue screen was written, by volmgr's record at the next start; `None` for other events.
#[must_use]
pub fn dump_written(content: &EventContent) -> Option<bool> {
    match content.id {
        161 | 162 if content.provider.eq_ignore_ascii_case("volmgr") => Some(content.id == 162),
        _ => None,
    }
}

/// The file name of a path, lower case.
pub(super) fn file_name(path: &str) -> String {
    base_name(path).to_lowercase()
}

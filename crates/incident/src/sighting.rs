//! One piece of evidence that an incident happened, with the keys by which it joins others.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use jiff::Timestamp;

use super::IncidentKind;
use evidence::{BugcheckCode, Event, EventBody, Observation, Place, Ticket, TicketEvent, WerReport, base_name};
use windows_events::catalogue::is_of_a_crash;

/// An observation and where it was made.
#[derive(Debug, Clone)]
pub struct Item {
    /// Index into the run's artifact list.
    pub artifact: usize,
    /// The folder that it lies in; empty for pasted text.
    pub folder: Arc<str>,
    /// The artifact's file name.
    pub file: Arc<str>,
    /// The computer that all event logs of that folder name, or those that lie beside it in a copy of a system's folders.
    pub folder_host: Option<Arc<str>>,
    /// The name that the computer of an event had then, if the log goes on under another.
    pub former_host: Option<Arc<str>>,
    /// Where in it.
    pub place: Place,
    /// What was seen.
    pub observation: Observation,
}

/// Values by the index of an item, or by where in memory something is. No artifact decides what those are, so that none can
/// make them fall into one place.
pub type ByPlace<K, V> = HashMap<K, V, BuildHasherDefault<PlaceHasher>>;

/// Hashes one number.
#[derive(Debug, Default)]
pub struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, number: usize) {
        // Fibonacci hashing: the product with 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        // Maps go by the lower bits, too; those of the product depend on few.
        self.0 ^ (self.0 >> 32)
    }
}

/// What an item says about an incident, as far as joining needs it.
#[derive(Debug, Clone)]
pub struct Sighting {
    /// Index of the item.
    pub item: usize,
    /// What kind of incident it tells of.
    pub kind: IncidentKind,
    /// How well it tells it: of several that were joined, the lowest speaks first.
    pub rank: u8,
    /// The computer.
    pub host: Option<Arc<str>>,
    /// The computer whose logs lie beside it, for artifacts that don't name theirs.
    pub folder_host: Option<Arc<str>>,
    /// When it happened, or, for records that are written later, when that was logged.
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
    /// The report's own id, where that is another: only its files know it.
    pub own_report_id: Option<Arc<str>>,
    /// The bugcheck.
    pub bugcheck: Option<(BugcheckCode, [u64; 4])>,
    /// Which of the joins by time it takes part in.
    pub family: Family,
}

/// Sightings that may belong together by computer and time, when no id says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Only ids join it.
    Alone,
    /// A crash record of the Application log; the main one.
    Crash,
    /// A record that accompanies a crash record: .NET Runtime, Application Error 1005.
    CrashCompanion,
    /// A driver's record that names the process it ended.
    CrashByPid,
    /// The end of a process, which its crash explains.
    Exit,
    /// The end of a service, which its process's crash explains.
    Service,
    /// Records written at the next start about how the last session ended.
    Restart(RestartRecord),
    /// A reset of the GPU; bursts are one.
    GpuReset,
}

/// The records that Windows writes about one unclean restart: at most one of each belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestartRecord {
    /// BugCheck 1001.
    BugCheck,
    /// Kernel-Power 41.
    KernelPower,
    /// EventLog 6008.
    EventLog,
    /// Kernel-Power 86.
    Heat,
}

impl Sighting {
    /// What `item` says about an incident; `None` when it is only context.
    #[must_use]
    pub fn of(index: usize, item: &Item) -> Option<Self> {
        let mut sighting = Self::of_observation(index, item)?;
        // A text lies where somebody saved it, which need not be its machine.
        if sighting.host.is_none() && !matches!(item.observation, Observation::Ticket(_)) {
            sighting.folder_host = item.folder_host.clone();
        }
        Some(sighting)
    }

    fn of_observation(index: usize, item: &Item) -> Option<Self> {
        match &item.observation {
            Observation::Process(dump) => {
                // A dump of the running process tells least of how it ended.
                let (kind, rank) =
                    if dump.exception.is_some() { (IncidentKind::Crash, 0) } else { (IncidentKind::Hang, 4) };
                let mut sighting = Self::new(index, kind, rank);
                sighting.time = dump.time;
                sighting.process = dump.executable().map(|module| folded(&module.path));
                sighting.pid = dump.pid;
                sighting.started = dump.started;
                Some(sighting)
            }
            Observation::Kernel(dump) => {
                let mut sighting = Self::new(index, bugcheck_kind(dump.code), 0);
                sighting.time = dump.time;
                sighting.bugcheck = Some((dump.code, dump.parameters));
                Some(sighting)
            }
            Observation::Wer(report) => Self::of_report(index, report, if report.details.metadata { 3 } else { 2 }),
            Observation::Ticket(ticket) => {
                let mut sighting = Self::new(index, ticket_kind(ticket), 5);
                sighting.process = ticket.app.as_deref().map(folded);
                sighting.pid = ticket.pid;
                sighting.started = ticket.started;
                sighting.report_id = ticket.report_id.clone();
                sighting.host = ticket.computer.clone();
                sighting.bugcheck = ticket
                    .bugcheck
                    .as_ref()
                    .and_then(|(code, parameters)| Some((*code, parameters.as_slice().try_into().ok()?)));
                Some(sighting)
            }
            Observation::Event(event) => Self::of_event(index, event),
            Observation::Sigma(_) => None,
        }
    }

    fn new(item: usize, kind: IncidentKind, rank: u8) -> Self {
        Self {
            item,
            kind,
            rank,
            host: None,
            folder_host: None,
            time: None,
            logged_later: false,
            process: None,
            pid: None,
            started: None,
            report_id: None,
            own_report_id: None,
            bugcheck: None,
            family: Family::Alone,
        }
    }

    /// A WER report tells of an incident only when its type is one of a crash, hang or stop; the others report
    /// failed updates, missing drivers and suspicions.
    fn of_report(index: usize, report: &WerReport, rank: u8) -> Option<Self> {
        let kind = report_kind(report)?;
        let mut sighting = Self::new(index, kind, rank);
        sighting.time = report.time;
        sighting.process = report.app_path.as_deref().or(report.signature.app.as_deref()).map(folded);
        sighting.pid = report.pid;
        sighting.started = report.started;
        sighting.report_id = report.report_id.clone().or_else(|| report.own_id.clone());
        sighting.own_report_id = report.own_id.clone().filter(|own| sighting.report_id.as_ref() != Some(own));
        sighting.bugcheck = report.signature.bugcheck;
        Some(sighting)
    }

    fn of_event(index: usize, event: &Event) -> Option<Self> {
        let mut sighting = match &event.content.body {
            EventBody::ApplicationError { app, app_path, pid, started, report_id, .. } => {
                let mut sighting = Self::new(index, IncidentKind::Crash, 1);
                // In the name of a service's host the service follows: svchost.exe_Name.
                sighting.process = Some(app_path.as_deref().map_or_else(|| folded(app), folded));
                sighting.pid = *pid;
                sighting.started = *started;
                sighting.report_id = report_id.clone();
                sighting.family = Family::Crash;
                sighting
            }
            EventBody::InPageError { app, .. } => {
                let mut sighting = Self::new(index, IncidentKind::Crash, 4);
                sighting.process = app.as_deref().map(folded);
                sighting.family = Family::CrashCompanion;
                sighting
            }
            EventBody::DotNet { app, .. } => {
                let mut sighting = Self::new(index, IncidentKind::Crash, 3);
                sighting.process = app.as_deref().map(folded);
                sighting.family = Family::CrashCompanion;
                sighting
            }
            EventBody::Wer(report) => {
                let mut sighting = Self::of_report(index, report, 2)?;
                if sighting.time.is_none() {
                    sighting.time = event.time;
                    sighting.logged_later = true;
                }
                if sighting.kind == IncidentKind::GpuReset {
                    sighting.family = Family::GpuReset;
                }
                sighting
            }
            EventBody::Hang { app, pid, started, report_id, .. } => {
                let mut sighting = Self::new(index, IncidentKind::Hang, 1);
                sighting.process = Some(folded(app));
                sighting.pid = *pid;
                sighting.started = *started;
                sighting.report_id = report_id.clone();
                sighting
            }
            EventBody::SideBySide { app, .. } => {
                let mut sighting = Self::new(index, IncidentKind::StartFailure, 1);
                sighting.process = app.as_deref().map(folded);
                sighting
            }
            EventBody::Popup { app, message, dlls, .. } => {
                let mut sighting = Self::new(index, popup_kind(message, dlls)?, 1);
                sighting.process = app.as_deref().map(folded);
                sighting
            }
            EventBody::BugCheck { code, parameters, report_id, .. } => {
                let mut sighting = Self::new(index, IncidentKind::Bugcheck, 1);
                sighting.bugcheck = Some((*code, *parameters));
                sighting.report_id = report_id.clone();
                sighting.family = Family::Restart(RestartRecord::BugCheck);
                sighting
            }
            EventBody::UncleanRestart { code, parameters, .. } => {
                let kind = if code.is_some() { IncidentKind::Bugcheck } else { IncidentKind::PowerLoss };
                let mut sighting = Self::new(index, kind, 2);
                sighting.bugcheck = code.map(|code| (code, *parameters));
                sighting.family = Family::Restart(RestartRecord::KernelPower);
                sighting
            }
            EventBody::ShutDownByHeat { .. } => {
                let mut sighting = Self::new(index, IncidentKind::PowerLoss, 3);
                sighting.family = Family::Restart(RestartRecord::Heat);
                sighting
            }
            EventBody::UncleanShutdown { .. } => {
                let mut sighting = Self::new(index, IncidentKind::PowerLoss, 3);
                sighting.family = Family::Restart(RestartRecord::EventLog);
                sighting
            }
            EventBody::DisplayReset { .. } | EventBody::DisplayDriver { reset: true, .. } => {
                let mut sighting = Self::new(index, IncidentKind::GpuReset, 1);
                sighting.family = Family::GpuReset;
                sighting
            }
            EventBody::OpenGlDriver { pid: Some(pid), .. } => {
                let mut sighting = Self::new(index, IncidentKind::Crash, 4);
                sighting.pid = Some(*pid);
                sighting.family = Family::CrashByPid;
                sighting
            }
            EventBody::ProcessExit(exit) => {
                let mut sighting = Self::new(index, exit_kind(exit.code), 4);
                sighting.process = Some(folded(&exit.path));
                sighting.pid = exit.pid;
                sighting.started = exit.started;
                sighting.family = Family::Exit;
                sighting
            }
            EventBody::ServiceEnded(_) => {
                let mut sighting = Self::new(index, IncidentKind::Exit, 4);
                sighting.family = Family::Service;
                sighting
            }
            _ => return None,
        };
        sighting.host = event.computer.clone();
        if sighting.time.is_none() {
            sighting.time = event.time;
        }
        Some(sighting)
    }
}

/// What kind of incident a text tells of.
fn ticket_kind(ticket: &Ticket) -> IncidentKind {
    let reset = |event: &TicketEvent| event.provider.eq_ignore_ascii_case("Display") && event.id == 4101;
    let hang = |event: &TicketEvent| event.provider.eq_ignore_ascii_case("Application Hang") && event.id == 1002;
    let crash = |event: &TicketEvent| is_of_a_crash(&event.provider, event.id);
    match &ticket.bugcheck {
        Some((code, _)) => bugcheck_kind(*code),
        None if ticket.shows_a_stop() => IncidentKind::Bugcheck,
        None if ticket.code.is_some() || ticket.module.is_some() => IncidentKind::Crash,
        None if ticket.app.is_some() && ticket.events.iter().any(crash) => IncidentKind::Crash,
        None if ticket.hung || ticket.events.iter().any(hang) => IncidentKind::Hang,
        None if ticket.events.iter().any(reset) => IncidentKind::GpuReset,
        None => IncidentKind::Exit,
    }
}

/// What a message box of the system tells of, whatever its language: a start that failed when it names a DLL or a
/// status, a crash when it names two addresses ("the instruction at A referenced memory at B"). Any other box is no
/// incident.
fn popup_kind(message: &str, dlls: &[Arc<str>]) -> Option<IncidentKind> {
    let numbers: Vec<&str> = message
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")))
        .filter(|digits| digits.len() >= 8 && digits.chars().all(|digit| digit.is_ascii_hexdigit()))
        .collect();
    // Statuses of errors begin with 0xC0 (NTSTATUS, severity "error").
    let status = numbers.iter().any(|digits| digits.len() == 8 && digits.to_ascii_lowercase().starts_with("c0"));
    if !dlls.is_empty() || (status && numbers.len() == 1) {
        Some(IncidentKind::StartFailure)
    } else if numbers.len() >= 2 {
        Some(IncidentKind::Crash)
    } else {
        None
    }
}

/// The loader ends a process that it could not start with a status of its own.
///
/// Source: `ntstatus.h`, `STATUS_DLL_NOT_FOUND` and its like.
fn exit_kind(code: u32) -> IncidentKind {
    const NOT_STARTED: [u32; 5] = [0xC000_007B, 0xC000_0135, 0xC000_0138, 0xC000_0139, 0xC000_0142];
    if NOT_STARTED.contains(&code) { IncidentKind::StartFailure } else { IncidentKind::Exit }
}

/// Live kernel reports use the format of bugcheck dumps although the system lived on.
///
/// Source: "Kernel live dump code reference" of the Windows driver documentation.
fn bugcheck_kind(code: BugcheckCode) -> IncidentKind {
    const VIDEO_LIVE_DUMPS: [u32; 8] = [0x117, 0x141, 0x142, 0x193, 0x1A1, 0x1A8, 0x1B8, 0x190];
    if VIDEO_LIVE_DUMPS.contains(&code.plain()) { IncidentKind::GpuReset } else { IncidentKind::Bugcheck }
}

/// What kind of incident a WER report's type stands for.
#[must_use]
pub fn report_kind(report: &WerReport) -> Option<IncidentKind> {
    let name = report.event_type.as_ref();
    if let Some((code, _)) = report.signature.bugcheck {
        let kind = bugcheck_kind(code);
        // A live kernel event that is not about the display is a report, not a stop.
        return (kind == IncidentKind::GpuReset || name.eq_ignore_ascii_case("BlueScreen")).then_some(kind);
    }
    let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
    if is(&["APPCRASH", "BEX", "BEX64", "MoAppCrash", "MoBEX", "CLR20r3", "InPageError", "InPageCoFire"]) {
        Some(IncidentKind::Crash)
    } else if is(&["AppHangB1", "AppHangXProcB1", "MoAppHang", "MoAppHangXProc", "AppTermFailureEvent"]) {
        Some(IncidentKind::Hang)
    } else {
        None
    }
}

fn folded(path: &str) -> String {
    base_name(path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_box_is_told_by_what_it_names_not_by_its_words() {
        let kind = |message: &str, dlls: &[&str]| {
            popup_kind(message, &dlls.iter().map(|dll| Arc::from(*dll)).collect::<Vec<_>>())
        };
        assert_eq!(kind("X.dll fehlt.", &["X.dll"]), Some(IncidentKind::StartFailure));
        assert_eq!(kind("Could not start correctly (0xc000007b).", &[]), Some(IncidentKind::StartFailure));
        let access = "The instruction at 0x00007ffb12345678 referenced memory at 0x0000000000000010.";
        assert_eq!(kind(access, &[]), Some(IncidentKind::Crash));
        assert_eq!(kind("Do you want to close all tabs?", &[]), None);
    }
}

//! An incident's evidence, sorted by what it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use xxhash_rust::xxh3::Xxh3;

use super::sighting::{Item, Sighting};
use evidence::{
    BugcheckCode, Event, EventBody, ExceptionCode, FastFailCode, KernelDump, ModuleOffset, Observation, ProcessDump,
    Ticket, Version, WerReport, base_name,
};

/// The joined evidence of one incident, the best-ranked first.
#[derive(Debug, Clone)]
pub struct Gathered<'i> {
    /// The sightings, by rank.
    pub sightings: Vec<&'i Sighting>,
    /// Their items, in the same order: item `n` is evidence `e(n+1)`. Behind them, what tells of no incident by itself
    /// but belongs to this one.
    pub items: Vec<&'i Item>,
}

/// What a crash record of any format says about where a process died.
#[derive(Debug, Clone, Default)]
pub struct CrashRecord {
    /// Executable's file name.
    pub app: Option<Arc<str>>,
    /// Executable's version.
    pub app_version: Option<Version>,
    /// Executable's path.
    pub app_path: Option<Arc<str>>,
    /// Process id.
    pub pid: Option<u32>,
    /// Start of the process.
    pub started: Option<Timestamp>,
    /// The module of the exception address.
    pub module: Option<Arc<str>>,
    /// Whether it had been unloaded.
    pub module_unloaded: bool,
    /// Its version.
    pub module_version: Option<Version>,
    /// Its path.
    pub module_path: Option<Arc<str>>,
    /// Offset in it.
    pub offset: Option<ModuleOffset>,
    /// Exception code.
    pub code: Option<ExceptionCode>,
    /// Fast-fail code.
    pub fast_fail: Option<FastFailCode>,
    /// Whether the process had 64 bits, as far as the record shows it.
    pub wide: Option<bool>,
}

impl<'i> Gathered<'i> {
    /// The evidence number (counted from 0) and content of the first dump.
    #[must_use]
    pub fn dump(&self) -> Option<(usize, &'i ProcessDump)> {
        self.first(|observation| match observation {
            Observation::Process(dump) => Some(&**dump),
            _ => None,
        })
    }

    /// The first kernel dump.
    #[must_use]
    pub fn kernel_dump(&self) -> Option<(usize, &'i KernelDump)> {
        self.first(|observation| match observation {
            Observation::Kernel(dump) => Some(&**dump),
            _ => None,
        })
    }

    /// The first ticket.
    #[must_use]
    pub fn ticket(&self) -> Option<(usize, &'i Ticket)> {
        self.tickets().next()
    }

    /// What the texts that tell of the incident say, as hashes (XXH3) of their lines, sorted, each once.
    pub(super) fn texts(&self) -> BTreeSet<u64> {
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

    /// All tickets that tell of the incident, with their evidence numbers.
    pub fn tickets(&self) -> impl Iterator<Item = (usize, &'i Ticket)> + '_ {
        let count = self.sightings.len();
        self.described().take_while(move |(number, _)| *number < count)
    }

    /// All tickets, those that only describe the machine among them.
    pub fn described(&self) -> impl Iterator<Item = (usize, &'i Ticket)> + '_ {
        self.items.iter().enumerate().filter_map(|(number, item)| match &item.observation {
            Observation::Ticket(ticket) => Some((number, &**ticket)),
            _ => None,
        })
    }

    /// The first WER report that satisfies `wanted`: from its file before from an event.
    #[must_use]
    pub fn report(&self, wanted: impl Fn(&WerReport) -> bool) -> Option<(usize, &'i WerReport)> {
        let of_file = self.first(|observation| match observation {
            Observation::Wer(report) if wanted(report) => Some(&**report),
            _ => None,
        });
        of_file.or_else(|| {
            self.event(|body| match body {
                EventBody::Wer(report) if wanted(report) => Some(&**report),
                _ => None,
            })
        })
    }

    /// All events, with their evidence numbers.
    pub fn events(&self) -> impl Iterator<Item = (usize, &'i Event)> + '_ {
        self.items.iter().enumerate().filter_map(|(number, item)| match &item.observation {
            Observation::Event(event) => Some((number, event)),
            _ => None,
        })
    }

    /// The first event body that `pick` takes something from.
    pub fn event<T>(&self, pick: impl Fn(&'i EventBody) -> Option<T>) -> Option<(usize, T)> {
        self.first(|observation| match observation {
            Observation::Event(event) => pick(&event.content.body),
            _ => None,
        })
    }

    fn first<T>(&self, pick: impl Fn(&'i Observation) -> Option<T>) -> Option<(usize, T)> {
        self.items.iter().enumerate().find_map(|(number, item)| Some((number, pick(&item.observation)?)))
    }

    /// What each crash record (event 1000, WER report, ticket) says, with its evidence number.
    #[must_use]
    pub fn crash_records(&self) -> Vec<(usize, CrashRecord)> {
        self.items
            .iter()
            .enumerate()
            .filter_map(|(number, item)| Some((number, CrashRecord::of(&item.observation)?)))
            .collect()
    }

    /// The modules that crash records name: evidence number, file name, path and version of the executable and of the module
    /// at fault.
    pub fn named_modules(&self) -> impl Iterator<Item = (usize, &'i str, Option<&'i str>, Option<Version>)> + '_ {
        self.items.iter().enumerate().flat_map(|(number, item)| {
            let [app, module] = match &item.observation {
                Observation::Event(event) => match &event.content.body {
                    EventBody::ApplicationError {
                        app,
                        app_version,
                        app_path,
                        module,
                        module_version,
                        module_path,
                        ..
                    } => [
                        Some((&**app, app_path.as_deref(), *app_version)),
                        module.as_deref().map(|module| (module, module_path.as_deref(), *module_version)),
                    ],
                    EventBody::Wer(report) => report_modules(report),
                    _ => [None, None],
                },
                Observation::Wer(report) => report_modules(report),
                Observation::Ticket(ticket) => [
                    ticket.app.as_deref().map(|app| (app, None, ticket.app_version)),
                    ticket
                        .module
                        .as_deref()
                        .map(|module| (module, ticket.module_path.as_deref(), ticket.module_version)),
                ],
                Observation::Process(_) | Observation::Kernel(_) | Observation::Sigma(_) => [None, None],
            };
            [app, module].into_iter().flatten().map(move |(name, path, version)| (number, name, path, version))
        })
    }

    /// The bugcheck with its parameters, from whichever evidence has it.
    #[must_use]
    pub fn bugcheck(&self) -> Option<(usize, BugcheckCode, Vec<u64>)> {
        let exact = self.sightings.iter().enumerate().find_map(|(number, sighting)| {
            sighting.bugcheck.map(|(code, parameters)| (number, code, parameters.to_vec()))
        });
        exact.or_else(|| {
            self.tickets().find_map(|(number, ticket)| {
                let (code, parameters) = ticket.bugcheck.clone()?;
                Some((number, code, parameters))
            })
        })
    }
}

type NamedModule<'r> = (&'r str, Option<&'r str>, Option<Version>);

/// Executable and module at fault of a WER report.
fn report_modules(report: &WerReport) -> [Option<NamedModule<'_>>; 2] {
    let signature = &report.signature;
    [
        signature.app.as_deref().map(|app| (app, report.app_path.as_deref(), signature.app_version)),
        signature.module.as_deref().map(|module| (module, None, signature.module_version)),
    ]
}

impl CrashRecord {
    /// What an observation says, if it is a crash record.
    pub(super) fn of(observation: &Observation) -> Option<Self> {
        match observation {
            Observation::Event(event) => Self::of_event(&event.content.body),
            Observation::Wer(report) => Some(Self::of_report(report)),
            Observation::Ticket(ticket) => Some(Self::of_ticket(ticket)),
            Observation::Process(_) | Observation::Kernel(_) | Observation::Sigma(_) => None,
        }
    }

    fn of_event(body: &EventBody) -> Option<Self> {
        match body {
            EventBody::ApplicationError {
                app,
                app_version,
                module,
                module_unloaded,
                module_version,
                code,
                offset,
                wide_offset,
                pid,
                started,
                app_path,
                module_path,
                ..
            } => Some(Self {
                app: Some(Arc::clone(app)),
                app_version: *app_version,
                app_path: app_path.clone(),
                pid: *pid,
                started: *started,
                module: module.clone(),
                module_unloaded: *module_unloaded,
                module_version: *module_version,
                module_path: module_path.clone(),
                offset: *offset,
                code: *code,
                fast_fail: None,
                wide: *wide_offset,
            }),
            EventBody::Hang { app, app_version, pid, started, app_path, .. } => Some(Self {
                app: Some(Arc::clone(app)),
                app_version: *app_version,
                app_path: app_path.clone(),
                pid: *pid,
                started: *started,
                ..Self::default()
            }),
            EventBody::Wer(report) => Some(Self::of_report(report)),
            EventBody::ProcessExit(exit) => Some(Self {
                app: Some(Arc::from(base_name(&exit.path))),
                app_path: Some(Arc::clone(&exit.path)),
                pid: exit.pid,
                started: exit.started,
                code: exit.status(),
                ..Self::default()
            }),
            EventBody::DotNet { app, .. }
            | EventBody::InPageError { app, .. }
            | EventBody::SideBySide { app, .. }
            | EventBody::Popup { app, .. } => Some(Self { app: app.clone(), ..Self::default() }),
            _ => None,
        }
    }

    fn of_report(report: &WerReport) -> Self {
        let signature = &report.signature;
        let fast_fail = (signature.code == Some(ExceptionCode::FAST_FAIL))
            .then_some(signature.data)
            .flatten()
            .and_then(|data| u32::try_from(data).ok())
            .map(FastFailCode);
        Self {
            app: signature.app.clone(),
            app_version: signature.app_version,
            app_path: report.app_path.clone(),
            pid: report.pid,
            started: report.started,
            module: signature.module.clone(),
            module_unloaded: signature.module_unloaded,
            module_version: signature.module_version,
            module_path: None,
            offset: signature.offset,
            code: signature.code,
            fast_fail,
            wide: None,
        }
    }

    fn of_ticket(ticket: &Ticket) -> Self {
        Self {
            app: ticket.app.clone(),
            app_version: ticket.app_version,
            app_path: ticket.app_path.clone(),
            pid: ticket.pid,
            started: ticket.started,
            module: ticket.module.clone(),
            module_version: ticket.module_version,
            module_path: ticket.module_path.clone(),
            offset: ticket.offset,
            code: ticket.code,
            fast_fail: ticket.fast_fail,
            ..Self::default()
        }
    }
}

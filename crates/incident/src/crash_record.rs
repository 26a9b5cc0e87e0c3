//! Where a process died, in one shape for all formats that record it.

use jiff::Timestamp;

use evidence::{
    EventBody, ExceptionCode, FastFailCode, ModuleOffset, Observation, ProcessDump, Ticket, Version, WerReport,
    base_name, starts_process,
};

/// What one piece of evidence states of where a process died.
#[derive(Debug, Clone, Copy, Default)]
pub struct CrashRecord<'i> {
    /// Executable's file name; some records hold a path here.
    pub app: Option<&'i str>,
    /// Executable's version.
    pub app_version: Option<Version>,
    /// Executable's path.
    pub app_path: Option<&'i str>,
    /// Process id.
    pub pid: Option<u32>,
    /// Start of the process.
    pub started: Option<Timestamp>,
    /// The faulting module, the module of the exception's address.
    pub module: Option<&'i str>,
    /// Whether it had been unloaded.
    pub module_unloaded: bool,
    /// Its version.
    pub module_version: Option<Version>,
    /// Its path.
    pub module_path: Option<&'i str>,
    /// Offset in it.
    pub offset: Option<ModuleOffset>,
    /// Exception code.
    pub code: Option<ExceptionCode>,
    /// Fast-fail code.
    pub fast_fail: Option<FastFailCode>,
    /// Whether the process had 64 bits, as far as the record shows it.
    pub wide: Option<bool>,
}

impl<'i> CrashRecord<'i> {
    /// The record in an event, a WER report or a text; `None` for dumps and for events that name no program.
    pub(super) fn read(observation: &'i Observation) -> Option<Self> {
        match observation {
            Observation::Event(event) => Self::read_event(&event.content.body),
            Observation::Wer(report) => Some(Self::read_report(report)),
            Observation::Ticket(ticket) => Some(Self::read_ticket(ticket)),
            Observation::Process(_) | Observation::Kernel(_) | Observation::Sigma(_) => None,
        }
    }

    /// As [`read`](Self::read); for a process dump, the facts that a record would contain.
    pub(super) fn read_any(observation: &'i Observation) -> Option<Self> {
        match observation {
            Observation::Process(dump) => Some(Self::read_dump(dump)),
            other => Self::read(other),
        }
    }

    fn read_dump(dump: &'i ProcessDump) -> Self {
        let app_version = dump.executable().and_then(|module| module.version);
        let Some(exception) = &dump.exception else { return Self { app_version, ..Self::default() } };
        let found = dump.fault_addresses().into_iter().find_map(|address| Some((address, dump.module_at(address)?.1)));
        Self {
            app_version,
            pid: dump.pid,
            started: dump.started,
            code: Some(exception.code),
            module: found.map(|(_, module)| module.name()),
            module_version: found.and_then(|(_, module)| module.version),
            offset: found.and_then(|(address, module)| module.offset_of(address)),
            ..Self::default()
        }
    }

    fn read_event(body: &'i EventBody) -> Option<Self> {
        Some(match body {
            EventBody::ApplicationError(error) => Self {
                app: Some(&error.app),
                app_version: error.app_version,
                app_path: error.app_path.as_deref(),
                pid: error.pid,
                started: error.started,
                module: error.module.as_deref(),
                module_unloaded: error.module_unloaded,
                module_version: error.module_version,
                module_path: error.module_path.as_deref(),
                offset: error.offset,
                code: error.code,
                fast_fail: None,
                wide: error.wide_offset,
            },
            EventBody::Hang { app, app_version, pid, started, app_path, .. } => Self {
                app: Some(app),
                app_version: *app_version,
                app_path: app_path.as_deref(),
                pid: *pid,
                started: *started,
                ..Self::default()
            },
            EventBody::Wer(report) => Self::read_report(report),
            EventBody::ProcessExit(exit) => Self {
                app: Some(base_name(&exit.path)),
                app_path: Some(&exit.path),
                pid: exit.pid,
                started: exit.started,
                code: exit.status(),
                ..Self::default()
            },
            EventBody::ImageRefused { file, process, .. } => {
                let program = file.as_deref().filter(|file| starts_process(file)).or(process.as_deref());
                Self { app: program.map(base_name), app_path: program, ..Self::default() }
            }
            EventBody::DotNet { app, .. }
            | EventBody::InPageError { app, .. }
            | EventBody::SideBySide { app, .. }
            | EventBody::Popup { app, .. } => Self { app: app.as_deref(), ..Self::default() },
            _ => return None,
        })
    }

    fn read_report(report: &'i WerReport) -> Self {
        let signature = &report.signature;
        let fast_fail = signature.data.filter(|_| signature.code == Some(ExceptionCode::FAST_FAIL));
        Self {
            app: signature.app.as_deref(),
            app_version: signature.app_version,
            app_path: report.app_path.as_deref(),
            pid: report.pid,
            started: report.started,
            module: signature.module.as_deref(),
            module_unloaded: signature.module_unloaded,
            module_version: signature.module_version,
            offset: signature.offset,
            code: signature.code,
            fast_fail: fast_fail.and_then(|data| u32::try_from(data).ok()).map(FastFailCode),
            ..Self::default()
        }
    }

    fn read_ticket(ticket: &'i Ticket) -> Self {
        Self {
            app: ticket.app.as_deref(),
            app_version: ticket.app_version,
            app_path: ticket.app_path.as_deref(),
            pid: ticket.pid,
            started: ticket.started,
            module: ticket.module.as_deref(),
            module_version: ticket.module_version,
            module_path: ticket.module_path.as_deref(),
            offset: ticket.offset,
            code: ticket.code,
            fast_fail: ticket.fast_fail,
            ..Self::default()
        }
    }
}

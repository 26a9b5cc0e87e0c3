//! A crash as Windows Error Reporting records it: event 1000, event 1001 and `Report.wer`.

use super::wer_record::{WerRecord, own_report_id, store_folder};
use crate::event_log::{Event, Provider, Sid, Value};
use crate::minidump::Module;
use crate::wer_report::Report;
use crate::{FileTime, FileVersion, Guid};

/// The layout of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Unnamed texts, up to Windows 10 and the first Windows 11.
    Positional,
    /// Named values, since Windows 11 22H2.
    Named,
}

/// An executable or DLL in these events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Full path.
    pub path: String,
    /// File version; none for files without version resource.
    pub version: Option<FileVersion>,
    /// `TimeDateStamp` of the PE header.
    pub timestamp: u32,
}

impl Image {
    /// File name without folder.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('\\').next().unwrap_or(&self.path)
    }

    /// The version as text, `0.0.0.0` for none.
    pub(super) fn version_text(&self) -> String {
        self.version.unwrap_or(FileVersion([0; 4])).to_string()
    }

    pub(super) fn timestamp_text(&self) -> String {
        format!("{:08x}", self.timestamp)
    }
}

impl From<&Module> for Image {
    fn from(module: &Module) -> Self {
        Self { path: module.path.clone(), version: module.version, timestamp: module.timestamp }
    }
}

/// One crash of one process.
#[derive(Debug, Clone)]
pub struct Crash {
    /// The executable.
    pub app: Image,
    /// The module that contains the exception's address.
    pub module: Image,
    /// Exception code.
    pub code: u32,
    /// Offset of the exception's address in the module.
    pub offset: u64,
    /// Exception data of a `BEX64` report: the fast-fail code.
    pub data: u64,
    /// Process id.
    pub process: u32,
    /// When the process started.
    pub started: FileTime,
    /// When it crashed.
    pub time: FileTime,
    /// The id that all reports of the crash share.
    pub report_id: Guid,
}

const APPLICATION_ERROR: Guid = Guid::new(0xa0e9_b465, 0xb939, 0x57d7, 0xb27d, 0x95d8_e925_ff57);

/// Names of event 1000's fields, in order.
const ERROR_FIELDS: [&str; 15] = [
    "AppName",
    "AppVersion",
    "AppTimeStamp",
    "ModuleName",
    "ModuleVersion",
    "ModuleTimeStamp",
    "ExceptionCode",
    "FaultingOffset",
    "ProcessId",
    "ProcessCreationTime",
    "AppPath",
    "ModulePath",
    "IntegratorReportId",
    "PackageFullName",
    "PackageRelativeAppId",
];

impl Crash {
    /// `BEX64` for fast fails, `APPCRASH` for the rest.
    #[must_use]
    pub fn event_type(&self) -> &'static str {
        if self.code == 0xC000_0409 { "BEX64" } else { "APPCRASH" }
    }

    /// Application Error 1000.
    #[must_use]
    pub fn application_error(&self, layout: Layout) -> Event {
        let mut texts = vec![
            self.app.name().to_owned(),
            self.app.version_text(),
            self.app.timestamp_text(),
            self.module.name().to_owned(),
            self.module.version_text(),
            self.module.timestamp_text(),
            format!("{:08x}", self.code),
            format!("{:016x}", self.offset),
            format!("{:x}", self.process),
            format!("{:016x}", self.started.0),
            self.app.path.clone(),
            self.module.path.clone(),
            self.report_id.to_string(),
            String::new(),
            String::new(),
        ];
        // WerFault logs it a moment later.
        let time = self.time.plus_micros(412_307);
        match layout {
            Layout::Positional => {
                Event::new(Provider::classic("Application Error"), 1000).task(100).at(time).strings(texts)
            }
            Layout::Named => {
                let values: Vec<Value> = texts
                    .drain(..)
                    .enumerate()
                    .map(|(index, text)| match index {
                        8 => Value::Hex32(self.process),
                        9 => Value::Hex64(self.started.0),
                        _ => Value::Text(text),
                    })
                    .collect();
                Event::new(Provider::manifest("Application Error", APPLICATION_ERROR), 1000)
                    .task(100)
                    .at(time)
                    .logged_by(self.process + 5120, self.process + 5396)
                    .user(Sid::user())
                    .named(ERROR_FIELDS.into_iter().zip(values))
            }
        }
    }

    /// The problem signature, up to its last value.
    fn signature(&self) -> Vec<String> {
        let mut values = vec![
            self.app.name().to_owned(),
            self.app.version_text(),
            self.app.timestamp_text(),
            self.module.name().to_owned(),
            self.module.version_text(),
            self.module.timestamp_text(),
        ];
        let code = format!("{:08x}", self.code);
        let offset = format!("{:016x}", self.offset);
        if self.event_type() == "BEX64" {
            values.extend([offset, code, format!("{:016x}", self.data)]);
        } else {
            values.extend([code, offset]);
        }
        values
    }

    /// Windows Error Reporting 1001. `response` is in the system's language; `status` is the state of the report (4
    /// queued, 268435456 answered).
    #[must_use]
    pub fn wer_event(&self, layout: Layout, response: &str, status: u32) -> Event {
        let record = WerRecord {
            event_type: self.event_type(),
            response,
            parameters: self.signature(),
            folder: store_folder("AppCrash", &self.app, self.report_id),
            report_id: self.report_id,
            status,
        };
        let event = record.event(layout).at(self.time.plus_seconds(record.delay()).plus_micros(871_944));
        match layout {
            Layout::Positional => event,
            Layout::Named => event.logged_by(self.process + 5120, self.process + 5404).user(Sid::user()),
        }
    }

    /// The `Report.wer` of the crash.
    #[must_use]
    pub fn report(&self, build: (u32, u32), modules: &[Module]) -> Report {
        let mut names = vec![
            "Application Name",
            "Application Version",
            "Application Timestamp",
            "Fault Module Name",
            "Fault Module Version",
            "Fault Module Timestamp",
        ];
        if self.event_type() == "BEX64" {
            names.extend(["Exception Offset", "Exception Code", "Exception Data"]);
        } else {
            names.extend(["Exception Code", "Exception Offset"]);
        }
        Report {
            event_type: self.event_type().to_owned(),
            time: self.time,
            id: own_report_id(self.report_id),
            integrator_id: self.report_id,
            process: self.process,
            started: self.started,
            app: self.app.name().to_owned(),
            app_path: self.app.path.clone(),
            signature: names.into_iter().map(str::to_owned).zip(self.signature()).collect(),
            build,
            modules: modules.iter().map(|module| module.path.clone()).collect(),
        }
    }
}

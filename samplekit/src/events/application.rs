//! Other events of the Application channel.

use super::wer_record::{WerRecord, store_folder};
use super::{Image, Layout};
use crate::bytes::ByteWriter;
use crate::event_log::{Event, Provider};
use crate::{FileTime, Guid};

/// A hang of one process that was closed.
#[derive(Debug, Clone)]
pub struct Hang {
    /// The executable.
    pub app: Image,
    /// Process id.
    pub process: u32,
    /// When the process started.
    pub started: FileTime,
    /// When it was closed.
    pub time: FileTime,
    /// The id that both events share.
    pub report_id: Guid,
}

impl Hang {
    /// Application Hang 1002, positional layout.
    #[must_use]
    pub fn application_hang(&self) -> Event {
        let texts = [
            self.app.name().to_owned(),
            self.app.version_text(),
            format!("{:x}", self.process),
            format!("{:016x}", self.started.0),
            // Milliseconds until it was terminated; this value is "not measured".
            "4294967295".to_owned(),
            self.app.path.clone(),
            self.report_id.to_string(),
            String::new(),
            String::new(),
            "Unknown".to_owned(),
        ];
        // The kinds of hang again as a list of texts with a terminator after each and after the list.
        let mut binary = ByteWriter::new();
        binary.utf16("Unknown").u16(0).u16(0);
        Event::new(Provider::classic("Application Hang"), 1002)
            .task(101)
            .at(self.time)
            .strings(texts)
            .binary(binary.into_bytes())
    }

    /// Windows Error Reporting 1001 of type `AppHangB1`, positional layout.
    #[must_use]
    pub fn wer_event(&self) -> Event {
        let record = WerRecord {
            event_type: "AppHangB1",
            response: "Not available",
            // Application, version, time stamp, hang signature, hang type.
            parameters: vec![
                self.app.name().to_owned(),
                self.app.version_text(),
                self.app.timestamp_text(),
                "6c1f".to_owned(),
                "134217728".to_owned(),
            ],
            folder: store_folder("AppHang", &self.app, self.report_id),
            report_id: self.report_id,
            status: 4,
        };
        record.event(Layout::Positional).at(self.time.plus_seconds(record.delay()))
    }
}

/// A .NET program that crashed with an unhandled exception.
#[derive(Debug, Clone)]
pub struct ManagedCrash {
    /// The executable.
    pub app: Image,
    /// When it crashed.
    pub time: FileTime,
    /// The id that its reports share.
    pub report_id: Guid,
    /// The text of the runtime's event, in the system's language.
    pub text: String,
    /// Full name of the exception's type.
    pub exception: String,
}

impl ManagedCrash {
    /// .NET Runtime 1026, logged before event 1000.
    #[must_use]
    pub fn runtime_event(&self) -> Event {
        Event::new(Provider::classic(".NET Runtime"), 1026).at(self.time.plus_micros(30_100)).strings([&self.text])
    }

    /// Windows Error Reporting 1001 of type `CLR20r3`, positional layout. `response` is in the system's language.
    #[must_use]
    pub fn wer_event(&self, response: &str) -> Event {
        let (app, version, timestamp) = (self.app.name(), self.app.version_text(), self.app.timestamp_text());
        // The report leaves out the word at the end of the type's name.
        let exception = self.exception.trim_end_matches("Exception");
        let record = WerRecord {
            event_type: "CLR20r3",
            response,
            // Executable, then the assembly that threw, its method and the offset in it.
            parameters: [app, &version, &timestamp, app, &version, &timestamp, "1c", "3a", exception]
                .map(str::to_owned)
                .into(),
            folder: store_folder("AppCrash", &self.app, self.report_id),
            report_id: self.report_id,
            status: 268_435_456,
        };
        record.event(Layout::Positional).at(self.time.plus_seconds(record.delay()))
    }
}

/// SideBySide 33: a program did not start, because an assembly that its manifest asks for is not installed.
#[must_use]
pub fn missing_assembly(time: FileTime, assembly: &str, program: &str) -> Event {
    /// Upper half of the message's id: an error of this source.
    const QUALIFIERS: u16 = 0xC101;
    // Twenty inserts, of which this message uses the first and the eleventh.
    let mut texts = vec![String::new(); 20];
    texts[0] = assembly.to_owned();
    texts[10] = program.to_owned();
    Event::new(Provider::classic("SideBySide"), 33).qualifiers(QUALIFIERS).at(time).strings(texts)
}

/// MsiInstaller 1033: a product was installed, an everyday record of the Application channel.
#[must_use]
pub fn product_installed(time: FileTime, product: &str, version: &str, maker: &str) -> Event {
    let id = Guid::made_up(product);
    Event::new(Provider::classic("MsiInstaller"), 1033)
        .level(4)
        .at(time)
        .strings([product, version, "1033", "0", maker, "(NULL)", ""])
        .binary(format!("{{{id}}}").into_bytes())
}

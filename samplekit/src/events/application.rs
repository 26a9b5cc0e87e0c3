//! Events of the Application channel besides crashes.

use crate::bytes::ByteWriter;
use crate::event_log::{Event, Provider};
use crate::events::Image;
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
            self.version(),
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
        let mut texts: Vec<String> = ["", "0", "AppHangB1", "Not available", "0"].map(str::to_owned).into();
        // Application, version, time stamp, hang signature, hang type.
        texts.extend([self.app.name().to_owned(), self.version(), format!("{:08x}", self.app.timestamp)]);
        texts.extend(["6c1f".to_owned(), "134217728".to_owned()]);
        texts.resize(19, String::new());
        texts[18] = "0".to_owned();
        texts.extend([self.report_id.to_string(), "4".to_owned(), String::new(), "0".to_owned()]);
        Event::new(Provider::classic("Windows Error Reporting"), 1001)
            .level(4)
            .at(self.time.plus_seconds(3))
            .strings(texts)
    }

    fn version(&self) -> String {
        self.app.version.map_or_else(|| "0.0.0.0".to_owned(), |version| version.to_string())
    }
}

/// .NET Runtime 1026: an exception that nobody caught. The text is in the system's language.
#[must_use]
pub fn dotnet_unhandled(time: FileTime, text: &str) -> Event {
    Event::new(Provider::classic(".NET Runtime"), 1026).at(time).strings([text])
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

/// MsiInstaller 1033: a product was installed. Ordinary traffic of the Application channel.
#[must_use]
pub fn product_installed(time: FileTime, product: &str, version: &str, maker: &str) -> Event {
    let id = Guid::made_up(product);
    Event::new(Provider::classic("MsiInstaller"), 1033)
        .level(4)
        .at(time)
        .strings([product, version, "1033", "0", maker, "(NULL)", ""])
        .binary(format!("{{{id}}}").into_bytes())
}

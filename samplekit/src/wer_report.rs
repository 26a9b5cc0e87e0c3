//! Writes `Report.wer` files: UTF-16 with a byte order mark, lines `key=value` that end in CR LF, the last without.

use std::fmt::Write as _;

use crate::{FileTime, Guid};

/// The content of a report. Names of signature values are in the system's language and given with them.
#[derive(Debug, Clone)]
pub struct Report {
    /// `APPCRASH`, `BEX64`, `AppHangB1`...
    pub event_type: String,
    /// When the crash happened.
    pub time: FileTime,
    /// The report's own id, the last part of its folder's name.
    pub id: Guid,
    /// The id that events 1000 and 1001 carry.
    pub integrator_id: Guid,
    /// Process id.
    pub process: u32,
    /// When the process started.
    pub started: FileTime,
    /// File name of the executable.
    pub app: String,
    /// Full path of the executable.
    pub app_path: String,
    /// The problem signature: name and value.
    pub signature: Vec<(String, String)>,
    /// Windows build number and update revision.
    pub build: (u32, u32),
    /// Full paths of the loaded modules, the executable first.
    pub modules: Vec<String>,
}

/// The writing of a report: what depends on the system and not on the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writing {
    /// Whether the file begins with a byte order mark; on Windows 7 it does not.
    pub byte_order_mark: bool,
    /// The system's language as Windows numbers it.
    pub locale: u32,
    /// The title of the report in that language.
    pub friendly_name: &'static str,
    /// Whether it is about a process, and not about the kernel: reports about the kernel name the program that wrote
    /// them.
    pub about_process: bool,
    /// Machine type of a process of another architecture than the system's: 332 is x86.
    pub guest: Option<u32>,
}

impl Writing {
    /// English Windows 10 and 11, a crash of a 64-bit process.
    pub const ENGLISH: Self = Self {
        byte_order_mark: true,
        locale: 1033,
        friendly_name: "Stopped working",
        about_process: true,
        guest: None,
    };
}

impl Report {
    /// The file, written as [`Writing::ENGLISH`].
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_as(Writing::ENGLISH)
    }

    /// The file.
    #[must_use]
    pub fn to_bytes_as(&self, writing: Writing) -> Vec<u8> {
        let text = self.lines(writing).join("\r\n");
        let mut out = if writing.byte_order_mark { vec![0xFF, 0xFE] } else { vec![] };
        out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        out
    }

    /// `WERInternalMetadata.xml`, which is beside the report.
    #[must_use]
    pub fn metadata_bytes(&self) -> Vec<u8> {
        let mut xml = String::from("\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-16\"?>\r\n<WERReportMetadata>\r\n");
        let mut group = |name: &str, values: &[(String, String)]| {
            let _ = write!(xml, "\t<{name}>\r\n");
            for (name, value) in values {
                let value = value.replace('&', "&amp;").replace('<', "&lt;");
                let _ = write!(xml, "\t\t<{name}>{value}</{name}>\r\n");
            }
            let _ = write!(xml, "\t</{name}>\r\n");
        };
        let value = |name: &str, value: String| (name.to_owned(), value);
        let (build, revision) = self.build;
        let system = [
            value("WindowsNTVersion", "10.0".to_owned()),
            value("Build", format!("{build} ")),
            value("Revision", revision.to_string()),
            value("LCID", "1033".to_owned()),
        ];
        group("OSVersionInformation", &system);
        let process = [value("Pid", self.process.to_string()), value("ImageName", self.app.clone())];
        group("ProcessInformation", &process);
        let mut signature = vec![value("EventType", self.event_type.clone())];
        let parameters = self.signature.iter().enumerate();
        signature.extend(parameters.map(|(index, (_, text))| value(&format!("Parameter{index}"), text.clone())));
        group("ProblemSignatures", &signature);
        group("ReportInformation", &[value("Guid", self.id.to_string())]);
        xml.push_str("</WERReportMetadata>\r\n");
        xml.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn lines(&self, writing: Writing) -> Vec<String> {
        let (build, revision) = self.build;
        let mut lines: Vec<String> = vec![
            "Version=1".to_owned(),
            format!("EventType={}", self.event_type),
            format!("EventTime={}", self.time.0),
            "ReportType=2".to_owned(),
            "Consent=1".to_owned(),
            format!("UploadTime={}", self.time.plus_seconds(4).0),
            "ReportStatus=268435456".to_owned(),
            format!("ReportIdentifier={}", self.id),
            format!("IntegratorReportIdentifier={}", self.integrator_id),
            // 34404 is 0x8664, the machine type of 64-bit x86.
            "Wow64Host=34404".to_owned(),
        ];
        lines.extend(writing.guest.map(|machine| format!("Wow64Guest={machine}")));
        lines.push(format!("NsAppName={}", self.app));
        if writing.about_process {
            lines.push(format!("OriginalFilename={}", self.app));
            lines.push(format!("AppSessionGuid={}", self.session()));
            lines.push(format!("BootId={}", 4_294_967_295_u32));
            lines.push("UserImpactVector=808464688".to_owned());
            lines.push("IsFatal=1".to_owned());
        }
        for (index, (name, value)) in self.signature.iter().enumerate() {
            lines.push(format!("Sig[{index}].Name={name}"));
            lines.push(format!("Sig[{index}].Value={value}"));
        }
        lines.push("DynamicSig[1].Name=OS Version".to_owned());
        lines.push(format!("DynamicSig[1].Value=10.0.{build}.2.0.0.256.48"));
        lines.push("DynamicSig[2].Name=Locale ID".to_owned());
        lines.push(format!("DynamicSig[2].Value={}", writing.locale));
        lines.push(format!("UI[2]={}", self.app_path));
        lines.extend(self.modules.iter().enumerate().map(|(index, path)| format!("LoadedModule[{index}]={path}")));
        lines.push("State[0].Key=Transport.DoneStage1".to_owned());
        lines.push("State[0].Value=1".to_owned());
        let build_text = build.to_string();
        let revision_text = revision.to_string();
        let locale = writing.locale.to_string();
        let facts = [
            ("vermaj", "10"),
            ("vermin", "0"),
            ("verbld", build_text.as_str()),
            ("ubr", revision_text.as_str()),
            ("versp", "0"),
            ("arch", "9"),
            ("lcid", locale.as_str()),
            ("sku", "48"),
            ("ram", "32688"),
        ];
        for (index, (key, value)) in facts.iter().enumerate() {
            lines.push(format!("OsInfo[{index}].Key={key}"));
            lines.push(format!("OsInfo[{index}].Value={value}"));
        }
        lines.push(format!("FriendlyEventName={}", writing.friendly_name));
        lines.push(format!("ConsentKey={}", self.event_type));
        lines.push(format!("AppName={}", self.app));
        lines.push(format!("AppPath={}", self.app_path));
        lines.push("NsPartner=windows".to_owned());
        lines.push("NsGroup=windows8".to_owned());
        lines.push(format!("ApplicationIdentity={}", self.hex_digest()));
        lines.push("MetadataHash=1377482512".to_owned());
        lines
    }

    /// The session: a GUID whose first group is the process id and whose last eight bytes are the start time,
    /// little-endian.
    fn session(&self) -> String {
        let [a, b, c, d, e, f, g, h] = self.started.0.to_le_bytes();
        let pid = self.process;
        format!("{pid:08x}-0001-0024-{a:02x}{b:02x}-{c:02x}{d:02x}{e:02x}{f:02x}{g:02x}{h:02x}")
    }

    /// A made-up identity of the executable, 32 upper-case digits.
    fn hex_digest(&self) -> String {
        Guid::made_up(&self.app_path).0.iter().fold(String::new(), |mut text, byte| {
            // Writing to a String does not fail.
            let _ = write!(text, "{byte:02X}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_windows_own() {
        let report = Report {
            event_type: "APPCRASH".to_owned(),
            time: FileTime::utc(2025, 12, 4, 6, 58, 34),
            id: Guid::made_up("own"),
            integrator_id: Guid::made_up("integrator"),
            process: 0x5234,
            started: FileTime(0x01DC_64EB_658D_061A),
            app: "a.exe".to_owned(),
            app_path: "C:\\a.exe".to_owned(),
            signature: vec![("Application Name".to_owned(), "a.exe".to_owned())],
            build: (26100, 7171),
            modules: vec!["C:\\a.exe".to_owned()],
        };
        let bytes = report.to_bytes();
        assert_eq!(bytes[..4], [0xFF, 0xFE, b'V', 0]);
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let text = String::from_utf16(&units).expect("UTF-16");
        assert!(text.contains("\r\nAppSessionGuid=00005234-0001-0024-1a06-8d65eb64dc01\r\n"), "{text}");
        assert!(!text.ends_with('\n'));
    }
}

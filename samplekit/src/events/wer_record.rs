//! Event 1001 of Windows Error Reporting, for all kinds of reports.

use super::{Image, Layout};
use crate::Guid;
use crate::event_log::{Event, Provider, Value};

const WINDOWS_ERROR_REPORTING: Guid = Guid::new(0x0ead_09bd, 0x2157, 0x539a, 0x8d6d, 0xc87f_95b6_4d70);
/// Status of a report that was sent and answered.
const ANSWERED: u32 = 268_435_456;

/// The values of an event 1001.
#[derive(Debug)]
pub(super) struct WerRecord<'a> {
    /// `APPCRASH`, `AppHangB1`...
    pub event_type: &'a str,
    /// "Not available", in the system's language.
    pub response: &'a str,
    /// P1 and on, at most ten.
    pub parameters: Vec<String>,
    /// Folder of the report; empty for none.
    pub folder: String,
    /// The id that event 1000 or 1002 carries too.
    pub report_id: Guid,
    /// The state of the report.
    pub status: u32,
}

impl WerRecord<'_> {
    /// How many seconds after the crash it is logged.
    pub fn delay(&self) -> u64 {
        if self.status == ANSWERED { 9 } else { 2 }
    }

    /// The event.
    pub fn event(&self, layout: Layout) -> Event {
        let answered = self.status == ANSWERED;
        let (bucket, bucket_type) = if answered { ("1462185519827394650", "4") } else { ("", "0") };
        let hashed_bucket = if answered { "5f0ec3c1b4a98e4bd44ae53c5c4b1a5a" } else { "" };
        let mut texts: Vec<String> =
            [bucket, bucket_type, self.event_type, self.response, "0"].map(str::to_owned).into();
        texts.extend(self.parameters.iter().cloned());
        // P1 to P10 are 5 to 14.
        texts.resize(15, String::new());
        texts.extend([attached_files(), self.folder.clone(), String::new(), "0".to_owned()]);
        texts.extend([self.report_id.to_string(), self.status.to_string(), hashed_bucket.to_owned(), "0".to_owned()]);
        match layout {
            Layout::Positional => {
                Event::new(Provider::classic("Windows Error Reporting"), 1001).level(4).strings(texts)
            }
            Layout::Named => {
                let values = texts.into_iter().enumerate().map(|(index, text)| match index {
                    18 => Value::U8(0),
                    20 => Value::U32(self.status),
                    _ => Value::Text(text),
                });
                Event::new(Provider::manifest("Windows Error Reporting", WINDOWS_ERROR_REPORTING), 1001)
                    .level(4)
                    .named(field_names().into_iter().zip(values))
            }
        }
    }
}

/// The folder of a report in the archive: kind, program, hashes, and the report's own id.
pub(super) fn store_folder(kind: &str, app: &Image, report_id: Guid) -> String {
    let hash = Guid::made_up(&app.path).to_string().replace('-', "");
    let own = own_report_id(report_id);
    let archive = r"\\?\C:\ProgramData\Microsoft\Windows\WER\ReportArchive";
    format!(r"{archive}\{kind}_{}_{hash}3c21a7e0_5a17b2c4_{own}", app.name())
}

/// The report's own id, which differs from the one in its events.
pub(super) fn own_report_id(report_id: Guid) -> Guid {
    Guid::made_up(&format!("{report_id} report"))
}

/// The list of attached files: it begins with a line break, one path a line.
fn attached_files() -> String {
    let folder = r"\\?\C:\ProgramData\Microsoft\Windows\WER\Temp";
    ["WER5B1C.tmp.mdmp", "WER5D8E.tmp.WERInternalMetadata.xml", "WER5DAE.tmp.xml"]
        .iter()
        .map(|file| format!("\r\n{folder}\\{file}"))
        .collect()
}

/// Names of the fields, in order.
fn field_names() -> Vec<String> {
    let head = ["Bucket", "BucketType", "EventName", "Response", "CabId"].map(str::to_owned);
    let tail = [
        "AttachedFiles",
        "StorePath",
        "AnalysisSymbol",
        "Rechecking",
        "ReportId",
        "ReportStatus",
        "HashedBucket",
        "CabGuid",
    ];
    let parameters = (1..=10).map(|number| format!("P{number}"));
    head.into_iter().chain(parameters).chain(tail.map(str::to_owned)).collect()
}

//! `WERInternalMetadata.xml`: what Windows Error Reporting writes into a report's folder and CAB beside `Report.wer`, and
//! what people send when they find no other file.
//!
//! Windows writes it as UTF-16 with byte order mark. Elements have values and no attributes, but for `Wow64`:
//! `OSVersionInformation` (`WindowsNTVersion`, `Build`, `Revision`, `LCID`), `ProcessInformation` (`Pid`, `ImageName`,
//! `Wow64`, `Uptime` in milliseconds, `ProcessVmInformation` in bytes, and the same of the parent process below
//! `ParentProcess`), `ProblemSignatures` (`EventType`, `Parameter0`...), `DynamicSignatures` (`Parameter1`...),
//! `SystemInformation` (`MID`) and `ReportInformation` (`Guid`, `CreationTime`). Older systems leave some of them out.
//!
//! Source: such files of Windows 10 that people published.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event as Markup};

use super::{KERNEL_REPORTS, MOST_SIGNATURE_VALUES, NO_EVENT_TYPE, identifier, machine, read_value};
use crate::signature::read_signature;
use evidence::{Names, ProcessMemory, WerDetails, WerReport};
use untrusted::notation::{number_u32, number_u64};
use untrusted::text::decode;
use untrusted::{Loss, Unreadable};

/// The outermost element.
const ROOT: &str = "WERReportMetadata";
/// As deep as elements are nested, and some more.
const MOST_LEVELS: usize = 16;
/// As many elements as there are, and many more.
const MOST_ELEMENTS: usize = 4096;

/// Whether a file that begins with `first_bytes` is one.
pub(super) fn is_metadata(first_bytes: &[u8]) -> bool {
    let begins = |start: &&[u8]| first_bytes.starts_with(start);
    let starts: [&[u8]; 5] = [b"<", b"\xEF\xBB\xBF<", b"\xFF\xFE<\0", b"\xFE\xFF\0<", b"\0<"];
    if !starts.iter().any(begins) {
        return false;
    }
    let beginning = decode(first_bytes.get(..512).unwrap_or(first_bytes)).characters;
    let after_declaration = match beginning.trim_start().strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or("", |(_, rest)| rest),
        None => &beginning,
    };
    let tag = after_declaration.trim_start().strip_prefix('<').and_then(|rest| rest.strip_prefix(ROOT));
    tag.is_some_and(|rest| rest.starts_with(|next: char| next == '>' || next.is_whitespace()))
}

/// Reads the decoded file.
///
/// # Errors
/// When it does not even hold the event's type.
pub(super) fn read(text: &str, names: &Names, losses: &mut Vec<Loss>) -> Result<WerReport, Unreadable> {
    let values = Values::read(text, losses);
    let event_type = values.get("ProblemSignatures/EventType");
    let event_type = event_type.ok_or_else(|| Unreadable::at("element EventType", NO_EVENT_TYPE))?;
    let about_process = !KERNEL_REPORTS.iter().any(|kind| kind.eq_ignore_ascii_case(event_type));
    let process = |name: &str| values.get(&format!("ProcessInformation/{name}")).filter(|_| about_process);
    let mut signature = read_signature(event_type, &signature_values(&values, names));
    if signature.app.is_none() {
        signature.app = process("ImageName").map(|name| names.share(name));
    }
    let time = values.get("ReportInformation/CreationTime");
    let pid = process("Pid").and_then(|text| read_value("Pid", text, number_u32, losses));
    Ok(WerReport {
        event_type: names.share(event_type),
        time: time.and_then(|text| read_value("CreationTime", text, |text| text.parse().ok(), losses)),
        report_id: None,
        own_id: values.get("ReportInformation/Guid").map(|text| identifier("Guid", text, losses)),
        pid: pid.filter(|pid| *pid != 0),
        started: None,
        app_path: None,
        signature,
        modules: Vec::new(),
        os_version: os_version(&values).map(|version| names.share(&version)),
        details: WerDetails {
            architecture: process("Wow64@guest")
                .or_else(|| process("Wow64@host"))
                .and_then(number_u64)
                .and_then(machine),
            os_revision: values.get("OSVersionInformation/Revision").and_then(number_u32),
            locale: values
                .get("DynamicSignatures/Parameter2")
                .or_else(|| values.get("OSVersionInformation/LCID"))
                .and_then(number_u32),
            parent: process("ParentProcess/ProcessInformation/ImageName").map(|name| names.share(name)),
            uptime: process("Uptime").and_then(number_u64).and_then(|milliseconds| milliseconds.checked_div(1000)),
            process_memory: process_memory(&process),
            machine: values
                .get("SystemInformation/MID")
                .filter(|number| number.contains(|digit: char| digit != '0' && digit != '-'))
                .map(|text| identifier("MID", text, losses)),
            metadata: true,
            ..WerDetails::default()
        },
    })
}

/// What the process had committed, its RAM and its address space.
fn process_memory<'v>(process: &impl Fn(&str) -> Option<&'v str>) -> Option<ProcessMemory> {
    let number = |name: &str| process(&format!("ProcessVmInformation/{name}")).and_then(number_u64);
    Some(ProcessMemory {
        commit: number("PagefileUsage")?,
        working_set: number("WorkingSetSize")?,
        virtual_size: number("VirtualSize"),
    })
}

/// The version as the dynamic signature writes it, or its first parts. Game engines write such a file on other systems
/// too, whose numbers are not of this form.
fn os_version(values: &Values) -> Option<String> {
    let is_version = |text: &&str| text.split('.').filter(|part| part.parse::<u32>().is_ok()).count() >= 3;
    if let Some(version) = values.get("DynamicSignatures/Parameter1").filter(is_version) {
        return Some(version.to_owned());
    }
    let version = values.get("OSVersionInformation/WindowsNTVersion")?;
    let build = values.get("OSVersionInformation/Build")?;
    let build: u32 = build.split_whitespace().next()?.parse().ok()?;
    version.split('.').all(|part| part.parse::<u32>().is_ok()).then(|| format!("{version}.{build}"))
}

/// The signature's values, each at the position in its name.
fn signature_values(values: &Values, names: &Names) -> Vec<Arc<str>> {
    let value = |index: u32| values.get(&format!("ProblemSignatures/Parameter{index}"));
    let count = (0..MOST_SIGNATURE_VALUES).filter(|index| value(*index).is_some()).max();
    let all = (0..count.map_or(0, |last| last.saturating_add(1))).map(value);
    all.map(|value| names.share(value.unwrap_or_default())).collect()
}

/// The elements that hold text, by their names from below the outermost on: `ProcessInformation/Pid`. Attributes are
/// behind an `@`. Of several of one name the first counts.
struct Values(BTreeMap<String, String>);

impl Values {
    fn read(text: &str, losses: &mut Vec<Loss>) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().allow_dangling_amp = true;
        let mut values = Self(BTreeMap::new());
        let mut open: Vec<(String, String)> = Vec::new();
        let mut elements = 0_usize;
        loop {
            match reader.read_event() {
                Ok(Markup::Start(tag)) if open.len() < MOST_LEVELS && elements < MOST_ELEMENTS => {
                    elements = elements.saturating_add(1);
                    let path = path(&open, &tag);
                    values.add_attributes(&path, &tag);
                    open.push((path, String::new()));
                }
                Ok(Markup::Empty(tag)) if elements < MOST_ELEMENTS => {
                    elements = elements.saturating_add(1);
                    values.add_attributes(&path(&open, &tag), &tag);
                }
                Ok(Markup::End(_)) => {
                    if let Some((path, text)) = open.pop() {
                        values.add(path, &text);
                    }
                    if open.is_empty() {
                        return values;
                    }
                }
                Ok(Markup::Text(content)) => add_text(&mut open, &content.xml10_content()),
                Ok(Markup::CData(content)) => add_text(&mut open, &content.xml10_content()),
                Ok(Markup::GeneralRef(reference)) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => add_text(&mut open, character.encode_utf8(&mut [0; 4])),
                    _ => add_text(&mut open, resolve_predefined_entity(&reference.xml10_content()).unwrap_or_default()),
                },
                Ok(Markup::Start(_) | Markup::Empty(_)) => {
                    losses.push(Loss::new("elements", "more, or more deeply nested ones, than such a file has"));
                    return values;
                }
                Ok(Markup::Eof) => {
                    losses.push(Loss::new("end", format!("the file ends before </{ROOT}>")));
                    return values;
                }
                Err(error) => {
                    losses.push(Loss::new(format!("character {}", reader.error_position()), error.to_string()));
                    return values;
                }
                Ok(_) => {}
            }
        }
    }

    fn get(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    fn add(&mut self, path: String, text: &str) {
        if !path.is_empty() && !text.trim().is_empty() {
            self.0.entry(path).or_insert_with(|| text.to_owned());
        }
    }

    fn add_attributes(&mut self, path: &str, tag: &BytesStart<'_>) {
        for attribute in tag.attributes().flatten().take(MOST_LEVELS) {
            let name = attribute.key.local_name().into_inner().to_owned();
            if let Ok(value) = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0) {
                self.add(format!("{path}@{name}"), &value);
            }
        }
    }
}

/// An element's name behind those around it, the outermost left out.
fn path(open: &[(String, String)], tag: &BytesStart<'_>) -> String {
    match open.last() {
        None => String::new(),
        Some((around, _)) if around.is_empty() => tag.local_name().into_inner().to_owned(),
        Some((around, _)) => format!("{around}/{}", tag.local_name().into_inner()),
    }
}

fn add_text(open: &mut [(String, String)], text: &str) {
    if let Some((_, content)) = open.last_mut() {
        content.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{read_all, utf16};
    use super::*;
    use evidence::{CpuArchitecture, ExceptionCode};

    const METADATA: &str = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\r
<WERReportMetadata>\r
\t<OSVersionInformation>\r
\t\t<WindowsNTVersion>10.0</WindowsNTVersion>\r
\t\t<Build>22631 </Build>\r
\t\t<Product>(0x65): Windows 11 Home</Product>\r
\t\t<Revision>4170</Revision>\r
\t\t<LCID>1031</LCID>\r
\t</OSVersionInformation>\r
\t<ProcessInformation>\r
\t\t<Pid>6700</Pid>\r
\t\t<ImageName>trainer &amp; co.exe</ImageName>\r
\t\t<Uptime>18563</Uptime>\r
\t\t<Wow64 host=\"34404\" guest=\"332\">1</Wow64>\r
\t\t<ProcessVmInformation>\r
\t\t\t<VirtualSize>2130163968</VirtualSize>\r
\t\t\t<WorkingSetSize>51466240</WorkingSetSize>\r
\t\t\t<PagefileUsage>4534272</PagefileUsage>\r
\t\t</ProcessVmInformation>\r
\t\t<ParentProcess><ProcessInformation><Pid>44</Pid><ImageName>explorer.exe</ImageName></ProcessInformation></ParentProcess>\r
\t</ProcessInformation>\r
\t<ProblemSignatures>\r
\t\t<EventType>APPCRASH</EventType>\r
\t\t<Parameter0>trainer &amp; co.exe</Parameter0>\r
\t\t<Parameter1>1.2.3.4</Parameter1>\r
\t\t<Parameter2>5f000001</Parameter2>\r
\t\t<Parameter3>plugin.dll</Parameter3>\r
\t\t<Parameter4>10.0.1.2</Parameter4>\r
\t\t<Parameter5>5f000002</Parameter5>\r
\t\t<Parameter6>c0000005</Parameter6>\r
\t\t<Parameter7>0000000000001234</Parameter7>\r
\t</ProblemSignatures>\r
\t<SystemInformation>\r
\t\t<MID>1A2B3C4D-1111-2222-3333-445566778899</MID>\r
\t</SystemInformation>\r
\t<ReportInformation>\r
\t\t<Guid>0A0B0C0D-1111-2222-3333-445566778899</Guid>\r
\t\t<CreationTime>2024-05-06T12:00:05Z</CreationTime>\r
\t</ReportInformation>\r
</WERReportMetadata>\r
";

    #[test]
    fn it_is_known_by_its_outermost_element() {
        for text in [METADATA, "<WERReportMetadata>", "<?xml version=\"1.0\"?><WERReportMetadata >"] {
            assert!(is_metadata(text.as_bytes()) && is_metadata(&utf16(&["\u{FEFF}", text].concat())), "{text}");
        }
        for other in ["", "<", "<?xml", "<Event xmlns='x'>", "<WERReportMetadataX>", "text <WERReportMetadata>"] {
            assert!(!is_metadata(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn it_says_what_crashed_where() {
        let little = utf16(&["\u{FEFF}", METADATA].concat());
        let big: Vec<u8> = little.chunks(2).flat_map(|unit| unit.iter().rev().copied()).collect();
        for bytes in [&little[..], &little[2..], &big[..], &big[2..], METADATA.as_bytes()] {
            assert!(is_metadata(bytes));
            let (report, losses) = read_all(bytes);
            assert_eq!(losses, [""; 0]);
            assert_eq!(report.details.uptime, Some(18));
            let memory =
                ProcessMemory { commit: 4_534_272, working_set: 51_466_240, virtual_size: Some(2_130_163_968) };
            assert_eq!(report.details.process_memory, Some(memory));
            assert_eq!(report.details.machine.as_deref(), Some("1a2b3c4d-1111-2222-3333-445566778899"));
            let signature = &report.signature;
            assert_eq!(&*report.event_type, "APPCRASH");
            assert_eq!(signature.app.as_deref(), Some("trainer & co.exe"));
            assert_eq!(signature.module.as_deref(), Some("plugin.dll"));
            assert_eq!(signature.code, Some(ExceptionCode::ACCESS_VIOLATION));
            assert_eq!(report.pid, Some(6700), "not the parent's");
            assert_eq!(report.details.parent.as_deref(), Some("explorer.exe"));
            assert_eq!(report.own_id.as_deref(), Some("0a0b0c0d-1111-2222-3333-445566778899"));
            assert_eq!(report.time.map(|time| time.to_string()).as_deref(), Some("2024-05-06T12:00:05Z"));
            assert_eq!(report.os_version.as_deref(), Some("10.0.22631"));
            let details = &report.details;
            assert_eq!((details.os_revision, details.locale), (Some(4170), Some(1031)));
            assert_eq!(details.architecture, Some(CpuArchitecture::X86));
        }
    }

    #[test]
    fn a_file_that_was_cut_says_so_and_what_it_holds() {
        let cut = METADATA.split("<Parameter6>").next().expect("a beginning");
        let (report, losses) = read_all(cut.as_bytes());
        assert_eq!(report.signature.module.as_deref(), Some("plugin.dll"));
        assert_eq!(report.signature.code, None);
        assert_eq!(losses, ["end: the file ends before </WERReportMetadata>"]);
        let deep = format!("<{ROOT}>{}", "<a>".repeat(100_000));
        assert!(read(&deep, &Names::default(), &mut Vec::new()).is_err());
    }

    #[test]
    fn no_process_has_the_id_zero() {
        let without = METADATA.replace("<Pid>6700</Pid>", "<Pid>0</Pid>");
        assert_eq!(read_all(without.as_bytes()).0.pid, None);
    }

    #[test]
    fn another_system_is_not_taken_for_windows() {
        let of_a_mac = METADATA.replace("<Build>22631 </Build>", "<Build>13.0 (22A380)</Build>");
        assert_eq!(read_all(of_a_mac.as_bytes()).0.os_version, None);
    }
}

//! `Report.wer`: what Windows Error Reporting keeps of a crash, hang or kernel report.
//!
//! Windows writes the file as UTF-16; users send it re-saved as UTF-8 too. The names of signature values
//! (`Sig[0].Name`) are in the system's language, so values are taken by position and event type alone. The metadata that
//! lies beside it (`metadata`) has part of the same.

mod keys;
mod metadata;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

use jiff::Timestamp;
use keys::{Keys, differs_in_one_character};

use crate::signature::{event_types, misread, read_signature};
use evidence::Reading;
use evidence::{CpuArchitecture, Evidence, Names, Observation, Place, WerDetails, WerReport, WerSignature, base_name};
use untrusted::notation::{filetime, guid, hex_u64, number_u32, number_u64};
use untrusted::text::{decode, read_beginning};
use untrusted::{Loss, Unreadable};

/// The largest report that is read, bytes. Real ones have some ten thousand.
const LARGEST_REPORT: u64 = 16 << 20;
/// More values than a signature has; Windows writes at most ten.
const MOST_SIGNATURE_VALUES: u32 = 32;
/// Why a report without the event's type is not read.
const NO_EVENT_TYPE: &str = "missing, so nothing says what the report is about";
/// The first line of a report.
const FIRST_LINE: &str = "Version=1";
/// Keys near the beginning of a report, by which one is known whose first line is damaged.
const FIRST_KEYS: [&str; 7] =
    ["EventType=", "EventTime=", "ReportType=", "Consent=", "UploadTime=", "ReportIdentifier=", "Sig[0].Name="];
/// How many of the first keys a report with a damaged first line has at least.
const FEWEST_FIRST_KEYS: usize = 3;
/// Keys that are looked for under a name with a damaged character, too: what identifies the crash and its process.
const MENDED_KEYS: [&str; 6] =
    ["EventType", "EventTime", "ReportIdentifier", "IntegratorReportIdentifier", "AppSessionGuid", "AppPath"];
/// How many characters of a value a loss shows.
const SHOWN: usize = 64;
/// The length of a GUID's text.
const GUID_LENGTH: usize = 36;
/// Event types of reports that are about the kernel and not about a process.
const KERNEL_REPORTS: [&str; 2] = ["LiveKernelEvent", "BlueScreen"];

/// Whether a file that begins with `first_bytes` is a `Report.wer` or the `WERInternalMetadata.xml` that lies beside one.
/// A report's first line is `Version=1`. One with a damaged first line is known by the keys behind it.
#[must_use]
pub fn is_wer_report(first_bytes: &[u8]) -> bool {
    if metadata::is_metadata(first_bytes) {
        return true;
    }
    // The line and its end in UTF-16 with byte order mark take 24 bytes.
    let beginning = decode(first_bytes.get(..32).unwrap_or(first_bytes)).characters;
    match FirstLine::of(&beginning) {
        FirstLine::Whole => true,
        FirstLine::Damaged => has_first_keys(&decode(first_bytes).characters),
        FirstLine::Other => false,
    }
}

/// What the first line of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstLine {
    /// A report begins.
    Whole,
    /// It could be a report's, with a damaged character or byte order mark, or it is a report's second line.
    Damaged,
    /// It is no report's.
    Other,
}

impl FirstLine {
    fn of(text: &str) -> Self {
        let line = text.lines().next().unwrap_or_default().trim_end();
        let length = line.chars().count();
        // In place of a byte order mark there can be two characters.
        let before = length.saturating_sub(FIRST_LINE.len());
        let version: String = line.chars().skip(before).collect();
        if line == FIRST_LINE {
            Self::Whole
        } else if line.starts_with("EventType=")
            || (before <= 2 && (version == FIRST_LINE || differs_in_one_character(&version, FIRST_LINE)))
        {
            Self::Damaged
        } else {
            Self::Other
        }
    }
}

/// Whether enough of a report's first keys are there.
fn has_first_keys(text: &str) -> bool {
    let found = FIRST_KEYS.iter().filter(|key| text.lines().any(|line| line.starts_with(**key)));
    found.count() >= FEWEST_FIRST_KEYS
}

/// Reads the `Report.wer` in `file`, which has `bytes` bytes.
///
/// # Errors
///
/// When the file is no report, is far larger than any, or does not even hold the event's type.
pub fn read(file: &mut File, bytes: u64, names: &Names) -> Result<Reading, Unreadable> {
    if bytes > LARGEST_REPORT {
        return Err(Unreadable::whole(format!("{bytes} bytes are too many for a Report.wer")));
    }
    let content = read_beginning(file, bytes, LARGEST_REPORT)
        .map_err(|error| Unreadable::whole(format!("the file can't be read: {error}")))?;
    read_bytes(&content, names)
}

fn read_bytes(content: &[u8], names: &Names) -> Result<Reading, Unreadable> {
    let text = decode(content);
    let mut losses = text.losses;
    let characters = without_nul(text.characters, &mut losses);
    let report = if metadata::is_metadata(content) {
        metadata::read(&characters, names, &mut losses)?
    } else {
        let mut keys = Keys::read(&characters, &mut losses);
        if FirstLine::of(&characters) != FirstLine::Whole {
            if keys.first != Some("Version") && !has_first_keys(&characters) {
                return Err(Unreadable::whole("not a Report.wer: its first line does not begin with `Version=`"));
            }
            losses.push(Loss::new("line 1", "not `Version=1`, with which every report begins"));
        }
        keys.mend(&MENDED_KEYS, &mut losses);
        let event_type = keys.get("EventType").ok_or_else(|| Unreadable::at("key EventType", NO_EVENT_TYPE))?;
        report_cut_end(&keys, characters.ends_with('\n'), &mut losses);
        read_report(&keys, mended_type(event_type, &mut losses), names, &mut losses)
    };
    let evidence = Evidence { place: Place::Whole, observation: Observation::Wer(Box::new(report)) };
    Ok(Reading { evidence: vec![evidence], losses, ..Reading::default() })
}

/// The text without NUL characters, which are where a file's data never reached the disk.
fn without_nul(characters: String, losses: &mut Vec<Loss>) -> String {
    let Some((before, _)) = characters.split_once('\0') else {
        return characters;
    };
    let line = before.matches('\n').count().saturating_add(1);
    let count = characters.matches('\0').count();
    losses.push(Loss::new(format!("line {line}"), format!("{count} NUL characters in place of text")));
    characters.replace('\0', "")
}

/// Reports a file that ends too early. Only since Windows 10 a report has a last line that is always the same; all
/// have a name for the event after their lists, and older ones end with a line end.
fn report_cut_end(keys: &Keys, ends_with_line: bool, losses: &mut Vec<Loss>) {
    if !keys.has("FriendlyEventName") {
        losses.push(Loss::new("end", "the file ends before FriendlyEventName, which every report has after its lists"));
    } else if let Some(last) = keys.last.filter(|last| !ends_with_line && *last != "MetadataHash") {
        losses.push(Loss::new("end", format!("the file ends in the middle of a line, after the key {last}")));
    }
}

/// The event's type; in place of one that is not known, the known one from which a single character differs.
fn mended_type<'t>(event_type: &'t str, losses: &mut Vec<Loss>) -> &'t str {
    let mut known = event_types();
    if known.clone().any(|known| known.eq_ignore_ascii_case(event_type)) {
        return event_type;
    }
    let Some(meant) = known.find(|known| differs_in_one_character(known, event_type)) else { return event_type };
    let reason = format!("`{event_type}` is not known; one character differs from {meant}, as which it is read");
    losses.push(Loss::new("key EventType", reason));
    meant
}

fn read_report(keys: &Keys, event_type: &str, names: &Names, losses: &mut Vec<Loss>) -> WerReport {
    let values = signature_values(keys, names, losses);
    let session = keys.get("AppSessionGuid").and_then(|text| read_value("AppSessionGuid", text, session, losses));
    let (pid, started) = session.unwrap_or_default();
    let mut id = |key| keys.get(key).map(|text| identifier(key, text, losses));
    let own_id = id("ReportIdentifier");
    // Windows 7 has one identifier for both.
    let report_id = id("IntegratorReportIdentifier").or_else(|| own_id.clone());
    // Kernel reports name the program that wrote the report.
    let about_process = !KERNEL_REPORTS.iter().any(|kind| kind.eq_ignore_ascii_case(event_type));
    WerReport {
        event_type: names.share(event_type),
        time: keys
            .get("EventTime")
            .and_then(|text| read_value("EventTime", text, |text| number_u64(text).map(filetime), losses).flatten()),
        report_id,
        own_id,
        pid,
        started,
        app_path: keys.get("AppPath").or_else(|| keys.get("UI[2]")).filter(|_| about_process).map(|p| names.share(p)),
        signature: signature(event_type, &values, losses),
        modules: modules(keys, names, losses),
        os_version: keys
            .get("DynamicSig[1].Value")
            .filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
            .map(|version| names.share(version)),
        details: details(keys, about_process, names, losses),
    }
}

/// The values beside signature and modules.
fn details(keys: &Keys, about_process: bool, names: &Names, losses: &mut Vec<Loss>) -> WerDetails {
    let own_name = keys.get("AppPath").map(base_name).or_else(|| keys.get("NsAppName"));
    let original = keys.get("OriginalFilename").filter(|name| {
        // Files of Windows in other languages say `NAME.EXE.MUI`.
        let plain = name.get(name.len().saturating_sub(4)..).filter(|end| end.eq_ignore_ascii_case(".mui"));
        let name = plain.map_or(*name, |end| name.get(..name.len().saturating_sub(end.len())).unwrap_or(name));
        own_name.is_some_and(|own| !own.eq_ignore_ascii_case(name))
    });
    // Where a process of another architecture than the system's crashed, the guest's is its own; reports of 64-bit
    // processes have no `Wow64Guest`.
    let mut number = |key: &str, text: Option<&str>| read_value(key, text?, number_u64, losses);
    let guest = number("Wow64Guest", keys.get("Wow64Guest"));
    let host = number("Wow64Host", keys.get("Wow64Host"));
    let architecture = guest.or(host).and_then(machine);
    let revision = number("OsInfo ubr", os_info(keys, "ubr"));
    let memory = number("OsInfo ram", os_info(keys, "ram"));
    WerDetails {
        architecture: architecture.filter(|_| about_process),
        os_revision: revision.and_then(|revision| u32::try_from(revision).ok()),
        locale: keys.get("DynamicSig[2].Value").and_then(number_u32),
        memory: memory.filter(|memory| *memory != 0),
        original_name: original.filter(|_| about_process).map(|name| names.share(name)),
        friendly_name: keys.get("FriendlyEventName").map(|name| names.share(name)),
        bucket: keys.get("Response.BucketId").map(|bucket| Arc::from(bucket.to_lowercase())),
        ..WerDetails::default()
    }
}

/// An architecture by its number.
///
/// Source: the numbers are those of `IMAGE_FILE_MACHINE_`.
fn machine(number: u64) -> Option<CpuArchitecture> {
    match number {
        0x014C => Some(CpuArchitecture::X86),
        0x8664 => Some(CpuArchitecture::X64),
        0xAA64 => Some(CpuArchitecture::Arm64),
        0x01C4 => Some(CpuArchitecture::Arm),
        _ => None,
    }
}

/// The value that the report's description of the system has under `name`.
fn os_info<'t>(keys: &Keys<'t>, name: &str) -> Option<&'t str> {
    let names = keys.list("OsInfo", ".Key");
    let (index, _) = names.iter().find(|(_, key)| key.trim() == name)?;
    keys.get(&format!("OsInfo[{index}].Value"))
}

/// Reads a key's value with `reader`; a value that it can't read is a loss.
fn read_value<T>(key: &str, text: &str, reader: impl Fn(&str) -> Option<T>, losses: &mut Vec<Loss>) -> Option<T> {
    let value = reader(text);
    if value.is_none() {
        let beginning: String = text.chars().take(SHOWN).collect();
        losses.push(Loss::new(format!("key {key}"), format!("`{beginning}` is not what this key holds")));
    }
    value
}

/// The signature's values, each at the position of its index.
fn signature_values(keys: &Keys, names: &Names, losses: &mut Vec<Loss>) -> Vec<Arc<str>> {
    let mut found = keys.list("Sig", ".Value");
    let beyond = found.split_off(&MOST_SIGNATURE_VALUES);
    if let Some(index) = beyond.keys().next() {
        losses.push(Loss::new(format!("key Sig[{index}].Value"), "no signature has that many values"));
    }
    if found.is_empty() {
        losses.push(Loss::new("key Sig[0].Value", "missing: the report has no problem signature"));
    }
    report_gap("Sig", ".Value", &found, losses);
    let last = found.last_key_value().map(|(last, _)| *last);
    let unnamed =
        keys.list("Sig", ".Name").into_keys().find(|index| Some(*index) > last && *index < MOST_SIGNATURE_VALUES);
    if let Some(index) = unnamed.filter(|_| keys.has("FriendlyEventName")) {
        losses.push(Loss::new(format!("key Sig[{index}].Value"), "missing, though its name is there"));
    }
    let count = found.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
    (0..count).map(|index| names.share(found.get(&index).copied().unwrap_or_default().trim())).collect()
}

fn modules(keys: &Keys, names: &Names, losses: &mut Vec<Loss>) -> Vec<Arc<str>> {
    let found = keys.list("LoadedModule", "");
    report_gap("LoadedModule", "", &found, losses);
    found.values().map(|path| path.trim()).filter(|path| !path.is_empty()).map(|path| names.share(path)).collect()
}

/// Reports the first index that a list leaves out.
fn report_gap(name: &str, suffix: &str, found: &BTreeMap<u32, &str>, losses: &mut Vec<Loss>) {
    if let Some((missing, _)) = (0..).zip(found.keys()).find(|(expected, index)| expected != *index) {
        losses.push(Loss::new(format!("key {name}[{missing}]{suffix}"), "missing, though later ones are there"));
    }
}

/// An identifier in lower case without braces. Nearly always a GUID, but a file may have any text there; one as long as a GUID
/// that is none is a loss.
fn identifier(key: &str, text: &str, losses: &mut Vec<Loss>) -> Arc<str> {
    let found = guid(text);
    let nothing = text.bytes().all(|byte| matches!(byte, b'0' | b'-'));
    if found.is_none() && text.chars().count() == GUID_LENGTH && !nothing {
        read_value(key, text, guid, losses);
    }
    found.map_or_else(|| Arc::from(text.to_lowercase()), Arc::from)
}

/// The signature; values that are not what their positions hold are losses.
fn signature(event_type: &str, values: &[Arc<str>], losses: &mut Vec<Loss>) -> WerSignature {
    losses.extend(misread(event_type, values).map(|(position, expected)| {
        let value: String = values.get(position).into_iter().flat_map(|value| value.chars()).take(SHOWN).collect();
        Loss::new(format!("key Sig[{position}].Value"), format!("`{value}` is no {expected}"))
    }));
    read_signature(event_type, values)
}

/// Decodes an `AppSessionGuid`, which identifies a process by its id and start: its first group is the process id; its last
/// eight bytes, in the order in which they are written, are the low to high bytes of the FILETIME at which the process
/// started. Inferred from reports whose event time follows that start; zeros mean "no process".
fn session(text: &str) -> Option<(Option<u32>, Option<Timestamp>)> {
    let groups: Vec<&str> = text.split('-').collect();
    let hexadecimal = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if !hexadecimal || !groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) {
        return None;
    }
    let [pid, _, _, fourth, fifth] = *groups.as_slice() else { return None };
    let pid = u32::try_from(hex_u64(pid)?).ok()?;
    let started = hex_u64(&[fourth, fifth].concat())?.swap_bytes();
    Some(((pid != 0).then_some(pid), filetime(started)))
}

#[cfg(test)]
mod tests;

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
use keys::Keys;

use crate::signature::read_signature;
use evidence::Reading;
use evidence::{CpuArchitecture, Evidence, Names, Observation, Place, WerDetails, WerReport, base_name};
use untrusted::notation::{filetime, guid, hex_u64, number_u32, number_u64};
use untrusted::text::{decode, read_beginning};
use untrusted::{Loss, Unreadable};

/// The largest report that is read, bytes. Real ones have some ten thousand.
const LARGEST_REPORT: u64 = 16 << 20;
/// More values than a signature has; Windows writes at most ten.
const MOST_SIGNATURE_VALUES: u32 = 32;
/// Why a report without the event's type is not read.
const NO_EVENT_TYPE: &str = "missing, so nothing says what the report is about";
/// Event types of reports that are about the kernel and not about a process.
const KERNEL_REPORTS: [&str; 2] = ["LiveKernelEvent", "BlueScreen"];

/// Whether a file that begins with `first_bytes` is a `Report.wer`, whose first line is `Version=1`, or the
/// `WERInternalMetadata.xml` that lies beside one.
#[must_use]
pub fn is_wer_report(first_bytes: &[u8]) -> bool {
    if metadata::is_metadata(first_bytes) {
        return true;
    }
    // The line and its end in UTF-16 with byte order mark take 24 bytes.
    let beginning = decode(first_bytes.get(..32).unwrap_or(first_bytes)).characters;
    beginning.lines().next().is_some_and(|line| line.trim_end() == "Version=1")
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
        let keys = Keys::read(&characters, &mut losses);
        if keys.first != Some("Version") {
            return Err(Unreadable::whole("not a Report.wer: its first line does not begin with `Version=`"));
        }
        let event_type = keys.get("EventType").ok_or_else(|| Unreadable::at("key EventType", NO_EVENT_TYPE))?;
        report_cut_end(&keys, characters.ends_with('\n'), &mut losses);
        read_report(&keys, event_type, names, &mut losses)
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

fn read_report(keys: &Keys, event_type: &str, names: &Names, losses: &mut Vec<Loss>) -> WerReport {
    let values = signature_values(keys, names, losses);
    let session = keys.get("AppSessionGuid").and_then(|text| read_value("AppSessionGuid", text, session, losses));
    let (pid, started) = session.unwrap_or_default();
    let own_id = keys.get("ReportIdentifier").map(identifier);
    // Windows 7 has one identifier for both.
    let report_id = keys.get("IntegratorReportIdentifier").map(identifier).or_else(|| own_id.clone());
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
        signature: read_signature(event_type, &values),
        modules: modules(keys, names, losses),
        os_version: keys
            .get("DynamicSig[1].Value")
            .filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
            .map(|version| names.share(version)),
        details: details(keys, about_process, names),
    }
}

/// The values beside signature and modules.
fn details(keys: &Keys, about_process: bool, names: &Names) -> WerDetails {
    let own_name = keys.get("AppPath").map(base_name).or_else(|| keys.get("NsAppName"));
    let original = keys.get("OriginalFilename").filter(|name| {
        // Files of Windows in other languages say `NAME.EXE.MUI`.
        let plain = name.get(name.len().saturating_sub(4)..).filter(|end| end.eq_ignore_ascii_case(".mui"));
        let name = plain.map_or(*name, |end| name.get(..name.len().saturating_sub(end.len())).unwrap_or(name));
        own_name.is_some_and(|own| !own.eq_ignore_ascii_case(name))
    });
    // Where a process of another architecture than the system's crashed, the guest's is its own; reports of 64-bit
    // processes have no `Wow64Guest`.
    let architecture = keys.get("Wow64Guest").or_else(|| keys.get("Wow64Host")).and_then(machine);
    WerDetails {
        architecture: architecture.filter(|_| about_process),
        os_revision: os_info(keys, "ubr").and_then(number_u32),
        locale: keys.get("DynamicSig[2].Value").and_then(number_u32),
        memory: os_info(keys, "ram").and_then(number_u64).filter(|memory| *memory != 0),
        original_name: original.filter(|_| about_process).map(|name| names.share(name)),
        friendly_name: keys.get("FriendlyEventName").map(|name| names.share(name)),
        bucket: keys.get("Response.BucketId").map(|bucket| Arc::from(bucket.to_lowercase())),
        ..WerDetails::default()
    }
}

/// An architecture by its number, decimal.
///
/// Source: the numbers are those of `IMAGE_FILE_MACHINE_`.
fn machine(number: &str) -> Option<CpuArchitecture> {
    match number_u32(number)? {
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
        let beginning: String = text.chars().take(64).collect();
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

/// An identifier in lower case without braces. Nearly always a GUID, but a file may have any text there.
fn identifier(text: &str) -> Arc<str> {
    guid(text).map_or_else(|| Arc::from(text.to_lowercase()), Arc::from)
}

/// Decodes an `AppSessionGuid`, which identifies a process by its id and start: its first group is the process id; its last eight bytes, in the order in which they
/// are written, are the low to high bytes of the FILETIME at which the process started. Inferred from reports whose
/// event time follows that start; zeros mean "no process".
fn session(text: &str) -> Option<(Option<u32>, Option<Timestamp>)> {
    let groups: Vec<&str> = text.split('-').collect();
    if !groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) {
        return None;
    }
    let [pid, _, _, fourth, fifth] = *groups.as_slice() else { return None };
    let pid = u32::try_from(hex_u64(pid)?).ok()?;
    let started = hex_u64(&[fourth, fifth].concat())?.swap_bytes();
    Some(((pid != 0).then_some(pid), filetime(started)))
}

#[cfg(test)]
mod tests;

//! What of an incident a record of the machine is about.
//!
//! A policy or a protection product names files and processes in several parts: the file that was refused, the process
//! that wanted it, the process that only touched a threat. They mean different things for a crash, and an equal name in
//! another folder means nothing.

use evidence::{Event, EventBody, base_name, starts_process};
use incident::JoinedIncident;
use untrusted::notation::number_u32;

/// The field in which AppLocker names a process by its id.
const TARGET_PROCESS: &str = "TargetProcessId";
const DEFENDER: &str = "Microsoft-Windows-Windows Defender";
const MITIGATIONS: &str = "Microsoft-Windows-Security-Mitigations";

/// The files and the process in a record about a blocked file.
#[derive(Default)]
struct Parties<'e> {
    /// The files that were refused, taken away or stopped.
    files: Vec<&'e str>,
    /// The process that needed the file.
    process: Option<&'e str>,
    /// Its id.
    process_id: Option<u32>,
}

/// What of the incident the event is about, a word of the schema.
/// `while_it_ran`: whether the event was logged while the incident's process ran, so that its id is that process's.
pub(super) fn named(event: &Event, joined: &JoinedIncident<'_>, while_it_ran: bool) -> Option<&'static str> {
    let parties = parties(event);
    let incident = &joined.incident;
    let process = incident.process.as_ref();
    let program = process.and_then(|process| process.path.as_deref());
    let is_program = |file: &str| program.is_some_and(|program| same_file(program, file));
    if parties.files.iter().any(|file| is_program(file)) {
        return Some("program");
    }
    let lacked = lacked(joined);
    let paths = [
        incident.fault_site.as_ref().and_then(|site| site.path.as_deref()),
        incident.suspect.as_ref().and_then(|suspect| suspect.path.as_deref()),
    ];
    let is_module = |file: &str| {
        lacked.iter().any(|module| base_name(file).eq_ignore_ascii_case(module))
            || paths.iter().flatten().any(|path| same_file(path, file))
    };
    if parties.files.iter().any(|file| is_module(file)) {
        return Some("module");
    }
    let pid = process.and_then(|process| process.pid).filter(|_| while_it_ran);
    if parties.process.is_some_and(is_program) || (pid.is_some() && parties.process_id == pid) {
        let started = parties.files.iter().any(|file| starts_process(file));
        return Some(if started { "parent" } else { "wanted" });
    }
    let names = [
        process.and_then(|process| process.name.as_deref()),
        incident.fault_site.as_ref().map(|site| &*site.module),
        incident.suspect.as_ref().map(|suspect| &*suspect.module),
    ];
    let mentions = |name: &str| {
        let parts = event.content.fields.iter().flat_map(|(_, value)| value.split(';'));
        parts.map(|part| base_name(part.trim().trim_matches('"'))).any(|file| file.eq_ignore_ascii_case(name))
    };
    names.into_iter().flatten().chain(lacked).any(mentions).then_some("mentioned")
}

/// The modules that the program did not get: of a message box, and of a delay load that failed.
fn lacked<'b>(joined: &'b JoinedIncident<'_>) -> Vec<&'b str> {
    let boxes = joined.evidence.events().flat_map(|(_, event)| match &event.content.body {
        EventBody::Popup { dlls, .. } => dlls.as_slice(),
        _ => &[],
    });
    let delayed = joined.evidence.dump().and_then(|(_, dump)| dump.delay_load.as_ref()?.module.as_deref());
    boxes.map(|dll| &**dll).chain(delayed).collect()
}

/// The files and the process in events about refused or removed files; empty for other events.
fn parties<'e>(event: &'e Event) -> Parties<'e> {
    let field = |wanted: &str| event.content.fields.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    let is = |provider: &str| event.content.provider.eq_ignore_ascii_case(provider);
    let of = |file: Option<&'e str>, process| Parties { files: file.into_iter().collect(), process, process_id: None };
    match (&event.content.body, event.content.id) {
        (EventBody::ImageRefused { file, process, .. }, _) => {
            let process_id = field(TARGET_PROCESS).and_then(number_u32);
            Parties { process_id, ..of(file.as_deref(), process.as_deref()) }
        }
        // Attack surface reduction and controlled folder access name who wanted the file.
        (_, 1121 | 1123 | 1127) if is(DEFENDER) => of(field("Path"), field("Process Name")),
        // Here the process is the one that touched the threat, and not who lacks the file.
        (_, 1006..=1009 | 1116..=1119) if is(DEFENDER) => {
            Parties { files: field("Path").map(threat_files).unwrap_or_default(), ..Parties::default() }
        }
        (_, 4) if is(MITIGATIONS) => of(field("ChildImagePathName"), field("ProcessPath")),
        // The process itself is what was stopped.
        (_, 14..=26) if is(MITIGATIONS) => of(field("ProcessPath"), None),
        _ => Parties::default(),
    }
}

/// The files in Defender's list of what a threat consists of: `file:_C:\a\b.dll; process:_pid:5,ProcessStart:7`. A file
/// inside an archive (`...zip->b.dll`) is none that a program could load.
fn threat_files(list: &str) -> Vec<&str> {
    list.split(';').filter_map(|part| threat_file(part.trim())).filter(|path| !path.contains("->")).collect()
}

/// The path of a part of such a list, if it is a file.
fn threat_file(part: &str) -> Option<&str> {
    let (kind, path) = part.split_once(':')?;
    if kind.eq_ignore_ascii_case("file") {
        return Some(path.strip_prefix('_').unwrap_or(path));
    }
    // A letter is that of a drive.
    (kind.len() == 1).then_some(part)
}

/// Whether two paths are of one file, as far as their notations can be compared: the kernel writes
/// `\Device\HarddiskVolume3\a` where programs see `C:\a`, and which volume has which letter is not known.
fn same_file(one: &str, other: &str) -> bool {
    let (one_volume, one) = volume_and_path(one);
    let (other_volume, other) = volume_and_path(other);
    let comparable = one_volume.is_some_and(|volume| volume.ends_with(':'))
        == other_volume.is_some_and(|volume| volume.ends_with(':'));
    let same_volume = match (one_volume, other_volume) {
        (Some(one), Some(other)) if comparable => one.eq_ignore_ascii_case(other),
        _ => true,
    };
    same_volume && !one.is_empty() && one.to_lowercase() == other.to_lowercase()
}

/// A path's volume, as a letter (`C:`) or the kernel's device, and what follows it from the backslash on. Neither a
/// bare name nor a path on a network has a volume; the first then has no path either.
fn volume_and_path(path: &str) -> (Option<&str>, &str) {
    let path = path.trim().trim_matches('"');
    let path = path.strip_prefix(r"\\?\").or_else(|| path.strip_prefix(r"\??\")).unwrap_or(path);
    let split = |at: Option<usize>| {
        at.and_then(|at| path.split_at_checked(at)).map_or((None, ""), |(volume, path)| (Some(volume), path))
    };
    if path.get(1..3) == Some(r":\") {
        return split(Some(2));
    }
    const DEVICE: &str = r"\Device\";
    const ANY_VOLUME: &str = "%OSDRIVE%";
    let starts = |start: &str| path.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    if starts(DEVICE) {
        let end = path.get(DEVICE.len()..).and_then(|rest| rest.find('\\'));
        return split(end.map(|end| end.saturating_add(DEVICE.len())));
    }
    if starts(ANY_VOLUME) {
        return (None, path.get(ANY_VOLUME.len()..).unwrap_or_default());
    }
    (None, if path.contains('\\') { path } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_may_be_written_with_its_letter_or_with_its_device() {
        let program = r"C:\Program Files\Demo\demo.exe";
        for same in [
            r"c:\program files\demo\DEMO.EXE",
            r"\\?\C:\Program Files\Demo\demo.exe",
            r"\Device\HarddiskVolume3\Program Files\Demo\demo.exe",
            r"%OSDRIVE%\PROGRAM FILES\DEMO\DEMO.EXE",
        ] {
            assert!(same_file(program, same), "{same}");
        }
        for other in [r"D:\Program Files\Demo\demo.exe", r"C:\Users\u\Downloads\demo.exe", "demo.exe", ""] {
            assert!(!same_file(program, other), "{other}");
        }
        assert!(!same_file(r"\Device\HarddiskVolume3\a\b.exe", r"\Device\HarddiskVolume4\a\b.exe"));
        assert!(!same_file("demo.exe", "demo.exe"), "names alone are no paths");
    }

    #[test]
    fn of_a_threat_s_parts_only_files_count() {
        let list =
            r"containerfile:_C:\a\x.zip; file:_C:\a\x.zip->in.dll; file:_C:\a\y.dll; process:_pid:5,ProcessStart:7";
        assert_eq!(threat_files(list), [r"C:\a\y.dll"]);
        assert_eq!(threat_files(r"D:\b.dll"), [r"D:\b.dll"]);
        assert_eq!(threat_files(r"webfile:_C:\a\x.exe|https://example.com/x.exe|pid:5"), [""; 0]);
    }
}

//! Whether a record of a drive or a file system is about the drive that an incident depends on.
//!
//! Windows names drives in ways that can't all be compared: disks by numbers, volumes by letters, NVMe drives by
//! whether the system starts from them. What can't be compared is left open.

use evidence::{Event, EventBody};
use incident::{IncidentKind, JoinedIncident};

/// What an incident depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeededDrive {
    /// The drive that Windows runs from.
    Windows,
    /// The volume with this letter, lower case.
    Volume(char),
}

/// Whether the event is about the drive that the incident needed: `same` or `other`; `None` where the event or the
/// incident does not show it.
pub(super) fn drive(event: &Event, joined: &JoinedIncident<'_>) -> Option<&'static str> {
    let needed = needed(joined)?;
    let same = match &event.content.body {
        EventBody::DriveHealth(health) => of_drive(health.boot?, needed, windows_letter(joined))?,
        EventBody::FileSystem { volume, .. } => of_volume(letter(volume.as_deref()?)?, needed, windows_letter(joined))?,
        // Of disks nothing is known but a number. Programs seldom run from discs, and those that do have other records.
        EventBody::Storage { device, .. } if is_optical(device.as_deref()?) => false,
        _ => return None,
    };
    Some(if same { "same" } else { "other" })
}

/// Whether the drive that Windows starts from (`boot`), or another one, is the one that is needed.
fn of_drive(boot: bool, needed: NeededDrive, windows: Option<char>) -> Option<bool> {
    match needed {
        NeededDrive::Windows => Some(boot),
        // Other letters may lie on the same drive or on another one.
        NeededDrive::Volume(volume) => (windows? == volume).then_some(boot),
    }
}

/// Whether the volume with this letter is the one that is needed.
fn of_volume(volume: char, needed: NeededDrive, windows: Option<char>) -> Option<bool> {
    match needed {
        NeededDrive::Windows => Some(windows? == volume),
        NeededDrive::Volume(needed) => Some(needed == volume),
    }
}

fn is_optical(device: &str) -> bool {
    device.to_ascii_lowercase().starts_with(r"\device\cdrom")
}

fn needed(joined: &JoinedIncident<'_>) -> Option<NeededDrive> {
    match joined.incident.kind {
        IncidentKind::Bugcheck | IncidentKind::PowerLoss => Some(NeededDrive::Windows),
        IncidentKind::GpuReset => None,
        _ => {
            // The file of a page that could not be read counts before the program that wanted it.
            let unread = joined.evidence.event(|body| match body {
                EventBody::InPageError { file, .. } => letter(file.as_deref()?),
                _ => None,
            });
            let program = || letter(joined.incident.process.as_ref()?.path.as_deref()?);
            unread.map(|(_, letter)| letter).or_else(program).map(NeededDrive::Volume)
        }
    }
}

/// The letter of the volume with Windows, where a path of the incident shows it.
fn windows_letter(joined: &JoinedIncident<'_>) -> Option<char> {
    let incident = &joined.incident;
    let paths = [
        joined.evidence.named_dump(),
        incident.fault_site.as_ref().and_then(|site| site.path.as_deref()),
        incident.suspect.as_ref().and_then(|suspect| suspect.path.as_deref()),
        incident.process.as_ref().and_then(|process| process.path.as_deref()),
    ];
    paths.into_iter().flatten().find_map(letter_of_windows)
}

/// The letter of a path in the folder of Windows.
fn letter_of_windows(path: &str) -> Option<char> {
    const FOLDER: &str = r"\windows\";
    let behind = path.get(2..)?.get(..FOLDER.len())?;
    behind.eq_ignore_ascii_case(FOLDER).then(|| letter(path))?
}

/// The letter that a path or a volume's name begins with, lower case.
fn letter(path: &str) -> Option<char> {
    let mut characters = path.chars();
    let letter = characters.next().filter(char::is_ascii_alphabetic)?;
    (characters.next() == Some(':')).then(|| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_the_same_only_where_letters_or_the_start_of_windows_say_so() {
        assert_eq!(of_drive(true, NeededDrive::Windows, None), Some(true));
        assert_eq!(of_drive(false, NeededDrive::Volume('c'), Some('c')), Some(false));
        assert_eq!(of_drive(true, NeededDrive::Volume('d'), Some('c')), None, "it may be on the same drive");
        assert_eq!(of_drive(true, NeededDrive::Volume('c'), None), None);
    }

    #[test]
    fn volumes_compare_by_their_letters() {
        assert_eq!(of_volume('d', NeededDrive::Volume('d'), None), Some(true));
        assert_eq!(of_volume('e', NeededDrive::Volume('d'), None), Some(false));
        assert_eq!(of_volume('c', NeededDrive::Windows, None), None);
        assert_eq!(letter(r"\Device\HarddiskVolume4"), None);
        assert_eq!(letter("D:"), Some('d'));
        assert_eq!(letter_of_windows(r"C:\Windows\System32\ntdll.dll"), Some('c'));
        assert_eq!(letter_of_windows(r"C:\Games\Windows\a.dll"), None);
    }

    #[test]
    fn a_disc_drive_is_never_the_drive_of_a_program() {
        assert!(is_optical(r"\Device\CdRom0"));
        assert!(!is_optical(r"\Device\Harddisk1\DR1"));
    }
}

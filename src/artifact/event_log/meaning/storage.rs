//! Failed storage requests and damaged file systems.

use std::sync::Arc;

use super::super::fields::Fields;
use crate::artifact::bytes::u32_at;
use crate::evidence::{EventBody, NtStatus};

/// Offset of `ErrorCode` in an I/O error packet; its lower half is the event's id.
///
/// Source of the layout: Windows driver documentation, `IO_ERROR_LOG_PACKET`, after the header of a port driver's
/// event data.
const ERROR_CODE: usize = 12;
/// Offset of `FinalStatus`: how the request ended.
const FINAL_STATUS: usize = 20;

/// Events of disks and storage adapters.
pub(super) fn storage(id: u32, fields: &Fields<'_>) -> EventBody {
    EventBody::Storage {
        device: fields.name("data0").or_else(|| fields.first_text(&["DeviceName", "Device"])),
        status: fields.binary().and_then(|packet| final_status(&packet, id)).map(NtStatus),
    }
}

/// `FinalStatus` of the packet, if it is one that belongs to event `id`; zero is "none".
fn final_status(packet: &[u8], id: u32) -> Option<u32> {
    let error_code = u32_at(packet, ERROR_CODE)?;
    if error_code & 0xFFFF != id {
        return None;
    }
    u32_at(packet, FINAL_STATUS).filter(|status| *status != 0)
}

/// Ntfs 55 and 140, and 98 with a state that is not healthy.
pub(super) fn file_system(fields: &Fields<'_>, damaged: bool) -> EventBody {
    EventBody::FileSystem { volume: volume(fields), damaged }
}

/// The volume by its letter, or by its device where that is all there is.
fn volume(fields: &Fields<'_>) -> Option<Arc<str>> {
    fields.first_text(&["DriveName", "VolumeName", "VolumeId", "DeviceName"])
}

/// Ntfs 98, which Windows writes at every mount. `None` for a healthy volume.
pub(super) fn file_system_state(fields: &Fields<'_>) -> Option<EventBody> {
    match fields.number_u32("CorruptionActionState") {
        Some(0) => None,
        state => Some(file_system(fields, state.is_some())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{body, named, positional};
    use super::*;

    /// A packet of 40 bytes for event `id` that ended with `status`, as hexadecimal digits.
    fn packet(id: u16, status: u32) -> String {
        let mut bytes = [0_u8; 40];
        bytes[0] = 3;
        bytes[12..16].copy_from_slice(&(0x8004_0000 | u32::from(id)).to_le_bytes());
        bytes[20..24].copy_from_slice(&status.to_le_bytes());
        bytes.iter().map(|byte| format!("{byte:02X}")).collect()
    }

    fn read(provider: &str, id: u32, binary: &str) -> (Option<String>, Option<NtStatus>) {
        let data =
            json!({"EventData": {"Data": {"#text": ["\\Device\\Harddisk1\\DR1", "0x15d0", "1"]}, "Binary": binary}});
        let Some(EventBody::Storage { device, status }) = body(provider, id, &data.to_string()) else {
            panic!("a storage event")
        };
        (device.map(|device| device.to_string()), status)
    }

    #[test]
    fn the_final_status_tells_an_unplugged_device_from_a_dying_one() {
        let device = Some("\\Device\\Harddisk1\\DR1".to_owned());
        assert_eq!(read("Disk", 51, &packet(51, 0xC000_000E)), (device.clone(), Some(NtStatus(0xC000_000E))));
        assert_eq!(read("cdrom", 11, &packet(11, 0xC000_0185)), (device.clone(), Some(NtStatus(0xC000_0185))));
        assert_eq!(read("storahci", 129, &packet(129, 0)), (device, None));
    }

    #[test]
    fn binary_data_that_is_no_packet_of_the_event_has_no_status() {
        assert_eq!(read("disk", 153, &packet(51, 0xC000_000E)).1, None);
        assert_eq!(read("disk", 153, &packet(153, 0xC000_000E)[..40]).1, None, "it ends before the status");
        assert_eq!(read("disk", 153, "").1, None);
        assert_eq!(read("disk", 153, "zz").1, None);
    }

    fn file_system_event(body: Option<EventBody>) -> Option<(Option<String>, bool)> {
        match body? {
            EventBody::FileSystem { volume, damaged } => Some((volume.map(|volume| volume.to_string()), damaged)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_damaged_file_system_names_its_volume_in_both_layouts() {
        let data = json!({"DriveName": "D:", "DeviceName": "\\Device\\HarddiskVolume4", "CorruptionState": "0x1"});
        let expected = Some((Some("D:".to_owned()), true));
        assert_eq!(file_system_event(named("Ntfs", 55, data)), expected);
        assert_eq!(file_system_event(positional("Ntfs", 55, &["", "D:"])), expected);
    }

    #[test]
    fn a_mount_only_counts_when_the_volume_is_not_healthy() {
        let state = |state: u32| {
            let data =
                json!({"DriveName": "C:", "DeviceName": "\\Device\\HarddiskVolume2", "CorruptionActionState": state});
            file_system_event(named("Microsoft-Windows-Ntfs", 98, data))
        };
        assert_eq!(state(0), None);
        assert_eq!(state(2), Some((Some("C:".to_owned()), true)));
        let unknown = named("Microsoft-Windows-Ntfs", 98, json!({"DriveName": "C:"}));
        assert_eq!(file_system_event(unknown), Some((Some("C:".to_owned()), false)));
    }

    #[test]
    fn a_failed_flush_lost_data() {
        let data = json!({"VolumeId": "E:", "DeviceName": "\\Device\\HarddiskVolume9", "Error": "0xc000009d"});
        assert_eq!(file_system_event(named("Microsoft-Windows-Ntfs", 140, data)), Some((Some("E:".to_owned()), true)));
    }
}

//! Failed storage requests, ailing drives, and damaged file systems.

use super::super::fields::Fields;
use super::packet::Packet;
use evidence::{DriveHealth, EventBody, StorageRetry};
use untrusted::bytes::{array_at, u16_at};
use untrusted::notation::hex_bytes;

/// The event of a request that the disk's driver tried again.
const RETRIED: u32 = 153;
/// Flags in the upper bits of a request block's status (`srb.h` of the Windows driver kit).
const SRB_STATUS_BITS: u8 = 0x3F;
/// The zero of Celsius in Kelvin, the unit of a drive's temperature.
const KELVIN: i32 = 273;

/// Errors of disks and storage adapters, by their drivers.
pub(super) fn storage(id: u32, fields: &Fields<'_>) -> EventBody {
    let binary = fields.binary();
    let packet = binary.as_deref().and_then(|bytes| Packet::from_event(bytes, id));
    EventBody::Storage {
        device: fields.name("data0").or_else(|| fields.first_text(&["DeviceName", "Device"])),
        status: packet.as_ref().and_then(Packet::final_status),
        retry: packet.as_ref().filter(|_| id == RETRIED).and_then(retry),
    }
}

/// The statuses behind a packet of event 153: a reserved byte, the status of the device, that of the request block, and the
/// command. `None` where all are zero, because the adapter's driver reported none.
fn retry(packet: &Packet<'_>) -> Option<StorageRetry> {
    let [_, scsi_status, srb_status, command] = array_at(packet.dump_data(), 0)?;
    let retry = StorageRetry { scsi_status, srb_status: srb_status & SRB_STATUS_BITS, command };
    (srb_status != 0).then_some(retry)
}

/// StorPort 512: the health of an NVMe drive, about once a day. `None` for a healthy drive.
pub(super) fn drive_health(fields: &Fields<'_>) -> Option<EventBody> {
    let page = hex_bytes(fields.written("NvmeHealthLog")?)?;
    let [warning] = array_at(&page, 0)?;
    let [spare, spare_threshold, used] = array_at(&page, 3)?;
    let media_errors = u128::from_le_bytes(array_at(&page, 160)?);
    let healthy = warning == 0 && spare >= spare_threshold && used < 100 && media_errors == 0;
    if healthy {
        return None;
    }
    // The vendor of many drives is "NVMe".
    let model = fields.text("ProductId").or_else(|| fields.text("VendorId"));
    Some(EventBody::DriveHealth(Box::new(DriveHealth {
        model,
        boot: fields.flag("BootDevice"),
        warning,
        temperature: i32::from(u16_at(&page, 1)?).saturating_sub(KELVIN),
        spare,
        spare_threshold,
        used,
        media_errors,
    })))
}

/// Ntfs 55 and 140, and 98 with a state that is not healthy: a volume that is `damaged`, or may be, by its letter, or its
/// device where the record has no letter.
pub(super) fn file_system(fields: &Fields<'_>, damaged: bool) -> EventBody {
    let volume = fields.first_text(&["DriveName", "VolumeName", "VolumeId", "DeviceName"]);
    EventBody::FileSystem { volume, damaged }
}

/// Ntfs 98: the state of a volume at each mount. `None` for a healthy volume.
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
    use evidence::NtStatus;

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
        let Some(EventBody::Storage { device, status, .. }) = body(provider, id, &data.to_string()) else {
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

    /// The packet of an event 153 with `dump_data` behind it.
    fn retried(dump_data: [u8; 4]) -> Option<StorageRetry> {
        let mut binary = packet(153, 0);
        binary.replace_range(4..8, "0400");
        binary.extend(dump_data.iter().map(|byte| format!("{byte:02X}")));
        let data =
            json!({"EventData": {"Data": {"#text": ["\\Device\\Harddisk0\\DR0", "0x416e32", "0"]}, "Binary": binary}});
        match body("disk", 153, &data.to_string()) {
            Some(EventBody::Storage { retry, .. }) => retry,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_request_that_was_tried_again_tells_how_it_had_ended() {
        let timeout = StorageRetry { scsi_status: 0, srb_status: 9, command: 0x2A };
        assert_eq!(retried([0, 0, 0x09, 0x2A]), Some(timeout));
        let flagged = StorageRetry { scsi_status: 2, srb_status: 4, command: 0x28 };
        assert_eq!(retried([0, 2, 0x84, 0x28]), Some(flagged), "0x80 says that sense data are there");
        assert_eq!(retried([0; 4]), None);
    }

    #[test]
    fn dump_data_that_the_packet_does_not_count_is_none() {
        let binary = packet(153, 0) + "00000988";
        let data = json!({"EventData": {"Data": {"#text": ["x"]}, "Binary": binary}});
        let Some(EventBody::Storage { retry, .. }) = body("disk", 153, &data.to_string()) else { panic!("a disk") };
        assert_eq!(retry, None);
    }

    /// A health page: critical warning, temperature in Kelvin, spare, its threshold, percentage used, media errors.
    fn page(warning: u8, kelvin: u16, spare: u8, used: u8, media_errors: u64) -> String {
        let mut bytes = [0_u8; 512];
        bytes[0] = warning;
        bytes[1..3].copy_from_slice(&kelvin.to_le_bytes());
        bytes[3..6].copy_from_slice(&[spare, 5, used]);
        bytes[160..168].copy_from_slice(&media_errors.to_le_bytes());
        bytes.iter().map(|byte| format!("{byte:02X}")).collect()
    }

    fn health(log: &str) -> Option<DriveHealth> {
        let data = json!({
            "MiniportName": "stornvme", "VendorId": "NVMe", "ProductId": "Fast 970 1TB", "BootDevice": true,
            "CriticalWarning": 0, "NvmeHealthLogLength": 512, "NvmeHealthLog": log
        });
        match named("Microsoft-Windows-StorPort", 512, data)? {
            EventBody::DriveHealth(health) => Some(*health),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_a_drive_that_is_not_healthy_is_told_of() {
        assert_eq!(health(&page(0, 308, 100, 14, 0)), None);
        let ailing = health(&page(4, 341, 3, 104, 17)).expect("a warning");
        assert_eq!((ailing.model.as_deref(), ailing.boot), (Some("Fast 970 1TB"), Some(true)));
        assert_eq!((ailing.warning, ailing.temperature), (4, 68));
        assert_eq!((ailing.spare, ailing.spare_threshold, ailing.used), (3, 5, 104));
        assert_eq!(ailing.media_errors, 17);
        for (what, log) in [
            ("spare", page(0, 308, 4, 14, 0)),
            ("life", page(0, 308, 100, 100, 0)),
            ("media errors", page(0, 308, 100, 14, 1)),
        ] {
            assert!(health(&log).is_some(), "{what}");
        }
    }

    #[test]
    fn a_cut_health_page_says_nothing() {
        assert_eq!(health(&page(4, 341, 3, 104, 17)[..340]), None);
        assert_eq!(health(""), None);
    }
}

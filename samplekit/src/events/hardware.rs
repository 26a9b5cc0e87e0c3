//! Reports of the hardware: errors, heat, and the health of drives.

use crate::bytes::{ByteWriter, count32};
use crate::event_log::{Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const WHEA_LOGGER: Guid = Guid::new(0xc26c_4f3c, 0x3f66, 0x4e99, 0x8f8a, 0x3940_5cfe_d220);

const PROCESSOR_POWER: Guid = Guid::new(0x0f67_e49f, 0xfe51, 0x4e9f, 0xb490, 0x6f29_48cc_6027);
const KERNEL_POWER: Guid = Guid::new(0x331c_3b3a, 0x2005, 0x44c2, 0xac5e, 0x7722_0c37_d6b4);
const STORPORT: Guid = Guid::new(0xc463_6a1e, 0x7986, 0x4646, 0xbf10, 0x7bc3_b4a7_6e8e);

/// Kernel-Processor-Power 37: the firmware limited the speed of a processor for this number of seconds.
#[must_use]
pub fn processor_held_back(time: FileTime, processor: u8, seconds: u32) -> Event {
    Event::new(Provider::manifest("Microsoft-Windows-Kernel-Processor-Power", PROCESSOR_POWER), 37)
        .level(3)
        .task(7)
        .at(time)
        .logged_by(4, 396)
        .user(Sid::system())
        .named([
            ("Group", Value::U16(0)),
            ("Number", Value::U8(processor)),
            ("CapDurationInSeconds", Value::U32(seconds)),
            ("PpcChanges", Value::U32(41)),
            ("TpcChanges", Value::U32(0)),
            ("PccChanges", Value::U32(0)),
        ])
}

/// Kernel-Power 86: the system shut down because a thermal zone was too hot.
#[must_use]
pub fn thermal_shutdown(time: FileTime, zone: &str) -> Event {
    Event::new(Provider::manifest("Microsoft-Windows-Kernel-Power", KERNEL_POWER), 86)
        .level(1)
        .at(time)
        .logged_by(4, 212)
        .user(Sid::system())
        .named([("ThermalZoneDeviceInstance", zone)])
}

/// The health values of an NVMe drive.
#[derive(Debug, Clone, Copy)]
pub struct Health {
    /// Bits of its warnings.
    pub warning: u8,
    /// Temperature, Kelvin.
    pub kelvin: u16,
    /// Spare blocks, percent.
    pub spare: u8,
    /// Used part of its life, percent.
    pub used: u8,
    /// Number of read errors.
    pub media_errors: u64,
}

/// StorPort 512: the health log of the NVMe drive that the system starts from.
#[must_use]
pub fn drive_health(time: FileTime, model: &str, health: Health) -> Event {
    /// The drive warns when less than this part of its spare blocks is left, percent.
    const THRESHOLD: u8 = 10;
    let mut page = ByteWriter::new();
    page.u8(health.warning).u16(health.kelvin).u8(health.spare).u8(THRESHOLD).u8(health.used).zeros_to(160);
    page.u64(health.media_errors).zeros_to(512);
    let page = page.into_bytes();
    Event::new(Provider::manifest("Microsoft-Windows-StorPort", STORPORT), 512)
        .version(3)
        .level(4)
        .at(time)
        .logged_by(4, 312)
        .user(Sid::system())
        .named([
            ("PortNumber", Value::U32(1)),
            ("PathID", Value::U8(0)),
            ("TargetID", Value::U8(0)),
            ("LUN", Value::U8(0)),
            ("ClassDeviceGuid", Value::Guid(Guid::made_up("drive"))),
            ("AdapterGuid", Value::Guid(Guid::made_up("adapter"))),
            ("MiniportName", "stornvme".into()),
            ("VendorId", Value::Ansi("NVMe".to_owned())),
            ("ProductId", Value::Ansi(model.to_owned())),
            ("SerialNumber", "0000".into()),
            ("BootDevice", Value::Bool(true)),
            ("CriticalWarning", Value::U32(u32::from(health.warning))),
            ("NvmeHealthLogLength", Value::U32(count32(page.len()))),
            ("NvmeHealthLog", Value::Binary(page)),
        ])
}

/// disk 7: a bad block, with `FinalStatus` in the packet.
#[must_use]
pub fn bad_block(time: FileTime, device: &str, status: u32) -> Event {
    /// Upper half of the message's id: an error of the input and output facility.
    const QUALIFIERS: u16 = 0xC004;
    let mut packet = ByteWriter::new();
    // Read, retries, size of data, number of strings and where they begin, category, filler.
    packet.u8(3).u8(0).u16(0).u16(1).u16(0x28).u16(0).u16(0);
    // Error code, unique value, final status, sequence number, control code, device offset.
    packet.u32((u32::from(QUALIFIERS) << 16) | 7).u32(0x121).u32(status).u32(0).u32(0).u64(0x1_5D08_B000);
    Event::new(Provider::classic("disk"), 7)
        .qualifiers(QUALIFIERS)
        .at(time)
        .logged_by(4, 312)
        .strings([device])
        .binary(packet.into_bytes())
}

/// disk 153: a request to a drive was tried again, which worked.
#[must_use]
pub fn request_tried_again(time: FileTime, device: &str) -> Event {
    /// Upper half of the message's id: a warning of the input and output facility.
    const QUALIFIERS: u16 = 0x8004;
    Event::new(Provider::classic("disk"), 153)
        .qualifiers(QUALIFIERS)
        .level(3)
        .at(time)
        .logged_by(4, 312)
        .strings([device, "0x5d08b0", "1"])
}

/// WHEA-Logger 19: a machine check of a processor that the hardware corrected.
#[must_use]
pub fn corrected_processor_error(time: FileTime, apic_id: u32) -> Event {
    /// "Corrected machine check" among the sources of an error.
    const SOURCE: u32 = 1;
    /// "Internal parity error" among the kinds of errors.
    const KIND: u32 = 11;
    corrected(19, time, &[("ErrorSource", SOURCE), ("ApicId", apic_id), ("MCABank", 0), ("ErrorType", KIND)])
}

/// WHEA-Logger 17: an error of a device on PCI Express that the hardware corrected.
#[must_use]
pub fn corrected_pcie_error(time: FileTime, bus: u32) -> Event {
    /// "PCI Express" among the sources of an error.
    const SOURCE: u32 = 4;
    corrected(17, time, &[("ErrorSource", SOURCE), ("PrimaryBusNumber", bus), ("PrimaryDeviceNumber", 0)])
}

fn corrected(id: u16, time: FileTime, fields: &[(&str, u32)]) -> Event {
    Event::new(Provider::manifest("Microsoft-Windows-WHEA-Logger", WHEA_LOGGER), id)
        .level(3)
        .at(time)
        .logged_by(4892, 5260)
        .user(Sid::local_service())
        .named(fields.iter().map(|(name, value)| (*name, Value::U32(*value))))
}

/// A machine check of one processor.
#[derive(Debug, Clone, Copy)]
pub struct MachineCheck {
    /// APIC id of the processor.
    pub apic_id: u32,
    /// Bank that reported it.
    pub bank: u32,
    /// `MCi_STATUS`.
    pub status: u64,
    /// `MCi_ADDR`.
    pub address: u64,
    /// Kind of error, as the event numbers it.
    pub error_type: u32,
}

/// WHEA-Logger 18: a machine check that could not be corrected, logged at the next start.
#[must_use]
pub fn machine_check(time: FileTime, check: MachineCheck) -> Event {
    /// "Machine check exception" among the sources of an error.
    const SOURCE: u32 = 3;
    /// The value for fields that this kind of error does not have.
    const NOT_APPLICABLE: u32 = 256;
    let record = error_record(check);
    let fields = vec![
        ("ErrorSource", Value::U32(SOURCE)),
        ("ApicId", Value::U32(check.apic_id)),
        ("MCABank", Value::U32(check.bank)),
        ("MciStat", Value::Hex64(check.status)),
        ("MciAddr", Value::Hex64(check.address)),
        ("MciMisc", Value::Hex64(0)),
        ("ErrorType", Value::U32(check.error_type)),
        ("TransactionType", Value::U32(NOT_APPLICABLE)),
        ("Participation", Value::U32(NOT_APPLICABLE)),
        ("RequestType", Value::U32(NOT_APPLICABLE)),
        ("MemorIO", Value::U32(NOT_APPLICABLE)),
        ("MemHierarchyLvl", Value::U32(NOT_APPLICABLE)),
        ("Timeout", Value::U32(NOT_APPLICABLE)),
        ("OperationType", Value::U32(NOT_APPLICABLE)),
        ("Channel", Value::U32(NOT_APPLICABLE)),
        ("Length", Value::U32(count32(record.len()))),
        ("RawData", Value::Binary(record)),
    ];
    Event::new(Provider::manifest("Microsoft-Windows-WHEA-Logger", WHEA_LOGGER), 18)
        .at(time)
        .logged_by(4892, 5260)
        .user(Sid::local_service())
        .named(fields)
}

/// The head of a UEFI common platform error record (signature "CPER"), with the bank's registers after it.
fn error_record(check: MachineCheck) -> Vec<u8> {
    let mut out = ByteWriter::new();
    // Signature, revision, end marker, number of sections, severity 1: fatal.
    out.raw(b"CPER").u16(0x0210).u32(0xFFFF_FFFF).u16(1).u32(1).zeros_to(128);
    out.u64(check.status).u64(check.address).u64(0).u32(check.bank).u32(check.apic_id);
    out.into_bytes()
}

//! Hardware errors: WHEA-Logger.

use crate::bytes::{ByteWriter, count32};
use crate::event_log::{Event, Provider, Sid, Value};
use crate::{FileTime, Guid};

const WHEA_LOGGER: Guid = Guid::new(0xc26c_4f3c, 0x3f66, 0x4e99, 0x8f8a, 0x3940_5cfe_d220);

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
    /// What the event writes for fields that this kind of error does not have.
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

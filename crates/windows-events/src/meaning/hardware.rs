//! Errors that the hardware reported (Windows Hardware Error Architecture).

use std::sync::Arc;

use super::super::fields::Fields;
use evidence::EventBody;
use untrusted::notation::hex_bytes;

/// The number that WHEA-Logger writes where there is none.
///
/// Source: Windows event manifests, value maps of WHEA-Logger.
const NOT_APPLICABLE: u32 = 0x100;

/// WHEA-Logger: an error of the hardware that the hardware `corrected`, or did not.
pub(super) fn hardware(component: &'static str, corrected: bool, fields: &Fields<'_>) -> EventBody {
    // Events 1 to 3 only contain the error's record, in the form that firmware writes.
    let recorded = || {
        let record = error_record::read(&fields.written("RawData").and_then(hex_bytes)?)?;
        Some(record.component().word())
    };
    let component = if component == "other" { recorded().unwrap_or(component) } else { component };
    let number = |name: &str| fields.number_u32(name).filter(|value| *value != NOT_APPLICABLE);
    // In memory errors, `Bank` is one of the memory module's.
    let bank = if component == "processor" { number("MCABank").or_else(|| number("Bank")) } else { None };
    EventBody::Hardware {
        component,
        corrected,
        apic_id: fields.number_u32("ApicId"),
        bank,
        status: fields.number_u64("MciStat").or_else(|| fields.number_u64("MciStatus")),
        error_type: number("ErrorType"),
        device: fields.text("PrimaryDeviceName").or_else(|| pci_id(fields)),
        address: fields.number_u64("PhysicalAddress").filter(|_| component == "memory"),
    }
}

/// The device by its numbers, in the form of Windows' hardware ids: older versions of the event have no names.
fn pci_id(fields: &Fields<'_>) -> Option<Arc<str>> {
    let vendor = fields.number_u32("VendorID").filter(|vendor| *vendor != 0)?;
    let device = fields.number_u32("DeviceID")?;
    Some(Arc::from(format!("PCI\\VEN_{vendor:04X}&DEV_{device:04X}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::named;
    use super::*;

    const WHEA: &str = "Microsoft-Windows-WHEA-Logger";

    #[test]
    fn a_machine_check_tells_processor_bank_and_status() {
        let data = json!({
            "ErrorSource": 3, "ApicId": 6, "MCABank": 5, "MciStat": "0xbea0000000000108", "MciAddr": "0x0",
            "ErrorType": 10, "TransactionType": 256, "Length": 936, "RawData": "43504552"
        });
        let Some(EventBody::Hardware { component, corrected, apic_id, bank, status, error_type, device, .. }) =
            named(WHEA, 18, data)
        else {
            panic!("a hardware error")
        };
        assert_eq!((component, corrected), ("processor", false));
        assert_eq!((apic_id, bank, error_type), (Some(6), Some(5), Some(10)));
        assert_eq!(status, Some(0xBEA0_0000_0000_0108));
        assert_eq!(device, None);
    }

    #[test]
    fn the_number_256_stands_for_none() {
        let data = json!({"MCABank": 256, "ErrorType": 256, "MciStat": "0x0"});
        let Some(EventBody::Hardware { bank, error_type, corrected, .. }) = named(WHEA, 19, data) else {
            panic!("a hardware error")
        };
        assert_eq!((bank, error_type, corrected), (None, None, true));
    }

    #[test]
    fn newer_machine_checks_use_other_names() {
        let data = json!({"ErrorSource": 1, "Bank": "0x1b", "MciStatus": "0x982000000002080b", "FRUText": "x"});
        let Some(EventBody::Hardware { component, bank, status, .. }) = named(WHEA, 49, data) else {
            panic!("a hardware error")
        };
        assert_eq!((component, bank, status), ("processor", Some(27), Some(0x9820_0000_0002_080B)));
    }

    #[test]
    fn a_memory_error_s_bank_is_not_a_machine_check_bank() {
        let data = json!({"PhysicalAddress": "0x1000", "Bank": "0x2", "ErrorType": 2});
        let Some(EventBody::Hardware { component, corrected, bank, error_type, address, .. }) = named(WHEA, 47, data)
        else {
            panic!("a hardware error")
        };
        assert_eq!(address, Some(0x1000));
        assert_eq!((component, corrected, bank, error_type), ("memory", true, None, Some(2)));
    }

    fn pcie_device(data: serde_json::Value) -> Option<String> {
        let Some(EventBody::Hardware { component: "pcie", device, .. }) = named(WHEA, 17, data) else {
            panic!("a PCIe error")
        };
        device.map(|device| device.to_string())
    }

    #[test]
    fn a_pcie_error_names_its_device_by_name_or_by_numbers() {
        let name = "PCI\\VEN_1234&DEV_ABCD&SUBSYS_00000000&REV_F1";
        let by_name = pcie_device(json!({"VendorID": "0x1234", "DeviceID": "0xabcd", "PrimaryDeviceName": name}));
        assert_eq!(by_name.as_deref(), Some(name));
        let by_number = pcie_device(json!({"VendorID": "0x1234", "DeviceID": "0xabc"}));
        assert_eq!(by_number.as_deref(), Some("PCI\\VEN_1234&DEV_0ABC"));
        assert_eq!(pcie_device(json!({"VendorID": "0x0", "DeviceID": "0x0"})), None);
    }

    #[test]
    fn a_memory_test_is_told_by_its_id() {
        for (id, expected) in [(1101, false), (1201, false), (1102, true), (1202, true)] {
            let data = json!({"CompletionType": "x"});
            let body = named("Microsoft-Windows-MemoryDiagnostics-Results", id, data);
            let Some(EventBody::MemoryTest { errors }) = body else { panic!("a memory test") };
            assert_eq!(errors, expected, "{id}");
        }
    }

    #[test]
    fn the_record_of_an_error_names_the_component_that_the_event_does_not() {
        // A record with one section, whose kind is that of errors of memory.
        let mut record = vec![0_u8; 200];
        record[..4].copy_from_slice(b"CPER");
        record[10] = 1;
        let memory = [0x14, 0x11, 0xBC, 0xA5, 0x64, 0x6F, 0xDE, 0x4E, 0xB8, 0x63, 0x3E, 0x83, 0xED, 0x7C, 0x83, 0xB1];
        record[144..160].copy_from_slice(&memory);
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        let component = |raw: String| match named(WHEA, 1, json!({"Length": 200, "RawData": raw})) {
            Some(EventBody::Hardware { component, .. }) => component,
            other => panic!("{other:?}"),
        };
        assert_eq!(component(hex(&record)), "memory");
        assert_eq!(component(hex(&record[..150])), "other", "it ends before the kind");
        assert_eq!(component("00".to_owned()), "other");
    }
}

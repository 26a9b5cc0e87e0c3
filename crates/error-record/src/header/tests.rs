use super::*;
use evidence::{ErrorDetail, MemoryError, PciDevice, ProcessorOperation, ProcessorPart};
use samplekit::error_record::{ErrorRecordBytes, Section};

fn record(sections: &[Section]) -> Vec<u8> {
    ErrorRecordBytes { severity: 1, sections: sections.to_vec() }.to_bytes()
}

#[test]
fn a_machine_check_names_processor_bank_and_status() {
    let bytes = record(&[
        Section::Processor { kind: 1, operation: 1, level: 1, apic_id: 6, signature: 0xB0671 },
        Section::MachineCheck { bank: 5, status: 0xBE00_0000_0080_0135, address: 0x1_2340, misc: 0x86, apic_id: 6 },
    ]);
    let read = read(&bytes).expect("a record");
    assert_eq!((read.severity, read.component()), (ErrorSeverity::Fatal, ErrorComponent::Processor));
    assert_eq!(read.time.map(|time| time.to_string()).as_deref(), Some("2024-08-09T03:17:55Z"));
    let [processor, bank] = &*read.sections else { panic!("two sections: {read:?}") };
    let expected = ErrorDetail::Processor {
        kind: Some(ProcessorPart::Cache),
        operation: Some(ProcessorOperation::Read),
        level: Some(1),
        apic_id: Some(6),
        signature: Some(0xB0671),
        address: None,
        instruction: None,
    };
    assert_eq!(processor.detail, expected);
    let expected = ErrorDetail::MachineCheck {
        bank: 5,
        status: 0xBE00_0000_0080_0135,
        address: Some(0x1_2340),
        misc: Some(0x86),
        apic_id: 6,
    };
    assert_eq!(bank.detail, expected);
}

#[test]
fn memory_names_its_slot_and_a_device_its_numbers() {
    let bytes = record(&[
        Section::Memory { kind: 3, address: 0x1_2345_6000, module: 1, unit: "DIMM_A2".to_owned() },
        Section::Pcie { vendor: 0x10DE, device: 0x2684, bus: 1, uncorrected: 0x4000 },
    ]);
    let read = read(&bytes).expect("a record");
    let [memory, device] = &*read.sections else { panic!("two sections: {read:?}") };
    assert_eq!(memory.unit.as_deref(), Some("DIMM_A2"));
    let ErrorDetail::Memory { kind, address, module, bank, .. } = memory.detail else { panic!("memory: {memory:?}") };
    assert_eq!((kind, address), (Some(MemoryError::MultiBit), Some(0x1_2345_6000)));
    assert_eq!((module, bank), (Some(1), None));
    let ErrorDetail::Pcie { device: Some(numbers), uncorrected, .. } = device.detail else { panic!("{device:?}") };
    let expected = PciDevice { vendor: 0x10DE, device: 0x2684, segment: 0, bus: 1, slot: 0, function: 0 };
    assert_eq!((numbers, uncorrected), (expected, Some(0x4000)));
    assert_eq!(numbers.to_string(), r"PCI\VEN_10DE&DEV_2684");
    assert_eq!(read.component(), ErrorComponent::Memory, "the first section is marked");
}

#[test]
fn of_a_cut_record_what_is_there_is_read() {
    let bytes = record(&[Section::MachineCheck { bank: 5, status: 1 << 63, address: 0, misc: 0, apic_id: 0 }]);
    let without_content = read(&bytes[..HEADER + 72]).expect("a record");
    assert_eq!(without_content.component(), ErrorComponent::Processor);
    assert_eq!(without_content.sections.first().map(|section| &section.detail), Some(&ErrorDetail::None));
    assert!(read(&bytes[..HEADER + 31]).is_some_and(|record| record.sections.is_empty()));
    assert!(read(&bytes[..3]).is_none());
}

#[test]
fn times_are_read_in_either_notation() {
    let text = |bytes| time(bytes).map(|time| time.to_string());
    assert_eq!(text([55, 17, 3, 0, 9, 8, 24, 20]).as_deref(), Some("2024-08-09T03:17:55Z"));
    assert_eq!(text([0x55, 0x17, 0x03, 0, 0x09, 0x08, 0x24, 0x20]).as_deref(), Some("2024-08-09T03:17:55Z"));
    assert_eq!(text([0xFF; 8]), None);
    assert_eq!(text([0; 8]), None);
}

#[test]
fn no_change_of_a_byte_makes_reading_panic() {
    let bytes = record(&[
        Section::Processor { kind: 1, operation: 1, level: 1, apic_id: 6, signature: 0xB0671 },
        Section::MachineCheck { bank: 5, status: u64::MAX, address: 1, misc: 1, apic_id: 6 },
        Section::Memory { kind: 3, address: 1, module: 1, unit: "DIMM".to_owned() },
        Section::Pcie { vendor: 1, device: 1, bus: 1, uncorrected: 1 },
    ]);
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let _ = (read(&changed), length(&changed));
        }
        let _ = read(&bytes[..at]);
    }
}

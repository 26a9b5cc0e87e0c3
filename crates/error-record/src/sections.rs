//! What the sections of a record hold, by their kind.

use evidence::{ErrorComponent, ErrorDetail, MemoryError, PciDevice, ProcessorOperation, ProcessorPart};
use untrusted::bytes::{u16_at, u32_at, u64_at};

/// Reads the bytes of a section; `None` where they end too early.
type Reader = fn(&[u8]) -> Option<ErrorDetail>;

/// A kind of section: its identifier as it is in the record, the component, and how it is read.
const KINDS: [([u8; 16], ErrorComponent, Reader); 9] = [
    (guid(0x9876_CCAD, 0x47B4, 0x4BDB, *b"\xB6\x5E\x16\xF1\x93\xC4\xF3\xDB"), ErrorComponent::Processor, processor),
    (guid(0xDC3E_A0B0, 0xA144, 0x4797, *b"\xB9\x5B\x53\xFA\x24\x2B\x6E\x1D"), ErrorComponent::Processor, x86),
    (guid(0xE19E_3D16, 0xBC11, 0x11E4, *b"\x9C\xAA\xC2\x05\x1D\x5D\x46\xB0"), ErrorComponent::Processor, nothing),
    // Windows' own: a machine-check bank.
    (guid(0x8A1E_1D01, 0x42F9, 0x4557, *b"\x9C\x33\x56\x5E\x5C\xC3\xF7\xE8"), ErrorComponent::Processor, bank),
    (guid(0xA5BC_1114, 0x6F64, 0x4EDE, *b"\xB8\x63\x3E\x83\xED\x7C\x83\xB1"), ErrorComponent::Memory, memory),
    (guid(0x61EC_04FC, 0x48E6, 0xD813, *b"\x25\xC9\x8D\xAA\x44\x75\x0B\x12"), ErrorComponent::Memory, nothing),
    (guid(0xD995_E954, 0xBBC1, 0x430F, *b"\xAD\x91\xB4\x4D\xCB\x3C\x6F\x35"), ErrorComponent::Pcie, pcie),
    (guid(0xC575_3963, 0x3B84, 0x4095, *b"\xBF\x78\xED\xDA\xD3\xF9\xC9\xDD"), ErrorComponent::Pci, nothing),
    (guid(0xEB5E_4685, 0xCA66, 0x4769, *b"\xB6\xA2\x26\x06\x8B\x00\x13\x26"), ErrorComponent::Pci, nothing),
];

/// The bytes of an identifier in memory: its first three parts are little-endian numbers.
const fn guid(first: u32, second: u16, third: u16, rest: [u8; 8]) -> [u8; 16] {
    let ([a, b, c, d], [e, f], [g, h]) = (first.to_le_bytes(), second.to_le_bytes(), third.to_le_bytes());
    let [i, j, k, l, m, n, o, p] = rest;
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

/// The component of sections of this kind, and their reader.
pub fn reader(kind: [u8; 16]) -> (ErrorComponent, Reader) {
    let known = KINDS.iter().find(|(known, ..)| *known == kind);
    known.map_or((ErrorComponent::Other, nothing), |(_, component, read)| (*component, *read))
}

fn nothing(_: &[u8]) -> Option<ErrorDetail> {
    None
}

/// Keeps a value whose bit of the field of valid ones is set.
fn set<T>(valid: u64, bit: u32, value: Option<T>) -> Option<T> {
    value.filter(|_| valid.checked_shr(bit).is_some_and(|rest| rest & 1 == 1))
}

/// "Processor generic error section", 192 bytes.
fn processor(bytes: &[u8]) -> Option<ErrorDetail> {
    let valid = u64_at(bytes, 0)?;
    let byte = |offset: usize| bytes.get(offset).copied();
    let kind = set(valid, 2, byte(10)).and_then(|kind| match kind {
        1 => Some(ProcessorPart::Cache),
        2 => Some(ProcessorPart::Tlb),
        4 => Some(ProcessorPart::Bus),
        8 => Some(ProcessorPart::Internal),
        _ => None,
    });
    let operation = set(valid, 3, byte(11)).and_then(|operation| match operation {
        1 => Some(ProcessorOperation::Read),
        2 => Some(ProcessorOperation::Write),
        3 => Some(ProcessorOperation::Execute),
        _ => None,
    });
    Some(ErrorDetail::Processor {
        kind,
        operation,
        level: set(valid, 5, byte(13)).filter(|level| *level <= 3),
        signature: set(valid, 6, u64_at(bytes, 16)).and_then(|version| u32::try_from(version).ok()),
        apic_id: set(valid, 8, u64_at(bytes, 152)),
        address: set(valid, 9, u64_at(bytes, 160)),
        instruction: set(valid, 12, u64_at(bytes, 184)),
    })
}

/// "IA32/X64 processor error section": which processor it was. What failed is in the other sections.
fn x86(bytes: &[u8]) -> Option<ErrorDetail> {
    let valid = u64_at(bytes, 0)?;
    Some(ErrorDetail::Processor {
        kind: None,
        operation: None,
        level: None,
        apic_id: set(valid, 0, u64_at(bytes, 8)),
        signature: set(valid, 1, u32_at(bytes, 16)),
        address: None,
        instruction: None,
    })
}

/// `WHEA_XPF_MCA_SECTION`, whose fields follow each other without gaps: version, maker, time (64 bits), processor, global
/// status (64 bits), instruction pointer (64 bits), bank, status, address, miscellaneous (64 bits each), number of further
/// registers, APIC id.
fn bank(bytes: &[u8]) -> Option<ErrorDetail> {
    /// Bits of the status that mark the registers for address and miscellaneous as set.
    const ADDRESS: u32 = 58;
    const MISC: u32 = 59;
    let status = u64_at(bytes, 40)?;
    Some(ErrorDetail::MachineCheck {
        bank: u32_at(bytes, 36)?,
        status,
        address: set(status, ADDRESS, u64_at(bytes, 48)),
        misc: set(status, MISC, u64_at(bytes, 56)),
        apic_id: u32_at(bytes, 68)?,
    })
}

/// "Memory error section", 73 or 80 bytes.
fn memory(bytes: &[u8]) -> Option<ErrorDetail> {
    let valid = u64_at(bytes, 0)?;
    let number = |bit, offset| set(valid, bit, u16_at(bytes, offset));
    let kind = set(valid, 14, bytes.get(72).copied()).map(|kind| match kind {
        1 => MemoryError::None,
        2 => MemoryError::SingleBit,
        3 => MemoryError::MultiBit,
        4 => MemoryError::SingleSymbol,
        5 => MemoryError::MultiSymbol,
        6 => MemoryError::ControllerAbort,
        7 => MemoryError::TargetAbort,
        8 => MemoryError::Parity,
        9 => MemoryError::Watchdog,
        10 => MemoryError::InvalidAddress,
        11 => MemoryError::MirrorBroken,
        12 => MemoryError::Sparing,
        13 => MemoryError::ScrubCorrected,
        14 => MemoryError::ScrubUncorrected,
        15 => MemoryError::MappedOut,
        _ => MemoryError::Unknown,
    });
    Some(ErrorDetail::Memory {
        kind,
        address: set(valid, 1, u64_at(bytes, 16)),
        node: number(3, 32),
        card: number(4, 34),
        module: number(5, 36),
        bank: number(6, 38),
    })
}

/// "PCI Express error section", 208 bytes.
fn pcie(bytes: &[u8]) -> Option<ErrorDetail> {
    let valid = u64_at(bytes, 0)?;
    let device = || {
        Some(PciDevice {
            vendor: u16_at(bytes, 24)?,
            device: u16_at(bytes, 26)?,
            function: *bytes.get(31)?,
            slot: *bytes.get(32)?,
            segment: u16_at(bytes, 33)?,
            bus: *bytes.get(35)?,
        })
    };
    Some(ErrorDetail::Pcie {
        device: set(valid, 3, device()).filter(|device| device.vendor != 0),
        uncorrected: set(valid, 7, u32_at(bytes, 116)),
        corrected: set(valid, 7, u32_at(bytes, 128)),
    })
}

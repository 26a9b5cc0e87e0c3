//! The component of the machine in a common platform error record.
//!
//! Source of layout and identifiers: UEFI specification, appendix N.

use untrusted::bytes::{array_at, u16_at, u32_at};

const SIGNATURE: [u8; 4] = *b"CPER";
const SECTION_COUNT: usize = 10;
/// Length of the record's header; the descriptors of its sections follow.
const HEADER: usize = 128;
const DESCRIPTOR: usize = 72;
/// In a descriptor: flags, of which the lowest marks the section with the error itself, and the section's kind.
const FLAGS: usize = 12;
const KIND: usize = 16;
/// The most sections that are read; Windows writes a handful.
const MOST_SECTIONS: usize = 32;

/// The kinds of sections, by the first 8 bytes of their identifiers as they are in the record, and their component in the
/// words of [`EventBody::Hardware`](evidence::EventBody).
const KINDS: [([u8; 8], &str); 8] = [
    // 9876ccad-47b4-4bdb-...: a processor of any kind.
    ([0xAD, 0xCC, 0x76, 0x98, 0xB4, 0x47, 0xDB, 0x4B], "processor"),
    // dc3ea0b0-a144-4797-...: of x86 or x64.
    ([0xB0, 0xA0, 0x3E, 0xDC, 0x44, 0xA1, 0x97, 0x47], "processor"),
    // e19e3d16-bc11-11e4-...: of ARM.
    ([0x16, 0x3D, 0x9E, 0xE1, 0x11, 0xBC, 0xE4, 0x11], "processor"),
    // a5bc1114-6f64-4ede-... and 61ec04fc-48e6-d813-...: memory.
    ([0x14, 0x11, 0xBC, 0xA5, 0x64, 0x6F, 0xDE, 0x4E], "memory"),
    ([0xFC, 0x04, 0xEC, 0x61, 0xE6, 0x48, 0x13, 0xD8], "memory"),
    // d995e954-bbc1-430f-...: PCI Express.
    ([0x54, 0xE9, 0x95, 0xD9, 0xC1, 0xBB, 0x0F, 0x43], "pcie"),
    // c5753963-3b84-4095-...: a PCI bus; eb5e4685-ca66-4769-...: a device on it.
    ([0x63, 0x39, 0x75, 0xC5, 0x84, 0x3B, 0x95, 0x40], "pci"),
    ([0x85, 0x46, 0x5E, 0xEB, 0x66, 0xCA, 0x69, 0x47], "pci"),
];

/// The component of the record's error; `None` when no section is of a known kind, or the sections have different components
/// and none is marked.
pub(super) fn component(record: &[u8]) -> Option<&'static str> {
    if array_at(record, 0)? != SIGNATURE {
        return None;
    }
    let count = usize::from(u16_at(record, SECTION_COUNT)?).min(MOST_SECTIONS);
    let sections: Vec<(bool, &'static str)> = (0..count).filter_map(|number| section(record, number)).collect();
    let primary = sections.iter().find(|(primary, _)| *primary).map(|(_, component)| *component);
    primary.or_else(|| {
        let (_, first) = sections.first()?;
        sections.iter().all(|(_, other)| other == first).then_some(*first)
    })
}

/// Whether a section is the one with the error itself, and its component.
fn section(record: &[u8], number: usize) -> Option<(bool, &'static str)> {
    let descriptor = number.checked_mul(DESCRIPTOR)?.checked_add(HEADER)?;
    let kind: [u8; 8] = array_at(record, descriptor.checked_add(KIND)?)?;
    let primary = u32_at(record, descriptor.checked_add(FLAGS)?)? & 1 != 0;
    let (_, component) = KINDS.iter().find(|(known, _)| *known == kind)?;
    Some((primary, component))
}

//! Processors, by the kernel's descriptions of them (`KPRCB`) and by what they answer to CPUID.

use std::sync::Arc;

use super::debugger_data::DebuggerData;
use evidence::{KernelProcessor, Names, Processor};
use untrusted::bytes::{u16_at, u32_at, u64_at};

/// Length of the maker's name, bytes.
const VENDOR: usize = 12;
/// How far the revision of the microcode (`UpdateSignature`) is behind the beginning of the maker's name, bytes, in
/// descriptions of 64-bit systems. Source: public symbols of Windows 7 to 11 agree.
const MICROCODE_BEHIND: usize = 0x18;

/// Reads the processor whose description's bytes `at` gives: from an offset on, so many.
pub(super) fn read(
    data: &DebuggerData,
    wide: bool,
    names: &Names,
    at: &mut dyn FnMut(usize, usize) -> Option<Vec<u8>>,
) -> Option<KernelProcessor> {
    let vendor_at = data.processor_vendor?;
    let vendor = at(vendor_at, VENDOR)?;
    let vendor = std::str::from_utf8(&vendor).ok().filter(|name| name.chars().all(|c| c.is_ascii_graphic()))?;
    // Family, a flag, stepping and model, a byte each.
    let [family, _, stepping, model] = at(data.processor_kind?, 4)?.try_into().ok()?;
    let kind = Processor {
        vendor: Some(names.share(vendor)),
        family: Some(u16::from(family)),
        model: Some(model),
        stepping: Some(stepping),
    };
    let microcode = vendor_at.checked_add(MICROCODE_BEHIND).filter(|_| wide).and_then(|offset| at(offset, 8));
    Some(KernelProcessor {
        microcode: microcode.and_then(|bytes| microcode_of(u64_at(&bytes, 0)?, vendor, family)),
        megahertz: data.processor_mhz.and_then(|offset| u32_at(&at(offset, 4)?, 0)).filter(|mhz| *mhz != 0),
        number: data.processor_number.and_then(|offset| u16_at(&at(offset, 2)?, 0)),
        name: None,
        kind,
    })
}

/// The revision out of the register that holds it: Intel's in the upper half with nothing in the lower, AMD's in the lower,
/// which begins with the family.
///
/// Source: Intel's manual for software developers, volume 3, "Microcode update facilities"; AMD's processor programming
/// references, `PatchLevel`.
fn microcode_of(register: u64, vendor: &str, family: u8) -> Option<u32> {
    let (upper, lower) = (u32::try_from(register >> 32).ok()?, u32::try_from(register & u64::from(u32::MAX)).ok()?);
    match vendor {
        "GenuineIntel" => (lower == 0 && upper != 0).then_some(upper),
        "AuthenticAMD" => {
            let of_family = (lower >> 24).checked_add(0xF) == Some(u32::from(family));
            (upper == 0 && of_family).then_some(lower)
        }
        _ => None,
    }
}

/// What processors answer to CPUID, in the block that Windows' driver for firmware tables adds to dumps. Measured on a dump of
/// Windows 10: entries of 0 (32 bits), the function's number and the four registers, and these registers again, as they are
/// without what the system hides.
const ENTRY: usize = 0x28;
/// The most entries that are looked at.
const MOST_ENTRIES: usize = 256;
/// The functions that give the name, in their order.
const NAME_FUNCTIONS: [u32; 3] = [0x8000_0002, 0x8000_0003, 0x8000_0004];

/// The processor's name in a block of answers to CPUID.
pub(super) fn name_by_cpuid(block: &[u8]) -> Option<Arc<str>> {
    let entries = || block.chunks_exact(ENTRY).take(MOST_ENTRIES);
    let mut name = Vec::new();
    for function in NAME_FUNCTIONS {
        let entry = entries().find(|entry| u32_at(entry, 0) == Some(0) && u32_at(entry, 4) == Some(function))?;
        name.extend_from_slice(entry.get(8..24)?);
    }
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let text = std::str::from_utf8(name.get(..end)?).ok()?;
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let printable = text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    (printable && !words.is_empty()).then(|| Arc::from(words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_read_only_where_it_looks_like_the_makers() {
        assert_eq!(microcode_of(0x0000_012B_0000_0000, "GenuineIntel", 6), Some(0x12B));
        assert_eq!(microcode_of(0x0000_012B_0000_0001, "GenuineIntel", 6), None);
        assert_eq!(microcode_of(0x0870_1021, "AuthenticAMD", 0x17), Some(0x0870_1021));
        assert_eq!(microcode_of(0x0A20_1016, "AuthenticAMD", 0x19), Some(0x0A20_1016));
        assert_eq!(microcode_of(0x0870_1021, "AuthenticAMD", 0x19), None);
        assert_eq!(microcode_of(0, "GenuineIntel", 6), None);
        assert_eq!(microcode_of(0x12B, "Other", 6), None);
    }

    #[test]
    fn a_name_takes_all_three_functions() {
        let entry = |function: u32, text: &str| {
            let mut bytes = 0_u32.to_le_bytes().to_vec();
            bytes.extend(function.to_le_bytes());
            bytes.extend(format!("{text:\0<16}").into_bytes());
            bytes.resize(ENTRY, 0);
            bytes
        };
        let mut block = entry(0, "");
        block.extend(entry(0x8000_0002, "AMD Ryzen 7 3700"));
        block.extend(entry(0x8000_0003, "X 8-Core Process"));
        assert_eq!(name_by_cpuid(&block), None);
        block.extend(entry(0x8000_0004, "or              "));
        assert_eq!(name_by_cpuid(&block).as_deref(), Some("AMD Ryzen 7 3700X 8-Core Processor"));
    }
}

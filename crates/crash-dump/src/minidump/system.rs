//! The processor in `MINIDUMP_SYSTEM_INFO`.

use minidump::format::MINIDUMP_SYSTEM_INFO;

use evidence::{CpuArchitecture, CpuFeatures, Names, OperatingSystem, Processor};
use untrusted::bytes::u64_at;

/// Family, model and stepping; and the maker's name, with which the `CPU_INFORMATION` of 32-bit x86 begins. Writers on
/// other systems give it for 64-bit x86 too, where Windows has its own features in its place.
pub(super) fn processor(raw: &MINIDUMP_SYSTEM_INFO, cpu: CpuArchitecture, names: &Names) -> Processor {
    if !matches!(cpu, CpuArchitecture::X86 | CpuArchitecture::X64) {
        return Processor::default();
    }
    let [model, stepping] = raw.processor_revision.to_be_bytes();
    let known = raw.processor_level != 0;
    Processor {
        vendor: vendor(&raw.cpu.data).map(|vendor| names.share(vendor)),
        family: known.then_some(raw.processor_level),
        model: known.then_some(model),
        stepping: known.then_some(stepping),
    }
}

/// The twelve letters of CPUID leaf 0.
fn vendor(information: &[u8]) -> Option<&str> {
    let name = information.get(..12)?;
    let is_name = name.iter().all(|byte| byte.is_ascii_alphabetic() || b" !".contains(byte));
    is_name.then(|| std::str::from_utf8(name).ok()).flatten()
}

/// What Windows says of the processor in dumps of 64-bit processes: `OTHER_CPU_INFO.ProcessorFeatures`. Which states are
/// saved stands elsewhere, in `MINIDUMP_MISC_INFO_5`.
pub(super) fn features(information: &[u8], cpu: CpuArchitecture, os: OperatingSystem) -> CpuFeatures {
    let told = os == OperatingSystem::Windows && cpu == CpuArchitecture::X64 && vendor(information).is_none();
    CpuFeatures { windows: told.then(|| u64_at(information, 0)).flatten(), saved_states: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_makers_name_is_letters() {
        let mut named = [0_u8; 24];
        named[..12].copy_from_slice(b"GenuineIntel");
        assert_eq!(vendor(&named), Some("GenuineIntel"));
        let mut words = [0_u8; 24];
        words[..8].copy_from_slice(&0x0000_01F0_10C0_774C_u64.to_le_bytes());
        assert_eq!(vendor(&words), None);
        assert_eq!(vendor(&[0; 24]), None);
    }
}

//! The system that the process ran on, and its processor: `MINIDUMP_SYSTEM_INFO`.

use minidump::MinidumpSystemInfo;
use minidump::format::MINIDUMP_SYSTEM_INFO;
use minidump::system_info::{Cpu, Os};

use evidence::{CpuArchitecture, CpuFeatures, Names, OperatingSystem, Processor, System};
use untrusted::bytes::u64_at;

/// The system.
pub(super) fn system(info: &MinidumpSystemInfo, names: &Names) -> System {
    let os = match info.os {
        Os::Windows => OperatingSystem::Windows,
        Os::Linux => OperatingSystem::Linux,
        Os::MacOs => OperatingSystem::MacOs,
        Os::Ios => OperatingSystem::Ios,
        Os::Android => OperatingSystem::Android,
        _ => OperatingSystem::Other,
    };
    let cpu = match info.cpu {
        Cpu::X86 => CpuArchitecture::X86,
        Cpu::X86_64 => CpuArchitecture::X64,
        Cpu::Arm => CpuArchitecture::Arm,
        Cpu::Arm64 => CpuArchitecture::Arm64,
        _ => CpuArchitecture::Other,
    };
    System {
        os,
        os_version: (info.raw.major_version, info.raw.minor_version, info.raw.build_number),
        os_detail: info.csd_version().filter(|detail| !detail.is_empty()).map(|detail| names.share(&detail)),
        cpu,
        cpu_count: info.raw.number_of_processors,
        cpu_detail: info.cpu_info().and_then(|detail| plain(&detail).map(|detail| names.share(detail))),
        cpu_features: features(&info.raw.cpu.data, cpu, os),
        processor: processor(&info.raw, cpu, names),
        server: (os == OperatingSystem::Windows).then(|| is_server(info.raw.product_type)).flatten(),
    }
}

/// A processor's description, if its maker's name is one: a stream of zeros describes nothing.
fn plain(detail: &str) -> Option<&str> {
    let detail = detail.trim();
    (!detail.is_empty() && !detail.chars().any(char::is_control)).then_some(detail)
}

/// Whether a product type of Windows is one of servers: `VER_NT_WORKSTATION`, `VER_NT_DOMAIN_CONTROLLER`, `VER_NT_SERVER`.
fn is_server(product_type: u8) -> Option<bool> {
    match product_type {
        1 => Some(false),
        2 | 3 => Some(true),
        _ => None,
    }
}

/// Family, model and stepping; and the maker's name, with which the `CPU_INFORMATION` of 32-bit x86 begins. Writers on
/// other systems give it for 64-bit x86 too, where Windows has its own features in its place.
fn processor(raw: &MINIDUMP_SYSTEM_INFO, cpu: CpuArchitecture, names: &Names) -> Processor {
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

/// What Windows reports of the processor in dumps of 64-bit processes: `OTHER_CPU_INFO.ProcessorFeatures`. Which states
/// are saved is in another stream, `MINIDUMP_MISC_INFO_5`.
fn features(information: &[u8], cpu: CpuArchitecture, os: OperatingSystem) -> CpuFeatures {
    let reported = os == OperatingSystem::Windows && cpu == CpuArchitecture::X64 && vendor(information).is_none();
    CpuFeatures { windows: reported.then(|| u64_at(information, 0)).flatten(), saved_states: None }
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

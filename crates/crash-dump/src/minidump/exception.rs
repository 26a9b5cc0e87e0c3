//! The exception record.

use minidump::{MinidumpException, MinidumpSystemInfo};

use evidence::{Address, CpuArchitecture, Exception, ExceptionCode, Names, OperatingSystem, System};

/// The exception in a dump's record.
pub fn exception(
    raw: &MinidumpException<'_>,
    info: Option<&MinidumpSystemInfo>,
    system: &System,
    names: &Names,
) -> Exception {
    let record = &raw.raw.exception_record;
    let count = usize::try_from(record.number_parameters).unwrap_or(0);
    let foreign = info.filter(|_| system.os != OperatingSystem::Windows);
    Exception {
        code: ExceptionCode(record.exception_code),
        flags: record.exception_flags,
        address: Address(narrow(record.exception_address, system.cpu)),
        parameters: record.exception_information.iter().copied().take(count).collect(),
        foreign_reason: foreign.map(|info| names.share(&raw.get_crash_reason(info.os, info.cpu).to_string())),
    }
}

/// 32-bit addresses may be sign-extended in the format's 64-bit fields.
pub fn narrow(address: u64, cpu: CpuArchitecture) -> u64 {
    if matches!(cpu, CpuArchitecture::X86 | CpuArchitecture::Arm) { address & 0xFFFF_FFFF } else { address }
}

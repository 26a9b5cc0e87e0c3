//! The system and its processor.

use super::found::Found;
use super::modules::Modules;
use crate::joined_evidence::JoinedEvidence;
use evidence::{CpuArchitecture, OperatingSystem, System};
use windows_codes::Knowledge;

/// The system's name: `Windows 10 22H2 (build 19045)`.
pub(super) fn name(system: &System) -> String {
    let (major, minor, build) = system.os_version;
    match system.os {
        OperatingSystem::Windows => with_service_pack(windows(build, system.server), system),
        other => foreign(other, (major, minor, build), system.os_detail.as_deref()),
    }
}

/// The name of a system that is no Windows: `Linux 5.15.0-113-generic #123-Ubuntu SMP`, `macOS 10.12.6 (16G29)`.
fn foreign(system: OperatingSystem, version: (u32, u32, u32), detail: Option<&str>) -> String {
    let name = match system {
        OperatingSystem::Linux => "Linux",
        OperatingSystem::MacOs => "macOS",
        OperatingSystem::Ios => "iOS",
        OperatingSystem::Android => "Android",
        OperatingSystem::Windows | OperatingSystem::Other => system.word(),
    };
    let (major, minor, build) = version;
    match detail {
        // Writers on Linux leave the numbers out and give the words of `uname`.
        Some(detail) if version == (0, 0, 0) => match detail.strip_prefix(name) {
            Some(rest) => format!("{name}{rest}"),
            None => format!("{name} {detail}"),
        },
        None if version == (0, 0, 0) => name.to_owned(),
        // The rest of `uname`'s release: `-113-generic #123-Ubuntu SMP`.
        Some(detail) if detail.starts_with('-') => format!("{name} {major}.{minor}.{build}{detail}"),
        Some(detail) => format!("{name} {major}.{minor}.{build} ({detail})"),
        None => format!("{name} {major}.{minor}.{build}"),
    }
}

/// A release of Windows by its build. Some builds are of a client and of a server; `server` is whether it is the server,
/// where known.
pub(super) fn windows(build: u32, server: Option<bool>) -> String {
    match Knowledge.windows_release(build) {
        Some(release) => format!("{} (build {build})", edition(release, server)),
        None => format!("Windows build {build}"),
    }
}

/// The name with the service pack in the dump's words, where the build number does not imply it.
fn with_service_pack(name: String, system: &System) -> String {
    match (name.split_once(" (build"), system.os_detail.as_deref()) {
        (Some((release, build)), Some(pack)) if pack.starts_with("Service Pack") && !release.contains(" SP") => {
            format!("{release} {pack} (build{build}")
        }
        _ => name,
    }
}

/// The releases of Windows with this build number of the kernel, which several share.
pub(crate) fn kernel_releases(build: u32) -> String {
    match Knowledge.windows_of_kernel(build) {
        Some(releases) => format!("{releases} (kernel build {build})"),
        None => format!("Windows, kernel build {build}"),
    }
}

/// The part of `Windows 10 1809 or Server 2019` that is meant.
fn edition(release: &str, server: Option<bool>) -> String {
    match (release.split_once(" or "), server) {
        (Some((client, _)), Some(false)) => client.to_owned(),
        (Some((_, server)), Some(true)) => format!("Windows {server}"),
        _ => release.to_owned(),
    }
}

/// The build number in WER's form of the version: `10.0.19045.2.0.0.768.101`.
#[must_use]
pub fn build_of(os_version: &str) -> Option<u32> {
    os_version.split('.').nth(2)?.parse().ok()
}

/// Whether the process had 32 bits on 64-bit Windows: its DLLs of Windows come from `SysWOW64`, `wow64.dll` is loaded, or
/// that release of Windows has no 32-bit edition. A 32-bit process may see `SysWOW64` as `System32`, so other paths prove
/// nothing.
pub(super) fn wow64(evidence: &JoinedEvidence<'_>, modules: &Modules<'_>) -> Option<Found<bool>> {
    let (from, dump) = evidence.dump()?;
    if dump.system.os != OperatingSystem::Windows {
        return None;
    }
    let has_layer = modules.listed.iter().any(|module| module.is("wow64.dll"));
    let redirected = || {
        let of_windows = |path: &str| path.to_ascii_lowercase().contains(r"\windows\syswow64\");
        modules.listed.iter().any(|module| module.path.is_some_and(of_windows))
    };
    let value = match dump.system.cpu {
        CpuArchitecture::X86 if has_layer || redirected() || is_always_64_bit(&dump.system) => true,
        CpuArchitecture::X64 if has_layer => true,
        CpuArchitecture::X64 => modules.complete_list().map(|_| false)?,
        _ => return None,
    };
    Some(Found { value, from })
}

/// Whether this Windows has no edition for 32-bit processors: servers from 2008 R2 on, and all from the build of Server
/// 2022 on, which Windows 11 follows.
///
/// Source: Microsoft's pages "Windows Server 2008 R2 system requirements" and "Windows 11 system requirements".
fn is_always_64_bit(system: &System) -> bool {
    let (major, _, build) = system.os_version;
    major >= 10 && build >= 20348 || system.server == Some(true) && build >= 7600
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linux(version: (u32, u32, u32), detail: Option<&str>) -> String {
        foreign(OperatingSystem::Linux, version, detail)
    }

    #[test]
    fn other_systems_have_their_own_names_and_no_number_that_nobody_wrote() {
        assert_eq!(linux((0, 0, 0), Some("Linux 5.15.0-113-generic x86_64")), "Linux 5.15.0-113-generic x86_64");
        assert_eq!(linux((5, 19, 0), Some("-41-generic #42 SMP")), "Linux 5.19.0-41-generic #42 SMP");
        assert_eq!(linux((0, 0, 0), None), "Linux");
        assert_eq!(foreign(OperatingSystem::MacOs, (10, 12, 6), Some("16G29")), "macOS 10.12.6 (16G29)");
    }

    #[test]
    fn a_kernel_stands_for_all_releases_that_share_it() {
        assert_eq!(kernel_releases(19041), "Windows 10 2004 to 22H2 (kernel build 19041)");
        assert_eq!(kernel_releases(22621), "Windows 11 22H2 or 23H2 (kernel build 22621)");
        assert_eq!(kernel_releases(1), "Windows, kernel build 1");
    }

    #[test]
    fn a_build_of_client_and_server_is_told_apart_where_the_dump_says_which() {
        assert_eq!(windows(26100, None), "Windows 11 24H2 or Server 2025 (build 26100)");
        assert_eq!(windows(26100, Some(false)), "Windows 11 24H2 (build 26100)");
        assert_eq!(windows(26100, Some(true)), "Windows Server 2025 (build 26100)");
        assert_eq!(windows(19045, Some(false)), "Windows 10 22H2 (build 19045)");
        assert_eq!(windows(1, None), "Windows build 1");
    }
}

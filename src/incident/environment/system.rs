//! The system and its processor.

use super::Found;
use super::seen::Seen;
use crate::evidence::{CpuArchitecture, OperatingSystem, System};
use crate::incident::gathered::Gathered;
use crate::knowledge::Knowledge;

/// The system as a sentence fragment: `Windows 10 22H2 (build 19045)`.
pub(super) fn name(system: &System, knowledge: &Knowledge) -> String {
    let (major, minor, build) = system.os_version;
    match system.os {
        OperatingSystem::Windows => windows(build, system.server, knowledge),
        other => {
            let detail = system.os_detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
            format!("{} {major}.{minor}.{build}{detail}", other.word())
        }
    }
}

/// A release of Windows by its build. Some builds are of a client and of a server; `server` tells which, where known.
pub(super) fn windows(build: u32, server: Option<bool>, knowledge: &Knowledge) -> String {
    match knowledge.windows_release(build) {
        Some(release) => format!("{} (build {build})", edition(release, server)),
        None => format!("Windows build {build}"),
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

/// Whether the process was one of 32 bits on 64-bit Windows: its DLLs of Windows come from `SysWOW64`, or the layer
/// that carries it is loaded. A 32-bit process may see `SysWOW64` as `System32`, so other paths prove nothing.
pub(super) fn wow64(gathered: &Gathered<'_>, seen: &Seen<'_>) -> Option<Found<bool>> {
    let (from, dump) = gathered.dump()?;
    if dump.system.os != OperatingSystem::Windows {
        return None;
    }
    let layer = seen.listed.iter().any(|module| module.is("wow64.dll"));
    let redirected = || {
        let of_windows = |path: &str| path.to_ascii_lowercase().contains(r"\windows\syswow64\");
        seen.listed.iter().any(|module| module.path.is_some_and(of_windows))
    };
    let value = match dump.system.cpu {
        CpuArchitecture::X86 if layer || redirected() => true,
        CpuArchitecture::X64 if layer => true,
        CpuArchitecture::X64 => seen.whole_list().map(|_| false)?,
        _ => return None,
    };
    Some(Found { value, from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_of_client_and_server_is_told_apart_where_the_dump_says_which() {
        let known = Knowledge::builtin();
        assert_eq!(windows(26100, None, &known), "Windows 11 24H2 or Server 2025 (build 26100)");
        assert_eq!(windows(26100, Some(false), &known), "Windows 11 24H2 (build 26100)");
        assert_eq!(windows(26100, Some(true), &known), "Windows Server 2025 (build 26100)");
        assert_eq!(windows(19045, Some(false), &known), "Windows 10 22H2 (build 19045)");
        assert_eq!(windows(1, None, &known), "Windows build 1");
    }
}

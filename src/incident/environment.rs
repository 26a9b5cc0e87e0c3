//! What is known of the machine and of the program's surroundings.

use std::collections::BTreeMap;

use super::gathered::Gathered;
use crate::evidence::{CpuArchitecture, LoadedModule, OperatingSystem, System, Version};
use crate::knowledge::Knowledge;
use crate::knowledge::nvidia::{DriverRelease, is_driver_file};

/// Versions that rules ask for; the same facts as in the environment card, as versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// NVIDIA driver release.
    pub nvidia_driver: Option<Version>,
    /// CUDA runtime.
    pub cuda: Option<Version>,
    /// cuDNN, major version.
    pub cudnn: Option<Version>,
    /// Python.
    pub python: Option<Version>,
}

/// Reads versions out of the module list.
#[must_use]
pub fn versions(gathered: &Gathered<'_>) -> Versions {
    let Some(modules) = gathered.dump().and_then(|(_, dump)| dump.modules.as_deref()) else {
        return Versions::default();
    };
    let driver = modules
        .iter()
        .filter(|module| is_driver_file(module.name()))
        .find_map(|module| DriverRelease::from_file_version(module.version?));
    Versions {
        nvidia_driver: driver.map(DriverRelease::version),
        cuda: modules.iter().find_map(cuda),
        cudnn: modules.iter().find_map(cudnn),
        python: modules.iter().find_map(python),
    }
}

/// CUDA runtime by the name of its DLL: `cudart64_110.dll` is every 11.x, `cudart64_101.dll` is 10.1,
/// `cudart64_12.dll` is every 12.x.
fn cuda(module: &LoadedModule) -> Option<Version> {
    let name = module.name().to_ascii_lowercase();
    let digits = name.strip_prefix("cudart64_")?.strip_suffix(".dll")?;
    let number: u16 = digits.parse().ok()?;
    match digits.len() {
        3 => Some(Version([number.checked_div(10)?, number.checked_rem(10)?, 0, 0])),
        2 if number >= 80 => Some(Version([number.checked_div(10)?, number.checked_rem(10)?, 0, 0])),
        _ => Some(Version([number, 0, 0, 0])),
    }
}

/// cuDNN's major version by the name of its front DLL; its file version is no help (it says 6.14.11).
fn cudnn(module: &LoadedModule) -> Option<Version> {
    let name = module.name().to_ascii_lowercase();
    let major = name.strip_prefix("cudnn64_")?.strip_suffix(".dll")?.parse().ok()?;
    Some(Version([major, 0, 0, 0]))
}

/// Python by the name of its DLL: `python39.dll`, `python312.dll`.
fn python(module: &LoadedModule) -> Option<Version> {
    let name = module.name().to_ascii_lowercase();
    let digits = name.strip_prefix("python")?.strip_suffix(".dll")?;
    let (major, minor) = digits.split_at_checked(1)?;
    Some(Version([major.parse().ok()?, minor.parse().ok()?, 0, 0]))
}

/// The card of an incident, by key.
#[must_use]
pub fn environment(
    gathered: &Gathered<'_>,
    versions: &Versions,
    knowledge: &Knowledge,
) -> BTreeMap<&'static str, String> {
    let mut card = BTreeMap::new();
    if let Some((_, dump)) = gathered.dump() {
        if dump.system.os != OperatingSystem::Other {
            card.insert("os", os(&dump.system, knowledge));
        }
        let detail = dump.system.cpu_detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
        if dump.system.cpu != CpuArchitecture::Other {
            card.insert("cpu", format!("{}{detail}", dump.system.cpu.word()));
        }
    } else if let Some((_, dump)) = gathered.kernel_dump() {
        // The kernel's own number is that of the release it was branched from: 19041 on Windows 10 2004 to 22H2.
        card.insert("os", format!("Windows, kernel build {}", dump.build));
        card.insert("cpu", dump.cpu.word().to_owned());
        super::kernel_card::fill(dump, &mut card);
    } else if let Some((_, report)) = gathered.report(|report| report.os_version.is_some())
        && let Some(build) = report.os_version.as_deref().and_then(build_of)
    {
        card.insert("os", windows(build, knowledge));
    }
    let two_parts = |version: Version| {
        let [major, minor, ..] = version.0;
        (major, minor)
    };
    if let Some((major, minor)) = versions.nvidia_driver.map(two_parts) {
        card.insert("gpu_driver", format!("{major}.{minor:02}"));
    }
    if let Some((major, minor)) = versions.cuda.map(two_parts) {
        // From 11 on the file name tells only the major version.
        card.insert("cuda", if major >= 11 { format!("{major}.x") } else { format!("{major}.{minor}") });
    }
    if let Some((major, _)) = versions.cudnn.map(two_parts) {
        card.insert("cudnn", major.to_string());
    }
    if let Some((major, minor)) = versions.python.map(two_parts) {
        card.insert("python", format!("{major}.{minor}"));
    }
    card
}

fn os(system: &System, knowledge: &Knowledge) -> String {
    let (major, minor, build) = system.os_version;
    match system.os {
        OperatingSystem::Windows => windows(build, knowledge),
        other => {
            let detail = system.os_detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
            format!("{} {major}.{minor}.{build}{detail}", other.word())
        }
    }
}

fn windows(build: u32, knowledge: &Knowledge) -> String {
    match knowledge.windows_release(build) {
        Some(release) => format!("{release} (build {build})"),
        None => format!("Windows build {build}"),
    }
}

/// The build number in WER's form of the version: `10.0.19045.2.0.0.768.101`.
#[must_use]
pub fn build_of(os_version: &str) -> Option<u32> {
    os_version.split('.').nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Address;

    fn module(name: &str) -> LoadedModule {
        LoadedModule {
            name: name.into(),
            path: name.into(),
            version: None,
            base: Address(0),
            size: 1,
            timestamp: 0,
            debug_id: None,
        }
    }

    #[test]
    fn versions_are_read_from_file_names() {
        let of = |read: fn(&LoadedModule) -> Option<Version>, name: &str| {
            read(&module(name)).map(|version| {
                let [major, minor, ..] = version.0;
                (major, minor)
            })
        };
        assert_eq!(of(cuda, "cudart64_110.dll"), Some((11, 0)));
        assert_eq!(of(cuda, "CUDART64_101.dll"), Some((10, 1)));
        assert_eq!(of(cuda, "cudart64_90.dll"), Some((9, 0)));
        assert_eq!(of(cuda, "cudart64_12.dll"), Some((12, 0)));
        assert_eq!(of(cudnn, "cudnn64_8.dll"), Some((8, 0)));
        assert_eq!(of(cudnn, "cudnn_ops_infer64_8.dll"), None);
        assert_eq!(of(python, "python39.dll"), Some((3, 9)));
        assert_eq!(of(python, "python312.dll"), Some((3, 12)));
        assert_eq!(of(python, "python3.dll"), None);
    }
}

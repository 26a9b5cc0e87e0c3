//! Display drivers, by the versions of their files that are loaded.

use super::found::Found;
use super::modules::{Module, Modules};
use evidence::Version;
use windows_codes::{DriverRelease, amd_driver, intel_driver, is_driver_file};

/// Display drivers.
#[derive(Debug, Clone, Default)]
pub struct Graphics {
    /// Release of NVIDIA's driver.
    pub nvidia: Option<Found<DriverRelease>>,
    /// Version of AMD's driver.
    pub amd: Option<Found<Version>>,
    /// Version of Intel's driver.
    pub intel: Option<Found<Version>>,
}

pub(super) fn graphics(modules: &Modules<'_>) -> Graphics {
    Graphics {
        nvidia: first(modules, |module, version| {
            // Nearly all modules of a process begin with another letter.
            let may_be = matches!(module.name.as_bytes().first(), Some(b'n' | b'N'));
            (may_be && is_driver_file(module.name)).then(|| DriverRelease::from_file_version(version)).flatten()
        }),
        amd: first(modules, |module, version| amd_driver(module.name, version)),
        intel: first(modules, |module, version| intel_driver(module.name, version)),
    }
}

fn first<T>(modules: &Modules<'_>, read: impl Fn(&Module<'_>, Version) -> Option<T>) -> Option<Found<T>> {
    modules.all().find_map(|module| Some(Found { value: read(module, module.version?)?, from: module.from }))
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn each_maker_has_its_own_numbering() {
        let seen = listed(&[
            ("game.exe", "1.0"),
            ("nvwgf2umx.dll", "31.0.15.3623"),
            ("atiumd64.dll", "23.20.15033.1003"),
            ("igd10iumd64.dll", "30.0.101.2031"),
        ]);
        let graphics = graphics(&seen);
        assert_eq!(graphics.nvidia.map(|found| found.value.to_string()).as_deref(), Some("536.23"));
        assert_eq!(graphics.amd.map(|found| found.value.to_string()).as_deref(), Some("23.20.15033.1003"));
        assert_eq!(graphics.intel.map(|found| found.value.to_string()).as_deref(), Some("30.0.101.2031"));
    }
}

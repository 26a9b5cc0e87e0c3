//! Display drivers, by the versions of their files that are loaded.

use super::found::Found;
use super::modules::Modules;
use evidence::Version;
use windows_codes::{amd_driver, intel_driver, nvidia_driver};

/// Display drivers.
#[derive(Debug, Clone, Default)]
pub struct Graphics {
    /// Release of NVIDIA's driver.
    pub nvidia: Option<Found<Version>>,
    /// Version of AMD's driver.
    pub amd: Option<Found<Version>>,
    /// Version of Intel's driver.
    pub intel: Option<Found<Version>>,
}

pub(super) fn graphics(modules: &Modules<'_>) -> Graphics {
    let first = |read: fn(&str, Version) -> Option<Version>| {
        modules.all().find_map(|module| Some(Found { value: read(module.name, module.version?)?, from: module.from }))
    };
    Graphics { nvidia: first(nvidia_driver), amd: first(amd_driver), intel: first(intel_driver) }
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
        assert_eq!(graphics.nvidia.map(|found| found.value), Some(Version([536, 23, 0, 0])));
        assert_eq!(graphics.amd.map(|found| found.value.to_string()).as_deref(), Some("23.20.15033.1003"));
        assert_eq!(graphics.intel.map(|found| found.value.to_string()).as_deref(), Some("30.0.101.2031"));
    }
}

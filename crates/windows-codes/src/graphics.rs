//! How AMD and Intel number their display drivers. NVIDIA's numbering is in [`nvidia`](super::nvidia).

use evidence::Version;

/// The least first part of the version of a display driver for Windows 10 or newer. It names the driver model: 20 is WDDM
/// 2.0, 32 is WDDM 3.2. Parts of AMD's driver that have versions of their own begin with less.
///
/// Source: <https://www.intel.com/content/www/us/en/support/articles/000005654/graphics.html>
const WDDM_2: u16 = 20;

/// From this third part on Intel names its drivers by the last two parts.
const INTEL_NAMED: u16 = 100;

/// Beginnings of names of files in AMD's display driver that carry its version, as crash reports of 2018 to 2026 show.
const AMD_FILES: &[&str] = &["amdxx", "atidxx", "atiumd", "aticfx", "amdadlx", "amdkmdag"];

/// Beginnings of names of files in Intel's display driver: Direct3D, OpenGL, Vulkan, and the kernel's part.
const INTEL_FILES: &[&str] =
    &["igd10", "igd11dxva", "igd12", "igd9", "igdumdim", "igxelpicd", "igxelhpicd", "igvk", "igdkmd"];

/// The version of AMD's display driver: that of `file`, if it is one of the driver's. No formula leads from it to the release that AMD announces
/// (such as 24.3.1).
#[must_use]
pub fn amd_driver(file: &str, version: Version) -> Option<Version> {
    (is_one_of(file, AMD_FILES) && of_new_model(version)).then_some(version)
}

/// The version of Intel's display driver: that of `file`, if it is one of the driver's.
#[must_use]
pub fn intel_driver(file: &str, version: Version) -> Option<Version> {
    (is_one_of(file, INTEL_FILES) && of_new_model(version)).then_some(version)
}

/// The number by which Intel names a driver, its last two parts: `30.0.101.2031` is 101.2031. Older drivers have none.
///
/// Source: <https://www.intel.com/content/www/us/en/support/articles/000005654/graphics.html>
#[must_use]
pub fn intel_release(version: Version) -> Option<String> {
    let [_, _, third, fourth] = version.0;
    (third >= INTEL_NAMED).then(|| format!("{third}.{fourth:04}"))
}

fn of_new_model(version: Version) -> bool {
    let [model, ..] = version.0;
    model >= WDDM_2
}

fn is_one_of(file: &str, beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|beginning| file.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().expect("a version")
    }

    #[test]
    fn files_of_the_driver_tell_its_version() {
        for (file, of_file) in [
            ("atiumd64.dll", "23.20.15033.1003"),
            ("amdxx64.dll", "31.0.12027.7000"),
            ("AMDADLX64.dll", "32.0.31019.2002"),
        ] {
            assert_eq!(amd_driver(file, version(of_file)), Some(version(of_file)), "{file}");
            assert_eq!(intel_driver(file, version(of_file)), None, "{file}");
        }
        assert_eq!(intel_driver("igd10iumd64.dll", version("27.20.100.9466")), Some(version("27.20.100.9466")));
    }

    #[test]
    fn parts_with_versions_of_their_own_tell_nothing() {
        assert_eq!(amd_driver("aticfx64.dll", version("8.17.10.1404")), None);
        assert_eq!(amd_driver("amdxn64.dll", version("31.0.1.1")), None);
        assert_eq!(intel_driver("igc64.dll", version("31.0.101.4502")), None);
    }

    #[test]
    fn intel_names_drivers_by_the_last_two_parts() {
        assert_eq!(intel_release(version("30.0.101.2031")).as_deref(), Some("101.2031"));
        assert_eq!(intel_release(version("26.20.100.656")).as_deref(), Some("100.0656"));
        assert_eq!(intel_release(version("20.19.15.4531")), None);
    }
}

//! How NVIDIA numbers its display drivers.

use evidence::Version;

/// The release of NVIDIA's display driver, by the file version of one of its files: `31.0.15.3623` is 536.23, a version of
/// two parts, of three digits and of two. These are the last digit of the third part and the four digits of the fourth; the
/// parts before them name the generation of Windows' driver model.
///
/// Only files of the display driver follow this; CUDA's libraries have versions of the same look.
///
/// Source: bug reports of 2017 to 2025 that state both numbers; Chromium derives one from the other in the same way.
#[must_use]
pub fn nvidia_release_of_file(version: Version) -> Option<Version> {
    let [_, _, third, fourth] = version.0;
    if fourth > 9999 {
        return None;
    }
    let number = u32::from(third).checked_rem(10)?.checked_mul(10_000)?.checked_add(u32::from(fourth))?;
    let branch = u16::try_from(number.checked_div(100)?).ok()?;
    let update = u16::try_from(number.checked_rem(100)?).ok()?;
    (branch > 0).then_some(Version([branch, update, 0, 0]))
}

/// The release of NVIDIA's display driver: that of `file`, if it is one of the driver's.
#[must_use]
pub fn nvidia_driver(file: &str, version: Version) -> Option<Version> {
    // Nearly all modules of a process begin with another letter.
    let may_be = file.starts_with(['n', 'N']);
    (may_be && is_driver_file(file)).then(|| nvidia_release_of_file(version)).flatten()
}

/// Beginnings of the names of display driver files; the rest of the name is the architecture or the Direct3D version.
const DRIVER_FILES: &[&str] = &["nvlddmkm", "nvcuda", "nvwgf2um", "nvd3dum", "nvldumd", "nvoglv", "nvopencl", "nvapi"];

/// Whether a file of this name belongs to the display driver and carries its version. Case makes no difference.
fn is_driver_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let rest = DRIVER_FILES.iter().find_map(|beginning| stem.strip_prefix(beginning));
    matches!(ending, "dll" | "sys") && rest.is_some_and(|rest| ["", "32", "64", "x", "_cfg", "x_cfg"].contains(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_five_digits_of_the_file_version_are_the_release() {
        for (file, release) in [
            ("31.0.15.3623", (536, 23)),
            ("31.0.15.3129", (531, 29)),
            ("32.0.15.6070", (560, 70)),
            ("32.0.15.6590", (565, 90)),
            ("30.0.14.9613", (496, 13)),
            ("26.21.14.3630", (436, 30)),
            ("25.21.14.1917", (419, 17)),
            ("21.21.13.4201", (342, 1)),
            ("8.17.12.7643", (276, 43)),
            ("32.0.16.1062", (610, 62)),
        ] {
            let version = file.parse().expect("a version");
            assert_eq!(nvidia_release_of_file(version), Some(Version([release.0, release.1, 0, 0])), "{file}");
        }
    }

    #[test]
    fn other_versions_give_none() {
        for file in ["31.0.15.36230", "1.0.0.0", "31.0.10.99"] {
            assert_eq!(nvidia_release_of_file(file.parse().expect("a version")), None, "{file}");
        }
    }

    #[test]
    fn releases_compare_as_numbers() {
        let [old, new] =
            ["31.0.15.3606", "31.0.15.3660"].map(|file| nvidia_release_of_file(file.parse().expect("a version")));
        assert!(old < new);
        assert_eq!(old, Some(Version([536, 6, 0, 0])));
    }

    #[test]
    fn cuda_libraries_are_no_driver_files() {
        for name in ["nvcuda64.dll", "nvcuda.dll", "NVLDDMKM.SYS", "nvwgf2umx.dll", "nvoglv64.dll", "nvwgf2umx_cfg.dll"]
        {
            assert!(is_driver_file(name), "{name}");
        }
        for name in ["cudart64_110.dll", "nvcudart_hybrid64.dll", "cudnn64_8.dll", "nvcuda", "nvapi.txt"] {
            assert!(!is_driver_file(name), "{name}");
        }
    }
}

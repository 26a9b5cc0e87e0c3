//! How NVIDIA numbers its display drivers.

use std::fmt;

use evidence::Version;

/// A release of NVIDIA's display driver, as NVIDIA names it: `536.23`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriverRelease {
    /// Before the dot, three digits.
    pub branch: u16,
    /// After the dot, two digits.
    pub update: u16,
}

impl DriverRelease {
    /// The release of a driver file by its file version: the last digit of the third part and the four digits of the
    /// fourth, read as `NNN.NN`. The parts before them name the generation of Windows' driver model.
    ///
    /// `31.0.15.3623` is 536.23. Only files of the display driver follow this ([`is_driver_file`]); CUDA's libraries
    /// have versions of the same look.
    ///
    /// Source: bug reports of 2017 to 2025 that state both numbers; Chromium derives one from the other in the same
    /// way.
    #[must_use]
    pub fn from_file_version(version: Version) -> Option<Self> {
        let [_, _, third, fourth] = version.0;
        if fourth > 9999 {
            return None;
        }
        let number = u32::from(third).checked_rem(10)?.checked_mul(10_000)?.checked_add(u32::from(fourth))?;
        let branch = u16::try_from(number.checked_div(100)?).ok()?;
        let update = u16::try_from(number.checked_rem(100)?).ok()?;
        (branch > 0).then_some(Self { branch, update })
    }

    /// The release as a version of two parts, as facts hold it.
    #[must_use]
    pub fn version(self) -> Version {
        Version([self.branch, self.update, 0, 0])
    }
}

impl fmt::Display for DriverRelease {
    /// Three digits, a dot, two digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03}.{:02}", self.branch, self.update)
    }
}

/// Beginnings of the names of display driver files; the rest of the name is the architecture or the Direct3D version.
const DRIVER_FILES: &[&str] = &["nvlddmkm", "nvcuda", "nvwgf2um", "nvd3dum", "nvldumd", "nvoglv", "nvopencl", "nvapi"];

/// Whether a file of this name belongs to the display driver and carries its version. Case makes no difference.
#[must_use]
pub fn is_driver_file(name: &str) -> bool {
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
            ("31.0.15.3623", "536.23"),
            ("31.0.15.3129", "531.29"),
            ("32.0.15.6070", "560.70"),
            ("32.0.15.6590", "565.90"),
            ("30.0.14.9613", "496.13"),
            ("26.21.14.3630", "436.30"),
            ("25.21.14.1917", "419.17"),
            ("21.21.13.4201", "342.01"),
            ("8.17.12.7643", "276.43"),
            ("32.0.16.1062", "610.62"),
        ] {
            let version = file.parse().expect("a version");
            assert_eq!(DriverRelease::from_file_version(version).map(|r| r.to_string()).as_deref(), Some(release));
        }
    }

    #[test]
    fn other_versions_give_none() {
        for file in ["31.0.15.36230", "1.0.0.0", "31.0.10.99"] {
            assert_eq!(DriverRelease::from_file_version(file.parse().expect("a version")), None, "{file}");
        }
    }

    #[test]
    fn releases_compare_as_numbers() {
        let [old, new] = [(536, 6), (536, 60)].map(|(branch, update)| DriverRelease { branch, update });
        assert!(old < new);
        assert_eq!(old.to_string(), "536.06");
        assert_eq!(old.version(), Version([536, 6, 0, 0]));
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

//! Versions by their first two numbers, as products are known by them.

use evidence::Version;
use windows_codes::Release;

/// Major and minor number.
pub(crate) fn release(version: Version) -> Release {
    let [major, minor, ..] = version.0;
    (major, minor)
}

/// `11.2`.
pub(crate) fn major_minor(version: Version) -> String {
    let (major, minor) = release(version);
    format!("{major}.{minor}")
}

/// `2.4.1`, and `2.4` where the third number is 0 or not known.
pub(crate) fn with_patch(version: Version) -> String {
    match version.0 {
        [.., 0, _] => major_minor(version),
        [.., patch, _] => format!("{}.{patch}", major_minor(version)),
    }
}

/// A release of NVIDIA's driver, which is written with two digits behind the dot: `525.05`.
pub(crate) fn nvidia_release(version: Version) -> String {
    let (branch, update) = release(version);
    format!("{branch}.{update:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_number_is_written_where_it_is_known() {
        for (version, written) in [([2, 4, 1, 0], "2.4.1"), ([2, 4, 0, 0], "2.4"), ([3, 11, 9, 7], "3.11.9")] {
            assert_eq!(with_patch(Version(version)), written);
        }
    }
}

//! Python, by the name and the version of its DLL.

use super::found::Found;
use super::installation::Layout;
use super::modules::Modules;
use evidence::Version;

/// The Python in a process.
#[derive(Debug, Clone)]
pub struct Python {
    /// Major and minor number.
    pub version: Found<Version>,
    /// With the third number, where the DLL's file version contains it.
    pub release: Option<String>,
    /// How it was installed.
    pub installation: Option<&'static str>,
}

pub(super) fn python(modules: &Modules<'_>, layout: &Layout) -> Option<Python> {
    modules.all().find_map(|module| {
        let (major, minor) = number(module.name)?;
        Some(Python {
            version: Found { value: Version([major, minor, 0, 0]), from: module.from },
            release: module.version.and_then(|version| release(version, (major, minor))),
            installation: module.path.map(|path| layout.installation(path)),
        })
    })
}

/// Major and minor number in the name of Python's DLL: `python39.dll`, `python312.dll`, and `python313t.dll` without the
/// global lock.
pub(super) fn number(name: &str) -> Option<(u16, u16)> {
    let (stem, ending) = name.split_at_checked(name.len().checked_sub(4)?)?;
    let (start, digits) = stem.split_at_checked(6)?;
    if !start.eq_ignore_ascii_case("python") || !ending.eq_ignore_ascii_case(".dll") {
        return None;
    }
    let (major, minor) = digits.strip_suffix(['t', 'T']).unwrap_or(digits).split_at_checked(1)?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The release with its third number. The file version's third part is a thousand times that number, and 150 for a final
/// release: 3.9.13150 is 3.9.13.
///
/// Source: `PC/python_ver_rc.h` of CPython.
fn release(version: Version, (major, minor): (u16, u16)) -> Option<String> {
    let [file_major, file_minor, third, _] = version.0;
    let micro = third.checked_div(1000)?;
    let stage = match third.checked_rem(1000)?.checked_div(10)? {
        10 => " alpha",
        11 => " beta",
        12 => " candidate",
        15 => "",
        _ => return None,
    };
    ((file_major, file_minor) == (major, minor)).then(|| format!("{major}.{minor}.{micro}{stage}"))
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn the_dll_names_the_version() {
        assert_eq!(number("python39.dll"), Some((3, 9)));
        assert_eq!(number("PYTHON312.DLL"), Some((3, 12)));
        assert_eq!(number("Python39.Dll"), Some((3, 9)));
        assert_eq!(number("python313t.dll"), Some((3, 13)));
        assert_eq!(number("PYTHON313T.DLL"), Some((3, 13)));
        for other in ["python3.dll", "python.exe", "pythoncom39.dll", "py.dll"] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn the_file_version_tells_the_third_number() {
        let of = |text: &str, number| release(text.parse().expect("a version"), number);
        assert_eq!(of("3.9.13150.1013", (3, 9)).as_deref(), Some("3.9.13"));
        assert_eq!(of("3.14.120.1013", (3, 14)).as_deref(), Some("3.14.0 candidate"));
        assert_eq!(of("3.9.13150.1013", (3, 10)), None);
        assert_eq!(of("3.9.1.0", (3, 9)), None);
    }

    #[test]
    fn where_it_lies_tells_how_it_was_installed() {
        let seen = listed(&[
            (r"C:\Users\a\miniconda3\envs\tf\python.exe", "3.9.13150.1013"),
            (r"C:\Users\a\miniconda3\envs\tf\python39.dll", "3.9.13150.1013"),
        ]);
        let python = python(&seen, &Layout::new(&seen)).expect("a Python");
        assert_eq!((python.release.as_deref(), python.installation), (Some("3.9.13"), Some("conda")));
    }
}

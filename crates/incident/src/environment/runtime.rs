//! The C and C++ runtime: the copy of each file that was loaded first, which all modules use.

use super::modules::{Module, Modules};
use evidence::Version;

/// The runtime files that were loaded first.
#[derive(Debug, Clone, Default)]
pub struct Runtime<'i> {
    /// `msvcp140.dll`, the C++ library.
    pub msvcp140: Option<Module<'i>>,
    /// `vcruntime140.dll`, which carries exceptions.
    pub vcruntime140: Option<Module<'i>>,
    /// `ucrtbase.dll`, the C library of Windows.
    pub ucrtbase: Option<Module<'i>>,
}

/// Finds the copies that were loaded first. A module that asks for a DLL by its name alone, as imports do, gets the one of
/// that name that is loaded already, in whichever folder it is:
/// <https://learn.microsoft.com/windows/win32/dlls/dynamic-link-library-search-order>. Only a list in load order shows
/// which was the first.
pub(super) fn runtime<'i>(modules: &Modules<'i>) -> Runtime<'i> {
    let first = |name: &str| modules.complete_list()?.iter().find(|module| module.is(name)).copied();
    let real = |module: Module<'i>| Module { version: module.version.map(without_compatibility), ..module };
    Runtime {
        msvcp140: first("msvcp140.dll"),
        vcruntime140: first("vcruntime140.dll"),
        ucrtbase: first("ucrtbase.dll").map(real),
    }
}

/// The real version of a file of Windows. To programs whose manifest does not name Windows 10, Windows reports its files as
/// those of Windows 8, 6.2, and such programs write that into dumps of themselves; the build number behind it is the real
/// one, and Windows 8 had 9200.
///
/// Source: "Operating system version changes in Windows 8.1 and Windows Server 2012 R2" of the Windows documentation.
fn without_compatibility(version: Version) -> Version {
    /// The first build of Windows 10.
    const WINDOWS_10: u16 = 10240;
    match version.0 {
        [6, 2, build, revision] if build >= WINDOWS_10 => Version([10, 0, build, revision]),
        _ => version,
    }
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn what_windows_tells_old_programs_of_its_files_is_undone() {
        let of = |version: &str| {
            let seen = listed(&[(r"C:\App\app.exe", "1.0"), (r"C:\Windows\System32\ucrtbase.dll", version)]);
            runtime(&seen).ucrtbase.and_then(|module| module.version).map(|version| version.to_string())
        };
        assert_eq!(of("6.2.26100.7623").as_deref(), Some("10.0.26100.7623"));
        assert_eq!(of("10.0.19041.789").as_deref(), Some("10.0.19041.789"));
        assert_eq!(of("6.2.9200.16384").as_deref(), Some("6.2.9200.16384"));
    }

    #[test]
    fn the_first_copy_counts() {
        let mut seen = listed(&[
            ("app.exe", "1.0"),
            (r"C:\App\Qt\MSVCP140.dll", "14.29.30139.0"),
            (r"C:\Windows\System32\msvcp140.dll", "14.44.35211.0"),
        ]);
        let first = runtime(&seen).msvcp140.expect("one is loaded");
        assert_eq!(first.version, "14.29.30139.0".parse().ok());
        assert_eq!(first.path, Some(r"C:\App\Qt\MSVCP140.dll"));
        seen.complete = false;
        assert!(runtime(&seen).msvcp140.is_none(), "a list with gaps does not tell which was the first");
    }
}

//! The C and C++ runtime: the copy of each file that was loaded first, which is the one that all others get.

use super::Found;
use super::seen::Seen;
use crate::evidence::Version;

/// The runtime files that were loaded first.
#[derive(Debug, Clone, Default)]
pub struct Runtime<'i> {
    /// `msvcp140.dll`, the C++ library.
    pub msvcp140: Option<Found<RuntimeFile<'i>>>,
    /// `vcruntime140.dll`, which carries exceptions.
    pub vcruntime140: Option<Found<RuntimeFile<'i>>>,
    /// `ucrtbase.dll`, the C library of Windows.
    pub ucrtbase: Option<Found<RuntimeFile<'i>>>,
}

/// A loaded runtime file.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeFile<'i> {
    /// File version.
    pub version: Option<Version>,
    /// Path.
    pub path: Option<&'i str>,
}

/// A DLL that is asked for by name alone, as imports do, is the one of that name that is loaded already, wherever it lies:
/// <https://learn.microsoft.com/windows/win32/dlls/dynamic-link-library-search-order>. Which one was the first only a
/// list in load order tells.
pub(super) fn runtime<'i>(seen: &Seen<'i>) -> Runtime<'i> {
    let first = |name: &str| {
        let module = seen.whole_list()?.iter().find(|module| module.is(name))?;
        Some(Found { value: RuntimeFile { version: module.version, path: module.path }, from: module.from })
    };
    Runtime {
        msvcp140: first("msvcp140.dll"),
        vcruntime140: first("vcruntime140.dll"),
        ucrtbase: first("ucrtbase.dll"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::seen::tests::listed;
    use super::*;

    #[test]
    fn the_first_copy_counts() {
        let mut seen = listed(&[
            ("app.exe", "1.0"),
            (r"C:\App\Qt\MSVCP140.dll", "14.29.30139.0"),
            (r"C:\Windows\System32\msvcp140.dll", "14.44.35211.0"),
        ]);
        let first = runtime(&seen).msvcp140.expect("one is loaded").value;
        assert_eq!(first.version, "14.29.30139.0".parse().ok());
        assert_eq!(first.path, Some(r"C:\App\Qt\MSVCP140.dll"));
        seen.whole = false;
        assert!(runtime(&seen).msvcp140.is_none(), "a list with gaps does not tell which was the first");
    }
}

//! Windows' own files in a process that are of another build of Windows than the others: exchanged by hand, left over from
//! an update that failed, or restored from elsewhere.
//!
//! Since Windows 10 all files of a system carry the build of its kernel in their versions, so that the build of most files
//! in a process is that of the system. Service packs and updates of earlier releases mixed builds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_with::{DisplayFromStr, serde_as};

use evidence::{LoadedModule, OperatingSystem, ProcessDump, Version};
use windows_codes::{build_of_windows_file, location};

/// So many files at least must agree on a build.
const AGREEING: usize = 10;
/// So many times more files than are of other builds must agree.
const TIMES_MORE: usize = 10;
/// The first build of Windows 10.
const WINDOWS_10: u16 = 10_240;

/// Files that programs may also bring with them, and that installers have put into the Windows folder.
const REDISTRIBUTED: [&str; 7] = [
    "ucrtbase.dll",
    "ucrtbased.dll",
    "d3dcompiler_47.dll",
    "dbghelp.dll",
    "dbgcore.dll",
    "symsrv.dll",
    "xaudio2_9redist.dll",
];

/// Windows' own files that are of other builds than most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowsFiles {
    /// The build that most of them are of.
    pub build: u16,
    /// How many files are of that build.
    pub files: usize,
    /// The files of other builds, by name.
    pub of_other_builds: Vec<WindowsFile>,
}

/// A file of Windows in a process.
#[serde_as]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowsFile {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    #[serde_as(as = "DisplayFromStr")]
    pub version: Version,
    /// The build in that version.
    pub build: u16,
    /// Path.
    pub path: Arc<str>,
}

impl WindowsFiles {
    /// The builds of Windows' files in a process; `None` where too few of them agree on one, or before Windows 10.
    pub(super) fn of(dump: &ProcessDump) -> Option<Self> {
        let modules = dump.modules.as_ref().filter(|_| dump.system.os == OperatingSystem::Windows)?;
        Self::among(modules)
    }

    fn among(modules: &[LoadedModule]) -> Option<Self> {
        let files: Vec<(u16, &LoadedModule)> =
            modules.iter().filter_map(|module| Some((build(module)?, module))).collect();
        let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
        for (build, _) in &files {
            let count = counts.entry(*build).or_default();
            *count = count.saturating_add(1);
        }
        let (usual, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        let others = files.iter().filter(|(build, _)| *build != usual);
        let agree = count >= AGREEING && others.clone().count().saturating_mul(TIMES_MORE) <= count;
        if usual < WINDOWS_10 || !agree {
            return None;
        }
        let mut of_other_builds: Vec<WindowsFile> = others
            .filter_map(|(build, module)| {
                Some(WindowsFile {
                    module: Arc::clone(&module.name),
                    version: module.version?,
                    build: *build,
                    path: Arc::clone(&module.path),
                })
            })
            .collect();
        of_other_builds.sort_by_key(|file| file.module.to_lowercase());
        Some(Self { build: usual, files: count, of_other_builds })
    }

    /// A sentence on the files of other builds; `None` where there is none.
    pub(super) fn sentence(&self) -> Option<String> {
        const NAMED: usize = 4;
        let files = &self.of_other_builds;
        let named: Vec<String> =
            files.iter().take(NAMED).map(|file| format!("{} (build {})", file.module, file.build)).collect();
        let more = match files.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (usual, count) = (self.build, self.files);
        (!named.is_empty()).then(|| {
            format!(
                "Of another Windows build than the other {count} Windows files in the process (build {usual}): {}{more}.",
                named.join(", ")
            )
        })
    }
}

/// The build of Windows that a module of the Windows folder is of. In a dump without paths only the version shows that a
/// module is Windows' own.
fn build(module: &LoadedModule) -> Option<u16> {
    let redistributed = REDISTRIBUTED.iter().any(|name| name.eq_ignore_ascii_case(&module.name));
    let of_windows = !module.path.contains('\\') || location(&module.path) == "system";
    module.version.filter(|_| of_windows && !redistributed).and_then(build_of_windows_file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{Address, base_name};

    /// Modules with these paths and versions, behind twenty files of build 19041.
    fn among(others: &[(&str, [u16; 4])]) -> Option<WindowsFiles> {
        let module = |path: &str, version| LoadedModule {
            name: base_name(path).into(),
            path: path.into(),
            version: Some(Version(version)),
            base: Address(0),
            size: 0x1000,
            timestamp: 0,
            debug_id: None,
            debug_file: None,
        };
        let usual = (0..20).map(|number| module(&format!(r"C:\Windows\System32\{number}.dll"), [10, 0, 19041, number]));
        let all: Vec<LoadedModule> = usual.chain(others.iter().map(|(path, version)| module(path, *version))).collect();
        WindowsFiles::among(&all)
    }

    #[test]
    fn a_file_of_another_build_stands_out() {
        let files = among(&[(r"C:\Windows\System32\store.dll", [10, 0, 18362, 1110])]).expect("files that agree");
        assert_eq!((files.build, files.files), (19041, 20));
        let expected = "Of another Windows build than the other 20 Windows files in the process (build 19041): \
                        store.dll (build 18362).";
        assert_eq!(files.sentence().as_deref(), Some(expected));
    }

    #[test]
    fn files_of_programs_and_redistributed_ones_do_not_count() {
        let files = among(&[
            (r"C:\Program Files\Shop\dxgi.dll", [10, 0, 14393, 1]),
            (r"C:\Windows\System32\ucrtbase.dll", [10, 0, 14393, 1]),
            (r"C:\Windows\System32\nvapi64.dll", [31, 0, 15, 2849]),
        ]);
        assert_eq!(files.expect("files that agree").sentence(), None);
    }

    #[test]
    fn without_a_usual_build_no_file_stands_out() {
        let of_another = |number: u16| (format!(r"C:\Windows\System32\other{number}.dll"), [10, 0, 18362, number]);
        let others: Vec<(String, [u16; 4])> = (0..3).map(of_another).collect();
        let others: Vec<(&str, [u16; 4])> = others.iter().map(|(path, version)| (path.as_str(), *version)).collect();
        assert_eq!(among(&others), None);
    }
}

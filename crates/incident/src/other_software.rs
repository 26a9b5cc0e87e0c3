//! Modules in a process that belong neither to Windows nor to the program: overlays, hooks, input methods, protection,
//! drivers, plug-ins.

use std::sync::Arc;

use serde::Serialize;
use serde_with::{DisplayFromStr, serde_as, skip_serializing_none};

use super::fault_site::{Carriers, KnownModule, KnownPart};
use super::joined_evidence::JoinedEvidence;
use evidence::{LoadedModule, OperatingSystem, Version, base_name, has_folder};
use windows_codes::{build_of_windows_file, location, product_folder_name, same_product_folder};

/// The most modules that are kept; the rest is counted.
const MOST: usize = 64;

/// The most components that are kept.
const MOST_COMPONENTS: usize = 8;

/// The modules of others in a process, or the drivers of others in the kernel.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherSoftware {
    /// The modules: first those that are put into programs to watch or to change them, then others that are known, then
    /// unknown ones, last libraries that programs load themselves; of these by kind and name.
    pub modules: Vec<OtherModule>,
    /// How many more there are.
    pub left_out: Option<usize>,
    /// The number of the evidence that lists them, counted from 0.
    #[serde(skip)]
    pub from: usize,
}

/// A module of another product than Windows and the program.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherModule {
    /// File name.
    pub module: Arc<str>,
    /// File version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// Path.
    pub path: Option<Arc<str>>,
    /// The name of the folder that holds its product, of modules that no list knows.
    pub folder: Option<Arc<str>>,
    /// The product that it belongs to, by the lists of rule sets.
    pub what: Option<Arc<str>>,
    /// The name of that list: the kind of product.
    pub kind: Option<Arc<str>>,
}

/// What a program is built with: an engine, the runtime of a language, a toolkit.
#[serde_as]
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Component {
    /// What it is, by the lists of rule sets.
    pub what: Arc<str>,
    /// The file of it that was loaded first.
    pub module: Arc<str>,
    /// That file's version.
    #[serde_as(as = "Option<DisplayFromStr>")]
    pub version: Option<Version>,
    /// The number of the evidence that lists it, counted from 0.
    #[serde(skip)]
    pub from: usize,
}

/// What the program is built with, in the order in which it was loaded, of each product the first file; by the module list of
/// a dump or a WER report.
pub(super) fn components(evidence: &JoinedEvidence<'_>, carriers: &dyn Carriers) -> Vec<Component> {
    let listed: Vec<(usize, Arc<str>, Option<Version>)> = if let Some((from, dump)) = evidence.dump() {
        let modules = dump.modules.iter().flatten();
        modules.map(|module| (from, Arc::clone(&module.name), module.version)).collect()
    } else if let Some((from, report)) = evidence.report(|report| !report.modules.is_empty()) {
        report.modules.iter().map(|path| (from, Arc::from(base_name(path)), None)).collect()
    } else {
        Vec::new()
    };
    let mut found: Vec<Component> = Vec::new();
    for (from, module, version) in listed {
        if version.and_then(build_of_windows_file).is_some() {
            continue;
        }
        let Some(known) = carriers.known(&module).filter(|known| known.part == KnownPart::Component) else { continue };
        if found.len() < MOST_COMPONENTS && found.iter().all(|other| product(&other.what) != product(known.what)) {
            found.push(Component { what: Arc::from(known.what), module: Arc::clone(&module), version, from });
        }
    }
    found
}

/// A module as its artifact lists it.
struct Listed<'i> {
    name: &'i Arc<str>,
    path: Option<&'i Arc<str>>,
    version: Option<Version>,
}

/// The modules of others, by the module list of a dump or a WER report, or the drivers of a kernel dump; `None` without such
/// a list, and where there are none.
pub(super) fn other_software(evidence: &JoinedEvidence<'_>, carriers: &dyn Carriers) -> Option<OtherSoftware> {
    let with_folder = |path: &Arc<str>| has_folder(path);
    let mut found = Vec::new();
    let from = if let Some((from, dump)) = evidence.dump() {
        let modules = dump.modules.as_deref().filter(|_| dump.system.os == OperatingSystem::Windows)?;
        let (program, others) = modules.split_first()?;
        let program = Some(&program.path).filter(|path| with_folder(path));
        found.extend(others.iter().filter_map(|module| {
            let path = Some(&module.path).filter(|path| with_folder(path));
            other(&Listed { name: &module.name, path, version: module.version }, program, carriers)
        }));
        from
    } else if let Some((from, report)) = evidence.report(|report| !report.modules.is_empty()) {
        let (program, others) = report.modules.split_first()?;
        found.extend(others.iter().filter_map(|path| {
            let name = Arc::from(base_name(path));
            other(&Listed { name: &name, path: Some(path), version: None }, Some(program), carriers)
        }));
        from
    } else {
        let (from, dump) = evidence.kernel_dump()?;
        let drivers = dump.drivers.iter().filter_map(|driver| {
            let known = known(&driver.name, carriers)?;
            let path = Some(&driver.path).filter(|path| with_folder(path)).cloned();
            let rank = rank(&driver.name, Some(&known), carriers);
            Some((rank, OtherModule::new(Arc::clone(&driver.name), None, path, Some(known))))
        });
        found.extend(drivers);
        from
    };
    found.sort_by(|(rank, one), (other_rank, other)| {
        let key = |module: &OtherModule| {
            (module.kind.clone(), module.folder.clone(), module.module.to_lowercase(), module.path.clone())
        };
        rank.cmp(other_rank).then_with(|| key(one).cmp(&key(other)))
    });
    let left_out = found.len().checked_sub(MOST).filter(|more| *more > 0);
    let modules: Vec<OtherModule> = found.into_iter().take(MOST).map(|(_, module)| module).collect();
    (!modules.is_empty()).then_some(OtherSoftware { modules, left_out, from })
}

/// Whether a module comes with Windows, by its folder, where the dump has it, and its version.
pub(super) fn is_of_windows(module: &LoadedModule) -> bool {
    let in_place = location(&module.path) == "system" || !has_folder(&module.path);
    in_place && module.version.and_then(build_of_windows_file).is_some()
}

/// A module of another product with its rank, if it is one.
fn other(module: &Listed<'_>, program: Option<&Arc<str>>, carriers: &dyn Carriers) -> Option<(u8, OtherModule)> {
    let place = module.path.map(|path| location(path));
    // Most modules of a process are Windows' own; some dumps have no paths.
    if matches!(place, Some("system") | None) && module.version.and_then(build_of_windows_file).is_some() {
        return None;
    }
    let known = known(module.name, carriers);
    // Lists also have parts of Windows that hook programs or are extensions.
    if place == Some("system") && known.is_some_and(|known| product(known.what).ends_with(" of Windows")) {
        return None;
    }
    let of_program = || module.path.zip(program).is_some_and(|(path, program)| same_product_folder(path, program));
    let is_other = match &known {
        Some(known) => match known.part {
            KnownPart::Foreign => true,
            // A library in the program's folder came with the program.
            KnownPart::Library => !of_program(),
            KnownPart::Component => false,
        },
        None => {
            let of_unknown_maker = match place {
                None | Some("system" | "site-packages") => false,
                Some("driver-store") => module.version.and_then(build_of_windows_file).is_none(),
                Some(_) => !module.path.is_some_and(|path| is_of_a_runtime(path)),
            };
            of_unknown_maker && program.is_some() && !of_program()
        }
    };
    is_other.then(|| {
        let rank = rank(module.name, known.as_ref(), carriers);
        (rank, OtherModule::new(Arc::clone(module.name), module.version, module.path.cloned(), known))
    })
}

/// The product in the description of a module: the part before what its role in the product is.
#[must_use]
pub fn product(what: &str) -> &str {
    what.split_once(": ").map_or(what, |(product, _)| product)
}

/// Whether a path is in a folder of the .NET runtime or of a package of Windows' own libraries.
fn is_of_a_runtime(path: &str) -> bool {
    const FOLDERS: [&str; 3] = [r"\dotnet\shared\", r"\dotnet\host\", r"\windowsapps\microsoft."];
    let path = path.to_lowercase();
    FOLDERS.iter().any(|folder| path.contains(folder))
}

/// What the lists know of a module; nothing of those of Windows, whose names some patterns fit.
fn known<'c>(module: &str, carriers: &'c dyn Carriers) -> Option<KnownModule<'c>> {
    carriers.known(module).filter(|_| !carriers.is_carrier(module) && !carriers.is_windows_driver(module))
}

/// The place in the order, the lowest first.
fn rank(module: &str, known: Option<&KnownModule<'_>>, carriers: &dyn Carriers) -> u8 {
    match known {
        Some(_) if carriers.is_injected(module) => 0,
        Some(known) if known.part == KnownPart::Foreign => 1,
        None => 2,
        Some(_) => 3,
    }
}

/// The name of a driver package by a path in Windows' store of drivers: `nv_dispi.inf` of
/// `...\FileRepository\nv_dispi.inf_amd64_830a02\x.dll`.
fn driver_package(path: &str) -> Option<&str> {
    let mut folders = path.split(['\\', '/']).skip_while(|folder| !folder.eq_ignore_ascii_case("filerepository"));
    let package = folders.nth(1)?;
    package.get(..package.to_ascii_lowercase().find(".inf")?.saturating_add(".inf".len()))
}

impl OtherModule {
    fn new(module: Arc<str>, version: Option<Version>, path: Option<Arc<str>>, known: Option<KnownModule<'_>>) -> Self {
        let (what, kind) = known.map_or((None, None), |known| (Some(known.what.into()), Some(known.list.into())));
        let folder = path.as_deref().filter(|_| what.is_none()).and_then(|path| match location(path) {
            "driver-store" => driver_package(path),
            _ => product_folder_name(path),
        });
        let folder = folder.map(Arc::from);
        Self { module, version, path, folder, what, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists with an overlay and a library.
    struct Lists;

    impl Carriers for Lists {
        fn is_carrier(&self, _: &str) -> bool {
            false
        }

        fn is_windows_driver(&self, _: &str) -> bool {
            false
        }

        fn is_prefix(&self, _: &str) -> bool {
            false
        }

        fn is_sentinel(&self, _: &str) -> bool {
            false
        }

        fn is_injected(&self, module: &str) -> bool {
            module == "overlay.dll"
        }

        fn known(&self, module: &str) -> Option<KnownModule<'_>> {
            match module {
                "overlay.dll" => Some(KnownModule { list: "overlays", what: "Shop overlay", part: KnownPart::Foreign }),
                "driver.dll" => {
                    Some(KnownModule { list: "gpu-drivers", what: "display driver", part: KnownPart::Library })
                }
                _ => None,
            }
        }
    }

    /// The rank of a module in a process of `D:\Game\bin\game.exe`, if it is another product's.
    fn rank_of(path: &str, version: Option<[u16; 4]>) -> Option<u8> {
        let (name, program) = (Arc::from(base_name(path)), Arc::from(r"D:\Game\bin\game.exe"));
        let full: Arc<str> = path.into();
        let path = Some(&full).filter(|path| path.contains('\\'));
        let module = Listed { name: &name, path, version: version.map(Version) };
        other(&module, Some(&program), &Lists).map(|(rank, _)| rank)
    }

    #[test]
    fn modules_of_windows_and_of_the_program_are_no_other_software() {
        assert_eq!(rank_of(r"C:\Windows\System32\ntdll.dll", Some([10, 0, 19041, 1])), None);
        assert_eq!(rank_of(r"C:\Windows\System32\unknown.dll", None), None);
        assert_eq!(rank_of(r"D:\Game\lib\engine.dll", None), None);
        assert_eq!(rank_of(r"D:\Game\lib\driver.dll", None), None, "a library that came with the program");
        assert_eq!(rank_of("unknown.dll", None), None, "without path nobody knows");
        assert_eq!(rank_of(r"C:\Program Files\dotnet\shared\Microsoft.NETCore.App\8.0.1\coreclr.dll", None), None);
    }

    #[test]
    fn what_is_put_into_programs_comes_first_and_libraries_last() {
        assert_eq!(rank_of(r"D:\Game\bin\overlay.dll", None), Some(0), "wherever it is");
        assert_eq!(rank_of("overlay.dll", None), Some(0));
        assert_eq!(rank_of(r"C:\Program Files\Hooks\hook.dll", None), Some(2));
        assert_eq!(rank_of(r"C:\Windows\System32\driver.dll", Some([31, 0, 15, 2849])), Some(3));
    }

    #[test]
    fn unknown_software_is_named_after_its_folder() {
        let path: Arc<str> = r"C:\Program Files\Hooks\bin\hook.dll".into();
        let module = OtherModule::new("hook.dll".into(), None, Some(path), None);
        assert_eq!(module.folder.as_deref(), Some("Hooks"));
        let stored = r"C:\Windows\System32\DriverStore\FileRepository\nv_dispi.inf_amd64_830a02\nvppex.dll";
        assert_eq!(driver_package(stored), Some("nv_dispi.inf"));
    }
}

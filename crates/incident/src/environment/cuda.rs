//! CUDA and cuDNN, by the names of their libraries. Their file versions are no help: they are all 6.14.11.

use super::found::Found;
use super::installation::{Installed, Layout};
use super::modules::{Module, Modules};
use evidence::Version;
use windows_codes::{Knowledge, ReleaseSpan};

/// CUDA and cuDNN in a process.
#[derive(Debug, Clone, Default)]
pub struct Cuda<'i> {
    /// The runtime; from 11 on its name contains the major version only.
    pub runtime: Option<Found<Version>>,
    /// The releases of the toolkit that have a runtime of this name.
    pub runtime_releases: Option<ReleaseSpan>,
    /// cuDNN's major version.
    pub cudnn: Option<Found<Version>>,
    /// cuBLAS, the number in its file name.
    pub cublas: Option<Found<Version>>,
    /// All libraries of the toolkit and of cuDNN; `None` without a complete module list.
    pub libraries: Option<Vec<Installed<'i>>>,
    /// Two libraries that no release of the toolkit has both.
    pub at_odds: Option<Found<(&'i str, &'i str)>>,
    /// The major versions of cuDNN of which parts are loaded, when there are several.
    pub cudnn_majors: Option<Found<(u16, u16)>>,
    /// The number of the evidence with the toolkit's libraries, when all of them are known and one release has them all.
    pub of_one_toolkit: Option<usize>,
    /// The number of the evidence with cuDNN's libraries, when the names of all contain the same major version.
    pub of_one_cudnn: Option<usize>,
}

pub(super) fn cuda<'i>(modules: &Modules<'i>, layout: &Layout) -> Cuda<'i> {
    // Nearly all modules of a process are others.
    let is_library = |module: &&Module<'i>| is_cuda(module.name) || is_cudnn(module.name);
    let listed: Vec<&Module<'i>> = modules.listed.iter().filter(is_library).collect();
    let all: Vec<&Module<'i>> = listed.iter().copied().chain(modules.named.iter().filter(is_library)).collect();
    let listed = modules.complete_list().map(|_| listed);
    let first = |read: fn(&Module<'_>) -> Option<Version>| {
        all.iter().find_map(|module| Some(Found { value: read(module)?, from: module.from }))
    };
    let releases = |module: &Module<'_>| Knowledge.cuda_releases(&module.name.to_ascii_lowercase());
    let (at_odds, cudnn_majors) = (at_odds(&all, releases), cudnn_majors(&all));
    // A library without a known name may be of any release.
    let all_known = |belongs: fn(&str) -> bool, is_known: &dyn Fn(&Module<'i>) -> bool| {
        let mut libraries = listed.iter().flatten().filter(|module| belongs(module.name));
        let first = libraries.next()?;
        (is_known(first) && libraries.all(|module| is_known(module))).then_some(first.from)
    };
    Cuda {
        of_one_toolkit: all_known(is_cuda, &|module| releases(module).is_some()).filter(|_| at_odds.is_none()),
        of_one_cudnn: all_known(is_cudnn, &|module| cudnn_part(module).is_some()).filter(|_| cudnn_majors.is_none()),
        runtime: first(runtime),
        runtime_releases: all.iter().find(|module| runtime(module).is_some()).and_then(|module| releases(module)),
        cudnn: first(|module| Some(Version([module.between("cudnn64_", ".dll")?.parse().ok()?, 0, 0, 0]))),
        // `cublas64_11.dll` is that of CUDA 11, `cublas64_100.dll` that of 10.0, `cublas64_10.dll` that of 10.1 and 10.2.
        cublas: first(|module| numbered(module.between("cublas64_", ".dll")?)),
        libraries: listed.as_ref().map(|listed| listed.iter().map(|module| layout.installed(module)).collect()),
        at_odds,
        cudnn_majors,
    }
}

/// The runtime's version by its name: `cudart64_110.dll` is every 11.x, `cudart64_101.dll` is 10.1, `cudart64_12.dll` is every 12.x.
fn runtime(module: &Module<'_>) -> Option<Version> {
    numbered(module.between("cudart64_", ".dll")?)
}

/// The version in the digits of a name: three digits, and two from 50 on (CUDA 5.0 to 9.2), hold a minor number; fewer are
/// a major number alone.
fn numbered(digits: &str) -> Option<Version> {
    let number: u16 = digits.parse().ok()?;
    let (major, minor) = if digits.len() == 3 || number >= 50 {
        (number.checked_div(10)?, number.checked_rem(10)?)
    } else {
        (number, 0)
    };
    Some(Version([major, minor, 0, 0]))
}

/// The major version in the name of any DLL of cuDNN: `cudnn_ops_infer64_8.dll`.
fn cudnn_part(module: &Module<'_>) -> Option<u16> {
    let (_, digits) = module.between("cudnn", ".dll")?.rsplit_once("64_")?;
    digits.parse().ok()
}

fn is_cuda(name: &str) -> bool {
    const STARTS: &[&str] = &[
        "cudart64_",
        "cublas64_",
        "cublaslt64_",
        "cufft64_",
        "cufftw64_",
        "curand64_",
        "cusolver64_",
        "cusolvermg64_",
        "cusparse64_",
        "cupti64_",
        "nvrtc64_",
        "nvrtc-builtins64_",
        "nvjitlink_",
    ];
    matches!(name.as_bytes().first(), Some(b'c' | b'C' | b'n' | b'N'))
        && STARTS.iter().any(|start| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

fn is_cudnn(name: &str) -> bool {
    matches!(name.as_bytes().first(), Some(b'c' | b'C'))
        && name.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("cudnn"))
}

/// The first two loaded CUDA libraries that no single release of the toolkit contains.
fn at_odds<'i>(
    modules: &[&Module<'i>],
    releases: impl Fn(&Module<'_>) -> Option<ReleaseSpan>,
) -> Option<Found<(&'i str, &'i str)>> {
    let mut before: Vec<(&'i str, ReleaseSpan)> = Vec::new();
    for module in modules.iter().filter(|module| is_cuda(module.name)) {
        let Some(span) = releases(module) else { continue };
        if let Some((other, _)) = before.iter().find(|(_, other)| other.and(span).is_none()) {
            return Some(Found { value: (*other, module.name), from: module.from });
        }
        before.push((module.name, span));
    }
    None
}

fn cudnn_majors(modules: &[&Module<'_>]) -> Option<Found<(u16, u16)>> {
    let mut parts = modules.iter().filter_map(|module| Some((cudnn_part(module)?, module.from)));
    let (first, _) = parts.next()?;
    parts.find(|(major, _)| *major != first).map(|(other, from)| Found { value: (first, other), from })
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    fn cuda_of<'i>(names: &[&'i str]) -> Cuda<'i> {
        let modules: Vec<(&str, &str)> = names.iter().map(|name| (*name, "6.14.11.6050")).collect();
        let seen = listed(&modules);
        cuda(&seen, &Layout::default())
    }

    #[test]
    fn names_tell_the_version() {
        let two = |found: Option<Found<Version>>| found.map(|found| (found.value.0[0], found.value.0[1]));
        for (name, version) in [
            ("cudart64_110.dll", (11, 0)),
            ("CUDART64_101.dll", (10, 1)),
            ("cudart64_90.dll", (9, 0)),
            ("cudart64_12.dll", (12, 0)),
        ] {
            assert_eq!(two(cuda_of(&[name]).runtime), Some(version), "{name}");
        }
        assert_eq!(two(cuda_of(&["cudnn64_8.dll"]).cudnn), Some((8, 0)));
        assert_eq!(two(cuda_of(&["cudnn_ops_infer64_8.dll"]).cudnn), None);
        assert_eq!(two(cuda_of(&["cublas64_12.dll"]).cublas), Some((12, 0)));
    }

    #[test]
    fn libraries_of_two_toolkits_are_at_odds() {
        let mixed = cuda_of(&["cudart64_110.dll", "cufft64_10.dll", "cublas64_12.dll"]);
        assert_eq!(mixed.at_odds.map(|found| found.value), Some(("cudart64_110.dll", "cublas64_12.dll")));
        assert!(
            cuda_of(&["cudart64_110.dll", "cublas64_11.dll", "cufft64_10.dll", "curand64_10.dll"]).at_odds.is_none()
        );
        assert_eq!(
            cuda_of(&["cudnn64_8.dll", "cudnn_graph64_9.dll"]).cudnn_majors.map(|found| found.value),
            Some((8, 9))
        );
        assert!(cuda_of(&["cudnn64_8.dll", "cudnn_ops_infer64_8.dll"]).cudnn_majors.is_none());
    }

    #[test]
    fn libraries_go_together_only_where_all_names_are_known() {
        let toolkit = |names: &[&'static str]| cuda_of(names).of_one_toolkit.is_some();
        assert!(toolkit(&["app.exe", "cudart64_110.dll", "cublas64_11.dll"]));
        assert!(!toolkit(&["app.exe", "cudart64_110.dll", "cublas64_12.dll"]), "of two releases");
        assert!(!toolkit(&["app.exe", "cudart64_110.dll", "cublas64_99.dll"]), "no table has it");
        assert!(!toolkit(&["app.exe", "cudart64_custom.dll"]));
        assert!(!toolkit(&["app.exe"]));
        let cudnn = |names: &[&'static str]| cuda_of(names).of_one_cudnn.is_some();
        assert!(cudnn(&["cudnn64_9.dll", "cudnn_graph64_9.dll"]));
        assert!(!cudnn(&["cudnn64_9.dll", "cudnn_graph64_8.dll"]));
        assert!(!cudnn(&["cudnn64_9.dll", "cudnn_frontend.dll"]), "its name tells no version");
    }

    #[test]
    fn libraries_are_told_with_their_place() {
        let cuda = cuda_of(&["app.exe", r"C:\Windows\System32\cudnn64_8.dll", "nvcuda.dll"]);
        let libraries = cuda.libraries.expect("a whole list");
        let told: Vec<_> = libraries.iter().map(|library| (library.name, library.installation)).collect();
        assert_eq!(told, [("cudnn64_8.dll", Some("system"))]);
    }
}

//! Versions that fit together: of CUDA's libraries, drivers and frameworks, and of C++ runtimes.

use super::Knowledge;
use evidence::Version;
use knowledge_tables::compatibility::EVERY_MINOR;
pub use knowledge_tables::compatibility::{Release, ReleaseSpan, RuntimeMinimum, TensorFlowBuild};
use knowledge_tables::{Sorted, embedded};

embedded! {
    CUDA_NAMES: Sorted<&str, ReleaseSpan> = "cuda-names";
    CUDA_DRIVERS: Sorted<Release, Release> = "cuda-drivers";
    TENSORFLOW_BUILDS: Sorted<Release, TensorFlowBuild> = "tensorflow-builds";
    MSVCP140_MINIMUMS: Sorted<&str, RuntimeMinimum> = "msvcp140-minimums";
    STATED_VERSIONS: Sorted<&str, &str> = "stated-versions";
}

impl Knowledge {
    /// The releases of the CUDA toolkit that have a library of this name (in lower case).
    #[must_use]
    pub fn cuda_releases(&self, name: &str) -> Option<ReleaseSpan> {
        CUDA_NAMES.get(name).copied()
    }

    /// The oldest NVIDIA driver that any of these releases of CUDA runs with. A driver below it is too old for all.
    #[must_use]
    pub fn oldest_cuda_driver(&self, releases: ReleaseSpan) -> Option<Release> {
        let covered = |&(major, minor): &Release| {
            let least = if minor == EVERY_MINOR { 0 } else { minor };
            releases.and(ReleaseSpan { first: (major, least), last: (major, minor) }).is_some()
        };
        CUDA_DRIVERS.iter().filter(|(cuda, _)| covered(cuda)).map(|(_, driver)| *driver).min()
    }

    /// What a release of TensorFlow for GPUs on Windows was built with; `None` for those that are not known.
    #[must_use]
    pub fn tensorflow_build(&self, version: Version) -> Option<&'static TensorFlowBuild> {
        let [major, minor, ..] = version.0;
        let build = TENSORFLOW_BUILDS.at_or_below(&(major, minor))?;
        ((major, minor) <= build.last).then_some(build)
    }

    /// The oldest `msvcp140.dll` that builds of a library need, with the library's name in the table. The case of `module`
    /// makes no difference, nor does what Python writes between the name and the ending of an extension module
    /// (`name.cp311-win_amd64.pyd`).
    #[must_use]
    pub fn msvcp140_minimum(&self, module: &str) -> Option<(&'static str, &RuntimeMinimum)> {
        let (stem, ending) = module.split_once('.')?;
        let ending = ending.rsplit('.').next()?;
        // Every module of a process is looked up, and nearly all names differ in length.
        let fits = |name: &str| {
            name.len().checked_sub(ending.len()).and_then(|length| length.checked_sub(1)) == Some(stem.len())
                && name.split_once('.').is_some_and(|(own_stem, own_ending)| {
                    own_stem.eq_ignore_ascii_case(stem) && own_ending.eq_ignore_ascii_case(ending)
                })
        };
        MSVCP140_MINIMUMS.iter().find(|(name, _)| fits(name)).map(|(name, minimum)| (*name, minimum))
    }

    /// How texts state versions: the product, and the regular expression whose first group is its version.
    pub fn stated_versions(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        STATED_VERSIONS.iter().map(|(pattern, of)| (*of, *pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowledge() -> Knowledge {
        Knowledge::builtin()
    }

    fn span(name: &str) -> ReleaseSpan {
        knowledge().cuda_releases(name).unwrap_or_else(|| panic!("{name} is not known"))
    }

    #[test]
    fn a_file_name_stands_for_releases() {
        for (name, releases) in [
            ("cudart64_101.dll", "10.1"),
            ("cudart64_110.dll", "11.x"),
            ("cusolver64_10.dll", "10.1 to 11.0"),
            ("cusolver64_11.dll", "11.1 to 12.x"),
            ("nvrtc64_112_0.dll", "11.2 to 11.x"),
            ("cublas64_12.dll", "12.x"),
        ] {
            assert_eq!(span(name).to_string(), releases, "{name}");
        }
        assert_eq!(knowledge().cuda_releases("cudart64_55.dll"), None);
    }

    #[test]
    fn names_together_narrow_the_release_or_exclude_each_other() {
        let runtime = span("cudart64_110.dll");
        assert_eq!(runtime.and(span("cusolver64_10.dll")).map(|both| both.to_string()).as_deref(), Some("11.0"));
        assert_eq!(runtime.and(span("cufft64_10.dll")), Some(runtime));
        assert_eq!(runtime.and(span("cublas64_12.dll")), None);
    }

    #[test]
    fn the_oldest_driver_of_all_possible_releases_counts() {
        let known = knowledge();
        assert_eq!(known.oldest_cuda_driver(span("cudart64_110.dll")), Some((451, 22)));
        assert_eq!(known.oldest_cuda_driver(span("cudart64_12.dll")), Some((525, 0)));
        assert_eq!(known.oldest_cuda_driver(span("cudart64_100.dll")), Some((411, 31)));
        assert_eq!(known.oldest_cuda_driver(span("curand64_10.dll")), Some((418, 96)));
        assert_eq!(known.oldest_cuda_driver(ReleaseSpan { first: (11, 3), last: (11, 3) }), Some((451, 22)));
        assert_eq!(known.oldest_cuda_driver(ReleaseSpan { first: (7, 5), last: (7, 5) }), None);
    }

    #[test]
    fn tensorflow_is_found_between_its_first_and_last_release() {
        let known = knowledge();
        let build = |text: &str| known.tensorflow_build(text.parse().expect("a version"));
        assert_eq!(build("2.4.1").map(|build| (build.cuda, build.cudnn)), Some(((11, 0), (8, 0))));
        assert_eq!(build("2.10").map(|build| (build.cuda, build.cudnn)), Some(((11, 2), (8, 1))));
        assert_eq!(build("1.4").map(|build| build.needs.contains(&"cudnn64_6.dll")), Some(true));
        for unknown in ["0.12", "1.15", "2.11", "3.0"] {
            assert_eq!(build(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn tensorflow_needs_what_its_own_toolkit_has() {
        for (first, build) in TENSORFLOW_BUILDS.iter() {
            for name in build.needs.iter().filter(|name| !name.starts_with("cudnn")) {
                assert!(span(name).has(build.cuda), "{first:?}: {name}");
            }
        }
    }

    #[test]
    fn libraries_built_with_new_toolsets_have_a_minimum() {
        let known = knowledge();
        for module in ["torch_cpu.dll", "C10.dll", "onnxruntime_pybind11_state.pyd"] {
            assert_eq!(known.msvcp140_minimum(module).map(|(_, minimum)| minimum.version), Some((14, 40)), "{module}");
        }
        let tagged = known.msvcp140_minimum("onnx_cpp2py_export.cp311-win_amd64.pyd");
        assert_eq!(tagged.map(|(name, _)| name), Some("onnx_cpp2py_export.pyd"));
        assert_eq!(known.msvcp140_minimum("ntdll.dll"), None);
    }
}

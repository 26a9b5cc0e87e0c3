//! Machine-learning frameworks, by their native modules.

use super::installation::Layout;
use super::modules::{Module, Modules};
use super::version_parts::release;
use evidence::Version;

/// The names of the frameworks.
pub const FRAMEWORKS: &[&str] = &["tensorflow", "pytorch", "onnxruntime"];

/// A framework in a process.
#[derive(Debug, Clone)]
pub struct Framework<'i> {
    /// Which: one of [`FRAMEWORKS`].
    pub name: &'static str,
    /// Its release, where a file's version contains it: major and minor number.
    pub version: Option<Version>,
    /// How it was installed.
    pub installation: Option<&'static str>,
    /// The path of the module that shows it.
    pub path: Option<&'i str>,
    /// The number of the evidence, counted from 0.
    pub from: usize,
}

/// Native modules that only the framework itself has.
const MODULES: &[(&str, &str)] = &[
    ("_pywrap_tensorflow_internal.pyd", "tensorflow"),
    ("_pywrap_tensorflow_common.dll", "tensorflow"),
    ("tensorflow.dll", "tensorflow"),
    ("tensorflow_cc.dll", "tensorflow"),
    ("c10.dll", "pytorch"),
    ("torch.dll", "pytorch"),
    ("torch_cpu.dll", "pytorch"),
    ("torch_cuda.dll", "pytorch"),
    ("torch_python.dll", "pytorch"),
    ("onnxruntime.dll", "onnxruntime"),
    ("onnxruntime_pybind11_state.pyd", "onnxruntime"),
    ("onnxruntime_providers_shared.dll", "onnxruntime"),
];

/// Modules whose file versions begin with the framework's release. PyTorch's and TensorFlow's have none.
const VERSIONED: &[&str] = &["onnxruntime.dll", "onnxruntime_providers_shared.dll"];

/// One entry a framework, by the module that was loaded first.
pub(super) fn frameworks<'i>(modules: &Modules<'i>, layout: &Layout) -> Option<Vec<Framework<'i>>> {
    let framework_of = |module: &Module<'i>| MODULES.iter().find(|(file, _)| module.is(file)).map(|(_, name)| *name);
    let known: Vec<(&Module<'i>, &str)> =
        modules.complete_list()?.iter().filter_map(|module| Some((module, framework_of(module)?))).collect();
    let framework = |name: &'static str| {
        let own = || known.iter().filter(|(_, framework)| *framework == name).map(|(module, _)| *module);
        let first = own().next()?;
        let versioned = |module: &&Module<'i>| VERSIONED.iter().any(|file| module.is(file));
        let version = own().filter(versioned).find_map(|module| module.version).map(|version| {
            let (major, minor) = release(version);
            Version([major, minor, 0, 0])
        });
        Some(Framework {
            name,
            version,
            installation: first.path.map(|path| layout.installation(path)),
            path: first.path,
            from: first.from,
        })
    };
    Some(FRAMEWORKS.iter().filter_map(|name| framework(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn frameworks_are_told_with_version_and_installation() {
        let seen = listed(&[
            (r"C:\Py\python.exe", "3.11"),
            (r"C:\Py\Lib\site-packages\torch\lib\c10.dll", ""),
            (r"C:\Py\Lib\site-packages\onnxruntime\capi\onnxruntime_providers_shared.dll", "1.19.24.904"),
            (r"C:\Py\Lib\site-packages\onnxruntime\capi\onnxruntime_pybind11_state.pyd", ""),
        ]);
        let found = frameworks(&seen, &Layout::new(&seen)).expect("a whole list");
        let told: Vec<_> =
            found.iter().map(|one| (one.name, one.version.map(|v| v.to_string()), one.installation)).collect();
        assert_eq!(
            told,
            [
                ("pytorch", None, Some("site-packages")),
                ("onnxruntime", Some("1.19.0.0".to_owned()), Some("site-packages"))
            ]
        );
        assert!(MODULES.iter().all(|(_, name)| FRAMEWORKS.contains(name)));
    }
}

//! Machine-learning frameworks, by their native modules.

use super::installation::{Installed, Layout};
use super::modules::{Module, Modules};
use super::version_parts::release;
use evidence::Version;

/// The names of the frameworks.
pub const FRAMEWORKS: &[&str] = &["tensorflow", "pytorch", "onnxruntime"];

/// By framework, the native modules that only the framework itself has.
const MODULES: [(&str, &[&str]); 3] = [
    (
        "tensorflow",
        &["_pywrap_tensorflow_internal.pyd", "_pywrap_tensorflow_common.dll", "tensorflow.dll", "tensorflow_cc.dll"],
    ),
    ("pytorch", &["c10.dll", "torch.dll", "torch_cpu.dll", "torch_cuda.dll", "torch_python.dll"]),
    ("onnxruntime", &["onnxruntime.dll", "onnxruntime_pybind11_state.pyd", "onnxruntime_providers_shared.dll"]),
];
/// Modules whose file versions begin with the framework's release. PyTorch's and TensorFlow's have none.
const VERSIONED: &[&str] = &["onnxruntime.dll", "onnxruntime_providers_shared.dll"];

/// One entry a framework, by the module that was loaded first.
pub(super) fn frameworks<'i>(modules: &Modules<'i>, layout: &Layout) -> Option<Vec<Installed<'i>>> {
    let modules = modules.complete_list()?;
    let framework = |(name, files): (&'static str, &[&str])| {
        let is_one_of = |files: &[&str], module: &Module<'i>| files.iter().any(|file| module.is(file));
        let own: Vec<&Module<'i>> = modules.iter().filter(|module| is_one_of(files, module)).collect();
        let versioned = own.iter().filter(|module| is_one_of(VERSIONED, module)).find_map(|module| module.version);
        let version = versioned.map(|version| {
            let (major, minor) = release(version);
            Version([major, minor, 0, 0])
        });
        Some(Installed { name, version, ..layout.installed(own.first()?) })
    };
    Some(MODULES.into_iter().filter_map(framework).collect())
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
        assert!(MODULES.iter().all(|(name, _)| FRAMEWORKS.contains(name)));
    }
}

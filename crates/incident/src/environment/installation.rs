//! How a file was installed, by the folder that it was loaded from: with conda, as a Python package, with the CUDA toolkit...

use super::modules::{Module, Modules};
use evidence::Version;
use windows_codes::{is_conda_folder, location};

/// The ways of installation. The folder of installed packages of a Python does not show which tool put a package there, and
/// in a conda environment pip and conda use the same one.
pub const INSTALLATIONS: &[&str] = &[
    "conda",
    "site-packages",
    "python-installer",
    "store-python",
    "portable-python",
    "frozen",
    "cuda-toolkit",
    "system",
    "program",
    "other",
];

/// Beginnings of the names of folders with a Python that needs no installation.
const PORTABLE: &[&str] = &["python_embed", "python-embed", "winpython", "wpy64-", "wpy32-"];

/// A framework, or a library of CUDA or cuDNN, in a process.
#[derive(Debug, Clone, Copy)]
pub struct Installed<'i> {
    /// One of [`FRAMEWORKS`](super::FRAMEWORKS), or the library's file name.
    pub name: &'i str,
    /// A framework's release, where a file's version contains it: major and minor number.
    pub version: Option<Version>,
    /// How it was installed: one of [`INSTALLATIONS`].
    pub installation: Option<&'static str>,
    /// The path of the module that shows it.
    pub path: Option<&'i str>,
    /// The number of the evidence, counted from 0.
    pub from: usize,
}

/// The folders of a process's program and Python.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The folder of the executable, in lower case.
    program: Option<String>,
    /// The folder of Python's DLL, in lower case, if it is a conda environment.
    conda: Option<String>,
}

impl Layout {
    pub(super) fn new(modules: &Modules<'_>) -> Self {
        let paths = || modules.listed.iter().filter_map(|module| module.path);
        let folder = |path: &str| path.rsplit_once(['\\', '/']).map(|(folder, _)| folder.to_ascii_lowercase());
        let program = modules.listed.first().and_then(|module| folder(module.path?));
        let python = modules.listed.iter().find(|module| super::python::number(module.name).is_some());
        // conda keeps DLLs below Library\bin of an environment, and no other Python has that folder.
        let conda = python.and_then(|module| folder(module.path?)).filter(|python| {
            paths().any(|path| {
                path.get(..python.len()).is_some_and(|start| start.eq_ignore_ascii_case(python))
                    && path.get(python.len()..).is_some_and(|rest| begins(rest, r"\library\bin\"))
            })
        });
        Self { program, conda }
    }

    /// A module as it was installed, without a version.
    pub(super) fn installed<'i>(&self, module: &Module<'i>) -> Installed<'i> {
        let installation = module.path.map(|path| self.installation(path));
        Installed { name: module.name, version: None, installation, path: module.path, from: module.from }
    }

    /// How the file at `path` was installed: one of [`INSTALLATIONS`].
    pub(super) fn installation(&self, path: &str) -> &'static str {
        let path = path.to_ascii_lowercase().replace('/', "\\");
        let has_folder = |beginnings: &[&str]| {
            path.split('\\').rev().skip(1).any(|part| beginnings.iter().any(|start| part.starts_with(start)))
        };
        let below = |folder: &Option<String>| {
            folder.as_deref().is_some_and(|folder| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('\\')))
        };
        let place = location(&path);
        if matches!(place, "system" | "driver-store") {
            "system"
        } else if has_folder(&["_mei", "_internal"]) {
            "frozen"
        } else if has_folder(PORTABLE) {
            "portable-python"
        } else if path.split('\\').rev().skip(1).any(is_conda_folder) || below(&self.conda) {
            "conda"
        } else if place == "site-packages" {
            "site-packages"
        } else if path.contains(r"\pythonsoftwarefoundation.") {
            "store-python"
        } else if path.contains(r"\appdata\local\programs\python\python") || path.contains(r"\program files\python") {
            "python-installer"
        } else if path.contains(r"\nvidia gpu computing toolkit\") {
            "cuda-toolkit"
        } else if below(&self.program) {
            "program"
        } else {
            "other"
        }
    }
}

fn begins(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::*;

    #[test]
    fn each_path_tells_how_it_was_installed() {
        let layout = Layout::new(&listed(&[(r"C:\App\app.exe", "1.0")]));
        for (path, expected) in [
            (r"C:\Users\a\miniconda3\envs\tf\lib\site-packages\tensorflow\python\x.pyd", "conda"),
            (
                r"C:\Users\a\AppData\Local\Programs\Python\Python311\Lib\site-packages\torch\lib\c10.dll",
                "site-packages",
            ),
            (r"C:\Users\a\AppData\Local\Programs\Python\Python311\python311.dll", "python-installer"),
            (
                r"C:\Program Files\WindowsApps\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0\python311.dll",
                "store-python",
            ),
            (r"D:\ComfyUI\python_embeded\Lib\site-packages\torch\lib\c10.dll", "portable-python"),
            (r"C:\Users\a\AppData\Local\Temp\_MEI4242\torch\lib\c10.dll", "frozen"),
            (r"C:\App\_internal\onnxruntime\capi\onnxruntime.dll", "frozen"),
            (r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2\bin\cudnn64_8.dll", "cuda-toolkit"),
            (r"C:\Windows\System32\onnxruntime.dll", "system"),
            (r"c:\app\bin\cudart64_12.dll", "program"),
            (r"D:\tools\cudnn\bin\cudnn64_8.dll", "other"),
            (r"C:\Application\x.dll", "other"),
        ] {
            assert_eq!(layout.installation(path), expected, "{path}");
            assert!(INSTALLATIONS.contains(&expected));
        }
    }

    #[test]
    fn an_environment_of_conda_is_known_by_its_library_folder() {
        let of = |third: &str| {
            let python = (r"D:\envs\tf\python39.dll", "3.9");
            Layout::new(&listed(&[(r"D:\envs\tf\python.exe", "3.9"), python, (third, "1")]))
                .installation(r"D:\envs\tf\Lib\site-packages\torch\lib\c10.dll")
        };
        assert_eq!(of(r"D:\envs\tf\Library\bin\mkl_rt.2.dll"), "conda");
        assert_eq!(of(r"D:\other\Library\bin\mkl_rt.2.dll"), "site-packages");
    }
}

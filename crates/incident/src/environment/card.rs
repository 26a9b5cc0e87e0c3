//! The card of an incident: what the report shows of its environment, by key.

use std::collections::BTreeMap;

use super::extensions::extensions;
use super::found::Found;
use super::installation::Installed;
use super::modules::Module;
use super::stated::Product;
use super::version_parts::{major_minor, nvidia_release, release, with_patch};
use super::{Environment, system};
use crate::joined_evidence::JoinedEvidence;
use crate::kernel_card::add_kernel_facts;
use evidence::{CpuArchitecture, OperatingSystem, Version};
use windows_codes::{intel_release, location};

/// The card. Values that a text states are marked, and are there only where nothing that was loaded shows them.
pub(crate) fn card(evidence: &JoinedEvidence<'_>, environment: &Environment<'_>) -> BTreeMap<&'static str, String> {
    let mut card = BTreeMap::new();
    machine(evidence, environment, &mut card);
    graphics(environment, &mut card);
    cuda(environment, &mut card);
    programs(environment, &mut card);
    runtime(environment, &mut card);
    contradictions(environment, &mut card);
    card
}

/// Adds versions of which texts state several, where nothing that was loaded shows them.
fn contradictions(environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    for (product, versions) in &environment.stated.contradictions {
        let (key, spelled): (_, fn(Version) -> String) = match product {
            Product::NvidiaDriver => ("gpu_driver", nvidia_release),
            _ => (product.into(), with_patch),
        };
        let versions: Vec<String> = versions.iter().copied().map(spelled).collect();
        card.entry(key).or_insert_with(|| format!("{}{STATED_DIFFERENTLY}", versions.join(" or ")));
    }
}

fn machine(evidence: &JoinedEvidence<'_>, environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    if let Some((_, dump)) = evidence.dump() {
        let system = &dump.system;
        if system.os != OperatingSystem::Other {
            card.insert("os", system::name(system));
        }
        // Some writers fill in zeros.
        let detail = system.cpu_detail.as_deref().filter(|detail| !detail.ends_with("family 0 model 0 stepping 0"));
        let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
        if system.cpu != CpuArchitecture::Other {
            card.insert("cpu", format!("{}{detail}", system.cpu.word()));
        }
        if system.cpu_count > 0 {
            card.insert("cpu_threads", system.cpu_count.to_string());
        }
        card.extend(extensions(system.cpu_features).map(|extensions| ("cpu_extensions", extensions)));
    } else if let Some((_, dump)) = evidence.kernel_dump() {
        card.insert("os", system::kernel_releases(dump.build));
        card.insert("cpu", dump.cpu.word().to_owned());
        add_kernel_facts(dump, card);
    } else if let Some((_, report)) = evidence.report(|report| report.os_version.is_some())
        && let Some(build) = report.os_version.as_deref().and_then(system::build_of)
    {
        card.insert("os", system::windows(build, None));
    }
    let processor = environment.stated.processor.as_ref();
    if let Some(processor) = processor {
        card.entry("cpu_name").or_insert_with(|| as_stated(&processor.value));
    }
    if environment.wow64.is_some_and(|found| found.value) {
        card.insert("process_bits", "32-bit on 64-bit Windows".to_owned());
    }
}

/// Adds NVIDIA's release by itself, as everybody names it; other drivers with their maker, and in a key of their own beside
/// NVIDIA's.
fn graphics(environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    let graphics = &environment.graphics;
    let amd = graphics.amd.map(|found| format!("AMD {}", found.value));
    let intel = graphics.intel.map(|found| match intel_release(found.value) {
        Some(release) => format!("Intel {release} ({})", found.value),
        None => format!("Intel {}", found.value),
    });
    let nvidia = graphics.nvidia.map(|found| {
        let (branch, update) = release(found.value);
        format!("{branch:03}.{update:02}")
    });
    let mut drivers = [nvidia, amd, intel].into_iter().flatten();
    if let Some(first) = drivers.next() {
        card.insert("gpu_driver", first);
    } else if let Some(stated) = environment.stated.version(Product::NvidiaDriver) {
        card.insert("gpu_driver", as_stated(&nvidia_release(stated.value)));
    }
    insert_list("gpu_driver_others", drivers, ", ", card);
}

fn cuda(environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    let (cuda, stated) = (&environment.cuda, &environment.stated);
    if let Some(runtime) = cuda.runtime {
        // From 11 on the file name contains only the major version.
        let (major, _) = release(runtime.value);
        card.insert("cuda", if major >= 11 { format!("{major}.x") } else { major_minor(runtime.value) });
    } else if let Some(toolkit) = stated.version(Product::Cuda) {
        card.insert("cuda", as_stated(&with_patch(toolkit.value)));
    }
    if let Some(cudnn) = cuda.cudnn {
        card.insert("cudnn", release(cudnn.value).0.to_string());
    } else if let Some(cudnn) = stated.version(Product::Cudnn) {
        card.insert("cudnn", as_stated(&with_patch(cudnn.value)));
    }
    if let Some(cublas) = cuda.cublas {
        // `cublas64_100` is of 10.0; from 11 on the name has the major version only.
        let (major, minor) = release(cublas.value);
        let is_whole = minor == 0 && major != 10;
        card.insert("cublas", if is_whole { major.to_string() } else { major_minor(cublas.value) });
    }
    let toolkits = cuda
        .at_odds
        .map(|Found { value: (first, second), .. }| format!("{first} and {second} are of different CUDA toolkits"));
    let cudnn = cuda
        .cudnn_majors
        .map(|Found { value: (first, second), .. }| format!("parts of cuDNN {first} and {second} are loaded"));
    insert_list("cuda_conflicts", toolkits.into_iter().chain(cudnn), ", ", card);
}

fn programs(environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    if let Some(python) = &environment.python {
        card.insert("python", major_minor(python.version.value));
        let known = python.release.as_deref().into_iter().chain(python.installation.map(described));
        insert_list("python_detail", known.map(str::to_owned), ", ", card);
    }
    for product in [Product::TensorFlow, Product::PyTorch, Product::OnnxRuntime] {
        let (name, stated): (&'static str, _) = (product.into(), environment.stated.version(product));
        let loaded = environment.frameworks.iter().flatten().find(|framework| framework.name == name);
        card.extend(framework(loaded, stated.map(|found| found.value)).map(|text| (name, text)));
    }
}

fn framework(loaded: Option<&Installed<'_>>, stated: Option<Version>) -> Option<String> {
    let stated = stated.map(|version| as_stated(&with_patch(version)));
    let Some(loaded) = loaded else { return stated };
    let version = loaded.version.map(major_minor).or(stated).unwrap_or_else(|| NOT_KNOWN.to_owned());
    Some(match loaded.installation.map(described) {
        Some(installation) => format!("{version}, {installation}"),
        None => version,
    })
}

fn runtime(environment: &Environment<'_>, card: &mut BTreeMap<&'static str, String>) {
    let runtime = &environment.runtime;
    for (key, file) in
        [("msvcp140", runtime.msvcp140), ("vcruntime140", runtime.vcruntime140), ("ucrtbase", runtime.ucrtbase)]
    {
        // Every program has Windows' own `ucrtbase.dll`; only a version or another folder is worth a value.
        let is_usual = |file: &Module<'_>| {
            key == "ucrtbase" && file.version.is_none() && file.path.is_none_or(|path| location(path) == "system")
        };
        card.extend(file.filter(|file| !is_usual(file)).map(|file| (key, runtime_file(file))));
    }
    let copies = environment.copies.iter().flatten().filter_map(|copies| {
        let more = match copies.count.saturating_sub(2) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (first, second) = (folder(copies.first.path?), folder(copies.second.path?));
        Some(format!("{} from {first} and {second}{more}", copies.first.name))
    });
    insert_list("duplicates", copies, "; ", card);
    insert_list("misplaced", misplaced(environment), "; ", card);
}

/// Adds the values of a key, unless there are none.
fn insert_list(
    key: &'static str,
    values: impl Iterator<Item = String>,
    between: &str,
    card: &mut BTreeMap<&'static str, String>,
) {
    let values: Vec<String> = values.collect();
    if !values.is_empty() {
        card.insert(key, values.join(between));
    }
}

/// Libraries of CUDA, cuDNN and frameworks that are in the Windows folder, where no installer puts them and every program
/// finds them before its own. ONNX Runtime belongs there: Windows brings one along.
fn misplaced(environment: &Environment<'_>) -> impl Iterator<Item = String> {
    let frameworks = environment.frameworks.iter().flatten().filter(|framework| framework.name != "onnxruntime");
    let installed = environment.cuda.libraries.iter().flatten().chain(frameworks);
    let misplaced = installed.filter(|installed| installed.installation == Some("system"));
    misplaced.filter_map(|installed| Some(format!("{} in {}", installed.name, folder(installed.path?))))
}

fn runtime_file(file: Module<'_>) -> String {
    match (file.version, file.path.map(folder)) {
        (Some(version), Some(folder)) => format!("{version} from {folder}"),
        (Some(version), None) => version.to_string(),
        (None, Some(folder)) => format!("{NOT_KNOWN}, from {folder}"),
        (None, None) => NOT_KNOWN.to_owned(),
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once(['\\', '/']).map_or(path, |(folder, _)| folder)
}

/// How something was installed, in words.
fn described(installation: &'static str) -> &'static str {
    match installation {
        "conda" => "in a conda environment",
        "site-packages" => "in site-packages",
        "python-installer" => "from the installer of python.org",
        "store-python" => "from the Microsoft Store",
        "portable-python" => "in a portable Python",
        "frozen" => "packed into a program",
        "cuda-toolkit" => "in the CUDA toolkit",
        "system" => "in the Windows folder",
        "program" => "in the program's folder",
        _ => "in another folder",
    }
}

/// The end of a value that only a text states.
const AS_STATED: &str = " (as the text says)";

/// The text in the place of an unknown version.
const NOT_KNOWN: &str = "version not known";

/// The end of a value of which texts state several versions.
const STATED_DIFFERENTLY: &str = " (the text says both)";

/// Whether a value of a card is only what somebody wrote.
pub(crate) fn is_stated(value: &str) -> bool {
    [AS_STATED, STATED_DIFFERENTLY].iter().any(|mark| value.ends_with(mark))
}

/// Whether a value of a card has no version, or one that is only what somebody wrote.
#[must_use]
pub fn is_version_unsure(value: &str) -> bool {
    [NOT_KNOWN, AS_STATED, STATED_DIFFERENTLY].iter().any(|mark| value.contains(mark))
}

/// A value that a text states, with its mark.
pub(crate) fn as_stated(text: &str) -> String {
    format!("{text}{AS_STATED}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_that_only_texts_tell_is_known_as_one() {
        let mut environment = Environment::default();
        environment.stated.contradictions =
            vec![(Product::NvidiaDriver, vec![Version([512, 15, 0, 0]), Version([536, 23, 0, 0])])];
        let mut card = BTreeMap::new();
        contradictions(&environment, &mut card);
        assert_eq!(card.get("gpu_driver").map(String::as_str), Some("512.15 or 536.23 (the text says both)"));
        assert!(card.values().all(|value| is_stated(value)), "{card:?}");
        assert!(is_stated(&as_stated("512.15")));
        assert!(!is_stated("536.23"));
    }
}

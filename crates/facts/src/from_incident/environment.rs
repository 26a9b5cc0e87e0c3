//! Facts of the process's surroundings: versions of drivers and libraries, how they were installed, and which of them
//! fit together.

use crate::value::{evidence, text, word};
use crate::{FactSet, Record, Value};
use incident::JoinedIncident;
use incident::environment::{Copies, Environment, Found, Installed, Module, Product};
use windows_codes::{Release, location};

/// Sets the facts of [`incident::environment`], without those of the operating system and the processor.
pub(super) fn environment(joined: &JoinedIncident<'_>, facts: &mut FactSet) {
    let environment = &joined.environment;
    versions(environment, facts);
    runtime(environment, facts);
    conflicts(environment, facts);
    compatibility(environment, facts);
    if let Some(found) = environment.wow64 {
        facts.set("process.wow64", found.value, evidence(found.from));
    }
    if let Some(python) = &environment.python {
        let from = evidence(python.version.from);
        facts.set_known("environment.python_installation", python.installation.map(word), from);
    }
    if let Some(frameworks) = &environment.frameworks {
        facts.set_list("frameworks", frameworks.iter().map(installed).collect());
    }
    if let Some(libraries) = &environment.cuda.libraries {
        facts.set_list("cuda_libraries", libraries.iter().map(installed).collect());
    }
    if let Some(copies) = &environment.copies {
        facts.set_list("duplicates", copies.iter().map(duplicate).collect());
    }
}

fn versions(environment: &Environment<'_>, facts: &mut FactSet) {
    let (graphics, cuda, stated) = (&environment.graphics, &environment.cuda, &environment.stated);
    for (path, found) in [
        ("environment.amd_driver", graphics.amd),
        ("environment.cublas", cuda.cublas),
        ("environment.cuda", cuda.runtime),
        ("environment.cudnn", cuda.cudnn),
        ("environment.intel_driver", graphics.intel),
        ("environment.nvidia_driver", graphics.nvidia),
        ("environment.python", environment.python.as_ref().map(|python| python.version)),
        ("stated.cuda", stated.version(Product::Cuda)),
        ("stated.cudnn", stated.version(Product::Cudnn)),
        ("stated.nvidia_driver", stated.version(Product::NvidiaDriver)),
        ("stated.onnxruntime", stated.version(Product::OnnxRuntime)),
        ("stated.pytorch", stated.version(Product::PyTorch)),
        ("stated.tensorflow", stated.version(Product::TensorFlow)),
    ] {
        if let Some(found) = found {
            facts.set(path, found.value, evidence(found.from));
        }
    }
    if let Some(processor) = &stated.processor {
        facts.set("stated.processor", text(&processor.value), evidence(processor.from));
    }
}

fn runtime(environment: &Environment<'_>, facts: &mut FactSet) {
    let runtime = &environment.runtime;
    let mut set = |paths: [&'static str; 3], file: Option<Module<'_>>| {
        let Some(Module { version, path, from, .. }) = file else { return };
        let [version_path, path_path, location_path] = paths;
        facts.set_known(version_path, version, evidence(from));
        facts.set_known(path_path, path.map(text), evidence(from));
        facts.set_known(location_path, path.map(|path| word(location(path))), evidence(from));
    };
    set(["environment.msvcp140", "environment.msvcp140_path", "environment.msvcp140_location"], runtime.msvcp140);
    set(
        ["environment.vcruntime140", "environment.vcruntime140_path", "environment.vcruntime140_location"],
        runtime.vcruntime140,
    );
    if let Some(file) = runtime.ucrtbase {
        facts.set_known("environment.ucrtbase", file.version, evidence(file.from));
    }
}

/// Sets whether the CUDA libraries and the cuDNN libraries are each of one release, by their names. `fits` needs a
/// complete list of modules; two names of different releases (`other`) need only the two.
fn conflicts(environment: &Environment<'_>, facts: &mut FactSet) {
    let cuda = &environment.cuda;
    if let Some(Found { value: (first, second), from }) = cuda.at_odds {
        facts.set("compat.cuda_names", word("other"), evidence(from));
        facts.set("cuda_mix.first", text(first), evidence(from));
        facts.set("cuda_mix.second", text(second), evidence(from));
    } else if let Some(from) = cuda.of_one_toolkit {
        facts.set("compat.cuda_names", word("fits"), evidence(from));
    }
    if let Some(Found { value: (first, second), from }) = cuda.cudnn_majors {
        facts.set("compat.cudnn_names", word("other"), evidence(from));
        facts.set("cudnn_mix.first", first, evidence(from));
        facts.set("cudnn_mix.second", second, evidence(from));
    } else if let Some(from) = cuda.of_one_cudnn {
        facts.set("compat.cudnn_names", word("fits"), evidence(from));
    }
}

fn compatibility(environment: &Environment<'_>, facts: &mut FactSet) {
    let compatibility = &environment.compatibility;
    let age = |fits: bool| word(if fits { "enough" } else { "too-old" });
    let fits = |fits: bool| word(if fits { "fits" } else { "other" });
    if let Some(driver) = compatibility.cuda_driver {
        let from = evidence(driver.from);
        facts.set("compat.cuda_driver", age(driver.fits), from);
        facts.set("compat.cuda_driver_minimum", driver_release(driver.minimum), from);
        facts.set("compat.cuda_driver_release", driver_release(driver.driver), from);
        facts.set("compat.cuda_releases", text(&driver.releases.to_string()), from);
    }
    if let Some(runtime) = compatibility.msvcp140 {
        let from = evidence(runtime.from);
        facts.set("compat.msvcp140", age(runtime.fits), from);
        facts.set("compat.msvcp140_minimum", release(runtime.minimum), from);
        facts.set("compat.msvcp140_needed_by", text(runtime.needed_by), from);
    }
    if let Some(tensorflow) = compatibility.tensorflow {
        let from = evidence(tensorflow.from);
        facts.set("compat.tensorflow_built_with_cuda", release(tensorflow.build.cuda), from);
        facts.set("compat.tensorflow_built_with_cudnn", release(tensorflow.build.cudnn), from);
        facts.set_known("compat.tensorflow_cuda", tensorflow.cuda.map(fits), from);
        facts.set_known("compat.tensorflow_cudnn", tensorflow.cudnn.map(fits), from);
        facts.set_known("compat.tensorflow_missing", tensorflow.missing.map(text), from);
    }
}

/// `11.2`.
fn release((major, minor): Release) -> Value {
    text(&format!("{major}.{minor}"))
}

/// `525.00`: NVIDIA writes two digits.
fn driver_release((branch, update): Release) -> Value {
    text(&format!("{branch}.{update:02}"))
}

fn installed(installed: &Installed<'_>) -> Record {
    let fields = [
        ("name", Some(text(installed.name))),
        ("version", installed.version.map(Value::from)),
        ("installation", installed.installation.map(word)),
        ("path", installed.path.map(text)),
    ];
    Record::of_known(fields, evidence(installed.from))
}

fn duplicate(copies: &Copies<'_>) -> Record {
    let Copies { count, first, second } = copies;
    let fields = [
        ("name", Some(text(first.name))),
        ("copies", Some(Value::Number(*count as u64))),
        ("first_path", first.path.map(text)),
        ("first_version", first.version.map(Value::from)),
        ("first_location", first.path.map(|path| word(location(path)))),
        ("second_path", second.path.map(text)),
        ("second_version", second.version.map(Value::from)),
        ("second_location", second.path.map(|path| word(location(path)))),
    ];
    Record::of_known(fields, evidence(first.from))
}

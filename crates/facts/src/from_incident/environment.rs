//! What surrounds the process: versions of drivers and libraries, how they were installed, and what goes with what.

use super::{evidence, text, word};
use crate::{FactSet, Record, Value};
use incident::Built;
use incident::environment::{Copies, CudaLibrary, Environment, Found, Framework, RuntimeFile};
use windows_codes::{Release, location};

/// Everything but the system itself.
pub(super) fn environment(built: &Built<'_>, facts: &mut FactSet) {
    let environment = &built.environment;
    versions(environment, facts);
    runtime(environment, facts);
    conflicts(environment, facts);
    compatibility(environment, facts);
    if let Some(found) = environment.wow64 {
        facts.set("process.wow64", Value::Flag(found.value), evidence(found.from));
    }
    if let Some(installation) = environment.python.as_ref().and_then(|python| python.installation)
        && let Some(python) = &environment.python
    {
        facts.set("environment.python_installation", word(installation), evidence(python.version.from));
    }
    if let Some(frameworks) = &environment.frameworks {
        facts.set_list("frameworks", frameworks.iter().map(framework).collect());
    }
    if let Some(libraries) = &environment.cuda.libraries {
        facts.set_list("cuda_libraries", libraries.iter().map(library).collect());
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
        ("environment.nvidia_driver", graphics.nvidia.map(|found| found.map(|driver| driver.version()))),
        ("environment.python", environment.python.as_ref().map(|python| python.version)),
        ("stated.cuda", stated.cuda),
        ("stated.cudnn", stated.cudnn),
        ("stated.nvidia_driver", stated.nvidia_driver),
        ("stated.onnxruntime", stated.onnxruntime),
        ("stated.pytorch", stated.pytorch),
        ("stated.tensorflow", stated.tensorflow),
    ] {
        if let Some(found) = found {
            facts.set(path, Value::Version(found.value), evidence(found.from));
        }
    }
    if let Some(processor) = &stated.processor {
        facts.set("stated.processor", text(&processor.value), evidence(processor.from));
    }
}

fn runtime(environment: &Environment<'_>, facts: &mut FactSet) {
    let runtime = &environment.runtime;
    let mut set = |paths: [&'static str; 3], file: Option<Found<RuntimeFile<'_>>>| {
        let Some(Found { value: file, from }) = file else { return };
        let [version_path, path_path, location_path] = paths;
        if let Some(version) = file.version {
            facts.set(version_path, Value::Version(version), evidence(from));
        }
        if let Some(path) = file.path {
            facts.set(path_path, text(path), evidence(from));
            facts.set(location_path, word(location(path)), evidence(from));
        }
    };
    set(["environment.msvcp140", "environment.msvcp140_path", "environment.msvcp140_location"], runtime.msvcp140);
    set(
        ["environment.vcruntime140", "environment.vcruntime140_path", "environment.vcruntime140_location"],
        runtime.vcruntime140,
    );
    if let Some(Found { value: RuntimeFile { version: Some(version), .. }, from }) = runtime.ucrtbase {
        facts.set("environment.ucrtbase", Value::Version(version), evidence(from));
    }
}

/// Whether the CUDA libraries belong together. That they do, as far as names tell, only a whole list proves.
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
        facts.set("cudnn_mix.first", Value::Number(u64::from(first)), evidence(from));
        facts.set("cudnn_mix.second", Value::Number(u64::from(second)), evidence(from));
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
        facts.set("compat.tensorflow_built_with_cuda", release(tensorflow.built_with_cuda), from);
        facts.set("compat.tensorflow_built_with_cudnn", release(tensorflow.built_with_cudnn), from);
        if let Some(fit) = tensorflow.cuda {
            facts.set("compat.tensorflow_cuda", fits(fit), from);
        }
        if let Some(fit) = tensorflow.cudnn {
            facts.set("compat.tensorflow_cudnn", fits(fit), from);
        }
        if let Some(missing) = tensorflow.missing {
            facts.set("compat.tensorflow_missing", text(missing), from);
        }
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

fn framework(framework: &Framework<'_>) -> Record {
    let mut fields = vec![("name", word(framework.name))];
    if let Some(version) = framework.version {
        fields.push(("version", Value::Version(version)));
    }
    placed(&mut fields, framework.installation, framework.path);
    Record { fields, from: evidence(framework.from) }
}

fn library(library: &CudaLibrary<'_>) -> Record {
    let mut fields = vec![("name", text(library.name))];
    placed(&mut fields, library.installation, library.path);
    Record { fields, from: evidence(library.from) }
}

fn placed(fields: &mut Vec<(&'static str, Value)>, installation: Option<&'static str>, path: Option<&str>) {
    if let Some(installation) = installation {
        fields.push(("installation", word(installation)));
    }
    if let Some(path) = path {
        fields.push(("path", text(path)));
    }
}

fn duplicate(copies: &Copies<'_>) -> Record {
    let mut fields = vec![("name", text(copies.name)), ("copies", Value::Number(copies.count as u64))];
    let [(first, first_version), (second, second_version)] = [copies.first, copies.second];
    fields.push(("first_path", text(first)));
    if let Some(version) = first_version {
        fields.push(("first_version", Value::Version(version)));
    }
    fields.push(("first_location", word(location(first))));
    fields.push(("second_path", text(second)));
    if let Some(version) = second_version {
        fields.push(("second_version", Value::Version(version)));
    }
    fields.push(("second_location", word(location(second))));
    Record { fields, from: evidence(copies.from) }
}

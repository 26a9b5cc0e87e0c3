//! Which versions work together by the tables in `rules/data`, computed here because rules compare facts with values and
//! not with each other. A fit is known only where the tables prove it.

use super::Environment;
use super::modules::Modules;
use super::stated::Product;
use super::version_parts::release;
use windows_codes::{Knowledge, Release, ReleaseSpan, TensorFlowBuild};

/// Whether versions in a process work together.
#[derive(Debug, Clone, Default)]
pub struct Compatibility {
    /// The NVIDIA driver and the CUDA runtime.
    pub cuda_driver: Option<CudaDriver>,
    /// TensorFlow and its CUDA and cuDNN.
    pub tensorflow: Option<TensorFlowFit>,
    /// The first `msvcp140.dll` and the libraries in the process.
    pub msvcp140: Option<RuntimeFit>,
}

/// The NVIDIA driver and the CUDA runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaDriver {
    /// Whether the driver is at or above the minimum.
    pub fits: bool,
    /// The releases that the runtime can be; the oldest minimum of them counts.
    pub releases: ReleaseSpan,
    /// That minimum.
    pub minimum: Release,
    /// The driver.
    pub driver: Release,
    /// The number of the evidence with the driver, counted from 0.
    pub from: usize,
}

/// TensorFlow and the libraries it was built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorFlowFit {
    /// What it was built with.
    pub build: &'static TensorFlowBuild,
    /// Whether the toolkit has all libraries that TensorFlow loads.
    pub cuda: Option<bool>,
    /// The first library that the toolkit does not have.
    pub missing: Option<&'static str>,
    /// Whether cuDNN is of the same major version and not of a lower minor version.
    pub cudnn: Option<bool>,
    /// The number of the evidence with TensorFlow's release, counted from 0.
    pub from: usize,
}

/// The first `msvcp140.dll` and the library in the process that may need the newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeFit {
    /// Whether it is at or above the minimum.
    pub fits: bool,
    /// The minimum.
    pub minimum: Release,
    /// The library: its name in the table.
    pub needed_by: &'static str,
    /// The number of the evidence, counted from 0.
    pub from: usize,
}

pub(super) fn compatibility(environment: &Environment<'_>, modules: &Modules<'_>) -> Compatibility {
    Compatibility {
        cuda_driver: cuda_driver(environment),
        tensorflow: tensorflow(environment),
        msvcp140: msvcp140(environment, modules),
    }
}

/// Compares driver and runtime. Loaded files count before what a text states.
fn cuda_driver(environment: &Environment<'_>) -> Option<CudaDriver> {
    let stated = || {
        let release = release(environment.stated.version(Product::Cuda)?.value);
        Some(ReleaseSpan { first: release, last: release })
    };
    let releases = environment.cuda.runtime_releases.or_else(stated)?;
    let driver = environment.graphics.nvidia.or(environment.stated.version(Product::NvidiaDriver))?.map(release);
    let minimum = Knowledge.oldest_cuda_driver(releases)?;
    Some(CudaDriver { fits: driver.value >= minimum, releases, minimum, driver: driver.value, from: driver.from })
}

fn tensorflow(environment: &Environment<'_>) -> Option<TensorFlowFit> {
    let version = environment.stated.version(Product::TensorFlow)?;
    let build = Knowledge.tensorflow_build(version.value)?;
    let toolkit = environment.stated.version(Product::Cuda).map(|found| release(found.value));
    let missing = toolkit.and_then(|toolkit| {
        let lacks = |name: &&&str| Knowledge.cuda_releases(name).is_some_and(|releases| !releases.has(toolkit));
        build.needs.iter().find(lacks).copied()
    });
    let stated = environment.stated.version(Product::Cudnn).map(|found| {
        let (major, minor) = release(found.value);
        major == build.cudnn.0 && minor >= build.cudnn.1
    });
    // A file name contains the major version alone.
    let loaded = environment.cuda.cudnn.map(|found| release(found.value).0 == build.cudnn.0);
    Some(TensorFlowFit {
        build,
        cuda: toolkit.map(|_| missing.is_none()),
        missing,
        cudnn: match loaded {
            Some(false) => Some(false),
            _ => stated,
        },
        from: version.from,
    })
}

fn msvcp140(environment: &Environment<'_>, modules: &Modules<'_>) -> Option<RuntimeFit> {
    let first = environment.runtime.msvcp140?;
    let version = release(first.version?);
    let (name, minimum) = modules
        .complete_list()?
        .iter()
        .filter_map(|module| Knowledge.msvcp140_minimum(module.name))
        .reduce(|greatest, other| if other.1.version > greatest.1.version { other } else { greatest })?;
    Some(RuntimeFit { fits: version >= minimum.version, minimum: minimum.version, needed_by: name, from: first.from })
}

#[cfg(test)]
mod tests {
    use super::super::modules::tests::listed;
    use super::super::{Found, cuda, graphics, installation, runtime};
    use super::*;
    use evidence::Version;

    fn compatibility_of<'i>(modules: &[(&'i str, &str)], state: impl FnOnce(&mut Environment<'i>)) -> Compatibility {
        let seen = listed(modules);
        let layout = installation::Layout::new(&seen);
        let mut environment = Environment {
            graphics: graphics::graphics(&seen),
            cuda: cuda::cuda(&seen, &layout),
            runtime: runtime::runtime(&seen),
            ..Environment::default()
        };
        state(&mut environment);
        compatibility(&environment, &seen)
    }

    fn stated(product: Product, text: &str) -> (Product, Found<Version>) {
        (product, Found { value: text.parse().expect("a version"), from: 0 })
    }

    #[test]
    fn a_driver_is_too_old_below_the_oldest_minimum_of_what_the_name_can_be() {
        let with = |driver: &str| compatibility_of(&[("cudart64_110.dll", "6.14"), ("nvcuda64.dll", driver)], |_| ());
        let fit = |driver: &str| with(driver).cuda_driver.map(|fit| (fit.fits, fit.minimum));
        assert_eq!(fit("27.21.14.5121"), Some((false, (451, 22))), "451.21");
        assert_eq!(fit("27.21.14.5122"), Some((true, (451, 22))), "451.22, though 11.8 brings a newer one");
        assert_eq!(compatibility_of(&[("cudart64_110.dll", "6.14")], |_| ()).cuda_driver, None);
        assert_eq!(compatibility_of(&[("nvcuda64.dll", "27.21.14.5122")], |_| ()).cuda_driver, None);
    }

    #[test]
    fn a_text_is_believed_where_no_module_tells() {
        let fit = compatibility_of(&[], |environment| {
            environment.stated.versions.extend([stated(Product::Cuda, "8.0")]);
            environment.stated.versions.extend([stated(Product::NvidiaDriver, "368.71")]);
        });
        assert_eq!(fit.cuda_driver.map(|fit| (fit.fits, fit.minimum)), Some((false, (369, 30))));
    }

    #[test]
    fn tensorflow_wants_the_libraries_of_its_table() {
        let fit = |tensorflow: &str, cuda: &str, cudnn: &str| {
            let fit = compatibility_of(&[], |environment| {
                environment.stated.versions.extend([stated(Product::TensorFlow, tensorflow)]);
                environment.stated.versions.extend([stated(Product::Cuda, cuda)]);
                environment.stated.versions.extend([stated(Product::Cudnn, cudnn)]);
            });
            fit.tensorflow.map(|fit| (fit.cuda, fit.missing, fit.cudnn))
        };
        let (fits, misfits) = (Some(true), Some(false));
        assert_eq!(fit("2.5.0", "11.2", "8.1"), Some((fits, None, fits)));
        assert_eq!(fit("2.5.0", "11.4", "8.0"), Some((fits, None, misfits)));
        assert_eq!(fit("2.4.0", "11.2", "8.4"), Some((misfits, Some("cusolver64_10.dll"), fits)));
        assert_eq!(fit("2.10", "12.1", "9.0"), Some((misfits, Some("cudart64_110.dll"), misfits)));
        assert_eq!(fit("2.15", "12.1", "9.0"), None, "no package of it uses a GPU on Windows");
    }

    #[test]
    fn the_library_that_needs_the_newest_runtime_counts() {
        let with = |version: &str| {
            let modules = [("msvcp140.dll", version), ("onnx_cpp2py_export.cp311-win_amd64.pyd", ""), ("c10.dll", "")];
            compatibility_of(&modules, |_| ()).msvcp140.map(|fit| (fit.fits, fit.minimum, fit.needed_by))
        };
        assert_eq!(with("14.38.33130.0"), Some((false, (14, 40), "c10.dll")));
        assert_eq!(with("14.40.33810.0"), Some((true, (14, 40), "c10.dll")));
        assert_eq!(compatibility_of(&[("msvcp140.dll", "14.29.1.0"), ("app.exe", "1.0")], |_| ()).msvcp140, None);
    }
}

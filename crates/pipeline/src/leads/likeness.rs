//! What makes two incidents alike, coarsely enough that known cases can be counted by it.

use incident::{FaultSite, Incident};
use rules::RuleSet;
use windows_codes::{location, same_product_folder};

evidence::words!(
    /// The kind of module that raised the exception.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    SiteClass {
        /// No module is known.
        None => "none",
        /// A module that only passes on errors of others.
        Carrier => "carrier",
        /// Another file of Windows.
        Windows => "windows",
        /// The program itself, or a file of its product.
        Program => "program",
        /// An extension module of Python.
        PythonExtension => "python-extension",
        /// A library of CUDA or cuDNN.
        GpuLibrary => "gpu-library",
        /// A module of a display driver, in the process or in the kernel.
        DisplayDriver => "display-driver",
        /// Another driver.
        Driver => "driver",
        /// Any other module.
        Other => "other",
    }
);

/// What makes incidents alike. The fields are words, as they are in the table of known cases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Likeness {
    /// The kind of incident.
    pub kind: String,
    /// The code of the exception or blue screen; empty where there is none.
    pub code: String,
    /// The kind of faulting module.
    pub site: String,
}

impl Likeness {
    /// What makes an incident like others. Modules are classed by the lists of `rules`.
    #[must_use]
    pub fn of(incident: &Incident, rules: &RuleSet) -> Self {
        let exception = incident.exception.as_ref().map(|exception| exception.code.to_string());
        let code = exception.or_else(|| incident.bugcheck.as_ref().map(|bugcheck| bugcheck.code.to_string()));
        let site = incident.fault_site.as_ref().map_or(SiteClass::None, |site| class(site, incident, rules));
        Self { kind: incident.kind.word().to_owned(), code: code.unwrap_or_default(), site: site.word().to_owned() }
    }
}

fn class(site: &FaultSite, incident: &Incident, rules: &RuleSet) -> SiteClass {
    let listed = |name: &str| rules.lists_named(name).any(|list| list.has(&site.module));
    let module = site.module.to_lowercase();
    let process = incident.process.as_ref();
    let is_program =
        process.and_then(|process| process.name.as_deref()).is_some_and(|name| name.to_lowercase() == module);
    let program_path = process.and_then(|process| process.path.as_deref());
    let in_folder = |folders: &[&str]| site.path.as_deref().is_some_and(|path| folders.contains(&location(path)));
    let of_product =
        || site.path.as_deref().zip(program_path).is_some_and(|(path, program)| same_product_folder(path, program));
    match () {
        () if listed("gpu-drivers") => SiteClass::DisplayDriver,
        () if listed("cuda-libraries") => SiteClass::GpuLibrary,
        () if site.carrier => SiteClass::Carrier,
        () if is_program => SiteClass::Program,
        () if module.ends_with(".sys") => SiteClass::Driver,
        () if module.ends_with(".pyd") || in_folder(&["site-packages"]) => SiteClass::PythonExtension,
        () if in_folder(&["system", "driver-store"]) => SiteClass::Windows,
        () if of_product() => SiteClass::Program,
        () => SiteClass::Other,
    }
}

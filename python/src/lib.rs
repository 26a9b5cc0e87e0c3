//! The extension module `crashsift._crashsift`: the program and the library for the Python package, which turns the JSON of
//! this module into Python's values (`python/crashsift`).

mod gathered;
mod report;
mod watched;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crashsift::{Diagnostic, HeadAndTail, Limits, Options, Passwords, RuleSet, Symbols, SymbolsError};
use jiff::Timestamp;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use report::Report;
use watched::watched;

pyo3::create_exception!(
    crashsift,
    RulesError,
    PyValueError,
    "Rules with mistakes. The text shows each in its own file, with what would be right."
);

/// Rules, loaded once and used as often as wanted.
#[pyclass(frozen, module = "crashsift._crashsift")]
struct Rules(RuleSet);

#[pymethods]
impl Rules {
    /// Loads the built-in rules, if wanted, and those of files and folders.
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, builtin: bool) -> PyResult<Self> {
        py.detach(|| RuleSet::load(builtin, &paths)).map(Self).map_err(|mistakes| {
            let shown: Vec<String> = mistakes.iter().map(|mistake: &Diagnostic| mistake.render(false)).collect();
            RulesError::new_err(shown.join("\n\n"))
        })
    }

    /// How many rules these are.
    fn __len__(&self) -> usize {
        self.0.rules().len()
    }
}

/// How a run reads and judges, but for its paths and rules.
#[derive(FromPyObject)]
struct Settings {
    /// Name and content of pasted texts.
    texts: Vec<(String, Vec<u8>)>,
    /// Files and folders of symbols and images.
    symbols: Vec<PathBuf>,
    /// RFC 3339.
    since: Option<String>,
    /// RFC 3339.
    until: Option<String>,
    min_confidence: f64,
    walk_stacks: bool,
    by_folder: bool,
    threads: bool,
    mergeable: bool,
    /// The file of passwords for archives.
    password_file: Option<PathBuf>,
    /// How many threads work; 0 for as many as the computer has processors.
    jobs: usize,
    /// Called with the files that have been read and those that will be.
    progress: Option<Py<PyAny>>,
}

impl Settings {
    fn options(&self) -> PyResult<Options> {
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Err(PyValueError::new_err("min_confidence: a confidence is a number from 0 to 1"));
        }
        let limits =
            Limits { since: time("since", self.since.as_deref())?, until: time("until", self.until.as_deref())? };
        let pasted = self.texts.iter().map(|(name, text)| Ok((name.clone(), HeadAndTail::read(&mut text.as_slice())?)));
        Ok(Options {
            no_stack_walk: !self.walk_stacks,
            symbols: symbols(&self.symbols)?,
            limits,
            min_confidence: self.min_confidence,
            pasted: pasted.collect::<PyResult<_>>()?,
            threads: self.threads,
            keep_evidence: self.mergeable,
            passwords: self.password_file.as_deref().map_or_else(|| Ok(Arc::default()), passwords)?,
            by_folder: self.by_folder,
            ..Options::default()
        })
    }
}

fn time(name: &str, text: Option<&str>) -> PyResult<Option<Timestamp>> {
    let parse = |text: &str| text.parse().map_err(|error| PyValueError::new_err(format!("{name}: {error}")));
    text.map(parse).transpose()
}

fn symbols(paths: &[PathBuf]) -> PyResult<Option<Arc<Symbols>>> {
    if paths.is_empty() {
        return Ok(None);
    }
    let opened = Symbols::open(paths).map_err(|SymbolsError { path, error }| {
        PyOSError::new_err((error.raw_os_error(), error.to_string(), path.display().to_string()))
    })?;
    Ok(Some(Arc::new(opened)))
}

fn passwords(path: &Path) -> PyResult<Arc<Passwords>> {
    let read = Passwords::read(path)
        .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string(), path.display().to_string())))?;
    Ok(Arc::new(read))
}

/// Analyzes every file at or below the paths.
#[pyfunction]
fn analyze(py: Python<'_>, paths: Vec<PathBuf>, rules: &Bound<'_, Rules>, settings: Settings) -> PyResult<Report> {
    let options = settings.options()?;
    let rules = &rules.get().0;
    let report = watched(py, settings.jobs, settings.progress.as_ref(), |progress| {
        crashsift::analyze(&paths, rules, &options, progress)
    })?;
    Ok(Report(report))
}

/// The facts of the incidents in the files at or below the paths, as JSON.
#[pyfunction]
fn inspect(py: Python<'_>, paths: Vec<PathBuf>, rules: &Bound<'_, Rules>, settings: Settings) -> PyResult<Vec<u8>> {
    let options = settings.options()?;
    let rules = &rules.get().0;
    let written = watched(py, settings.jobs, None, |_| {
        let mut out = Vec::new();
        crashsift::formats::inspected::write(&crashsift::inspect(&paths, rules, &options), &mut out).map(|()| out)
    })?;
    Ok(written?)
}

/// Explains the codes in texts, as JSON.
#[pyfunction]
fn explain(py: Python<'_>, texts: Vec<String>, rules: &Bound<'_, Rules>) -> PyResult<Vec<u8>> {
    let rules = &rules.get().0;
    let written = py.detach(|| serde_json::to_vec(&crashsift::explain(&texts, rules)));
    written.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Runs the program on a command line, the program's name included, and returns its exit code.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>, file: PathBuf) -> u8 {
    py.detach(|| crashsift::run_program(arguments, Some(file)))
}

#[pymodule]
fn _crashsift(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("EVIDENCE_FORMAT", crashsift::EVIDENCE_FORMAT)?;
    module.add("TABLES", PyTuple::new(module.py(), crashsift::formats::parquet::names())?)?;
    module.add("RulesError", module.py().get_type::<RulesError>())?;
    module.add_class::<Rules>()?;
    module.add_class::<Report>()?;
    module.add_function(wrap_pyfunction!(analyze, module)?)?;
    module.add_function(wrap_pyfunction!(inspect, module)?)?;
    module.add_function(wrap_pyfunction!(explain, module)?)?;
    module.add_function(wrap_pyfunction!(gathered::list, module)?)?;
    module.add_function(wrap_pyfunction!(gathered::read, module)?)?;
    module.add_function(wrap_pyfunction!(gathered::unread, module)?)?;
    module.add_function(wrap_pyfunction!(run, module)?)
}

//! Files read by themselves, for engines that spread them over many computers: each artifact with its evidence as JSON.

use std::path::PathBuf;

use crashsift::gather::{Listed, gather, gathered, list_files, not_read};
use crashsift::{Artifact, RuleSet, formats};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::Settings;
use crate::watched::watched;

fn wrong(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn json(artifact: &Artifact) -> PyResult<Vec<u8>> {
    serde_json::to_vec(artifact).map_err(wrong)
}

/// Artifacts of a file, each as JSON.
type Artifacts = Vec<Py<PyBytes>>;

fn all_json<'a>(py: Python<'_>, artifacts: impl IntoIterator<Item = &'a Artifact>) -> PyResult<Artifacts> {
    artifacts.into_iter().map(|artifact| Ok(PyBytes::new(py, &json(artifact)?).unbind())).collect()
}

/// The files at and below the paths, and the artifacts of what is there and is no file that can be read.
#[pyfunction]
#[pyo3(name = "list_files")]
pub fn list(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<(Vec<PathBuf>, Artifacts)> {
    let Listed { files, unread } = py.detach(|| list_files(&paths));
    Ok((files, all_json(py, &unread)?))
}

/// Reads files and returns the artifacts of each.
#[pyfunction]
#[pyo3(name = "gather")]
pub fn read(py: Python<'_>, files: Vec<PathBuf>, settings: Settings) -> PyResult<Vec<Artifacts>> {
    let options = settings.options()?;
    let all = watched(py, settings.jobs, settings.progress.as_ref(), |progress| gather(&files, &options, progress))?;
    all.iter().map(|artifacts| all_json(py, artifacts)).collect()
}

/// The artifact of a file that is not read for a reason, by design where it is passed over.
#[pyfunction]
pub fn unread(py: Python<'_>, file: PathBuf, bytes: u64, reason: String, passed_over: bool) -> PyResult<Py<PyBytes>> {
    Ok(PyBytes::new(py, &json(&not_read(&file, bytes, reason, passed_over))?).unbind())
}

/// The report of artifacts that `merge` takes, as JSON Lines.
#[pyfunction]
pub fn mergeable(py: Python<'_>, artifacts: Vec<Vec<u8>>) -> PyResult<Py<PyBytes>> {
    let written = py.detach(|| {
        let artifacts = artifacts.iter().map(|artifact| serde_json::from_slice(artifact));
        let artifacts = artifacts.collect::<Result<Vec<Artifact>, _>>().map_err(wrong)?;
        let rules = RuleSet::load(false, &[]).map_err(|_| wrong("no rules"))?;
        let mut out = Vec::new();
        formats::jsonl::write(&gathered(artifacts, &rules), &mut out)?;
        PyResult::Ok(out)
    })?;
    Ok(PyBytes::new(py, &written).unbind())
}

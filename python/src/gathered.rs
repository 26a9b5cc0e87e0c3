//! Files read by themselves, for engines that spread them over many computers: each artifact as JSON, with its evidence.

use std::path::PathBuf;

use crashsift::Artifact;
use crashsift::gather::{Gathered, Listed, gather, list_files, not_read};
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

/// Artifacts, each as JSON.
type Artifacts = Vec<Py<PyBytes>>;

/// An artifact as JSON, and its evidence.
type WithEvidence = (Py<PyBytes>, Option<Py<PyBytes>>);

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

/// Reads files and returns the artifacts of each: as JSON, and their evidence.
#[pyfunction]
#[pyo3(name = "gather")]
pub fn read(py: Python<'_>, files: Vec<PathBuf>, settings: Settings) -> PyResult<Vec<Vec<WithEvidence>>> {
    let options = settings.options()?;
    let all = watched(py, settings.jobs, settings.progress.as_ref(), |progress| gather(&files, &options, progress))?;
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes).unbind();
    let of_file = |artifacts: Vec<Gathered>| {
        let one = |one: Gathered| Ok((bytes(&json(&one.artifact)?), one.evidence.as_deref().map(bytes)));
        artifacts.into_iter().map(one).collect()
    };
    all.into_iter().map(of_file).collect()
}

/// The artifact of a file that is not read for a reason, by design where it is passed over.
#[pyfunction]
pub fn unread(py: Python<'_>, file: PathBuf, bytes: u64, reason: String, passed_over: bool) -> PyResult<Py<PyBytes>> {
    Ok(PyBytes::new(py, &json(&not_read(&file, bytes, reason, passed_over))?).unbind())
}

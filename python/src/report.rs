//! A report that Python asks for its parts and formats.

use std::borrow::Cow;
use std::io::{self, Write};

use crashsift::formats::{TextOptions, WriteError, csv, json, jsonl, page, parquet, text};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A report, from which JSON and the other formats are made when they are wanted.
#[pyclass(frozen, module = "crashsift._crashsift")]
pub struct Report(pub crashsift::Report);

#[pymethods]
impl Report {
    /// How many incidents it has.
    fn __len__(&self) -> usize {
        self.0.incidents.len()
    }

    /// An incident as JSON, by its number from 0; `None` where there is none.
    fn incident<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let mut out = Vec::new();
        let there = py.detach(|| json::write_incident(&self.0, number, &mut out))?;
        Ok(there.then(|| PyBytes::new(py, &out)))
    }

    /// A table of the report as a Parquet file.
    fn parquet<'py>(&self, py: Python<'py>, table: &str) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| parquet::table(&self.0, table)).map_err(io::Error::other)?;
        let known = || parquet::names().collect::<Vec<_>>().join(", ");
        match made {
            Some(file) => Ok(PyBytes::new(py, &file)),
            None => Err(PyValueError::new_err(format!("{table}: no table; the tables are {}", known()))),
        }
    }

    /// The report in a format, as the program writes it. `verbose` and `width` (columns) are for those that people read.
    fn render<'py>(&self, py: Python<'py>, format: &str, verbose: bool, width: usize) -> PyResult<Bound<'py, PyBytes>> {
        let mut out = Vec::new();
        py.detach(|| write(&self.0, format, TextOptions { width, color: false, verbose }, &mut out))??;
        Ok(PyBytes::new(py, &out))
    }
}

fn write(
    report: &crashsift::Report,
    format: &str,
    options: TextOptions,
    out: &mut dyn Write,
) -> Result<io::Result<()>, PyErr> {
    let simple = |error: WriteError| match error {
        WriteError::Output(error) => error,
        wrong => io::Error::other(wrong),
    };
    Ok(match format {
        "text" => text::write(report, out, options),
        "json" => json::write(report, out),
        "jsonl" => jsonl::write(report, out),
        "csv" => csv::write(report, false, out).map_err(simple),
        "markdown" => page::write_markdown(report, out, options.verbose).map_err(simple),
        "html" => page::write_html(report, out, options.verbose).map_err(simple),
        other => {
            let known = "text, json, jsonl, csv, markdown or html";
            return Err(PyValueError::new_err(Cow::from(format!("{other}: no format; write {known}"))));
        }
    })
}

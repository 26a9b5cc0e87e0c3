//! Reports among the paths of a command: a mergeable report replaces the files that it was made of.

use std::path::{Path, PathBuf};

use super::Exit;
use super::stream::usage;
use pipeline::discover::{first_bytes, is_json_report};
use pipeline::merge::{self, Part};
use pipeline::read::ReadArtifact;
use report::compare::Side;
use report::model::{self, Document};

/// Splits the paths of a command into those to read and the artifacts that mergeable reports among them hold. A report
/// without all of its evidence is a mistake in the command line.
pub fn split(given: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<ReadArtifact>), Exit> {
    let (reports, paths): (Vec<PathBuf>, Vec<PathBuf>) = given.iter().cloned().partition(|path| is_report(path));
    let mut parts = Vec::new();
    for path in &reports {
        let part = read(path)?;
        if part.report.evidence_format.is_none() {
            return Err(usage(format!(
                "{}: a report says what was concluded, and not all facts that rules can ask for; name the artifacts, or a \
                 report that `analyze --mergeable -f json` has written",
                path.display()
            )));
        }
        parts.push(part);
    }
    let (before, _) = artifacts(parts, &reports)?;
    Ok((paths, before))
}

/// Reads the report in the file `path`; an error names the file.
fn document(path: &Path) -> Result<Document<'static>, String> {
    model::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads a report for a comparison; an error names the file.
pub fn side(path: &Path) -> Result<Side, String> {
    document(path).map(Side::from)
}

/// Reads a report to be merged.
pub fn read(path: &Path) -> Result<Part, Exit> {
    let report = document(path).map_err(usage)?;
    Ok(Part { name: path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(), report })
}

/// The artifacts of reports, which are at these paths, and the note of [`merge::artifacts`].
pub fn artifacts(parts: Vec<Part>, paths: &[PathBuf]) -> Result<(Vec<ReadArtifact>, Option<String>), Exit> {
    merge::artifacts(parts).map_err(|(index, error)| {
        let path = paths.get(index).map(|path| path.display().to_string()).unwrap_or_default();
        usage(format!("{path}: {error}"))
    })
}

/// Whether a file is a JSON report of this program. A file that can't be read is reported later, as an artifact.
fn is_report(path: &Path) -> bool {
    let first = opener::open(path).and_then(first_bytes);
    first.is_ok_and(|first| is_json_report(&first))
}

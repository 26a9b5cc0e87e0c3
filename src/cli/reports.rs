//! Reports among the paths of a command: those that hold their evidence stand for the files that they were made of.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Exit;
use super::reporting::usage;
use pipeline::discover::{SNIFFED, is_own_report};
use pipeline::merge::{self, Part};
use pipeline::read::ReadArtifact;
use report::model;

/// What there is to read, and what reports hold that were written before. A report that holds no evidence, or not all
/// of it, is a mistake in the command line.
pub fn read_before(given: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<ReadArtifact>), Exit> {
    let (reports, paths): (Vec<PathBuf>, Vec<PathBuf>) = given.iter().cloned().partition(|path| is_report(path));
    let mut parts = Vec::new();
    for path in &reports {
        let wrong = |message: &str| usage(&format!("{}: {message}", path.display()));
        let report = model::read(path).map_err(|error| wrong(&error.to_string()))?;
        if report.evidence_format.is_none() {
            return Err(wrong(
                "a report says what was concluded, and not all facts that rules can ask for; name the artifacts, or a \
                 report that `analyze --mergeable -f json` has written",
            ));
        }
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        parts.push(Part { name, report });
    }
    let (before, _) = merge::artifacts(parts).map_err(|(index, error)| {
        let report = reports.get(index).map(|path| path.display().to_string()).unwrap_or_default();
        usage(&format!("{report}: {error}"))
    })?;
    Ok((paths, before))
}

/// Whether a file is a JSON report of this program. What can't be read is told where it is read.
fn is_report(path: &Path) -> bool {
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SNIFFED).read_to_end(&mut first));
    read.is_ok() && first.trim_ascii_start().starts_with(b"{") && is_own_report(&first)
}

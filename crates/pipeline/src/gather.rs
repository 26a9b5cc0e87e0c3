//! Reading alone, for engines that spread files over many computers: every file is read by itself and its evidence packed, and
//! nothing is joined or judged. Merging what was gathered gives the report of all files together.

use std::path::{Path, PathBuf};
use std::slice;

use rayon::prelude::*;

use crate::analysis::{Options, Progress, conclude, read_all};
use crate::discover::{self, Unfound};
use crate::read::{ReadArtifact, unread};
use evidence::ArtifactKind;
use report::{Artifact, ArtifactStatus, Report, Summary};
use rules::RuleSet;
use untrusted::display_path;

/// What is at and below paths.
#[derive(Debug)]
pub struct Listed {
    /// The regular files, each once, by path.
    pub files: Vec<PathBuf>,
    /// The paths without a file that can be read, as a report lists them.
    pub unread: Vec<Artifact>,
}

/// Finds the files that [`crate::analyze`] reads, without reading them.
#[must_use]
pub fn list_files(paths: &[PathBuf]) -> Listed {
    let (files, unfound) = discover::find(paths);
    Listed { files, unread: unfound.iter().map(|unfound| without_file(unfound).artifact).collect() }
}

/// Reads each file and returns its artifacts with their evidence, in the order of the files; an archive has several. Files are
/// read in parallel, on the current rayon thread pool.
#[must_use]
pub fn gather(files: &[PathBuf], options: &Options, progress: &dyn Progress) -> Vec<Vec<Artifact>> {
    let options = Options { keep_evidence: true, ..options.clone() };
    let read = |file: &PathBuf| {
        let (read, _) = read_all(slice::from_ref(file), &options, progress);
        read.into_iter().map(|read| read.artifact).collect()
    };
    files.par_iter().map(read).collect()
}

/// A file that is not read, as a report lists it; by design where it is passed over.
#[must_use]
pub fn not_read(file: &Path, bytes: u64, reason: String, passed_over: bool) -> Artifact {
    let unfound = Unfound { path: file.to_path_buf(), reason, passed_over };
    Artifact { bytes, ..without_file(&unfound).artifact }
}

/// The report of artifacts that holds their evidence and no conclusion, for merging.
#[must_use]
pub fn gathered(artifacts: Vec<Artifact>, rules: &RuleSet) -> Report {
    let options = Options { keep_evidence: true, ..Options::default() };
    let (empty, _) = conclude(Vec::new(), rules, &options);
    Report { summary: Summary::new(&artifacts, &[]), artifacts, ..empty }
}

/// A path without a file that can be read, as a report lists it.
pub(crate) fn without_file(unfound: &Unfound) -> ReadArtifact {
    let named = discover::named_kind(&unfound.path).filter(|_| !unfound.passed_over);
    let status = if unfound.passed_over { ArtifactStatus::Skipped } else { ArtifactStatus::Failed };
    let kind = named.unwrap_or(ArtifactKind::Unknown);
    unread(display_path(&unfound.path), kind, 0, status, unfound.reason.clone())
}

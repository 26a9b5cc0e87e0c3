//! Reading alone, for engines that spread files over many computers: every file is read by itself, and nothing is joined or
//! judged. [`Gathering`](crate::merge::Gathering) puts together what was read, and [`crate::merge()`] makes the report of all files.

use std::path::{Path, PathBuf};
use std::slice;

use rayon::prelude::*;

use crate::analysis::{Options, Progress, note_unmergeable, read_all};
use crate::discover::{self, Unfound};
use crate::merge::encode;
use crate::read::{ReadArtifact, unread};
use evidence::ArtifactKind;
use report::{Artifact, ArtifactStatus};
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

/// An artifact that was read by itself.
#[derive(Debug)]
pub struct Gathered {
    /// As a report lists it.
    pub artifact: Artifact,
    /// Its evidence as [`Gathering`](crate::merge::Gathering) takes it; `None` where there is none.
    pub evidence: Option<Vec<u8>>,
}

/// Reads each file and returns its artifacts, in the order of the files; an archive has several. Files are read in parallel, on
/// the current rayon thread pool.
#[must_use]
pub fn gather(files: &[PathBuf], options: &Options, progress: &dyn Progress) -> Vec<Vec<Gathered>> {
    let options = Options { keep_evidence: false, ..options.clone() };
    let read = |file: &PathBuf| {
        let (read, _) = read_all(slice::from_ref(file), &options, progress);
        read.into_iter().map(gathered).collect()
    };
    files.par_iter().map(read).collect()
}

/// An artifact with its evidence as bytes. Evidence that is too large for that is lost, and the artifact tells it.
fn gathered(mut read: ReadArtifact) -> Gathered {
    let encoded = (!read.evidence.is_empty() || !read.coverage.is_empty()).then(|| encode(&read)).transpose();
    let evidence = encoded.unwrap_or_else(|error| {
        note_unmergeable(&mut read.artifact, &error);
        None
    });
    Gathered { artifact: read.artifact, evidence }
}

/// A file that is not read, as a report lists it; by design where it is passed over.
#[must_use]
pub fn not_read(file: &Path, bytes: u64, reason: String, passed_over: bool) -> Artifact {
    let unfound = Unfound { path: file.to_path_buf(), reason, passed_over };
    Artifact { bytes, ..without_file(&unfound).artifact }
}

/// A path without a file that can be read, as a report lists it.
pub(crate) fn without_file(unfound: &Unfound) -> ReadArtifact {
    let named = discover::named_kind(&unfound.path).filter(|_| !unfound.passed_over);
    let status = if unfound.passed_over { ArtifactStatus::Skipped } else { ArtifactStatus::Failed };
    let kind = named.unwrap_or(ArtifactKind::Unknown);
    unread(display_path(&unfound.path), kind, 0, status, unfound.reason.clone())
}

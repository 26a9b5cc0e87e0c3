//! Notes about paths of the command line that could not be read, beside the report, which may be long.

use std::path::PathBuf;

use super::stream::Notes;
use report::{Artifact, ArtifactStatus};
use untrusted::display_path;

/// The most paths that are named.
const NAMED: usize = 5;

/// Notes the given paths that could not be read, with the reasons.
pub fn note_lost(given: &[PathBuf], artifacts: &[Artifact], notes: &mut Notes) {
    let given: Vec<String> = given.iter().map(|path| display_path(path)).collect();
    let lost = artifacts.iter().filter(|artifact| artifact.status == ArtifactStatus::Failed);
    for artifact in lost.filter(|artifact| given.contains(&artifact.path)).take(NAMED) {
        let reason = artifact.detail.as_deref().unwrap_or("could not be read");
        notes.say(format!("{}: {reason}", artifact.path));
    }
}

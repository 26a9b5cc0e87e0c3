//! Paths of the command line that could not be read, told on standard error: a report may be long, or about something
//! else.

use std::path::PathBuf;

use super::stream::Notes;
use report::{Artifact, ArtifactStatus};
use untrusted::display_path;

/// How many are named.
const NAMED: usize = 5;

/// Says which of the paths that were given could not be read, and why.
pub fn note_lost(given: &[PathBuf], artifacts: &[Artifact], notes: &mut Notes) {
    let given: Vec<String> = given.iter().map(|path| display_path(path)).collect();
    let lost = artifacts.iter().filter(|artifact| artifact.status == ArtifactStatus::Failed);
    for artifact in lost.filter(|artifact| given.contains(&artifact.path)).take(NAMED) {
        let reason = artifact.detail.as_deref().unwrap_or("could not be read");
        notes.say(format!("{}: {reason}", artifact.path));
    }
}

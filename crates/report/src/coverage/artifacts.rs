//! Gaps because of artifacts that were not read, or only in part.

use std::collections::BTreeMap;

use crate::model::{Artifact, ArtifactStatus, Gap};
use crate::wording::counted;

/// Adds the artifacts of readable kinds that were not read whole, and the archives that were not opened.
pub(super) fn gaps(artifacts: &[Artifact], gaps: &mut Vec<Gap>) {
    let mut counts: BTreeMap<(&'static str, &str), usize> = BTreeMap::new();
    for artifact in artifacts {
        let kind = match artifact.status {
            _ if artifact.is_unopened_archive() => "archive-not-opened",
            ArtifactStatus::Failed => "artifact-not-readable",
            ArtifactStatus::Partial => "artifact-read-in-part",
            ArtifactStatus::Ok | ArtifactStatus::Skipped | ArtifactStatus::Unknown => continue,
        };
        *counts.entry((kind, &*artifact.kind)).or_default() += 1;
    }
    for ((kind, of), count) in counts {
        let what = counted(count, noun(of));
        let was = if count == 1 { "was" } else { "were" };
        let says = match kind {
            "archive-not-opened" => format!("{what} {was} not opened: extract and analyze the folder"),
            "artifact-not-readable" => format!("{what} could not be read"),
            _ => format!("{what} {was} read only in part"),
        };
        gaps.push(Gap { count, ..Gap::new(kind, None, says) });
    }
}

/// The noun for artifacts of a kind.
fn noun(kind: &str) -> &'static str {
    match kind {
        "minidump" => "minidump",
        "kernel-dump" => "kernel dump",
        "event-log" => "event log",
        "wer-report" => "WER report",
        "ticket" => "text",
        "archive" => "archive",
        _ => "file",
    }
}

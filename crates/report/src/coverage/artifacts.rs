//! Artifacts that could not be read, or not whole.

use std::collections::BTreeMap;

use super::{Gap, counted};
use crate::{Artifact, ArtifactStatus};

/// Adds what was not read of kinds that matter. What is of no kind that is read is no gap.
pub(super) fn gaps(artifacts: &[Artifact], gaps: &mut Vec<Gap>) {
    let mut counts: BTreeMap<(&'static str, &str), usize> = BTreeMap::new();
    for artifact in artifacts {
        let kind = match artifact.status {
            _ if artifact.is_unopened_archive() => "archive-not-opened",
            ArtifactStatus::Failed => "artifact-not-readable",
            ArtifactStatus::Partial => "artifact-read-in-part",
            ArtifactStatus::Ok | ArtifactStatus::Skipped | ArtifactStatus::Unknown => continue,
        };
        let count = counts.entry((kind, &*artifact.kind)).or_default();
        *count = count.saturating_add(1);
    }
    for ((kind, of), count) in counts {
        let what = counted(count, named(of), &format!("{}s", named(of)));
        let was = if count == 1 { "was" } else { "were" };
        let says = match kind {
            "archive-not-opened" => format!("{what} {was} not opened: extract and analyze the folder"),
            "artifact-not-readable" => format!("{what} could not be read"),
            _ => format!("{what} {was} read only in part"),
        };
        gaps.push(Gap { count, ..Gap::new(kind, None, says) });
    }
}

/// What people call an artifact's kind.
fn named(kind: &str) -> &'static str {
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

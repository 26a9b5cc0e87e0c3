//! Logs the steps of a run, so that a wrong verdict can be traced to its cause: the artifacts that were read, the incidents
//! that were joined and judged, and the time of each step.
//!
//! The report does not depend on logging. `CRASHSIFT_LOG` selects the level: `info` (steps of a run) or `debug` (each
//! artifact and each incident).

use std::time::{Duration, Instant};

use incident::JoinedIncident;
use log::{debug, info};
use report::Judged;

use crate::read::ReadArtifact;

/// Runs a step and logs its time.
pub(super) fn timed<T>(step: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    info!("{step}: {:.3} s", start.elapsed().as_secs_f64());
    done
}

/// Logs the evidence of one artifact. `took` is the time for the whole file, also for a member of an archive.
pub(super) fn read(read: &ReadArtifact, took: Duration) {
    let artifact = &read.artifact;
    debug!(
        "read {}: {} {}, {} pieces of evidence, {:.3} ms{}",
        artifact.path,
        artifact.kind,
        <&str>::from(artifact.status),
        read.evidence.len(),
        took.as_secs_f64() * 1e3,
        artifact.detail.as_deref().map(|detail| format!(" ({detail})")).unwrap_or_default(),
    );
}

/// Logs the evidence of an incident.
pub(super) fn joined(joined: &JoinedIncident<'_>) {
    let incident = &joined.incident;
    let places = incident.evidence.iter().map(|item| format!("artifact {}, {}", item.artifact, item.place));
    debug!("joined {} ({}): {}", incident.id, incident.kind.word(), places.collect::<Vec<_>>().join("; "));
}

/// Logs the findings and the verdict of an incident.
pub(super) fn judged(judged: &Judged) {
    let findings = judged.findings.iter().map(|finding| format!("{} {:.2}", finding.rule, finding.confidence));
    debug!(
        "judged {}: {} {:.2}; {}",
        judged.incident.id,
        judged.verdict.cause,
        judged.verdict.confidence,
        findings.collect::<Vec<_>>().join(", "),
    );
}

//! What a run logs of its steps, so that a wrong verdict can be followed back: which artifacts were read, what was joined,
//! what was judged, and how long it took.
//!
//! Logging has nothing to do with the report, which never depends on it. The program prints it when `CRASHSIFT_LOG` asks
//! for it; levels are `info` (steps of a run) and `debug` (each artifact and each incident).

use std::time::{Duration, Instant};

use incident::Built;
use log::{debug, info};
use report::Judged;

use crate::read::ReadArtifact;

/// Does a step of a run, and logs how long it took.
pub(super) fn timed<T>(step: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    info!("{step}: {:.3} s", start.elapsed().as_secs_f64());
    done
}

/// Logs what one artifact gave. `took` is for the whole file, also where the artifact is a member of an archive.
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

/// Logs of what an incident was joined.
pub(super) fn joined(built: &Built<'_>) {
    let incident = &built.incident;
    let places = incident.evidence.iter().map(|item| format!("artifact {}, {}", item.artifact, item.place));
    debug!("joined {} ({}): {}", incident.id, incident.kind.word(), places.collect::<Vec<_>>().join("; "));
}

/// Logs which rules matched an incident, and its verdict.
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

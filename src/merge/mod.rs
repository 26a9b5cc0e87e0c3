//! From the reports of parts back to artifacts with their evidence, so that they can be joined and judged as one folder.
//!
//! A report holds evidence only when it was asked to. Joining and judging what several reports hold gives the report of
//! all their artifacts, byte for byte: nothing that is concluded in a part is taken over.

mod kept;

use std::collections::BTreeMap;
use std::io;

use rayon::prelude::*;

pub use kept::{FORMAT, pack};

use crate::discover::ArtifactKind;
use crate::read::ReadArtifact;
use crate::report::written::{self, Written};
use crate::report::{Artifact, ArtifactStatus};

/// A report to be merged.
#[derive(Debug)]
pub struct Part {
    /// What it is called: its file's name without extension.
    pub name: String,
    /// What it says.
    pub report: Written,
}

/// The artifacts of all reports, and notes on what was done to tell them apart.
///
/// A file that stands in several reports with the same evidence counts once. Where two reports have different files
/// under one path, as those of several computers do, the artifacts of all reports get the name of their report before
/// their paths.
///
/// # Errors
///
/// The name of the report and the reason, when one holds no evidence or evidence that can't be read.
pub fn artifacts(parts: Vec<Part>) -> Result<(Vec<ReadArtifact>, Option<String>), (String, io::Error)> {
    for part in &parts {
        check(&part.report).map_err(|error| (part.name.clone(), error))?;
    }
    let mut known: BTreeMap<&str, &written::Artifact> = BTreeMap::new();
    let differs = parts
        .iter()
        .flat_map(|part| &part.report.artifacts)
        .find(|artifact| *known.entry(&artifact.path).or_insert(artifact) != *artifact)
        .map(|artifact| artifact.path.clone());
    let mut listed: BTreeMap<String, (usize, written::Artifact)> = BTreeMap::new();
    let prefixes = prefixes(&parts);
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    for ((index, part), prefix) in parts.into_iter().enumerate().zip(prefixes) {
        for artifact in part.report.artifacts {
            let path = match &differs {
                Some(_) => format!("{prefix}/{}", artifact.path.trim_start_matches('/')),
                None => artifact.path.clone(),
            };
            listed.entry(path).or_insert((index, artifact));
        }
    }
    let read: Result<Vec<_>, _> = listed
        .into_par_iter()
        .map(|(path, (part, artifact))| {
            unpacked(path, &artifact)
                .map_err(|error| (part, io::Error::other(format!("artifact {}: {error}", artifact.path))))
        })
        .collect();
    let read = read.map_err(|(part, error)| (names.get(part).cloned().unwrap_or_default(), error))?;
    let note = differs.map(|path| {
        format!("several reports have a file {path}, and not the same: paths begin with the names of their reports")
    });
    Ok((read, note))
}

fn check(report: &Written) -> io::Result<()> {
    match report.evidence_format.as_deref() {
        Some(FORMAT) => Ok(()),
        Some(_) => Err(io::Error::other(format!(
            "its evidence was written by crashsift {}, whose form of evidence is another than this version's ({}); \
             analyze the folder again",
            report.tool.version,
            env!("CARGO_PKG_VERSION")
        ))),
        None => {
            Err(io::Error::other("it holds no evidence; reports can be merged that `analyze --mergeable` has written"))
        }
    }
}

/// What stands before the paths of each report's artifacts where that is needed: its name, and where several have the
/// same, a number.
fn prefixes(parts: &[Part]) -> Vec<String> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    parts
        .iter()
        .map(|part| {
            let count = count.entry(&part.name).or_default();
            *count = count.saturating_add(1);
            if *count == 1 { part.name.clone() } else { format!("{}-{count}", part.name) }
        })
        .collect()
}

fn unpacked(path: String, artifact: &written::Artifact) -> io::Result<ReadArtifact> {
    let unknown = |key: &str, word: &str| io::Error::other(format!("{key} {word:?} is not known"));
    let kind = ArtifactKind::of_word(&artifact.kind).ok_or_else(|| unknown("kind", &artifact.kind))?;
    let status = ArtifactStatus::of_word(&artifact.status).ok_or_else(|| unknown("status", &artifact.status))?;
    let kept = artifact.evidence.as_deref().map(kept::unpack).transpose()?;
    let (pasted, evidence, coverage) =
        kept.map_or_else(Default::default, |kept| (kept.pasted, kept.evidence, kept.coverage));
    Ok(ReadArtifact {
        artifact: Artifact {
            path,
            kind: kind.word(),
            status,
            detail: artifact.detail.clone(),
            bytes: artifact.bytes,
            records: artifact.records,
            evidence: None,
        },
        pasted,
        evidence,
        coverage,
    })
}

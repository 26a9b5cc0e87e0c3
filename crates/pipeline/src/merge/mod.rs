//! Gets the artifacts with their evidence back from reports, so that they can be joined and judged as one folder.
//!
//! A report holds evidence only with `--mergeable`. Joining and judging the evidence of several reports gives the report
//! of all their artifacts, byte for byte: no conclusion of a report is taken over.

mod gathered;
mod kept;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rayon::prelude::*;

pub use gathered::Gathering;
use kept::Budget;
pub use kept::{Damage, encode, pack};

use crate::read::ReadArtifact;
use evidence::{ArtifactKind, FORMAT, base_name};
use report::model::Document;
use report::{Artifact, ArtifactStatus};
use rules::RuleSetInfo;

/// The reason why a report can't be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// An error of one artifact.
    #[error("artifact {path}: {error}")]
    Artifact {
        /// The artifact's path in the report.
        path: String,
        /// Its error.
        error: Box<MergeError>,
    },
    /// Another artifact would get the same path below the names of the reports.
    #[error("another one would have the path {0}")]
    SamePath(String),
    /// The report was made by a version with another form of evidence.
    #[error(
        "its evidence was written by crashsift {0}, whose form of evidence is another than this version's ({version}); \
         analyze the folder again",
        version = env!("CARGO_PKG_VERSION")
    )]
    OtherFormat(String),
    /// The report was made without `--mergeable`.
    #[error("it holds no evidence; reports can be merged that `analyze --mergeable` has written")]
    NoEvidence,
    /// The report lists an artifact twice.
    #[error("it lists artifact {0} twice")]
    Twice(String),
    /// The report cites an artifact that it does not list, or whose evidence it lacks.
    #[error("it cites artifact {path} and {what}; analyze the folder again")]
    Cited {
        /// The artifact's path in the report.
        path: String,
        /// What the report lacks.
        what: &'static str,
    },
    /// The artifact's kind is not one of this version.
    #[error("kind {0:?} is not known")]
    UnknownKind(String),
    /// The artifact's status is not one of this version.
    #[error("its status is not known")]
    UnknownStatus,
    /// The artifact's evidence was not put into the report, because it was too large.
    #[error("its evidence was too large to be kept in the report")]
    NotKept,
    /// The artifact's evidence is not as it was written.
    #[error("its evidence is damaged: {0}")]
    Damaged(#[from] Damage),
    /// The artifact's evidence is too large.
    #[error("its evidence is larger than {mib} MiB")]
    TooLarge {
        /// The limit.
        mib: u64,
    },
    /// The evidence of all reports is too large.
    #[error("with it, the evidence of all reports would take more than {gib} GiB of memory; merge fewer at once")]
    TooMuchMemory {
        /// The limit.
        gib: u64,
    },
    /// The evidence could not be encoded.
    #[error(transparent)]
    Encoding(#[from] postcard::Error),
    /// The evidence could not be compressed.
    #[error(transparent)]
    Compression(#[from] io::Error),
}

impl MergeError {
    fn of_artifact(self, path: impl Into<String>) -> Self {
        Self::Artifact { path: path.into(), error: Box::new(self) }
    }
}

/// A report to be merged.
#[derive(Debug)]
pub struct Part {
    /// Its file's name without extension.
    pub name: String,
    /// Its content.
    pub report: Document<'static>,
}

/// The artifacts of all reports, and a note where their paths were changed.
///
/// A file with the same evidence in several reports counts once. Where two reports have different files under one path,
/// as those of several computers do, all paths get the name of their report as a prefix.
///
/// # Errors
/// The index of a report and the reason, when it lacks evidence or its evidence can't be read.
pub fn artifacts(parts: Vec<Part>) -> Result<(Vec<ReadArtifact>, Option<String>), (usize, MergeError)> {
    for (index, part) in parts.iter().enumerate() {
        check(&part.report).map_err(|error| (index, error))?;
    }
    let note = differing(&parts);
    let prefixes = prefixes(&parts);
    let mut by_path: BTreeMap<String, (usize, Artifact)> = BTreeMap::new();
    for ((index, part), prefix) in parts.into_iter().enumerate().zip(prefixes) {
        let prefix = note.as_ref().map(|_| prefix);
        let places = places(&part.report.artifacts, prefix.as_deref());
        for (path, artifact) in places.into_iter().zip(part.report.artifacts.into_owned()) {
            match by_path.entry(path) {
                Entry::Vacant(place) => {
                    place.insert((index, artifact));
                }
                // Without prefixes, the same file in another report.
                Entry::Occupied(place) if place.get().1 == artifact => {}
                Entry::Occupied(place) => {
                    return Err((index, MergeError::SamePath(place.key().clone()).of_artifact(artifact.path)));
                }
            }
        }
    }
    let budget = Budget::default();
    let read: Result<Vec<_>, _> = by_path
        .into_par_iter()
        .map(|(path, (part, artifact))| {
            let own_path = artifact.path.clone();
            unpacked(path, artifact, &budget).map_err(|error| (part, error.of_artifact(own_path)))
        })
        .collect();
    Ok((read?, note))
}

/// The sets of Sigma rules whose matches are in the reports, each once; without the folders that they are in, where the report
/// is redacted.
#[must_use]
pub fn sigma_sets(parts: &[Part], redacted: bool) -> Vec<RuleSetInfo> {
    let sets = parts.iter().flat_map(|part| &*part.report.rulesets).filter(|set| set.name.starts_with(sigma::PREFIX));
    let named = |name: &str| match name.strip_prefix(sigma::PREFIX) {
        Some(path) if redacted => format!("{}{}", sigma::PREFIX, base_name(path)),
        _ => name.to_owned(),
    };
    let sets: BTreeSet<(String, usize)> = sets.map(|set| (named(&set.name), set.rules)).collect();
    sets.into_iter().map(|(name, rules)| RuleSetInfo::of_sigma(name, rules)).collect()
}

/// Whether Sigma rules were matched with the artifacts of all these reports.
#[must_use]
pub fn is_all_with_sigma(parts: &[Part]) -> bool {
    let with_sigma = |part: &Part| part.report.rulesets.iter().any(|set| set.name.starts_with(sigma::PREFIX));
    !parts.is_empty() && parts.iter().all(with_sigma)
}

/// A note on the first path under which two reports have different files; `None` where there is no such path.
fn differing(parts: &[Part]) -> Option<String> {
    const THEN: &str = "paths begin with the names of their reports";
    let mut known: BTreeMap<&str, &Artifact> = BTreeMap::new();
    let mut artifacts = parts.iter().flat_map(|part| &*part.report.artifacts);
    artifacts.find_map(|artifact| {
        let first = *known.entry(&artifact.path).or_insert(artifact);
        let path = &artifact.path;
        if first == artifact {
            None
        } else if (first.bytes, &first.kind) == (artifact.bytes, &artifact.kind) {
            Some(format!(
                "several reports have a file {path} of the same size, and its evidence differs: if it is the same \
                 file, its reports were made with different options (--symbols, --no-stack-walk), and it counts twice; \
                 {THEN}"
            ))
        } else {
            Some(format!("several reports have a file {path}, and not the same: {THEN}"))
        }
    })
}

/// The new paths of a report's artifacts: below `prefix`, where there is one. An absolute path loses its first slash then,
/// unless the report has another artifact whose path is the rest.
fn places(artifacts: &[Artifact], prefix: Option<&str>) -> Vec<String> {
    let Some(prefix) = prefix else { return artifacts.iter().map(|artifact| artifact.path.clone()).collect() };
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for artifact in artifacts {
        let count = count.entry(artifact.path.trim_start_matches('/')).or_default();
        *count = count.saturating_add(1);
    }
    let place = |artifact: &Artifact| {
        let rest = artifact.path.trim_start_matches('/');
        let rest = if count.get(rest) == Some(&1) { rest } else { artifact.path.as_str() };
        format!("{prefix}/{rest}")
    };
    artifacts.iter().map(place).collect()
}

/// Checks that a report holds the evidence of all artifacts that it cites.
fn check(report: &Document<'_>) -> Result<(), MergeError> {
    match report.evidence_format.as_deref() {
        Some(FORMAT) => {}
        Some(_) => return Err(MergeError::OtherFormat(report.tool.version.to_string())),
        None => return Err(MergeError::NoEvidence),
    }
    let mut kept: BTreeMap<&str, bool> = BTreeMap::new();
    for artifact in &*report.artifacts {
        if kept.insert(&artifact.path, artifact.evidence.is_some()).is_some() {
            return Err(MergeError::Twice(artifact.path.clone()));
        }
    }
    report.check_cited(|path| {
        let what = match kept.get(path) {
            Some(true) => return Ok(()),
            Some(false) => "does not hold its evidence",
            None => "does not list it",
        };
        Err(MergeError::Cited { path: path.to_owned(), what })
    })
}

/// The prefixes of the reports: their names, with a number where several reports have one name.
fn prefixes(parts: &[Part]) -> Vec<String> {
    let mut taken: BTreeSet<String> = parts.iter().map(|part| part.name.clone()).collect();
    let mut given: BTreeMap<&str, u64> = BTreeMap::new();
    parts
        .iter()
        .map(|part| {
            let number = given.entry(&part.name).or_default();
            loop {
                *number = number.saturating_add(1);
                if *number == 1 {
                    return part.name.clone();
                }
                let numbered = format!("{}-{number}", part.name);
                if taken.insert(numbered.clone()) {
                    return numbered;
                }
            }
        })
        .collect()
}

/// An artifact of a report with its evidence, under its new path.
fn unpacked(path: String, artifact: Artifact, budget: &Budget) -> Result<ReadArtifact, MergeError> {
    if !ArtifactKind::WORDS.contains(&&*artifact.kind) {
        return Err(MergeError::UnknownKind(artifact.kind.to_string()));
    }
    if artifact.status == ArtifactStatus::Unknown {
        return Err(MergeError::UnknownStatus);
    }
    let kept = artifact.evidence.as_deref().map(|text| kept::unpack(text, budget)).transpose()?;
    let (pasted, evidence, coverage) =
        kept.map_or_else(Default::default, |kept| (kept.pasted, kept.evidence, kept.coverage));
    Ok(ReadArtifact { artifact: Artifact { path, evidence: None, ..artifact }, pasted, evidence, coverage })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(path: &str) -> Artifact {
        Artifact {
            path: path.to_owned(),
            kind: "event-log".into(),
            status: ArtifactStatus::Ok,
            detail: None,
            bytes: 1,
            records: None,
            party: None,
            evidence: None,
        }
    }

    fn part(name: &str, artifacts: Vec<Artifact>) -> Part {
        let mut report = Document::default();
        report.evidence_format = Some(FORMAT.into());
        report.artifacts = artifacts.into();
        Part { name: name.to_owned(), report }
    }

    fn paths(parts: Vec<Part>) -> Vec<String> {
        let (read, _) = artifacts(parts).expect("merged");
        read.into_iter().map(|read| read.artifact.path).collect()
    }

    #[test]
    fn no_report_gets_the_name_of_another() {
        let different = |bytes| Artifact { bytes, ..artifact("x") };
        let parts = ["r", "r", "r-2", "r"].into_iter().zip(1..).map(|(name, bytes)| part(name, vec![different(bytes)]));
        assert_eq!(paths(parts.collect()), ["r-2/x", "r-3/x", "r-4/x", "r/x"]);
    }

    #[test]
    fn absolute_and_relative_paths_stay_two() {
        let other = Artifact { bytes: 2, ..artifact("y") };
        let first = part("a", vec![artifact("/tmp/x"), artifact("tmp/x"), artifact("/y"), artifact("y")]);
        assert_eq!(paths(vec![first, part("b", vec![other])]), ["a//tmp/x", "a//y", "a/tmp/x", "a/y", "b/y"]);
        let other = Artifact { bytes: 2, ..artifact("/y") };
        assert_eq!(paths(vec![part("a", vec![artifact("/y")]), part("b", vec![other])]), ["a/y", "b/y"]);
    }

    #[test]
    fn no_artifact_is_dropped_for_another() {
        let twice = part("a", vec![artifact("x"), artifact("x")]);
        let (index, error) = artifacts(vec![part("b", Vec::new()), twice]).expect_err("twice");
        assert_eq!((index, error.to_string()), (1, "it lists artifact x twice".to_owned()));
        let other = Artifact { bytes: 2, ..artifact("b/x") };
        let parts = vec![part("a", vec![artifact("b/x")]), part("a/b", vec![artifact("x"), other])];
        let (index, error) = artifacts(parts).expect_err("two under one path");
        assert_eq!(index, 1);
        assert!(error.to_string().contains("artifact x: another one would have the path a/b/x"), "{error}");
    }

    #[test]
    fn a_file_of_the_same_size_with_other_evidence_may_be_the_same() {
        let other = Artifact { records: Some(5), ..artifact("x") };
        let (read, note) = artifacts(vec![part("a", vec![artifact("x")]), part("b", vec![other])]).expect("merged");
        assert_eq!(read.len(), 2);
        let note = note.expect("a note");
        assert!(note.contains("different options"), "{note}");
    }
}

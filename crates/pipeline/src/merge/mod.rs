//! From the reports of parts back to artifacts with their evidence, so that they can be joined and judged as one folder.
//!
//! A report holds evidence only when it was asked to. Joining and judging what several reports hold gives the report of
//! all their artifacts, byte for byte: nothing that is concluded in a part is taken over.

mod kept;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use rayon::prelude::*;

use kept::Budget;
pub use kept::pack;

use crate::read::ReadArtifact;
use evidence::{ArtifactKind, FORMAT};
use report::model::Document;
use report::{Artifact, ArtifactStatus};
use rules::RuleSetInfo;

/// A report to be merged.
#[derive(Debug)]
pub struct Part {
    /// What it is called: its file's name without extension.
    pub name: String,
    /// What it says.
    pub report: Document<'static>,
}

/// The artifacts of all reports, and a note on what was done to tell them apart.
///
/// A file that stands in several reports with the same evidence counts once. Where two reports have different files
/// under one path, as those of several computers do, the artifacts of all reports get the name of their report before
/// their paths.
///
/// # Errors
///
/// Which of the reports and the reason, when one holds no evidence, not all of it, or evidence that can't be read.
pub fn artifacts(parts: Vec<Part>) -> Result<(Vec<ReadArtifact>, Option<String>), (usize, io::Error)> {
    for (index, part) in parts.iter().enumerate() {
        check(&part.report).map_err(|error| (index, error))?;
    }
    let note = differing(&parts);
    let prefixes = prefixes(&parts);
    let mut listed: BTreeMap<String, (usize, Artifact)> = BTreeMap::new();
    for ((index, part), prefix) in parts.into_iter().enumerate().zip(prefixes) {
        let prefix = note.as_ref().map(|_| prefix);
        let places = places(&part.report.artifacts, prefix.as_deref());
        for (path, artifact) in places.into_iter().zip(part.report.artifacts.into_owned()) {
            match listed.entry(path) {
                Entry::Vacant(place) => {
                    place.insert((index, artifact));
                }
                // Without prefixes, the same file in another report.
                Entry::Occupied(place) if place.get().1 == artifact => {}
                Entry::Occupied(place) => {
                    let error = format!("artifact {}: another one would have the path {}", artifact.path, place.key());
                    return Err((index, io::Error::other(error)));
                }
            }
        }
    }
    let budget = Budget::default();
    let read: Result<Vec<_>, _> = listed
        .into_par_iter()
        .map(|(path, (part, artifact))| {
            let own_path = artifact.path.clone();
            unpacked(path, artifact, &budget)
                .map_err(|error| (part, io::Error::other(format!("artifact {own_path}: {error}"))))
        })
        .collect();
    Ok((read?, note))
}

/// The sets of Sigma rules whose matches are in the reports, as a report lists them: each once.
#[must_use]
pub fn sigma_sets(parts: &[Part]) -> Vec<RuleSetInfo> {
    let sets = parts.iter().flat_map(|part| &*part.report.rulesets).filter(|set| set.name.starts_with(sigma::PREFIX));
    let sets: BTreeSet<(&str, usize)> = sets.map(|set| (set.name.as_str(), set.rules)).collect();
    sets.into_iter().map(|(name, rules)| RuleSetInfo::of_sigma(name.to_owned(), rules)).collect()
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

/// The paths that a report's artifacts get: below the report's name, where there is a prefix. The slash that an absolute
/// path begins with goes away then, unless the report has another artifact whose path is the rest.
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

fn check(report: &Document<'_>) -> io::Result<()> {
    match report.evidence_format.as_deref() {
        Some(FORMAT) => {}
        Some(_) => {
            return Err(io::Error::other(format!(
                "its evidence was written by crashsift {}, whose form of evidence is another than this version's ({}); \
                 analyze the folder again",
                report.tool.version,
                env!("CARGO_PKG_VERSION")
            )));
        }
        None => {
            return Err(io::Error::other(
                "it holds no evidence; reports can be merged that `analyze --mergeable` has written",
            ));
        }
    }
    let mut kept: BTreeMap<&str, bool> = BTreeMap::new();
    for artifact in &*report.artifacts {
        if kept.insert(&artifact.path, artifact.evidence.is_some()).is_some() {
            return Err(io::Error::other(format!("it lists artifact {} twice", artifact.path)));
        }
    }
    report.check_cited(|path| {
        let what = match kept.get(path) {
            Some(true) => return Ok(()),
            Some(false) => "does not hold its evidence",
            None => "does not list it",
        };
        Err(io::Error::other(format!("it cites artifact {path} and {what}; analyze the folder again")))
    })
}

/// What stands before the paths of each report's artifacts where that is needed: its name, and where several have the
/// same, a number that makes a name which no other has.
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

fn unpacked(path: String, artifact: Artifact, budget: &Budget) -> io::Result<ReadArtifact> {
    if !ArtifactKind::WORDS.contains(&&*artifact.kind) {
        return Err(io::Error::other(format!("kind {:?} is not known", artifact.kind)));
    }
    if artifact.status == ArtifactStatus::Unknown {
        return Err(io::Error::other("its status is not known"));
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

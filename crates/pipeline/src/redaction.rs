//! Takes names and secrets out of the artifacts, between reading and joining them.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::read::ReadArtifact;
use evidence::{Evidence, LogCoverage};
use redact::{Key, Learning, PrivateClass, Redactor};
use report::ArtifactStatus;

/// The evidence of an artifact that is not needed any more is dropped while the next one is redacted.
pub(crate) fn redacted(read: Vec<ReadArtifact>, key: &Key) -> Vec<ReadArtifact> {
    let learning = read.par_iter().map(learned).reduce(Learning::default, Learning::with);
    let redactor = learning.redactor(key);
    let mut read: Vec<ReadArtifact> = read.into_par_iter().map(|read| redact(read, &redactor)).collect();
    make_unique(&mut read);
    read
}

/// What an artifact shows of names and secrets.
pub(crate) fn learned(read: &ReadArtifact) -> Learning {
    let mut learning = Learning::default();
    learning.text(&read.artifact.path);
    read.artifact.party.iter().for_each(|party| learning.name(PrivateClass::Customer, party));
    read.artifact.detail.iter().for_each(|detail| learning.text(detail));
    read.coverage.iter().for_each(|coverage| learning.coverage(coverage));
    read.evidence.iter().for_each(|evidence| learning.evidence(evidence));
    learning
}

fn redact(read: ReadArtifact, redactor: &Redactor<'_>) -> ReadArtifact {
    let ReadArtifact { mut artifact, pasted, evidence, coverage } = read;
    let count = evidence.len();
    let evidence: Vec<Evidence> = redactor.evidence(evidence);
    let coverage: Vec<LogCoverage> = coverage.into_iter().map(|coverage| redactor.coverage(coverage)).collect();
    artifact.path = redactor.text(&artifact.path).into_owned();
    artifact.detail = artifact.detail.map(|detail| redactor.text(&detail).into_owned());
    artifact.party = artifact.party.map(|party| redactor.name(PrivateClass::Customer, &party).into());
    // Evidence that was packed before has the names.
    artifact.evidence = None;
    let lost = count.saturating_sub(evidence.len());
    if lost > 0 {
        if artifact.status == ArtifactStatus::Ok {
            artifact.status = ArtifactStatus::Partial;
        }
        let detail = artifact.detail.get_or_insert_default();
        let before = if detail.is_empty() { "" } else { "; " };
        detail.push_str(&format!("{before}{lost} statements could not be redacted and were left out"));
    }
    ReadArtifact { artifact, pasted, evidence, coverage }
}

/// Numbers the paths that are equal without names.
fn make_unique(read: &mut [ReadArtifact]) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for read in read {
        let path = &mut read.artifact.path;
        let numbered = (2_u64..).map(|number| format!("{path} ({number})"));
        let free = std::iter::once(path.clone()).chain(numbered).find(|path| !taken.contains(path));
        if let Some(free) = free {
            taken.insert(free.clone());
            *path = free;
        }
    }
}

//! Artifacts that [`gather`](crate::gather::gather) has read elsewhere, put together.

use std::collections::HashSet;

use rayon::prelude::*;

use super::{MergeError, kept};
use crate::gather::Gathered;
use crate::read::ReadArtifact;
use report::Artifact;

/// So many artifacts are decoded at once.
const AT_ONCE: usize = 4096;

/// The artifacts of many files, of which some were read again later.
#[derive(Debug, Default)]
pub struct Gathering {
    read: Vec<ReadArtifact>,
    waiting: Vec<Gathered>,
    /// The files of the readings so far.
    known: HashSet<Box<[u8]>>,
    /// The files of this reading.
    new: HashSet<Box<[u8]>>,
}

impl Gathering {
    /// Adds an artifact of the file `path`, unless a later reading has that file.
    ///
    /// # Errors
    /// When the evidence of an artifact is damaged.
    pub fn add(&mut self, path: &[u8], artifact: Artifact, evidence: Option<Vec<u8>>) -> Result<(), MergeError> {
        if self.known.contains(path) {
            return Ok(());
        }
        if !self.new.contains(path) {
            self.new.insert(path.into());
        }
        self.waiting.push(Gathered { artifact, evidence });
        if self.waiting.len() >= AT_ONCE { self.decode() } else { Ok(()) }
    }

    /// Ends a reading: what is added from here on is of an earlier one.
    pub fn earlier(&mut self) {
        self.known.extend(self.new.drain());
    }

    /// The artifacts.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn finish(mut self) -> Result<Vec<ReadArtifact>, MergeError> {
        self.decode()?;
        Ok(self.read)
    }

    fn decode(&mut self) -> Result<(), MergeError> {
        let decoded: Result<Vec<_>, _> = std::mem::take(&mut self.waiting).into_par_iter().map(decoded).collect();
        self.read.extend(decoded?);
        Ok(())
    }
}

fn decoded(Gathered { artifact, evidence }: Gathered) -> Result<ReadArtifact, MergeError> {
    let kept = evidence.as_deref().map(kept::decode).transpose();
    let kept = kept.map_err(|error| error.of_artifact(&artifact.path))?;
    let (evidence, coverage) = kept.map_or_else(Default::default, |kept| (kept.evidence, kept.coverage));
    Ok(ReadArtifact { artifact, pasted: false, evidence, coverage })
}

//! The files that a run reads, with their content, as a hash.

use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::question::hash_of;
use evidence::ArtifactKind;
use evtx_scan::{Cache, LEAST_LOG, log_hash};
use pipeline::discover::{self, first_bytes, sniff};
use untrusted::{display_path, reason};

/// The largest file that is compared by all its bytes, if it is not known to need that: hashing one that is larger,
/// such as a dump of all memory, costs more than reading what matters of it.
const MOST_BYTES: u64 = 16 << 20;

/// The artifacts of a run.
pub(super) struct Inputs {
    pub paths: Vec<PathBuf>,
    /// The cache, whose own files are no artifacts.
    pub cache: Arc<Cache>,
    /// Names of the pasted texts; files of these names are not read again.
    pub pasted: Vec<String>,
}

impl Inputs {
    /// A hash of the names and contents of all files. Of event logs only the checksums in them are hashed, but for the
    /// logs whose names are in `whole`. `None` when hashing a file would cost more than reading it.
    pub fn hash(&self, whole: &BTreeSet<String>) -> Option<u128> {
        let (mut found, unfound) = discover::find(&self.paths);
        found.retain(|file| !self.cache.owns(file));
        let mut names: Vec<String> = found.iter().map(|file| display_path(file)).collect();
        let hashes: Option<Vec<u128>> = found
            .par_iter()
            .zip(&names)
            .filter(|(_, name)| !self.pasted.contains(name))
            .map(|(file, name)| content_hash(file, whole.contains(name)))
            .collect();
        let mut all = Xxh3::new();
        for hash in hashes? {
            all.update(&hash.to_le_bytes());
        }
        names.extend(unfound.iter().map(|unfound| format!("{}: {}", display_path(&unfound.path), unfound.reason)));
        for name in names {
            all.update(&(name.len() as u64).to_le_bytes());
            all.update(name.as_bytes());
        }
        Some(all.digest128())
    }
}

/// The hash of a file's content; `None` when hashing costs more than reading.
fn content_hash(path: &Path, whole: bool) -> Option<u128> {
    let opened = opener::open_with_metadata(path).and_then(|(mut file, about)| {
        let first = first_bytes(&file)?;
        file.rewind()?;
        Ok((file, about, first))
    });
    let (file, about, first) = match opened {
        Ok(opened) => opened,
        // The answer contains nothing of such a file but the reason.
        Err(error) => return Some(xxhash_rust::xxh3::xxh3_128(reason(&error).as_bytes())),
    };
    let bytes = about.len();
    // Only files that are read as logs: dumps of programs that read logs contain the signature of chunks, too.
    if !whole && bytes >= LEAST_LOG && sniff(&first) == ArtifactKind::EventLog {
        return log_hash(&file, bytes).ok();
    }
    if !whole && bytes > MOST_BYTES {
        return None;
    }
    hash_of(file.take(bytes)).ok()
}

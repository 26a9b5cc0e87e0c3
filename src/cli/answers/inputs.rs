//! The files that a run reads, and what is in them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::asked::hash_of;
use evidence::ArtifactKind;
use evtx_scan::{Cache, LEAST_LOG, log_hash};
use pipeline::discover::{self, SNIFFED, sniff};
use untrusted::{display_path, reason};

/// The largest file that is compared by all its bytes, if it is not known to need that: hashing one that is larger,
/// such as a dump of all memory, costs more than reading what matters of it.
const MOST_BYTES: u64 = 16 << 20;

/// What a run is given to read.
pub(super) struct Inputs {
    pub paths: Vec<PathBuf>,
    /// Whose files are no artifacts.
    pub cache: Arc<Cache>,
    /// Names of texts that were given otherwise; files of these names are not read.
    pub pasted: Vec<String>,
}

impl Inputs {
    /// A hash of all files, their names and what is in them. Event logs are compared by their checksums, but for those
    /// whose names are in `whole`. `None` when there is a file that can't be compared.
    pub fn hash(&self, whole: &BTreeSet<String>) -> Option<u128> {
        let (mut found, unfound) = discover::find(&self.paths);
        found.retain(|file| !self.cache.owns(&file.path));
        let mut names: Vec<String> = found.iter().map(|file| display_path(&file.path)).collect();
        let hashes: Option<Vec<u128>> = found
            .par_iter()
            .zip(&names)
            .filter(|(_, name)| !self.pasted.contains(name))
            .map(|(file, name)| of_file(&file.path, whole.contains(name)))
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

/// `None` when the file can't be compared.
fn of_file(path: &Path, whole: bool) -> Option<u128> {
    let opened = File::open(path).and_then(|mut file| {
        let about = file.metadata()?;
        let mut first = Vec::with_capacity(usize::try_from(SNIFFED).unwrap_or_default());
        file.by_ref().take(SNIFFED).read_to_end(&mut first)?;
        file.rewind()?;
        Ok((file, about, first))
    });
    let (file, about, first) = match opened {
        Ok(opened) => opened,
        // The reason is all that the answer says of it.
        Err(error) => return Some(xxhash_rust::xxh3::xxh3_128(reason(&error).as_bytes())),
    };
    let bytes = about.len();
    if !about.is_file() {
        return None;
    }
    // Only what is read as a log: a chunk's signature stands in dumps of programs that read logs, too.
    if !whole && bytes >= LEAST_LOG && sniff(&first) == ArtifactKind::EventLog {
        return log_hash(&file, bytes).ok();
    }
    if !whole && bytes > MOST_BYTES {
        return None;
    }
    hash_of(file.take(bytes)).ok()
}
